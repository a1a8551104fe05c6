/** What a stream will still want of the engines: segments, uncut text, what a writer may add. */
import { samplesToMs } from '../protocol/audio.js';
import type { SegmentTask } from './segment-task.js';
import type { SpeechHost } from './speech-host.js';
import { DEMAND } from './tuning.js';
import type { SpeechOrder } from './types.js';
import { Wants } from './wants.js';

/** The stream at the moment its wants are computed. */
interface StreamState {
  /** Wants of one revision are computed once in a while. */
  readonly revision: number;
  readonly tasks: readonly SegmentTask[];
  /** When the listener has played all that was handed over, or should hear the first audio. */
  readonly dryAtMs: number;
}

const NEVER = { revision: -1, atMs: 0 };

export class StreamDemand {
  readonly #order: SpeechOrder;
  readonly #host: Pick<SpeechHost<never>, 'admission' | 'clock'>;
  readonly #wants = new Wants();
  /** The state that they were computed from. */
  #wantsOf = NEVER;
  #writtenChars = 0;
  #wroteAtMs: number;
  #written = false;
  /** Characters of segments that were spoken to their end. */
  #madeChars = 0;

  constructor(order: SpeechOrder, host: Pick<SpeechHost<never>, 'admission' | 'clock'>) {
    this.#order = order;
    this.#host = host;
    this.#wroteAtMs = host.clock.now();
  }

  get writtenChars(): number {
    return this.#writtenChars;
  }

  wrote(chars: number, last: boolean): void {
    this.#writtenChars += chars;
    this.#wroteAtMs = this.#host.clock.now();
    if (last) this.#written = true;
    this.#wantsOf = NEVER;
  }

  made(chars: number): void {
    this.#madeChars += chars;
  }

  /** Computed when the stream changed; and once in a while, for costs are learnt meanwhile. */
  wants(nowMs: number, sessionMs: number, state: StreamState): Wants {
    const { revision, atMs } = this.#wantsOf;
    if (revision === state.revision && nowMs - atMs < DEMAND.wantsMs) return this.#wants;
    this.#wantsOf = { revision: state.revision, atMs: nowMs };
    this.#wants.clear();
    this.#note(nowMs, sessionMs, state);
    return this.#wants;
  }

  /** Notes segment by segment. An active writer is expected to say as much as sessions do. */
  #note(nowMs: number, sessionMs: number, { tasks, dryAtMs }: StreamState): void {
    const { model, chars, speed = 1 } = this.#order;
    const { admission } = this.#host;
    const { msPerChar } = admission;
    let atMs = Math.max(nowMs, dryAtMs);
    let cutChars = this.#madeChars;
    for (const task of tasks) {
      atMs += samplesToMs(task.heldSamples);
      if (task.state === 'done') continue;
      const { length } = task.job.segment.text;
      cutChars += length;
      const restMs = Math.max(0, (length / speed) * msPerChar - samplesToMs(task.receivedSamples));
      const leadMs = task.receivedSamples > 0 ? 0 : Math.max(0, admission.leadMs(task.job) - task.leadMs);
      admission.note(this.#wants, model, speed, { atMs, restMs, leadMs });
      atMs += restMs;
    }
    const knownChars = Math.max(chars ?? 0, this.#writtenChars);
    const writes = chars === undefined && !this.#written && nowMs - this.#wroteAtMs < DEMAND.writerIdleMs;
    const pendingMs = (Math.max(0, knownChars - cutChars) / speed) * msPerChar;
    const expectedMs = writes ? sessionMs - (cutChars / speed) * msPerChar : 0;
    admission.noteUncut(this.#wants, model, speed, { atMs, restMs: Math.max(pendingMs, expectedMs) });
  }
}
