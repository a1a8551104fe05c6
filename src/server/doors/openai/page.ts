/** The page of OpenAI's dialect: its address, fields, names and errors. */
import { code, type DocPage, example, fieldTable, heading, rowTable } from '../../html-page.js';
import { CaptionedRequest } from './captioned-speech.js';
import { MODEL_NAMES, modelAlias, VOICE_ALIASES } from './names.js';
import { FORMATS, SpeechRequest } from './speech-request.js';

const EXAMPLE = `curl http://127.0.0.1:8787/openai/v1/audio/speech -H "Authorization: Bearer $KEY" \\
  -H 'Content-Type: application/json' -d '{"model":"tts-1","voice":"nova","input":"Hello there."}' -o hello.mp3`;

const EVENTS = `data: {"type":"speech.audio.delta","audio":"…"}

data: {"type":"speech.audio.done","usage":{"input_tokens":12,"output_tokens":0,"total_tokens":12}}`;

const CAPTIONED = `{"audio":"…","audio_format":"audio/mpeg","timestamps":[{"word":"Hello","start_time":0.05,"end_time":0.4},…]}`;

export const OPENAI_PAGE: DocPage = { name: 'openai', title: "OpenAI's dialect", body };

function body(): string {
  return `<p>For clients made for OpenAI: their base URL is ${code('http://127.0.0.1:8787/openai/v1')} (${code('OPENAI_BASE_URL')}), their
key one of ours. A speech costs the same credits as through <a href="/docs/api">/v1</a>, and the same limits hold.</p>
${example(EXAMPLE)}
${heading(2, 'post-openai-v-audio-speech', code('POST /openai/v1/audio/speech'))}${fieldTable(SpeechRequest)}
<p>The answer is streamed as it is made, as ${FORMATS.map(code).join(', ')}; a WAV of a short text comes whole, because some
players need its true length, and a longer one says that its length is unknown. With ${code('stream: false')} every format comes whole,
with a header that tells its length. Fields without an effect are named in the header
${code('x-ignored-fields')}. With ${code('stream_format: "sse"')}, where usage counts characters:</p>
${example(EVENTS)}
<p>With ${code('timestamp_granularities: ["word"]')} the events have ${code('words')} too: ${code('{"word","start","end"}')}, in seconds from the
beginning, those of a sentence with its first audio.</p>
${heading(2, 'post-openai-dev-captioned-speech', code('POST /openai/dev/captioned_speech'))}${fieldTable(CaptionedRequest)}
<p>As Kokoro-FastAPI has it: a line of JSON for every piece of audio, or one object with ${code('stream: false')}. Times are in seconds
from the beginning.</p>
${example(CAPTIONED)}
${heading(2, 'models', 'Models')}
${rowTable(
  ['Name', 'Speaks with'],
  MODEL_NAMES.map((name) => [code(name), code(modelAlias(name) ?? name)]),
)}
<p>A name of OpenAI's is a Free model for a Free key and a Partner model for a Partner key, and counts towards the limits of
that model. ${code('GET /openai/v1/models')},
${code('/models/{id}')}, ${code('/audio/models')} and ${code('/audio/voices')} list what there is, without a key.</p>
${heading(2, 'voices', 'Voices')}
<p>Our own ids, those of Kokoro (${code('af_heart')}), mixes of up to five (${code('af_bella(2)+af_sky(1)')}), and OpenAI's names in any
case, for the style nearest in gender and character:</p>
${rowTable(
  ['Name', "Kokoro's style"],
  [...VOICE_ALIASES].map(([id, { style }]) => [code(id), code(style)]),
)}
${heading(2, 'errors', 'Errors')}
<p>${code('{"error":{"message","type","param","code"}}')} with OpenAI's statuses: 401 ${code('invalid_api_key')}, 404
${code('model_not_found')}, 429 ${code('rate_limit_exceeded')}, and 429 ${code('insufficient_quota')} where credits are missing, with
${code('x-should-retry: false')}.</p>`;
}
