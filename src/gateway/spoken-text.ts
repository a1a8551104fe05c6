/**
 * Text in pieces in, speech in order out. It is cut into segments as they are wanted, so that the first is spoken while
 * the rest of a long text has not been looked at, and in steps so short that no text holds up the audio of others.
 */
import { Condition } from '../condition.js';
import type { Segment } from '../protocol/job.js';
import type { TextCutter } from '../text/segment/cutter.js';
import { type Piece, TextQueue } from './text-queue.js';
import type { GatewayEvent, Speech, SpeechRecord } from './types.js';

/** Counting the tokens of what could be one segment is the dear part: in steps, texts take turns. */
const STEP_UNITS = 256;

export class SpokenText {
  /** Called when all text there is has been looked at. */
  onIdle: (() => void) | undefined;
  readonly #speech: Speech;
  readonly #cutter: TextCutter;
  /** Its characters are bounded by its writer, its flushes by its characters. */
  readonly #queue = new TextQueue();
  readonly #changed = new Condition();
  /** A piece was taken from the queue, and its segments are not there yet. */
  #cutting = false;
  /** Segments that were cut and whose audio was not taken whole. */
  #owed = 0;
  #cutMs = 0;
  /** What the cutting of the first segment took. */
  #firstCutMs = 0;

  constructor(speech: Speech, cutter: TextCutter) {
    this.#speech = speech;
    this.#cutter = cutter;
  }

  /** Everything was looked at, and all audio of it was taken. */
  get idle(): boolean {
    return this.#owed === 0 && this.#queue.empty && !this.#cutting;
  }

  /** Characters in no segment yet, as far as they were looked at. */
  get pendingChars(): number {
    return this.#cutter.pendingChars;
  }

  /** The SSML met so far that changes nothing. */
  get ignoredMarkup(): readonly string[] {
    return this.#cutter.ignoredMarkup;
  }

  /** What was waited for a worker: from the place in the queue to the engine, less the cutting of the first segment. */
  get queueMs(): number {
    return Math.max(0, (this.#speech.queueMs ?? 0) - this.#firstCutMs);
  }

  get record(): SpeechRecord {
    return this.#speech.record;
  }

  /** What the cutting took. */
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
   * Speaks what was and will be written, until the end. Pulling drives it: a consumer that stops pulling stops the
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
      const piece = this.#queue.take(STEP_UNITS);
      if (piece === undefined) {
        this.onIdle?.();
        await this.#changed.until(() => !this.#queue.empty, signal);
        continue;
      }
      const startMs = performance.now();
      this.#cutting = true;
      const segments = await this.#cut(piece);
      this.#cutting = false;
      this.#cutMs += performance.now() - startMs;
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
