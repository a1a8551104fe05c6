/** What is taken from a broker for a message, and what is not. */
import { describe, expect, it } from 'vitest';
import { isHello, parseAnnouncement, parseReply, parseRequest } from '../../src/worker/nats-messages.js';
import { encode, encodeAudio } from '../../src/worker/nats-wire.js';
import { jobOf } from '../support/books/jobs.js';

const link = { v: 1, link: 'w1~a', gateway: 'g-1', n: 0 };
const answer = { id: 'job-1', n: 3, others: 0 };
const FACTS = { description: 'cpu', version: '1', models: ['base-tts'], textVersion: 't', capacity: 2 };

const REQUESTS = [
  { ...link, type: 'job', job: jobOf('Good evening.', { dueInMs: -3.5 }), creditSamples: 144_000 },
  {
    ...link,
    type: 'job',
    job: jobOf('Good evening.', {
      segment: {
        text: 'Good evening.',
        offset: 0,
        spans: [{ kind: 'text', text: 'Good evening.', start: 0, end: 13, prosody: { rate: 0.8, pitch: -2 } }],
        pause: 'sentence',
        voice: 'british_male_george',
      },
    }),
    creditSamples: 144_000,
  },
  { ...link, type: 'turn', id: 'job-1', dueInMs: 150 },
  { ...link, type: 'turn', id: 'job-1' },
  { ...link, type: 'cancel', id: 'job-1' },
  { ...link, type: 'credit', id: 'job-1', samples: 12_000 },
  { type: 'beat', v: 1, link: 'w1~a', gateway: 'g-1', sent: 4 },
  { type: 'bye', v: 1, link: 'w1~a' },
  { type: 'silent', v: 1, life: '1', silentMs: 20_000.5 },
];
const REPLIES = [
  { ...answer, type: 'progress', loading: true },
  { ...answer, type: 'waits' },
  { ...answer, type: 'ran', runMs: 12.25, earlyMs: 0 },
  { ...answer, type: 'begin', timings: { startSamples: [0, 10], durationSamples: [10, 0] } },
  { ...answer, type: 'end' },
  { ...answer, type: 'error', code: 'aborted', message: 'Cancelled.' },
  { type: 'beat', sent: 3, others: 1, silentMs: 0 },
  { type: 'lost', engine: true, why: 'The engine process ended.' },
];
const ANNOUNCEMENTS = [
  { v: 1, id: 'w1', life: '1', state: 'starting', turns: 0 },
  { v: 1, id: 'w1', life: '2', state: 'ready', turns: 3, facts: { ...FACTS, styles: { af_heart: 'a1' } } },
  { v: 1, id: 'w1', life: '2', state: 'gone', turns: 0, facts: { ...FACTS, realTimeFactor: 0.3 } },
];

/** A message with one value, at any depth, in place of what was there, or nothing. */
function* mutated(value: unknown): Generator<unknown> {
  for (const other of [null, true, -1, 1e300, 0.5, '', 'a b', 'x.y', '>', '\u0000', [], {}, { length: 3 }]) yield other;
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    const rest = { ...(value as Record<string, unknown>) };
    delete rest[key];
    yield Array.isArray(value) ? Object.values(rest) : rest;
    for (const changed of mutated((value as Record<string, unknown>)[key])) {
      const copy = structuredClone(value) as Record<string, unknown>;
      copy[key] = changed;
      yield copy;
    }
  }
}

describe('a message on NATS', () => {
  it('is what gateways and workers send', () => {
    for (const message of REQUESTS) expect(parseRequest(encode(message))).toEqual(message);
    for (const message of REPLIES) expect(parseReply(encode(message))).toEqual(message);
    for (const message of ANNOUNCEMENTS) expect(parseAnnouncement(encode(message))).toEqual(message);
    expect(parseReply(encodeAudio('job-1', 7, Int16Array.of(1, -2)))).toEqual({
      type: 'audio',
      id: 'job-1',
      n: 7,
      pcm: Int16Array.of(1, -2),
    });
    expect(isHello(encode({ v: 1 }))).toBe(true);
  });

  it('is refused where a part of it is of another kind, whichever', () => {
    const wrong: [(payload: Uint8Array) => unknown, object][] = [
      [parseRequest, { v: 1, type: 'turn', link: {}, gateway: 'g', id: 'x', n: 0 }],
      [parseRequest, { v: 1, type: 'turn', link: 'w1.~a', gateway: 'g', id: 'x', n: 0 }],
      [parseRequest, { v: 1, type: 'turn', link: 'w1~a', gateway: 'g *', id: 'x', n: 0 }],
      [parseRequest, { ...REQUESTS[0], v: 2 }],
      [parseRequest, { ...REQUESTS[0], job: { ...jobOf('Hi.'), id: 'ä' } }],
      [parseRequest, { type: 'silent', v: 1, life: '1', silentMs: 0 }],
      ...[{ rate: 1000 }, { rate: 0 }, { pitch: '2' }, { volume: 90 }].map((prosody): [typeof parseRequest, object] => {
        const segment = {
          text: 'a',
          offset: 0,
          spans: [{ kind: 'text', text: 'a', start: 0, end: 1, prosody }],
          pause: 'none',
        };
        return [parseRequest, { ...REQUESTS[0], job: { ...jobOf('a'), segment } }];
      }),
      [parseReply, { ...REPLIES[3], timings: { startSamples: [1], durationSamples: [] } }],
      [parseReply, { ...REPLIES[3], timings: { startSamples: [null], durationSamples: [1] } }],
      [parseReply, { type: 'audio', id: 'job-1', n: 0, pcm: [1] }],
      [parseAnnouncement, { ...ANNOUNCEMENTS[0], facts: null }],
      [parseAnnouncement, { ...ANNOUNCEMENTS[0], id: 'a.b' }],
      [parseAnnouncement, { ...ANNOUNCEMENTS[1], facts: { ...FACTS, styles: [] } }],
      [parseAnnouncement, { ...ANNOUNCEMENTS[1], facts: { ...FACTS, models: 'base-tts' } }],
      [parseAnnouncement, []],
      [isHello, []],
    ];
    for (const [parse, message] of wrong)
      expect(parse(encode(message)) || undefined, JSON.stringify(message)).toBe(undefined);
  });

  it('of another version names who sent it', () => {
    expect(parseAnnouncement(encode({ v: 2, id: 'w1', anything: 1 }))).toEqual({ otherVersion: 2, id: 'w1' });
    expect(parseAnnouncement(encode({ v: '2', id: 'w1' }))).toBe(undefined);
  });

  it('with an error that is unknown here has one that is known', () => {
    const reply = parseReply(encode({ ...answer, type: 'error', code: 'of_tomorrow', message: '' }));
    expect(reply).toMatchObject({ type: 'error', code: 'synthesis_failed' });
  });

  it('is never thrown over, whatever its bytes are', () => {
    const parsers = [parseRequest, parseReply, parseAnnouncement, isHello];
    const payloads: Uint8Array[] = [Buffer.alloc(0), Buffer.from([1]), Buffer.from([1, 255, 0, 0, 0, 0])];
    for (let length = 0; length < 12; length++) payloads.push(Buffer.from([1, ...Array(length).fill(7)]));
    payloads.push(
      Buffer.from('{'),
      Buffer.from('\ufeff{}'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('['.repeat(10_000)),
    );
    for (const message of [...REQUESTS, ...REPLIES, ...ANNOUNCEMENTS]) {
      const bytes = encode(message);
      for (let at = 0; at < bytes.length; at += 7) payloads.push(bytes.subarray(0, at));
      for (const changed of mutated(message)) payloads.push(Buffer.from(JSON.stringify(changed)));
    }
    expect(payloads.length).toBeGreaterThan(1_000);
    for (const payload of payloads) for (const parse of parsers) expect(() => parse(payload)).not.toThrow();
  });
});
