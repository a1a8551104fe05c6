/** Text that arrives while its speech leaves: what of it is reserved, bounded and counted, whichever socket it came through. */
import type { Outcome } from '../accounts/types.js';
import type { GatewayEvent } from '../gateway/types.js';
import { samplesToMs } from '../protocol/audio.js';
import { TtsError } from '../protocol/errors.js';
import { MAX_PENDING_CHARS } from '../protocol/stream.js';
import type { Grant } from './grants.js';

export interface LiveSpeechOptions {
  /** Held until `close`. */
  readonly grant: Grant;
  /** Nothing is owed at this moment, or may no longer be. */
  readonly onIdle: () => void;
  /** More was written than the balance allows. */
  readonly onFailure: (error: unknown) => void;
}

const codePoints = (text: string): number => [...text].length;

export class LiveSpeech {
  readonly #options: LiveSpeechOptions;
  /** Characters received and not yet spoken. */
  #unspoken = 0;
  /** Of segments whose audio was handed to the socket whole. */
  #deliveredChars = 0;
  #unreserved = 0;
  #reserving: Promise<void> | undefined;
  #sentSamples = 0;
  #firstTextAtMs: number | undefined;
  #firstAudioAtMs: number | undefined;

  constructor(options: LiveSpeechOptions) {
    this.#options = options;
    options.grant.text.onIdle = options.onIdle;
  }

  /** All text there is was looked at, and all audio of it was taken. */
  get idle(): boolean {
    return this.#options.grant.text.idle;
  }

  /** Audio a listener at normal speed cannot have heard yet. */
  audioAheadMs(nowMs: number): number {
    if (this.#firstAudioAtMs === undefined) return 0;
    return Math.max(0, samplesToMs(this.#sentSamples) - (nowMs - this.#firstAudioAtMs));
  }

  /** Throws `text_too_long` where too much waits to be spoken. */
  append(text: string): void {
    const chars = codePoints(text);
    this.#firstTextAtMs ??= performance.now();
    this.#unspoken += chars;
    if (this.#unspoken > MAX_PENDING_CHARS) {
      const bound = `${MAX_PENDING_CHARS} characters are waiting to be spoken, which is the bound`;
      throw new TtsError('text_too_long', `More than ${bound}. Send text at the pace at which its audio arrives.`);
    }
    this.#reserve(chars);
    this.#options.grant.text.text(text);
  }

  /** Speaks what is pending. */
  flush(): void {
    this.#options.grant.text.flush();
  }

  /** No more text. */
  end(): void {
    this.#options.grant.text.end();
  }

  /** Hands every event to `write` and waits for it; resolves after the last of what was written before the end. */
  async speak(write: (event: GatewayEvent) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { text } = this.#options.grant;
    for await (const event of text.speak(signal)) {
      if (event.type === 'audio') this.#hear(event.pcm.length);
      await write(event);
      if (event.type !== 'segment-end') continue;
      const chars = codePoints(event.segment.text);
      this.#unspoken -= chars;
      this.#deliveredChars += chars;
      if (!text.idle) continue;
      // Counted anew: a character that came in two halves was counted twice.
      this.#unspoken = text.pendingChars;
      this.#options.onIdle();
    }
  }

  /** Resolves when everything that was written is reserved, or has failed to be. */
  async reserved(): Promise<void> {
    await this.#reserving;
  }

  /** Gives everything back, and settles or returns the reservation; resolves when the ledger has its row. */
  close(outcome: Outcome, byClient: boolean, error?: unknown): Promise<void> {
    const audioMs = samplesToMs(this.#sentSamples);
    return this.#options.grant.end({ outcome, audioMs, deliveredChars: this.#deliveredChars, byClient, error });
  }

  /** Messages that arrive while one reservation is being written share the next. */
  #reserve(chars: number): void {
    this.#unreserved += chars;
    this.#reserving ??= this.#reserveAll();
  }

  async #reserveAll(): Promise<void> {
    const { grant, onFailure } = this.#options;
    try {
      while (this.#unreserved > 0) {
        const chars = this.#unreserved;
        this.#unreserved = 0;
        await grant.admission.extend(chars);
      }
    } catch (error) {
      onFailure(error);
    }
    this.#reserving = undefined;
  }

  #hear(samples: number): void {
    this.#sentSamples += samples;
    if (this.#firstAudioAtMs !== undefined) return;
    this.#firstAudioAtMs = performance.now();
    this.#options.grant.heardFirst(this.#firstAudioAtMs - (this.#firstTextAtMs ?? this.#firstAudioAtMs));
  }
}
