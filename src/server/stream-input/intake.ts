/** Text into segments, in steps so short that one long message never holds up the audio of others. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Segment } from '../../protocol/job.js';
import type { Segmenter } from '../../text/segment.js';

export interface IntakeOptions {
  readonly segmenter: Segmenter;
  readonly onSegments: (segments: readonly Segment[]) => void;
  /** All is cut, and nothing follows. */
  readonly onEnd: () => void;
  /** It has looked at everything there is. */
  readonly onIdle: () => void;
  readonly onError: (error: unknown) => void;
}

type Step = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'flush' } | { readonly kind: 'end' };

function cut(segmenter: Segmenter, step: Step): Segment[] {
  if (step.kind === 'text') return segmenter.push(step.text);
  return step.kind === 'flush' ? segmenter.flush() : segmenter.end();
}

/** Counting the tokens of what could be one segment is the dear part. */
const STEP_UNITS = 256;
const TURN_MS = 5;

export class Intake {
  readonly #options: IntakeOptions;
  #steps: Step[] = [];
  #busy = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** There is text it has not looked at yet. */
  get busy(): boolean {
    return this.#busy;
  }

  /** Characters in no segment yet, as far as they were looked at. */
  get pendingChars(): number {
    return this.#options.segmenter.pendingChars;
  }

  text(text: string): void {
    for (let at = 0; at < text.length; at += STEP_UNITS) {
      this.#steps.push({ kind: 'text', text: text.slice(at, at + STEP_UNITS) });
    }
    this.#start();
  }

  flush(): void {
    this.#steps.push({ kind: 'flush' });
    this.#start();
  }

  end(): void {
    this.#steps.push({ kind: 'end' });
    this.#start();
  }

  /** Forgets what it has not looked at. */
  drop(): void {
    this.#steps = [];
  }

  #start(): void {
    if (!this.#busy) void this.#run();
  }

  /** At once as far as a turn of the event loop reaches: the word of a model that writes is cut as it comes. */
  async #run(): Promise<void> {
    const { segmenter, onSegments, onEnd, onIdle, onError } = this.#options;
    this.#busy = true;
    let untilMs = performance.now() + TURN_MS;
    try {
      for (let next = 0; next < this.#steps.length; next++) {
        const step = this.#steps[next]!;
        onSegments(cut(segmenter, step));
        if (step.kind === 'end') onEnd();
        if (performance.now() < untilMs) continue;
        await turn();
        untilMs = performance.now() + TURN_MS;
      }
    } catch (error) {
      onError(error);
    }
    this.#steps = [];
    this.#busy = false;
    onIdle();
  }
}
