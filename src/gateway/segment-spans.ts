/** The spans of one segment: its wait in the queue, and its run on a worker, each again where a worker was lost. */
import { NO_SPAN, type TraceSpan } from '../trace.js';

export class SegmentSpans {
  readonly #stream: TraceSpan;
  readonly #chars: number;
  #queue: TraceSpan;
  #run = NO_SPAN;
  #isHeard = false;

  /** `stream` is the span of the speech that the segment is of. */
  constructor(stream: TraceSpan, chars: number) {
    this.#stream = stream;
    this.#chars = chars;
    this.#queue = stream.child('queue');
  }

  /** A worker takes it: the result is the header for the worker's own span. */
  started(worker: string, attempt: number): string | undefined {
    this.#queue.end();
    this.#run = this.#stream.child('segment', {
      'tts.worker': worker,
      'tts.attempt': attempt,
      'tts.characters': this.#chars,
    });
    return this.#run.traceparent;
  }

  heard(): void {
    if (this.#isHeard) return;
    this.#isHeard = true;
    this.#run.event('first audio');
  }

  /** Its worker was lost, and it waits again. */
  queuedAgain(): void {
    this.#run.end('worker_lost');
    this.#queue = this.#stream.child('queue');
  }

  ended(error?: string): void {
    this.#queue.end(error);
    this.#run.end(error);
  }
}
