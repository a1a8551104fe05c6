/** Jobs for workers and engines, and what came of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Worker, WorkerEvent } from '../../../src/gateway/workers/worker.js';
import type { Segment, SegmentJob, SpeechEvent } from '../../../src/protocol/job.js';
import { segmentOf } from '../../../testkit/speech.js';

const MIX = [{ style: 'af_heart', weight: 1 }];

let count = 0;
export function jobOf(text: string | Segment, more: Partial<SegmentJob> = {}): SegmentJob {
  count += 1;
  const segment = typeof text === 'string' ? segmentOf(text) : text;
  return {
    id: `job-${count}`,
    model: 'base-tts',
    language: 'en-US',
    mix: MIX,
    seed: 0,
    speed: 1,
    gainDb: 0,
    segment,
    ...more,
  };
}

export async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 6_000 && !condition(); i += 1) await sleep(5);
  expect(condition()).toBe(true);
}

export const whenReady = (worker: Worker): Promise<void> => until(() => worker.state === 'ready');

/** Gives a step to every job of a worker that waits for one. */
export function grantAll(worker: Worker): void {
  for (const { id, steps } of worker.runnable) if (steps === 0) worker.grant(id, 0);
}

export async function collect(events: AsyncIterable<WorkerEvent>) {
  const chunks: Int16Array[] = [];
  let begins = 0;
  let begin: Extract<SpeechEvent, { type: 'begin' }> | undefined;
  for await (const event of events) {
    if (event.type === 'begin') {
      begins += 1;
      begin = event;
      expect(chunks.length).toBe(0);
    } else if (event.type === 'audio') chunks.push(event.pcm);
  }
  return { begin: begin!, begins, pcm: chunks.flatMap((chunk) => [...chunk]), chunks: chunks.length };
}

export async function failureOf(work: () => AsyncIterable<WorkerEvent>): Promise<Error> {
  try {
    await collect(work());
  } catch (error) {
    return error as Error;
  }
  throw new Error('It was expected to fail.');
}
