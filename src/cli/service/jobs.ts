/** The jobs of a server, as its settings say. */
import path from 'node:path';
import type { Config } from '../../config.js';
import type { Jobs, JobsOptions } from '../../jobs/jobs.js';
import { parseModel } from '../../protocol/contract.js';
import { TtsError } from '../../protocol/errors.js';
import { packageVersion } from '../version.js';

interface OpenJobsOptions
  extends Pick<
    JobsOptions,
    'store' | 'accounts' | 'gateway' | 'texts' | 'catalogue' | 'requestLog' | 'onEnded' | 'log'
  > {
  readonly config: Config;
  /** How texts are read here. */
  readonly textVersion: string | undefined;
}

const MB = 1_000_000;
const HOUR_MS = 3_600_000;

/** Folder of the jobs; undefined where none was named and there is no data folder. */
const folderOf = ({ jobsDir, dataDir, database }: Config): string | undefined =>
  jobsDir !== '' ? path.resolve(jobsDir) : database === '' ? path.join(path.resolve(dataDir), 'jobs') : undefined;

/** Undefined where the settings switch them off, or leave them no folder. */
export async function openJobs(options: OpenJobsOptions): Promise<Jobs | undefined> {
  const { config, log } = options;
  const dir = folderOf(config);
  if (config.jobs === 'off' || dir === undefined) return undefined;
  try {
    return await open(options, dir);
  } catch (error) {
    // A server that only speaks needs no folder that can be written.
    if (config.jobsDir !== '' || !(error instanceof TtsError) || error.code !== 'config_invalid') throw error;
    log.warn({ err: error }, 'this server takes no jobs: their folder cannot be written');
    return undefined;
  }
}

async function open({ config, catalogue, textVersion, ...parts }: OpenJobsOptions, dir: string): Promise<Jobs> {
  const { Jobs } = await import('../../jobs/jobs.js');
  return Jobs.open({
    ...parts,
    catalogue,
    dir,
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
