/** Checks what comes over NATS against schemas: a broker carries what anyone sends. */
import Type, { type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { DELIVERY_LIMITS } from '../protocol/delivery/delivery.js';
import { type ErrorCode, isErrorCode } from '../protocol/errors.js';
import { BASE_MODELS, LANGUAGES, MAX_SPEED, MIN_SPEED, PAUSE_KINDS, PROSODY_LIMITS } from '../protocol/job.js';
import { oneOf } from '../protocol/one-of.js';
import { type Announcement, AUDIO, HEADER_BYTES, type LinkReply, type LinkRequest, WIRE_VERSION } from './nats-wire.js';

/** Larger messages, which ours never are, are not parsed. */
const MAX_MESSAGE_BYTES = 4 * 1024 ** 2;
/** A segment of tags alone may be as long as a session's text. */
const MAX_TEXT = 200_000;
const MAX_COUNT = 2 ** 32 - 1;
const MAX_MS = 1e9;
/** Longest text for people in a message, in characters. */
export const MAX_WORDS = 4_000;

/** A name that stands in a subject: no dot, no white space, no wildcard. */
const Token = Type.String({ pattern: '^[\\w~-]{1,400}$' });
/** An id of a job: one byte a character, in front of its audio. */
const JobId = Type.String({ pattern: '^[!-~]{1,200}$' });
const Word = Type.String({ maxLength: 1_000 });
const Words = Type.String({ maxLength: MAX_WORDS });
const Text = Type.String({ maxLength: MAX_TEXT });
const Count = Type.Integer({ minimum: 0, maximum: MAX_COUNT });
const Ms = Type.Number({ minimum: 0, maximum: MAX_MS });
/** Negative where it is late; the far future where no listener waits. */
const DueInMs = Type.Optional(Type.Number({ minimum: -MAX_MS, maximum: Number.MAX_SAFE_INTEGER }));
const literal = <T extends string>(type: T) => Type.Literal(type);

const limited = (key: keyof typeof PROSODY_LIMITS) =>
  Type.Optional(Type.Number({ minimum: PROSODY_LIMITS[key][0], maximum: PROSODY_LIMITS[key][1] }));
const Prosody = Type.Object({
  rate: limited('rate'),
  pitch: limited('pitch'),
  range: limited('range'),
  volume: limited('volume'),
});
const within = ([minimum, maximum]: readonly [number, number]) => Type.Number({ minimum, maximum });
const Delivery = Type.Object({
  rate: within(DELIVERY_LIMITS.rate),
  pitch: within(DELIVERY_LIMITS.pitch),
  range: within(DELIVERY_LIMITS.range),
  leadMs: within(DELIVERY_LIMITS.leadMs),
  restMs: within(DELIVERY_LIMITS.restMs),
  rests: within(DELIVERY_LIMITS.rests),
  spread: within(DELIVERY_LIMITS.spread),
});
const place = { start: Count, end: Count };
const spoken = { ...place, language: Type.Optional(oneOf(LANGUAGES)), prosody: Type.Optional(Prosody) };
const Span = Type.Union([
  Type.Object({ kind: literal('text'), text: Text, ...spoken }),
  Type.Object({ kind: literal('break'), ms: Ms, ...place }),
  Type.Object({ kind: literal('phoneme'), ipa: Text, text: Text, ...spoken }),
  Type.Object({ kind: literal('sub'), alias: Text, ...spoken }),
  Type.Object({
    kind: literal('say-as'),
    as: oneOf(['characters', 'cardinal', 'ordinal', 'date', 'telephone'] as const),
    text: Text,
    ...spoken,
  }),
]);

const Job = Type.Object({
  id: JobId,
  model: oneOf(BASE_MODELS),
  language: oneOf(LANGUAGES),
  mix: Type.Array(Type.Object({ style: Word, weight: Type.Number({ minimum: 0, maximum: 1 }) }), { maxItems: 100 }),
  seed: Count,
  speed: Type.Number({ minimum: MIN_SPEED, maximum: MAX_SPEED }),
  gainDb: Type.Number({ minimum: -100, maximum: 100 }),
  segment: Type.Object({
    text: Text,
    offset: Count,
    spans: Type.Array(Span, { maxItems: 10_000 }),
    pause: oneOf(PAUSE_KINDS),
    before: Type.Optional(Word),
    follows: Type.Optional(oneOf(PAUSE_KINDS)),
    ahead: Type.Optional(Word),
    awaited: Type.Optional(Type.Literal(true)),
  }),
  delivery: Type.Optional(Delivery),
  whole: Type.Optional(Type.Boolean()),
  dueInMs: DueInMs,
  traceparent: Type.Optional(Type.String({ pattern: '^[\\da-f-]{55}$' })),
});

const v = Type.Literal(WIRE_VERSION);
const numbered = { v, link: Token, gateway: Token, n: Count };
const Request = Type.Union([
  Type.Object({ type: literal('job'), job: Job, creditSamples: Count, ...numbered }),
  Type.Object({ type: literal('turn'), id: JobId, dueInMs: DueInMs, ...numbered }),
  Type.Object({ type: literal('cancel'), id: JobId, ...numbered }),
  Type.Object({ type: literal('credit'), id: JobId, samples: Count, ...numbered }),
  Type.Object({ type: literal('beat'), v, link: Token, gateway: Token, sent: Count }),
  Type.Object({ type: literal('ping'), v, gateway: Token, atMs: Ms }),
  Type.Object({ type: literal('bye'), v, link: Token }),
  Type.Object({ type: literal('silent'), v, life: Word, silentMs: Type.Number({ minimum: 100, maximum: MAX_MS }) }),
]);

const Samples = Type.Array(Type.Number({ minimum: 0, maximum: MAX_COUNT }), { maxItems: MAX_TEXT });
const answer = { id: JobId, n: Count, others: Count };
const Reply = Type.Union([
  Type.Object({ type: literal('progress'), loading: Type.Boolean(), ...answer }),
  Type.Object({ type: literal('waits'), ...answer }),
  Type.Object({ type: literal('ran'), runMs: Ms, earlyMs: Type.Optional(Ms), ...answer }),
  Type.Object({
    type: literal('begin'),
    timings: Type.Object({ startSamples: Samples, durationSamples: Samples }),
    ...answer,
  }),
  Type.Object({ type: literal('end'), ...answer }),
  Type.Object({ type: literal('error'), code: Word, message: Words, ...answer }),
  Type.Object({ type: literal('beat'), sent: Count, others: Count, silentMs: Ms }),
  Type.Object({ type: literal('pong'), atMs: Ms }),
  Type.Object({ type: literal('lost'), engine: Type.Boolean(), why: Words }),
]);

/** Names are compared with ours, so that unknown ones do no harm. */
const Facts = Type.Object({
  description: Word,
  version: Word,
  realTimeFactor: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000 })),
  models: Type.Array(Word, { maxItems: 100 }),
  styles: Type.Optional(Type.Record(Type.String(), Word, { maxProperties: 10_000 })),
  textVersion: Word,
  capacity: Type.Integer({ minimum: 1, maximum: 10_000 }),
  echoes: Type.Optional(Type.Boolean()),
});
const Announced = Type.Object({
  v,
  id: Token,
  life: Word,
  state: oneOf(['starting', 'ready', 'draining', 'gone'] as const),
  turns: Count,
  facts: Type.Optional(Facts),
});

/** Sender and version of a message. */
const Head = Type.Object({ v: Type.Integer(), id: Token });
const Greeting = Type.Object({ v: Type.Integer() });

const check = <T extends TSchema>(schema: T) => {
  const compiled = Compile(schema);
  return (value: unknown) => (compiled.Check(value) ? value : undefined);
};
const checkRequest = check(Request);
const checkReply = check(Reply);
const checkAnnounced = check(Announced);
const checkHead = check(Head);
const checkGreeting = check(Greeting);

function json(payload: Uint8Array): unknown {
  if (payload.length > MAX_MESSAGE_BYTES) return undefined;
  try {
    return JSON.parse(Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString());
  } catch {
    return undefined;
  }
}

/** Undefined for what is no request of a gateway. */
export const parseRequest = (payload: Uint8Array): LinkRequest | undefined => checkRequest(json(payload));

/** An announcement, or id and version of an incompatible worker; undefined for anything else. */
export function parseAnnouncement(
  payload: Uint8Array,
): Announcement | { readonly otherVersion: number; readonly id: string } | undefined {
  const message = json(payload);
  const announced = checkAnnounced(message);
  if (announced !== undefined) return announced as Announcement;
  const head = checkHead(message);
  return head === undefined || head.v === WIRE_VERSION ? undefined : { otherVersion: head.v, id: head.id };
}

/** Whether a gateway, of any version, asks for announcements. */
export const isHello = (payload: Uint8Array): boolean => checkGreeting(json(payload)) !== undefined;

/** Undefined for what is no reply of a worker. */
export function parseReply(payload: Uint8Array): LinkReply | undefined {
  if (payload[0] === AUDIO) return parseAudio(payload);
  const reply = checkReply(json(payload));
  if (reply?.type === 'begin' && reply.timings.startSamples.length !== reply.timings.durationSamples.length)
    return undefined;
  if (reply?.type !== 'error') return reply;
  const { code } = reply;
  // A later version may know more codes.
  const known: ErrorCode | 'aborted' = code === 'aborted' || isErrorCode(code) ? code : 'synthesis_failed';
  return { ...reply, code: known };
}

/** The most frequent message; only its lengths can be wrong. */
function parseAudio(payload: Uint8Array): LinkReply | undefined {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.length);
  if (bytes.length < HEADER_BYTES || bytes.length > MAX_MESSAGE_BYTES) return undefined;
  const samplesFrom = HEADER_BYTES + bytes.readUInt8(1);
  if (samplesFrom > bytes.length || (bytes.length - samplesFrom) % 2 !== 0) return undefined;
  // Samples need an even address, which the message may not give them.
  const samples = Uint8Array.from(bytes.subarray(samplesFrom));
  return {
    type: 'audio',
    id: bytes.toString('latin1', HEADER_BYTES, samplesFrom),
    n: bytes.readUInt32LE(2),
    pcm: new Int16Array(samples.buffer, 0, samples.length >> 1),
  };
}
