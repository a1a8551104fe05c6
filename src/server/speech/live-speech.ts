/** Text that arrives while its speech leaves: its bounds, its reservation, what was delivered. */
import type { Outcome } from '../../accounts/types.js';
import type { Clock } from '../../clock.js';
import { Condition } from '../../condition.js';
import type { GatewayEvent } from '../../gateway/types.js';
import { samplesToMs } from '../../protocol/audio.js';
import { countChars } from '../../protocol/characters.js';
import { TtsError } from '../../protocol/errors.js';
import { MAX_PENDING_CHARS } from '../../protocol/stream.js';
import type { Permit } from './permit.js';
import { TrimmedCount } from './trimmed-count.js';

export interface LiveSpeechOptions {
  readonly clock: Clock;
  /** Held until `close`. */
  readonly permit: Permit;
  /** Nothing is owed at this moment, or may no longer be. */
  readonly onIdle: () => void;
  /** More was written than the balance allows. */
  readonly onFailure: (error: unknown) => void;
}

export class LiveSpeech {
  readonly #options: LiveSpeechOptions;
  /** Characters received and not yet spoken. */
  #unspoken = 0;
  /** What the text received costs so far. */
  readonly #received = new TrimmedCount();
  /** What the text of the segments handed out so far costs. */
  readonly #handedOut = new TrimmedCount();
  /** Of segments whose audio was handed to the socket whole. */
  #deliveredChars = 0;
  /** Characters whose reservation is committed. */
  #reservedChars = 0;
  #reserving: Promise<void> | undefined;
  readonly #reservedMore = new Condition();
  #sentSamples = 0;
  #firstTextAtMs: number | undefined;
  #firstAudioAtMs: number | undefined;

  constructor(options: LiveSpeechOptions) {
    this.#options = options;
    options.permit.text.onIdle = options.onIdle;
  }

  /** All text there is was looked at, and all audio of it was taken. */
  get idle(): boolean {
    return this.#options.permit.text.idle;
  }

  /** Audio a listener at normal speed cannot have heard yet. */
  audioAheadMs(nowMs: number): number {
    if (this.#firstAudioAtMs === undefined) return 0;
    return Math.max(0, samplesToMs(this.#sentSamples) - (nowMs - this.#firstAudioAtMs));
  }

  /** Throws `text_too_long` where too much waits to be spoken. */
  append(text: string): void {
    const chars = countChars(text);
    this.#firstTextAtMs ??= this.#options.clock.now();
    this.#unspoken += chars;
    if (this.#unspoken > MAX_PENDING_CHARS) {
      const bound = `${MAX_PENDING_CHARS} characters are waiting to be spoken, which is the bound`;
      throw new TtsError('text_too_long', `More than ${bound}. Send text at the pace at which its audio arrives.`);
    }
    // Speech is made at once; it leaves when its text is paid for.
    if (this.#received.add(text) > 0) this.#reserving ??= this.#reserveAll();
    this.#options.permit.text.text(text);
  }

  /** Speaks what is pending. */
  flush(): void {
    this.#options.permit.text.flush();
  }

  /** No more text. */
  end(): void {
    this.#options.permit.text.end();
  }

  /**
   * Hands every event to `write` and waits for it; resolves after the last event of the text. No
   * event of a segment is handed on before the reservation of its text is committed, or while it
   * may be lost.
   */
  async speak(write: (event: GatewayEvent) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { text, admission } = this.#options.permit;
    for await (const event of text.speak(signal)) {
      if (event.type === 'segment') {
        this.#handedOut.add(event.segment.text);
        await this.#paid(this.#handedOut.chars, signal);
      }
      if (!admission.held) await admission.confirm();
      signal.throwIfAborted();
      if (event.type === 'audio') this.#sent(event.pcm.length);
      await write(event);
      if (event.type !== 'segment-end') continue;
      this.#unspoken -= countChars(event.segment.text);
      this.#deliveredChars = this.#handedOut.chars;
      if (!text.idle) continue;
      // Counted anew: a character that came in two halves was counted twice.
      this.#unspoken = text.pendingChars;
      this.#options.onIdle();
    }
  }

  /** Resolves when all text is reserved for certain; rejects when `signal` aborts before. */
  async reserved(signal: AbortSignal): Promise<void> {
    const { admission } = this.#options.permit;
    await this.#paid(this.#received.chars, signal);
    if (!admission.held) await admission.confirm();
    signal.throwIfAborted();
  }

  /** Gives everything back and settles; resolves when the ledger has its row. */
  close(outcome: Outcome, byClient: boolean, error?: unknown): Promise<void> {
    const audioMs = samplesToMs(this.#sentSamples);
    return this.#options.permit.end({ outcome, audioMs, deliveredChars: this.#deliveredChars, byClient, error });
  }

  /** Waits until so many characters are reserved. A failed reservation aborts `signal`. */
  async #paid(chars: number, signal: AbortSignal): Promise<void> {
    if (this.#reservedChars < chars) await this.#reservedMore.until(() => this.#reservedChars >= chars, signal);
  }

  /** Messages that arrive while one reservation is being written share the next. */
  async #reserveAll(): Promise<void> {
    const { permit, onFailure } = this.#options;
    try {
      while (this.#reservedChars < this.#received.chars) {
        const { chars } = this.#received;
        await permit.admission.extend(chars - this.#reservedChars);
        this.#reservedChars = chars;
        this.#reservedMore.notify();
      }
      this.#reserving = undefined;
    } catch (error) {
      // `#reserving` stays: nothing more is reserved.
      onFailure(error);
    }
  }

  #sent(samples: number): void {
    this.#sentSamples += samples;
    if (this.#firstAudioAtMs !== undefined) return;
    this.#firstAudioAtMs = this.#options.clock.now();
    this.#options.permit.firstAudio(this.#firstAudioAtMs - (this.#firstTextAtMs ?? this.#firstAudioAtMs));
  }
}
