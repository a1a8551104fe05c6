/** Speaks sentences whole: over the WebSocket, which knows markup; Free models over HTTP. */
import { setTimeout as delay } from 'node:timers/promises';
import { joinPcm, samplesToMs } from '../protocol/audio.js';
import { parseModel, type SpeechModel } from '../protocol/contract.js';
import type { SentencePlace } from '../protocol/delivery/delivery.js';
import { type ErrorCode, TtsError } from '../protocol/errors.js';
import type { ServerAddress } from './address.js';
import { createHttpClient, type HttpClient } from './http.js';
import { patiently } from './patience.js';
import { openSpeechSocket } from './speech-socket.js';

export interface SentenceSpeakerOptions {
  readonly address: ServerAddress;
  readonly model: SpeechModel;
  readonly voice: string;
  readonly speed: number;
}

export interface SpokenSentence {
  readonly pcm: Int16Array;
  /** When each code point of the text as sent begins (ms); empty over HTTP, which does not tell. */
  readonly startsMs: readonly number[];
}

interface Sentence {
  readonly text: string;
  readonly ssml: boolean;
  /** The same without markup. */
  readonly shown: string;
  /** The speaker's own where absent. */
  readonly voice?: string;
  /** Where it stands in its paragraph, for a style. */
  readonly place?: SentencePlace | undefined;
}

/** Failures after which the server may come back. */
const AWAY: readonly ErrorCode[] = [
  'connection_failed',
  'connection_lost',
  'shutting_down',
  'overloaded',
  'no_worker_ready',
  'store_unavailable',
  'concurrency_limit_exceeded',
];
/** Attempts for a server that has spoken before, about two minutes; and for any other failure. */
const AWAY_ATTEMPTS = 8;
const ATTEMPTS = 2;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 40_000;

/** A job of hours outlives a restart of its server; one that was never there is told at once. */
export class SentenceSpeaker {
  readonly #options: SentenceSpeakerOptions;
  readonly #client: HttpClient;
  #hasSpoken = false;

  constructor(options: SentenceSpeakerOptions) {
    this.#options = options;
    this.#client = createHttpClient(options.address);
  }

  async speak(sentence: Sentence, signal: AbortSignal): Promise<SpokenSentence> {
    for (let attempt = 1; ; attempt++) {
      try {
        const spoken = await patiently(() => this.#once(sentence, signal), signal);
        this.#hasSpoken = true;
        return spoken;
      } catch (error) {
        if (signal.aborted || attempt >= this.#attempts(error)) throw error;
        await delay(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)), undefined, { signal });
      }
    }
  }

  close(): void {
    this.#client.close();
  }

  #attempts(error: unknown): number {
    if (!(error instanceof TtsError) || !error.row.retryable) return 1;
    return this.#hasSpoken && AWAY.includes(error.code) ? AWAY_ATTEMPTS : ATTEMPTS;
  }

  async #once(sentence: Sentence, signal: AbortSignal): Promise<SpokenSentence> {
    const { address, model, speed } = this.#options;
    const { voice = this.#options.voice } = sentence;
    const { base, free } = parseModel(model);
    if (free) return this.#overHttp(sentence, signal);
    const parts: Int16Array[] = [];
    const startsMs: number[] = [];
    let samples = 0;
    const params = { model_id: base, sync_alignment: true, ...(sentence.ssml && { enable_ssml_parsing: true }) };
    const delivery = address.delivery && { ...address.delivery, place: sentence.place };
    const socket = await openSpeechSocket({ ...address, delivery, voice, params, speed }, signal);
    try {
      socket.send(sentence.text);
      socket.end();
      for await (const { pcm, alignment } of socket.audio) {
        const beforeMs = samplesToMs(samples);
        for (const start of alignment?.charStartTimesMs ?? []) startsMs.push(Math.round(beforeMs + start));
        parts.push(pcm);
        samples += pcm.length;
      }
      return { pcm: joinPcm(parts), startsMs };
    } finally {
      socket.close();
    }
  }

  async #overHttp({ shown, voice = this.#options.voice }: Sentence, signal: AbortSignal): Promise<SpokenSentence> {
    const { model, speed } = this.#options;
    const parts: Int16Array[] = [];
    try {
      const { audio } = await this.#client.speech({ model, voice, speed, input: shown }, signal);
      for await (const pcm of audio) parts.push(pcm);
    } catch (error) {
      if (!(error instanceof TtsError) || error.code !== 'empty_input') throw error;
    }
    return { pcm: joinPcm(parts), startsMs: [] };
  }
}
