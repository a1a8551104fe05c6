/** The jobs of a server, as its settings say. */
import path from 'node:path';
import type { Config } from '../../config.js';
import type { Jobs, JobsOptions } from '../../jobs/jobs.js';
import { parseModel } from '../../protocol/contract.js';
import { packageVersion } from '../version.js';

interface OpenJobsOptions extends Pick<JobsOptions, 'store' | 'accounts' | 'gateway' | 'texts' | 'catalogue' | 'log'> {
  readonly config: Config;
  /** How texts are read here. */
  readonly textVersion: string | undefined;
}

const MB = 1_000_000;
const HOUR_MS = 3_600_000;

/** Undefined where the settings switch them off. */
export async function openJobs({
  config,
  catalogue,
  textVersion,
  ...parts
}: OpenJobsOptions): Promise<Jobs | undefined> {
  if (config.jobs === 'off') return undefined;
  const { Jobs } = await import('../../jobs/jobs.js');
  return Jobs.open({
    ...parts,
    catalogue,
    dir: path.resolve(config.jobsDir || path.join(config.dataDir, 'jobs')),
    limits: {
      freeToo: config.jobs === 'free',
      perKey: config.jobsPerKey,
      bytesPerKey: config.jobsDiskMb * MB,
      bodyBytes: config.jobsBodyMb * MB,
      keepMs: config.jobsKeepHours * HOUR_MS,
      atOnce: config.jobsAtOnce,
      privateWebhooks: config.jobsPrivateWebhooks,
    },
    soundOf: ({ model, voice }) => {
      const { mix, gainDb, language } = catalogue.speaker(parseModel(model).base, voice);
      return [packageVersion(), config.engine, textVersion, mix, gainDb, language];
    },
  });
}
