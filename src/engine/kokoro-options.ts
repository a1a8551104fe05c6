/** Options of the Kokoro engine: plain data that can cross a process boundary. */
import type { Device } from '../protocol/device.js';
import type { BaseModel } from '../protocol/job.js';
import type { Count } from './measure/machine.js';

export interface KokoroOptions {
  /** The folder of the model packs. */
  readonly modelDir: string;
  /** The operator's own pronunciations, or ''. */
  readonly lexicon: string;
  readonly device: Device;
  /** True for a server: with `auto`, a GPU is worth the time until it is ready. */
  readonly seeksGpu?: boolean;
  readonly threads: Count;
  /**
   * What steps run on: all of those threads, one core beside other engines, or as each step says.
   */
  readonly share?: 'machine' | 'core' | 'either';
  /** Nobody hears the speech while it is made: windows of the light vocoder are long at once. */
  readonly unheard?: boolean;
  /** Engine processes that share the machine's cores. */
  readonly workers?: Count;
  /** Never touch the network for a model that is not there. */
  readonly offline?: boolean;
  /** Models to load before the worker says it is ready; others load with their first job. */
  readonly preload: readonly BaseModel[];
}
