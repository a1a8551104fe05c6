/** The series of jobs: how they ended here, what waits and is made, what their files take. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { JobTotals } from '../../accounts/tables/job-rows.js';
import type { Outcome } from '../../accounts/types.js';

const OUTCOMES: readonly Outcome[] = ['completed', 'failed', 'cancelled'];

export class JobSeries {
  readonly #registry: Registry;
  readonly #ended: Counter;
  readonly #audioSeconds: Counter;

  constructor(registry: Registry) {
    this.#registry = registry;
    const registers = [registry];
    const ended = 'Jobs that this server ended, by how';
    this.#ended = new Counter({ name: 'tts_jobs_ended_total', help: ended, labelNames: ['outcome'], registers });
    const sound = 'Sound of the jobs that this server completed';
    this.#audioSeconds = new Counter({ name: 'tts_job_audio_seconds_total', help: sound, registers });
    for (const outcome of OUTCOMES) this.#ended.inc({ outcome }, 0);
  }

  ended({ outcome, audioMs }: { readonly outcome: Outcome; readonly audioMs: number }): void {
    this.#ended.inc({ outcome });
    this.#audioSeconds.inc(audioMs / 1000);
  }

  /** Adds the series that are read from the database for each scrape; absent while it is away. */
  watch(totals: () => Promise<JobTotals>): void {
    const registers = [this.#registry];
    // One question serves both series of a scrape, which collects them at the same time.
    let asked: Promise<JobTotals | undefined> | undefined;
    const read = () => {
      asked ??= totals()
        .catch(() => undefined)
        .finally(() => {
          asked = undefined;
        });
      return asked;
    };
    new Gauge({
      name: 'tts_jobs',
      help: 'Jobs of the folder that wait or are made, by any server',
      labelNames: ['state'],
      registers,
      async collect() {
        const now = await read();
        this.reset();
        if (now === undefined) return;
        this.set({ state: 'queued' }, now.queued);
        this.set({ state: 'running' }, now.running);
      },
    });
    new Gauge({
      name: 'tts_job_disk_bytes',
      help: 'What the files of all jobs of the folder take, or are going to take',
      registers,
      async collect() {
        const now = await read();
        this.reset();
        if (now === undefined) this.remove();
        else this.set(now.bytes);
      },
    });
  }
}
