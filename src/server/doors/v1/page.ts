/** The page of stream-input: parameters, messages, states and errors, from the schemas. */
import { TtsError } from '../../../protocol/errors.js';
import { MAX_MESSAGE_BYTES, SESSION_CODES, STREAM_PATH } from '../../../protocol/stream.js';
import {
  Alignment,
  AudioMessage,
  EndMessage,
  ErrorMessage,
  FinalMessage,
  InitializeMessage,
  StreamParams,
  TextMessage,
} from '../../../protocol/stream-messages.js';
import { code, type DocPage, example, fieldTable, heading, rowTable } from '../../html-page.js';

const STATES = `
 Connected ──Initialize──▶ Initialized ──Text──▶ Streaming ──End──▶ Draining ──Final──▶ Closed (1000)
                               │                   │    ▲
                               │                   └Text┘
                               └───────────────End─────────────────▶ Draining

 any state ──Error──▶ Closed (the code's own close code)
 any state ──the client leaves──▶ Closed; nothing is debited`;

const EXAMPLE = `
 client  {"text":" "}
 client  {"text":"Hello, "}
 client  {"text":"this is a first sentence. ","flush":true}
 server  {"audio":"…","isFinal":false}
 client  {"text":"And a second one."}
 client  {"text":""}
 server  {"audio":"…","isFinal":false}
 server  {"isFinal":true}
 server  closes with 1000`;

/** Pictures stand a column in from the code's margin. */
const withoutMargin = (picture: string): string => picture.replace(/^ /gm, '').trim();

export const STREAM_INPUT_PAGE: DocPage = { name: 'stream-input', title: 'WebSocket reference', body };

function body(): string {
  const errors = SESSION_CODES.map((name) => {
    const { close } = new TtsError(name, '').row;
    return [code(name), String(close)];
  });
  return `<p>A WebSocket at ${code(STREAM_PATH.replace(':voice_id', '{voice_id}'))}: text goes in while it is written, audio comes back
while it is made. The key comes with the handshake, in ${code('Authorization: Bearer KEY')}. A handshake that is refused is a
plain HTTP answer with a JSON error, as everywhere (<a href="/docs/api#errors">every error</a>). A session whose key is revoked or
expires ends within 3 seconds. Messages are JSON text of at most
${MAX_MESSAGE_BYTES} bytes.</p>
<p>Only the machine's own user needs no key: on a loopback address the playground gets its ticket without one and speaks as the
key ${code('local')}, as the commands beside a running server do. It pays nothing and shows in the usage ledger;
${code('--web key')} and any other address end that.</p>
${heading(2, 'a-session', 'A session')}${example(withoutMargin(EXAMPLE))}
${heading(2, 'states', 'States')}${example(withoutMargin(STATES))}
<p>In Initialized and Streaming a single space is a keepalive, and <code>flush</code> speaks what is pending. After End every
message is ignored. How the text is split into messages changes nothing about the audio. Text in which nothing can be spoken (emoji,
zero-width signs, other scripts alone) is silence.</p>
${heading(2, 'what-it-costs', 'What it costs')}
<p>A credit for each character (a Unicode code point) of all Text messages, joined and trimmed at both ends; Initialize, keepalives and
End cost nothing, and neither does a session in which nothing could be spoken. Credits are reserved as text arrives, and no audio
leaves before those of its text are reserved; they are debited when Final has been sent, and returned where the session ends in
any other way. A session whose reservation was lost with the database's answer is ended with <code>store_unavailable</code>, unless it
could be made anew.</p>
${heading(2, 'parameters', 'Parameters')}<p>In the query of the address.</p>${fieldTable(StreamParams)}
${heading(2, 'the-client-sends', 'The client sends')}
<h3>Initialize, first</h3>${fieldTable(InitializeMessage)}
<h3>Text</h3>${fieldTable(TextMessage)}
<h3>End</h3>${fieldTable(EndMessage)}
${heading(2, 'the-server-sends', 'The server sends')}
<h3>Audio</h3><p>20 to 200 ms each, in order, as soon as they exist.</p>${fieldTable(AudioMessage)}
<h3>alignment, with sync_alignment=true</h3>${fieldTable(Alignment)}
<h3>Final</h3>${fieldTable(FinalMessage)}
<h3>Error</h3><p>Ends the session.</p>${fieldTable(ErrorMessage)}
${rowTable(['Code', 'Close'], errors)}`;
}
