/**
 * Text in pieces in, speech in order out. It is cut into segments as they are wanted, so that the first is spoken while
 * the rest of a long text has not been looked at, and in steps so short that no text holds up the audio of others.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { Condition } from '../condition.js';
import type { Segment } from '../protocol/job.js';
import { Segmenter, type SegmenterOptions } from '../text/segment.js';
import type { GatewayEvent, Speech } from './types.js';

type Piece = { readonly kind: 'text'; text: string } | { readonly kind: 'flush' } | { readonly kind: 'end' };

/** Counting the tokens of what could be one segment is the dear part. */
const STEP_UNITS = 256;
const TURN_MS = 5;

export class SpokenText {
  /** Called when all text there is has been looked at. */
  onIdle: (() => void) | undefined;
  readonly #speech: Speech;
  readonly #segmenter: Segmenter;
  /** Bounded by whoever writes: texts that follow one another are one piece, and so are flushes. */
  readonly #pieces: Piece[] = [];
  readonly #changed = new Condition();
  /** How far into the first piece it has looked. */
  #at = 0;
  /** Segments that were cut and whose audio was not taken whole. */
  #owed = 0;
  #cutMs = 0;
  /** What the cutting of the first segment took. */
  #firstCutMs = 0;

  constructor(speech: Speech, options: SegmenterOptions) {
    this.#speech = speech;
    this.#segmenter = new Segmenter(options);
  }

  /** Everything was looked at, and all audio of it was taken. */
  get idle(): boolean {
    return this.#owed === 0 && this.#pieces.length === 0;
  }

  /** Characters in no segment yet, as far as they were looked at. */
  get pendingChars(): number {
    return this.#segmenter.pendingChars;
  }

  /** The SSML met so far that changes nothing. */
  get ignoredMarkup(): readonly string[] {
    return this.#segmenter.ignoredMarkup;
  }

  /** What was waited for a worker: from the place in the queue to the engine, less the cutting of the first segment. */
  get queueMs(): number {
    return Math.max(0, (this.#speech.queueMs ?? 0) - this.#firstCutMs);
  }

  /** What the cutting took. */
  get cutMs(): number {
    return this.#cutMs;
  }

  text(text: string): void {
    this.#speech.wrote(text.length, false);
    const last = this.#pieces.at(-1);
    if (last?.kind === 'text') last.text += text;
    else this.#add({ kind: 'text', text });
  }

  /** Cuts what is pending. */
  flush(): void {
    if (this.#pieces.at(-1)?.kind !== 'flush') this.#add({ kind: 'flush' });
  }

  /** Cuts what is pending, and nothing follows. */
  end(): void {
    this.#speech.wrote(0, true);
    this.#add({ kind: 'end' });
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
  }

  #add(piece: Piece): void {
    this.#pieces.push(piece);
    this.#changed.notify();
  }

  async *#segments(signal: AbortSignal): AsyncGenerator<Segment, void, undefined> {
    let turnEndsMs = performance.now() + TURN_MS;
    for (;;) {
      const piece = this.#pieces[0];
      if (piece === undefined) {
        this.onIdle?.();
        await this.#changed.until(() => this.#pieces.length > 0, signal);
        turnEndsMs = performance.now() + TURN_MS;
        continue;
      }
      const startMs = performance.now();
      const segments = this.#cut(piece);
      this.#cutMs += performance.now() - startMs;
      if (this.#speech.queueMs === undefined) this.#firstCutMs = this.#cutMs;
      this.#owed += segments.length;
      if (piece.kind !== 'text' || this.#at >= piece.text.length) this.#next();
      yield* segments;
      if (piece.kind === 'end') return;
      if (performance.now() < turnEndsMs) continue;
      await turn();
      turnEndsMs = performance.now() + TURN_MS;
    }
  }

  #cut(piece: Piece): Segment[] {
    if (piece.kind === 'flush') return this.#segmenter.flush();
    if (piece.kind === 'end') return this.#segmenter.end();
    const text = piece.text.slice(this.#at, this.#at + STEP_UNITS);
    this.#at += STEP_UNITS;
    return this.#segmenter.push(text);
  }

  #next(): void {
    this.#pieces.shift();
    this.#at = 0;
  }
}
