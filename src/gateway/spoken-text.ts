/**
 * Text in pieces in, speech in order out. Text is cut into segments as they are wanted: the first
 * is spoken before the rest of a long text was looked at, and no text holds up the audio of others.
 */
import { type Clock, systemClock } from '../clock.js';
import { Condition } from '../condition.js';
import type { Segment } from '../protocol/job.js';
import type { TextCutter } from '../text/segment/cutter.js';
import { type Piece, TextQueue } from './text-queue.js';
import { BUFFERS } from './tuning.js';
import type { GatewayEvent, Speech, SpeechRecord } from './types.js';

export class SpokenText {
  /** Called when all text so far has been cut. */
  onIdle: (() => void) | undefined;
  readonly #speech: Speech;
  readonly #cutter: TextCutter;
  readonly #clock: Clock;
  /** The writer bounds its characters, and the characters its flushes. */
  readonly #queue = new TextQueue();
  readonly #changed = new Condition();
  /** A piece was taken from the queue and is being cut. */
  #cutting = false;
  /** Segments that were cut and not delivered to their end. */
  #owed = 0;
  #cutMs = 0;
  /** Time spent on cutting the first segment. */
  #firstCutMs = 0;

  constructor(speech: Speech, cutter: TextCutter, clock: Clock = systemClock) {
    this.#speech = speech;
    this.#cutter = cutter;
    this.#clock = clock;
  }

  /** All text was cut, and all audio of it was taken. */
  get idle(): boolean {
    return this.#owed === 0 && this.#queue.empty && !this.#cutting;
  }

  /** Characters that were looked at and are in no segment yet. */
  get pendingChars(): number {
    return this.#cutter.pendingChars;
  }

  /** SSML elements seen so far that change nothing. */
  get ignoredMarkup(): readonly string[] {
    return this.#cutter.ignoredMarkup;
  }

  /** Time from admission to the engine, less the cutting of the first segment. */
  get queueMs(): number {
    return Math.max(0, (this.#speech.queueMs ?? 0) - this.#firstCutMs);
  }

  get record(): SpeechRecord {
    return this.#speech.record;
  }

  /** Time spent on cutting so far. */
  get cutMs(): number {
    return this.#cutMs;
  }

  text(text: string): void {
    this.#speech.wrote(text.length, false);
    this.#queue.add(text);
    this.#changed.notify();
  }

  /** Cuts what is pending. */
  flush(): void {
    this.#queue.flush();
    this.#changed.notify();
  }

  /** Cuts what is pending, and nothing follows. */
  end(): void {
    this.#speech.wrote(0, true);
    this.#queue.end();
    this.#changed.notify();
  }

  /**
   * Speaks all text up to the end. Pulling drives it: a consumer that stops pulling stops the
   * synthesis. May be called once. Throws `invalid_ssml` where the text's markup is wrong.
   */
  async *speak(signal: AbortSignal): AsyncGenerator<GatewayEvent, void, undefined> {
    for await (const event of this.#speech.speak(this.#segments(signal), signal)) {
      if (event.type === 'segment-end') this.#owed--;
      yield event;
    }
  }

  /** Gives the place in the queue back. Idempotent; must be called in every case. */
  close(): void {
    this.#speech.close();
    this.#cutter.close();
  }

  async *#segments(signal: AbortSignal): AsyncGenerator<Segment, void, undefined> {
    for (;;) {
      const piece = this.#queue.take(BUFFERS.cutUnits);
      if (piece === undefined) {
        this.onIdle?.();
        await this.#changed.until(() => !this.#queue.empty, signal);
        continue;
      }
      const startMs = this.#clock.now();
      this.#cutting = true;
      const segments = await this.#cut(piece);
      this.#cutting = false;
      this.#cutMs += this.#clock.now() - startMs;
      if (this.#speech.queueMs === undefined) this.#firstCutMs = this.#cutMs;
      this.#owed += segments.length;
      yield* segments;
      if (piece.kind === 'end') return;
    }
  }

  #cut(piece: Piece): Segment[] | Promise<Segment[]> {
    if (piece.kind === 'flush') return this.#cutter.flush();
    if (piece.kind === 'end') return this.#cutter.end();
    return this.#cutter.push(piece.text);
  }
}
