/** Progress of a model that is made ready on this machine. */
import type { BaseModel } from './job.js';

export interface Preparation {
  readonly model: BaseModel;
  /** Waits for another process; downloads; makes graphs; measures the machine's speed. */
  readonly stage: 'wait' | 'download' | 'prepare' | 'measure';
  /** Bytes of a download, or number of graphs. 0 of 0 where it is unknown. */
  readonly done: number;
  readonly total: number;
  /** In words: the source, the process that is waited for, or the graph. */
  readonly detail: string;
}
