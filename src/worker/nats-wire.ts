/** Messages over NATS and how they are written; `nats-messages.ts` reads them. */
import type { BaseModel } from '../protocol/job.js';
import type { EngineFacts, JobReply, JobRequest } from './protocol.js';

/** Version of the messages; workers of another one are left alone. */
export const WIRE_VERSION = 1;

/** How often a worker announces itself, and both ends of a link report what they sent. */
export const BEAT_MS = 400;
/** A worker that was not heard for this long is gone; looking every beat, that is within 2 s. */
export const GONE_MS = 1_600;

/** Subjects under the prefix: announcements, requests for them, work for a worker, replies. */
export const SUBJECT = {
  workers: 'workers',
  hello: 'hello',
  /** A worker's name is a token of its own, which a broker's permissions can match. */
  worker: (id: string) => `worker.${id.replace('~', '.')}`,
  link: (gateway: string, link: string) => `gateway.${gateway}.${link}`,
} as const;

/** An engine's id, below the worker's name where its operator gave one. */
export const workerId = (name: string, instance: string): string => (name === '' ? instance : `${name}~${instance}`);

/** Where the answer to a `ping` goes, in place of a link. */
export const PING = 'ping';

/** A link's id contains the worker's, so that replies need no lookup. */
export const linkOf = (worker: string, name: string): string => `${worker}~${name}`;
export const workerOf = (link: string): string => link.slice(0, link.lastIndexOf('~'));

/** What a worker offers to every gateway. */
export interface Offer {
  readonly models: readonly BaseModel[];
  /** Digests of its styles by name; absent where its engine needs none. */
  readonly styles?: Readonly<Record<string, string>>;
  /** Workers of one text version read a text the same way. */
  readonly textVersion: string;
  /** Steps that one gateway may have in it. */
  readonly capacity: number;
}

/**
 * Sent every beat, to all gateways. Facts are left out of most: they are sent when they changed,
 * when a gateway asks, and every few seconds.
 */
export interface Announcement {
  readonly v: number;
  readonly id: string;
  /** The epoch: changes with every start of the engine. */
  readonly life: string;
  /** `draining` finishes its jobs and takes no new ones; `gone` is its last announcement. */
  readonly state: 'starting' | 'ready' | 'draining' | 'gone';
  /** Steps that all gateways together have in it. */
  readonly turns: number;
  readonly facts?: Omit<EngineFacts, 'device'> & Offer & Echo;
}

/** Whether it answers a `ping`: workers of earlier releases do not. */
interface Echo {
  readonly echoes?: boolean;
}

/**
 * A link is one gateway's work in one epoch of one worker. Messages are numbered in both
 * directions: the broker drops what a slow reader does not take, and an end that misses a number
 * gives up the link with all its jobs. `beat` tells how many were sent, so that the loss of the
 * last is noticed.
 */
interface Numbered {
  readonly v: number;
  readonly link: string;
  readonly n: number;
}
/** Without `wide`: a gateway does not know what else runs on that machine. */
export type LinkJobRequest = Exclude<JobRequest, { type: 'wide' }>;
export type LinkRequest =
  | (LinkJobRequest & Numbered & { readonly gateway: string })
  | {
      readonly type: 'beat';
      readonly v: number;
      readonly link: string;
      readonly gateway: string;
      readonly sent: number;
    }
  /** Belongs to no link: answered at once with a `pong`, which gives the gateway the round trip. */
  | { readonly type: 'ping'; readonly v: number; readonly gateway: string; readonly atMs: number }
  /** The gateway is done with the link. */
  | { readonly type: 'bye'; readonly v: number; readonly link: string }
  /** The engine had work of the link and was silent for this long. */
  | { readonly type: 'silent'; readonly v: number; readonly life: string; readonly silentMs: number };

/** Steps of other gateways in the engine, and how long it stood still while it had work. */
interface Load {
  readonly others: number;
  readonly silentMs: number;
}
export type LinkReply =
  | (Exclude<JobReply, { type: 'audio' }> & { readonly n: number; readonly others: number })
  | { readonly type: 'audio'; readonly id: string; readonly n: number; readonly pcm: Int16Array }
  | ({ readonly type: 'beat'; readonly sent: number } & Load)
  /** The time of the `ping`, by the gateway's clock. */
  | { readonly type: 'pong'; readonly atMs: number }
  /** The link has ended: the engine died, perhaps because of the segment, or a message was lost. */
  | { readonly type: 'lost'; readonly engine: boolean; readonly why: string };

/** Samples in a message: far below a broker's limit (1 MB), and others get in between. */
export const AUDIO_SAMPLES = 24_000;
/**
 * What a broker has to take in one message: more than audio (48 kB), and than a job and its timings
 * (30 kB for 2,000 characters). Only tens of thousands of characters of tags make a larger one.
 */
export const NEEDED_PAYLOAD_BYTES = 65_536;
/** First byte of an audio message; every other message is JSON and begins with a brace. */
export const AUDIO = 1;
/** Kind, length of the id, number; then the id, then samples as 16-bit little-endian. */
export const HEADER_BYTES = 6;

/** Throws where the message holds something that JSON would leave out silently. */
export function encode(message: object): Uint8Array {
  return Buffer.from(
    JSON.stringify(message, (key, value) => {
      if (
        typeof value === 'function' ||
        typeof value === 'symbol' ||
        (typeof value === 'number' && !Number.isFinite(value))
      )
        throw new TypeError(`"${key}" cannot be sent: it is a ${typeof value}`);
      return value;
    }),
  );
}

export function encodeAudio(id: string, n: number, pcm: Int16Array): Uint8Array {
  const idBytes = Buffer.from(id, 'latin1');
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + idBytes.length + pcm.byteLength);
  bytes.writeUInt8(AUDIO, 0);
  bytes.writeUInt8(idBytes.length, 1);
  bytes.writeUInt32LE(n, 2);
  idBytes.copy(bytes, HEADER_BYTES);
  bytes.set(new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength), HEADER_BYTES + idBytes.length);
  return bytes;
}

/** The receiving end of numbered messages. */
export class Numbers {
  #next = 0;
  /** How many messages the sender reported, and when. */
  #reported: { readonly sent: number; readonly atMs: number } | undefined;

  /** False where one before it is missing. */
  take(n: number): boolean {
    if (n !== this.#next) return false;
    this.#next += 1;
    return true;
  }

  /** The sender reported how many it sent. False where one reported a beat ago is still missing. */
  reported(sent: number, nowMs: number): boolean {
    if (this.#reported !== undefined && nowMs - this.#reported.atMs < BEAT_MS / 2) return true;
    if (this.#reported !== undefined && this.#next < this.#reported.sent) return false;
    this.#reported = { sent, atMs: nowMs };
    return true;
  }
}
