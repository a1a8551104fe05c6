/** Removes jobs whose time is over, files without a job, and jobs whose servers are gone. */

import type { AccountStore } from '../accounts/store.js';
import type { JobRow, JobTable } from '../accounts/tables/job-rows.js';
import type { Clock } from '../clock.js';
import type { Logger } from '../log.js';
import type { JobFolder } from './job-folder.js';

export interface UpkeepOptions {
  readonly table: Pick<JobTable, 'expired' | 'abandoned' | 'orphans' | 'remove' | 'known'>;
  readonly folder: JobFolder;
  readonly keepMs: number;
  readonly drop: AccountStore['drop'];
  readonly endAbandoned: (job: JobRow) => Promise<void>;
  readonly log: Logger;
  readonly clock: Clock;
}

const EVERY_MS = 60_000;

export class Upkeep {
  readonly #options: UpkeepOptions;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  /** Does nothing where it was done a moment ago. */
  async look(): Promise<void> {
    const { table, folder, keepMs, clock, drop, endAbandoned, log } = this.#options;
    if (clock.now() - this.#lastMs < EVERY_MS) return;
    this.#lastMs = clock.now();
    for (const { id } of await table.expired(folder.name)) {
      await folder.remove(id);
      await table.remove(id);
      log.info({ job: id }, 'a job was removed after its time');
    }
    for (const job of await table.abandoned(folder.name, keepMs)) {
      if (job.state === 'ended') await table.remove(job.id);
      else await endAbandoned(job);
    }
    for (const left of await table.orphans()) await drop(left);
    const old = await folder.old();
    const known = await table.known(old);
    for (const id of old) if (!known.has(id)) await folder.remove(id);
  }
}
