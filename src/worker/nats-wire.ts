/** What gateways and workers say to each other over NATS, and how it is written; how it is read is in `nats-messages.ts`. */
import type { BaseModel } from '../protocol/job.js';
import type { EngineFacts, JobReply, JobRequest } from './protocol.js';

/** Of the messages; whoever speaks another one is left alone. */
export const WIRE_VERSION = 1;

/** How often a worker says that it is there, and both ends of a link what they sent. */
export const BEAT_MS = 400;
/** A worker that was not heard for this long is gone, which whoever looks every beat knows within two seconds. */
export const GONE_MS = 1_600;

/** Under the prefix: where workers are announced, asked to announce themselves, and sent work, and where a link's replies go. */
export const SUBJECT = {
  workers: 'workers',
  hello: 'hello',
  /** The name of a worker that has one is a word of its own there, by which a broker's permissions know it. */
  worker: (id: string) => `worker.${id.replace('~', '.')}`,
  link: (gateway: string, link: string) => `gateway.${gateway}.${link}`,
} as const;

/** An engine's id: under the name that its operator gave the worker, where there is one. */
export const workerId = (name: string, instance: string): string => (name === '' ? instance : `${name}~${instance}`);

/** Where the answer to a `ping` goes, in place of a link. */
export const PING = 'ping';

/** A link says whose it is, so that whoever hears of it need not look for it. */
export const linkOf = (worker: string, name: string): string => `${worker}~${name}`;
export const workerOf = (link: string): string => link.slice(0, link.lastIndexOf('~'));

/** What a worker can do, whoever asks. */
export interface Offer {
  readonly models: readonly BaseModel[];
  /** The styles it has, each with a digest of its content; none where its engine needs none. */
  readonly styles?: Readonly<Record<string, string>>;
  /** Workers of one text version read a text the same way. */
  readonly textVersion: string;
  /** Turns one gateway may have in it. */
  readonly capacity: number;
}

/**
 * Said every beat, to all. What does not change is left out of most of them: it is told when it changed, when a
 * gateway asks, and every few seconds.
 */
export interface Announcement {
  readonly v: number;
  readonly id: string;
  /** Changes with every start of the engine. */
  readonly life: string;
  /** `draining` finishes what it has and takes nothing new, `gone` is its last word. */
  readonly state: 'starting' | 'ready' | 'draining' | 'gone';
  /** Turns that all gateways together have in it. */
  readonly turns: number;
  readonly facts?: Omit<EngineFacts, 'device'> & Offer & Echo;
}

/** Whether it answers a `ping`: workers of earlier releases do not. */
interface Echo {
  readonly echoes?: boolean;
}

/**
 * A link is one gateway's work in one life of one worker. Messages are numbered in both directions: the broker drops what a
 * slow reader leaves lying, and whoever misses a number gives the link up, with all that was in it. `beat` says how many were
 * sent, so that the last one is missed as well.
 */
interface Numbered {
  readonly v: number;
  readonly link: string;
  readonly n: number;
}
/** A gateway does not know who else is at work on that machine. */
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
  /** Of no link: answered at once with a `pong`, so that the gateway knows how far away it is. */
  | { readonly type: 'ping'; readonly v: number; readonly gateway: string; readonly atMs: number }
  /** The gateway is done with the link. */
  | { readonly type: 'bye'; readonly v: number; readonly link: string }
  /** The engine had work of the link and was silent for this long. */
  | { readonly type: 'silent'; readonly v: number; readonly life: string; readonly silentMs: number };

/** Of the engine, told along with what is said: turns of other gateways in it, and for how long it stood still while it had work. */
interface Load {
  readonly others: number;
  readonly silentMs: number;
}
export type LinkReply =
  | (Exclude<JobReply, { type: 'audio' }> & { readonly n: number; readonly others: number })
  | { readonly type: 'audio'; readonly id: string; readonly n: number; readonly pcm: Int16Array }
  | ({ readonly type: 'beat'; readonly sent: number } & Load)
  /** What the `ping` said, by the clock of whoever sent that. */
  | { readonly type: 'pong'; readonly atMs: number }
  /** The link is no more: the engine died (then the segment may be why), or a message was lost. */
  | { readonly type: 'lost'; readonly engine: boolean; readonly why: string };

/** Samples in a message: far below what a broker takes (1 MB), and little enough that others get in between. */
export const AUDIO_SAMPLES = 16_000;
/**
 * What a broker has to take in one message: more than audio (32 kB), and than a job and its times, of which a segment of 2,000
 * characters makes 30 kB. Only one that carries tens of thousands of characters of tags is larger.
 */
export const NEEDED_PAYLOAD_BYTES = 65_536;
/** First byte of an audio message; every other message is JSON and begins with a brace. */
export const AUDIO = 1;
/** Kind, length of the id, number; then the id, then samples as 16-bit little-endian. */
export const HEADER_BYTES = 6;

/** Throws where the message holds what JSON would leave out without a word. */
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
  /** What the sender said that it had sent, and when. */
  #told: { readonly sent: number; readonly atMs: number } | undefined;

  /** False where one before it is missing. */
  take(n: number): boolean {
    if (n !== this.#next) return false;
    this.#next += 1;
    return true;
  }

  /** False where something that was told of a beat ago is still missing: on the way it would have been overtaken. */
  told(sent: number, nowMs: number): boolean {
    if (this.#told !== undefined && nowMs - this.#told.atMs < BEAT_MS / 2) return true;
    if (this.#told !== undefined && this.#next < this.#told.sent) return false;
    this.#told = { sent, atMs: nowMs };
    return true;
  }
}
