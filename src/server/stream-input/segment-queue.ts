/** Segments between the session that cuts them and the gateway that speaks them. Bounded by the session's own bound. */
import type { Segment } from '../../protocol/job.js';

export class SegmentQueue implements AsyncIterable<Segment> {
  #waiting: Segment[] = [];
  #ended = false;
  #wake: (() => void) | undefined;

  push(segments: readonly Segment[]): void {
    this.#waiting.push(...segments);
    this.#wake?.();
  }

  /** Nothing follows what is in it. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** Nothing follows, and what is in it is dropped. */
  clear(): void {
    this.#waiting = [];
    this.end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Segment, void, undefined> {
    for (;;) {
      const batch = this.#waiting;
      this.#waiting = [];
      yield* batch;
      if (this.#waiting.length > 0) continue;
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
