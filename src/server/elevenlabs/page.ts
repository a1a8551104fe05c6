/** ElevenLabs' dialect as a page: the address, the fields, the sockets, the names and what they are here, the errors. */
import { code, escaped, fieldTable, htmlPage, rowTable } from '../html-page.js';
import { OUTPUT_FORMATS, VOICE_ALIASES } from './names.js';
import { SpeechRequest } from './speech-request.js';

const EXAMPLE = `curl http://127.0.0.1:8787/elevenlabs/v1/text-to-speech/english_female_professional -H "xi-api-key: $KEY" \\
  -H 'Content-Type: application/json' -d '{"text":"Hello there."}' -o hello.mp3`;

const MULTI = ` client  {"text":" ","context_id":"one","voice_settings":{"speed":1.1}}
 client  {"text":"Hello there. ","context_id":"one","flush":true}
 server  {"audio":"…","isFinal":false,"alignment":{…},"normalizedAlignment":{…},"contextId":"one"}
 client  {"text":"","context_id":"one"}                     keeps it alive
 client  {"close_context":true,"context_id":"one"}          what is left is spoken
 server  {"isFinal":true,"contextId":"one"}
 client  {"close_socket":true}
 server  closes with 1000`;

const ROUTES = [
  ['POST /elevenlabs/v1/text-to-speech/{voice_id}', 'audio, as it is made'],
  ['POST …/stream', 'the same'],
  ['POST …/with-timestamps', 'one JSON object: the audio in base64, the times of its characters'],
  ['POST …/stream/with-timestamps', 'the same as lines of JSON while it is made; times count from the beginning'],
  ['GET …/stream-input', 'WebSocket: text in pieces, empty text ends it'],
  ['GET …/multi-stream-input', 'WebSocket: several contexts on one connection'],
  ['GET /elevenlabs/v1/voices, /v2/voices, /v1/voices/{id}', 'the voices'],
  ['GET /elevenlabs/v1/models', 'the models'],
] as const;

export const elevenlabsPage = (): string =>
  htmlPage(
    "ElevenLabs' dialect",
    `<p>For clients made for ElevenLabs: their base URL is ${code('http://127.0.0.1:8787/elevenlabs')} (with ${code('/v1')} where the client
asks for it), their key one of ours, in ${code('xi-api-key')} or ${code('Authorization')}. A speech costs the same credits as through
<a href="/docs">the contract's own door</a>, and the same limits hold.</p>
<pre>${escaped(EXAMPLE)}</pre>
${rowTable(
  ['Path', ''],
  ROUTES.map(([path, what]) => [code(path), escaped(what)]),
)}
<h2>Speech over HTTP</h2>${fieldTable(SpeechRequest)}
<p>In the query, ${code('output_format')}: ${OUTPUT_FORMATS.map(code).join(', ')}. Fields without an effect are named in the header
${code('x-ignored-fields')}.</p>
<h2>The sockets</h2>
<p>In the query: ${code('model_id')}, ${code('output_format')}, ${code('inactivity_timeout')} (1 to 180 seconds), ${code('seed')},
${code('enable_ssml_parsing')}; other parameters change nothing. On ${code('multi-stream-input')} every context is a speech of its own, with
its own credits and its own place within the key's limits:</p>
<pre>${escaped(MULTI)}</pre>
<p>The characters of a sentence come with its first audio. The times of ${code('alignment')} begin where the one before ended, those
of ${code('normalizedAlignment')} at the beginning of the context: as Pipecat and LiveKit read them. A context that fails is told in
${code('{"error","message","contextId"}')}; the others go on.</p>
<h2>Models</h2>
<p>${code('eleven_*flash*')} and ${code('eleven_*turbo*')} speak with ${code('base-tts-fast')}, every other name with
${code('base-tts')}: Free models for a Free key, Partner models for a Partner key. Our own names work as well.</p>
<h2>Voices</h2>
<p>Our own ids, and those that everybody has at ElevenLabs, for the style nearest in gender, accent and character:</p>
${rowTable(
  ['Id', 'Name there', "Kokoro's style"],
  [...VOICE_ALIASES].map(([id, { name, style }]) => [code(id), escaped(name), code(style)]),
)}
<h2>Errors</h2>
<p>${code('{"detail":{"status","message",…}}')}, or a list of fields with 422: 401 ${code('invalid_api_key')} and
${code('quota_exceeded')}, 404 ${code('voice_not_found')}, 429 ${code('too_many_concurrent_requests')}, 503 ${code('system_busy')}.</p>`,
  );
