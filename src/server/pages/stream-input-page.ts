/** The stream-input protocol as a page: its parameters, messages, states and errors, out of the schemas. */
import type { TSchema } from 'typebox';
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

/** The part of a schema that a reader is told. */
interface Told {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  readonly items?: Told;
  readonly anyOf?: readonly Told[];
  readonly properties?: Readonly<Record<string, Told>>;
  readonly required?: readonly string[];
}

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

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #ddd}
pre{background:#f4f4f4;padding:1rem;overflow-x:auto;line-height:1.3}code{font-size:.95em}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#111}td,th{border-color:#333}pre{background:#1b1b1b}a{color:#8bf}}`;

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' }[sign]};`);
const code = (value: unknown): string =>
  `<code>${escaped(typeof value === 'string' ? value : JSON.stringify(value))}</code>`;

function kind(schema: Told): string {
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((value) => code(JSON.stringify(value))).join(' or ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(kind).join(' or ');
  if (schema.type === 'array') return `list of ${kind(schema.items!)}`;
  const range = schema.maximum === undefined ? '' : `, ${schema.minimum} to ${schema.maximum}`;
  return `${schema.type ?? 'anything'}${range}`;
}

function table(schema: TSchema, optional = 'optional'): string {
  const { properties = {}, required = [] } = schema as Told;
  const rows = Object.entries(properties).map(([name, field]) => {
    const told = field.description ?? field.anyOf?.[0]?.description ?? '';
    const fallback = field.default === undefined ? optional : `default ${code(JSON.stringify(field.default))}`;
    const need = required.includes(name) && field.default === undefined ? 'required' : fallback;
    return `<tr><td>${code(name)}</td><td>${kind(field)}</td><td>${need}</td><td>${escaped(told)}</td></tr>`;
  });
  return `<table><tr><th>Field</th><th>Value</th><th></th><th></th></tr>${rows.join('')}</table>`;
}

export function streamInputPage(): string {
  const errors = SESSION_CODES.map((name) => {
    const { close } = new TtsError(name, '').row;
    return `<tr><td>${code(name)}</td><td>${close}</td></tr>`;
  });
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Stream text to speech</title><style>${STYLE}</style>
<h1>Stream text to speech</h1>
<p>A WebSocket at ${code(STREAM_PATH.replace(':voice_id', '{voice_id}'))}: text goes in while it is written, audio comes back
while it is made. The key comes with the handshake, in ${code('Authorization: Bearer KEY')}. A handshake that is refused is a
plain HTTP answer with a JSON error, as everywhere (<a href="/docs">the HTTP interface</a>). Messages are JSON text of at most
${MAX_MESSAGE_BYTES} bytes.</p>
<h2>A session</h2><pre>${escaped(EXAMPLE)}</pre>
<h2>States</h2><pre>${escaped(STATES)}</pre>
<p>In Initialized and Streaming a single space is a keepalive, and <code>flush</code> speaks what is pending. After End every
message is ignored. How the text is split into messages changes nothing about the audio.</p>
<h2>Parameters</h2><p>In the query of the address.</p>${table(StreamParams)}
<h2>The client sends</h2>
<h3>Initialize, first</h3>${table(InitializeMessage)}
<h3>Text</h3>${table(TextMessage)}
<h3>End</h3>${table(EndMessage)}
<h2>The server sends</h2>
<h3>Audio</h3><p>20 to 200 ms each, in order, as soon as they exist.</p>${table(AudioMessage)}
<h4>alignment, with sync_alignment=true</h4>${table(Alignment)}
<h3>Final</h3>${table(FinalMessage)}
<h3>Error</h3><p>Ends the session.</p>${table(ErrorMessage)}
<table><tr><th>Code</th><th>Close</th></tr>${errors.join('')}</table>
</html>`;
}
