/** A model's download and preparation on stderr: a bar on a terminal, a line a second elsewhere. */
import { type Clock, systemClock } from '../clock.js';
import type { Preparation } from '../protocol/preparation.js';

export interface PullReporter {
  show(progress: Preparation): void;
  /** Leaves the line; call it when the work is over, however it ended. */
  end(): void;
}

export interface ReporterOutput {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

const BAR_WIDTH = 24;
const LINE_MS = 1_000;
const BAR_MS = 80;

export const megabytes = (bytes: number): string => {
  const mb = bytes / 1e6;
  return `${mb < 10 ? mb.toFixed(1) : Math.round(mb)} MB`;
};

export function createPullReporter(output: ReporterOutput = process.stderr, clock: Clock = systemClock): PullReporter {
  const terminal = output.isTTY === true;
  let startedAt = clock.now();
  let startedFrom = 0;
  let shownAt = 0;
  let stage = '';
  let open = false;

  const speedOf = (done: number): string => {
    const seconds = (clock.now() - startedAt) / 1000;
    return seconds > 0.5 && done > startedFrom ? `, ${megabytes((done - startedFrom) / seconds)}/s` : '';
  };
  const amountOf = ({ stage, done, total }: Preparation): string => {
    if (stage === 'wait' || stage === 'measure') return '';
    if (stage === 'prepare') return ` ${done} of ${total}`;
    return ` ${megabytes(done)} of ${megabytes(total)}${speedOf(done)}`;
  };
  const verbs = { wait: 'waiting for', download: 'downloading', prepare: 'preparing', measure: 'measuring' } as const;

  return {
    show(progress) {
      const now = clock.now();
      const changed = progress.stage !== stage;
      if (changed || progress.done < startedFrom) {
        stage = progress.stage;
        startedAt = now;
        startedFrom = progress.done;
      }
      const last = progress.total > 0 && progress.done === progress.total;
      if (!changed && !last && now - shownAt < (terminal ? BAR_MS : LINE_MS)) return;
      shownAt = now;
      const text = `${verbs[progress.stage]} ${progress.model}:${amountOf(progress)} (${progress.detail})`;
      if (!terminal) {
        output.write(`tts: ${text}\n`);
        return;
      }
      const share = progress.total > 0 ? progress.done / progress.total : 0;
      const full = Math.round(share * BAR_WIDTH);
      const bar = amountOf(progress) === '' ? '' : `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)} `;
      // Cut, because a line that wraps cannot be drawn over.
      const line = [...`${bar}${text}`].slice(0, Math.max(20, (output.columns || 80) - 1)).join('');
      output.write(`\r\u001b[2K${line}`);
      open = true;
    },
    end() {
      if (open) output.write('\r\u001b[2K');
      open = false;
    },
  };
}
