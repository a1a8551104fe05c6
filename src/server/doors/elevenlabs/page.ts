/** The page of ElevenLabs' dialect: its address, fields, sockets, names and errors. */
import { code, type DocPage, escaped, example, fieldTable, heading, rowTable } from '../../html-page.js';
import { DialogueRequest } from './dialogue-routes.js';
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
  [
    'POST /elevenlabs/v1/text-to-dialogue, …/stream, …/with-timestamps, …/stream/with-timestamps',
    'voices that take turns, as one request',
  ],
  ['GET /elevenlabs/v1/voices, /v2/voices, /v1/voices/{id}', 'the voices; older ones with show_legacy=true'],
  ['GET /elevenlabs/v1/voices/{id}/settings, /v1/voices/settings/default', 'settings, the same for every voice'],
  [
    'GET /elevenlabs/v1/user, /v1/user/subscription',
    'the account of the key: the limit less the count is what is left',
  ],
  ['GET /elevenlabs/v1/history, /v1/shared-voices', 'empty: no audio is kept, and nobody shares voices'],
  [
    'GET, POST /elevenlabs/v1/pronunciation-dictionaries/…',
    'add-from-rules, a list, {id}, {id}/set-rules, add-rules and remove-rules',
  ],
  ['POST /elevenlabs/v1/single-use-token/tts_websocket', 'a token that opens one socket within 15 minutes'],
  ['GET /elevenlabs/v1/models', 'the models'],
] as const;

export const ELEVENLABS_PAGE: DocPage = { name: 'elevenlabs', title: "ElevenLabs' dialect", body };

function body(): string {
  return `<p>For clients made for ElevenLabs: their base URL is ${code('http://127.0.0.1:8787/elevenlabs')} (with ${code('/v1')} where the client
asks for it), their key one of ours, in ${code('xi-api-key')} or ${code('Authorization')}. A speech costs the same credits as through
<a href="/docs/api">/v1</a>, and the same limits hold.</p>
${example(EXAMPLE)}
${rowTable(
  ['Path', ''],
  ROUTES.map(([path, what]) => [code(path), escaped(what)]),
)}
${heading(2, 'speech-over-http', 'Speech over HTTP')}${fieldTable(SpeechRequest)}
<p>In the query, ${code('output_format')}: ${OUTPUT_FORMATS.map(code).join(', ')}. Fields without an effect are named in the header
${code('x-ignored-fields')}.</p>
${heading(2, 'dialogue', 'Dialogue')}${fieldTable(DialogueRequest)}
<p>The answers with timestamps have ${code('voice_segments')} too: who is heard from when to when, by seconds and by characters.</p>
${heading(2, 'pronunciation-dictionaries', 'Pronunciation dictionaries')}
<p>A rule is ${code('{"type":"alias","string_to_replace","alias"}')} or ${code('{"type":"phoneme","string_to_replace","phoneme","alphabet":"ipa"}')}.
A key keeps up to 50 dictionaries of up to 500 rules, which no other key sees; a speech or a socket's first message names up to three in
${code('pronunciation_dictionary_locators')}. A locator of none that the key has is named in ${code('x-ignored-fields')}.</p>
${heading(2, 'the-sockets', 'The sockets')}
<p>They are for Partner keys and Partner models, as the socket of <a href="/docs/stream-input">/v1</a> is: a handshake with a Free key is
refused with 403, one for a ${code(':free')} model with 400. Free access is over ${code('POST')}, above.</p>
<p>The key is in a header of the handshake. A page, which can send none, puts a token into the query (${code('single_use_token')}), or the key
there (${code('xi_api_key')}, ${code('authorization')}) or into the first message, within 5 seconds. None of them is logged.</p>
<p>In the query: ${code('model_id')}, ${code('output_format')}, ${code('inactivity_timeout')} (1 to 180 seconds), ${code('seed')},
${code('enable_ssml_parsing')}; other parameters change nothing. A connection to
${code('stream-input')} is one request, however often it is flushed. On ${code('multi-stream-input')} every context is a request of its own,
with its own credits, its own place within the key's limits and its own row in the usage (the handshake's request id, a dot and a
number); so is one that takes up the id of a context that has ended:</p>
${example(MULTI)}
<p>The characters of a sentence come with its first audio. The times of ${code('alignment')} begin where the one before ended, those
of ${code('normalizedAlignment')} at the beginning of the context: as Pipecat and LiveKit read them. A context that fails is told in
${code('{"error","message","contextId"}')}; the others go on. What was on its way for it is ignored: a message with
${code('voice_settings')} opens it again. What comes for a context between ${code('close_context')} and its final message is ignored too.</p>
<p>Bounds: 20 contexts a connection; 100,000 characters that wait to be spoken in a context; of one key, 20 contexts that wait to be
opened and 64 connections (or twice the speeches it may have at once). Beyond them comes ${code('system_busy')}, ${code('overloaded')}
or ${code('too_many_concurrent_requests')}.</p>
${heading(2, 'models', 'Models')}
<p>${code('eleven_*flash*')} and ${code('eleven_*turbo*')} speak with ${code('base-tts-fast')}, every other name with
${code('base-tts')}: over HTTP Free models for a Free key, Partner models for a Partner key, whose limits they count towards. Our own names work as well.</p>
${heading(2, 'voices', 'Voices')}
<p>Our own ids, and those that everybody has at ElevenLabs, for the style nearest in gender, accent and character:</p>
${rowTable(
  ['Id', 'Name there', "Kokoro's style"],
  [...VOICE_ALIASES].map(([id, { name, style }]) => [code(id), escaped(name), code(style)]),
)}
${heading(2, 'errors', 'Errors')}
<p>${code('{"detail":{"status","message",…}}')}, or a list of fields with 422: 401 ${code('invalid_api_key')} and
${code('quota_exceeded')}, 404 ${code('voice_not_found')}, 429 ${code('too_many_concurrent_requests')}, 503 ${code('system_busy')}.</p>`;
}
