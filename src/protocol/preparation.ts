/** Progress of a model or of a language's dictionary that is made ready on this machine. */
import type { BaseModel, Language } from './job.js';

export interface Preparation {
  /** The model, or the language whose dictionary it is. */
  readonly model: BaseModel | Language;
  /** Waits for another process; downloads; makes graphs; measures the machine's speed. */
  readonly stage: 'wait' | 'download' | 'prepare' | 'measure';
  /** Bytes of a download, or number of graphs. 0 of 0 where it is unknown. */
  readonly done: number;
  readonly total: number;
  /** In words: the source, the process that is waited for, or the graph. */
  readonly detail: string;
}
