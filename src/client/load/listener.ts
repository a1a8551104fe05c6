/** Simulated listeners: each plays what arrives in real time and notes when it runs dry. */
import { setTimeout as sleep } from 'node:timers/promises';
import { samplesToMs } from '../../protocol/audio.js';
import type { HttpClient } from '../http.js';
import { openSpeechSocket, type SpeechSocketOptions } from '../speech-socket.js';

/** Silence from which a stream counts as stalled (ms). */
const STALL_MS = 50;

export interface Listened {
  /** From the request, or from the first word written, to the first sample. */
  readonly firstAudioMs: number;
  readonly audioMs: number;
  readonly silenceMs: number;
  readonly stalled: boolean;
  /** When the last sample has been played, on the clock of `performance.now`. */
  readonly playedOutAtMs: number;
}

/** Listens to one text up to its end. */
export type Listen = (text: string, signal: AbortSignal) => Promise<Listened>;

/** The clock of a player that starts with its first sample and stops while it has none. */
export class ListenerClock {
  readonly #askedAtMs: number;
  #firstAtMs: number | undefined;
  #playedOutAtMs = 0;
  #audioMs = 0;
  #silenceMs = 0;

  constructor(askedAtMs: number) {
    this.#askedAtMs = askedAtMs;
  }

  hear(samples: number, nowMs: number): void {
    if (this.#firstAtMs === undefined) {
      this.#firstAtMs = nowMs;
      this.#playedOutAtMs = nowMs;
    } else if (nowMs > this.#playedOutAtMs) {
      this.#silenceMs += nowMs - this.#playedOutAtMs;
      this.#playedOutAtMs = nowMs;
    }
    const ms = samplesToMs(samples);
    this.#audioMs += ms;
    this.#playedOutAtMs += ms;
  }

  get listened(): Listened {
    return {
      firstAudioMs: (this.#firstAtMs ?? performance.now()) - this.#askedAtMs,
      audioMs: this.#audioMs,
      silenceMs: this.#silenceMs,
      stalled: this.#silenceMs >= STALL_MS,
      playedOutAtMs: this.#playedOutAtMs,
    };
  }
}

/** Streams over HTTP: all of the text at once. */
export const httpListener =
  (client: HttpClient, fields: { model: string; voice: string }): Listen =>
  async (text, signal) => {
    const clock = new ListenerClock(performance.now());
    const { audio } = await client.speech({ ...fields, input: text } as Parameters<HttpClient['speech']>[0], signal);
    for await (const pcm of audio) clock.hear(pcm.length, performance.now());
    return clock.listened;
  };

/** About the tokens of a language model: words with the space before them, long ones in two. */
const tokensOf = (text: string): string[] => text.match(/\s?\S{1,7}/g) ?? [];

/** Streams over the WebSocket, with a writer of so many tokens a second. */
export const socketListener =
  (options: SpeechSocketOptions, tokensPerSecond: number): Listen =>
  async (text, signal) => {
    const socket = await openSpeechSocket(options, signal);
    const startMs = performance.now();
    const clock = new ListenerClock(startMs);
    const write = async (): Promise<void> => {
      for (const [index, token] of tokensOf(text).entries()) {
        const waitMs = startMs + (index * 1000) / tokensPerSecond - performance.now();
        if (waitMs > 0) await sleep(waitMs, undefined, { signal });
        socket.send(token);
      }
      socket.end();
    };
    const listen = async (): Promise<void> => {
      for await (const { pcm } of socket.audio) clock.hear(pcm.length, performance.now());
    };
    try {
      await Promise.all([write(), listen()]);
    } finally {
      socket.close();
    }
    return clock.listened;
  };
