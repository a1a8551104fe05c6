/** How a model gets ready on this machine, step by step: told by whoever does it, drawn by whoever shows it. */
import type { BaseModel } from './job.js';

export interface Preparation {
  readonly model: BaseModel;
  /** Another process is at it; files are fetched; graphs are made of them; it is measured how fast this machine speaks. */
  readonly stage: 'wait' | 'download' | 'prepare' | 'measure';
  /** Of the download, in bytes; of the preparation, in graphs. 0 of 0 where it cannot be told. */
  readonly done: number;
  readonly total: number;
  /** For people: where from, whom we wait for, which graph. */
  readonly detail: string;
}
