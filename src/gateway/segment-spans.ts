/** The trace spans of one segment: its waits in the queue and its runs on workers. */
import { NO_SPAN, type TraceSpan } from '../trace.js';

export class SegmentSpans {
  readonly #stream: TraceSpan;
  readonly #chars: number;
  #queue: TraceSpan;
  #run = NO_SPAN;
  #hasAudio = false;

  /** `stream` is the span of the segment's speech. */
  constructor(stream: TraceSpan, chars: number) {
    this.#stream = stream;
    this.#chars = chars;
    this.#queue = stream.child('queue');
  }

  /** A worker takes the segment. Returns the header for the worker's own span. */
  started(worker: string, attempt: number): string | undefined {
    this.#queue.end();
    this.#run = this.#stream.child('segment', {
      'tts.worker': worker,
      'tts.attempt': attempt,
      'tts.characters': this.#chars,
    });
    return this.#run.traceparent;
  }

  audio(): void {
    if (this.#hasAudio) return;
    this.#hasAudio = true;
    this.#run.event('first audio');
  }

  /** The worker was lost, and the segment is queued again. */
  queuedAgain(): void {
    this.#run.end('worker_lost');
    this.#queue = this.#stream.child('queue');
  }

  ended(error?: string): void {
    this.#queue.end(error);
    this.#run.end(error);
  }
}
