/** Between a worker's messages and one job's consumer: a short queue that reports what was taken and notices silence. */
import type { SpeechEvent } from '../protocol/job.js';
import { REPORT_SAMPLES } from '../worker/protocol.js';

export interface JobChannelOptions {
  readonly onTaken: (samples: number) => void;
  readonly stallTimeoutMs: number;
  readonly onStall: () => void;
}

export interface JobChannel {
  push(event: SpeechEvent): void;
  end(): void;
  fail(error: unknown): void;
  /** True once the engine itself said that it is done with the job, well or badly. */
  readonly ended: boolean;
  events(): AsyncGenerator<SpeechEvent>;
  dispose(): void;
}

/** The queue is bounded by the engine's side, which waits for `onTaken` before it goes on. */
export function createJobChannel({ onTaken, stallTimeoutMs, onStall }: JobChannelOptions): JobChannel {
  const queue: SpeechEvent[] = [];
  let ended = false;
  let failure: { error: unknown } | undefined;
  let wake: (() => void) | undefined;
  let taken = 0;
  let stallTimer: NodeJS.Timeout | undefined;

  const signal = (): void => {
    wake?.();
    wake = undefined;
  };

  async function* events(): AsyncGenerator<SpeechEvent> {
    while (true) {
      if (failure) throw failure.error;
      const event = queue.shift();
      if (event) {
        if (event.type === 'audio') {
          taken += event.pcm.length;
          if (taken >= REPORT_SAMPLES) {
            onTaken(taken);
            taken = 0;
          }
        }
        yield event;
        continue;
      }
      if (ended) return;
      stallTimer = setTimeout(onStall, stallTimeoutMs);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      clearTimeout(stallTimer);
    }
  }

  return {
    push(event) {
      if (failure || ended) return;
      queue.push(event);
      signal();
    },
    end() {
      ended = true;
      signal();
    },
    fail(error) {
      if (ended) return;
      // What was not yet taken is dropped: a listener that hears of a failure has no use for the rest.
      queue.length = 0;
      failure ??= { error };
      signal();
    },
    get ended() {
      return ended;
    },
    events,
    dispose: () => clearTimeout(stallTimer),
  };
}
