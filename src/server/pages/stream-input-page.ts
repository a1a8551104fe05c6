/** The stream-input protocol as a page: its parameters, messages, states and errors, out of the schemas. */
import { TtsError } from '../../protocol/errors.js';
import { MAX_MESSAGE_BYTES, SESSION_CODES, STREAM_PATH } from '../../protocol/stream.js';
import {
  Alignment,
  AudioMessage,
  EndMessage,
  ErrorMessage,
  FinalMessage,
  InitializeMessage,
  StreamParams,
  TextMessage,
} from '../../protocol/stream-messages.js';
import { code, escaped, fieldTable, htmlPage, rowTable } from '../html-page.js';

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

export function streamInputPage(): string {
  const errors = SESSION_CODES.map((name) => {
    const { close } = new TtsError(name, '').row;
    return [code(name), String(close)];
  });
  return htmlPage(
    'Stream text to speech',
    `<p>A WebSocket at ${code(STREAM_PATH.replace(':voice_id', '{voice_id}'))}: text goes in while it is written, audio comes back
while it is made. The key comes with the handshake, in ${code('Authorization: Bearer KEY')}. A handshake that is refused is a
plain HTTP answer with a JSON error, as everywhere (<a href="/docs">the HTTP interface</a>). Messages are JSON text of at most
${MAX_MESSAGE_BYTES} bytes.</p>
<h2>A session</h2><pre>${escaped(EXAMPLE)}</pre>
<h2>States</h2><pre>${escaped(STATES)}</pre>
<p>In Initialized and Streaming a single space is a keepalive, and <code>flush</code> speaks what is pending. After End every
message is ignored. How the text is split into messages changes nothing about the audio.</p>
<h2>Parameters</h2><p>In the query of the address.</p>${fieldTable(StreamParams)}
<h2>The client sends</h2>
<h3>Initialize, first</h3>${fieldTable(InitializeMessage)}
<h3>Text</h3>${fieldTable(TextMessage)}
<h3>End</h3>${fieldTable(EndMessage)}
<h2>The server sends</h2>
<h3>Audio</h3><p>20 to 200 ms each, in order, as soon as they exist.</p>${fieldTable(AudioMessage)}
<h4>alignment, with sync_alignment=true</h4>${fieldTable(Alignment)}
<h3>Final</h3>${fieldTable(FinalMessage)}
<h3>Error</h3><p>Ends the session.</p>${fieldTable(ErrorMessage)}
${rowTable(['Code', 'Close'], errors)}`,
  );
}
