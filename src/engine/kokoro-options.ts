/** What the Kokoro engine is told when its process starts: plain data, so that it can cross a process boundary. */
import type { Device } from '../protocol/device.js';
import type { BaseModel } from '../protocol/job.js';
import type { Count } from './measure/machine.js';

export interface KokoroOptions {
  /** Where the packs are. */
  readonly modelDir: string;
  /** The operator's own pronunciations, or ''. */
  readonly lexicon: string;
  readonly device: Device;
  /** A server that stays: with `auto`, a GPU is worth the time it takes to be ready. */
  readonly seeksGpu?: boolean;
  readonly threads: Count;
  /** What its turns run on: all of those threads, one core beside other engines, or either, as each turn says. */
  readonly share?: 'machine' | 'core' | 'either';
  /** Engine processes that share the machine's cores. */
  readonly workers?: Count;
  /** Never touch the network for a model that is not there. */
  readonly offline?: boolean;
  /** Models to load before the worker says it is ready; others load with their first job. */
  readonly preload: readonly BaseModel[];
}
