/** The longest text a request may carry, and a process that is killed while it speaks: the real model in a real process. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProcessWorker } from '../../src/gateway/process-worker.js';
import type { Worker } from '../../src/gateway/worker.js';
import { createLogger, type Logger } from '../../src/log.js';
import type { SegmentJob } from '../../src/protocol/job.js';
import { createReader } from '../../src/text/reader.js';
import { segmentText } from '../../src/text/segment.js';
import { faultsOf } from '../support/clip-checks.js';
import { letterErrors, lettersOf } from '../support/letters.js';
import { createRecogniser, type Recogniser } from '../support/recogniser.js';
import { SENTENCES } from '../support/sentences.js';
import { joinPcm, modelDirForTests, segmentOf, VOICES } from '../support/speech.js';

let worker: Worker;
let recogniser: Recogniser;
let pid: number | undefined;
const never = new AbortController().signal;

/** A logger that remembers the process id that the worker reports. */
function listening(log: Logger): Logger {
  const child = () => new Proxy(log, { get: (target, name) => (name === 'info' ? note : Reflect.get(target, name)) });
  const note = (fields: { pid?: number }) => {
    pid = fields.pid ?? pid;
  };
  return new Proxy(log, { get: (target, name) => (name === 'child' ? child : Reflect.get(target, name)) });
}

beforeAll(async () => {
  const modelDir = await modelDirForTests();
  recogniser = await createRecogniser(modelDir);
  const kokoro = {
    modelDir,
    voicesDir: '',
    lexicon: '',
    device: 'cpu',
    threads: 0,
    preload: ['base-tts-fast'],
  } as const;
  const log = listening(await createLogger({ level: 'silent' }));
  worker = createProcessWorker({ id: 'real', options: { engine: 'kokoro', kokoro }, log });
}, 600_000);
afterAll(async () => {
  await worker?.close();
  await recogniser?.close();
});

let count = 0;
const jobOf = (segment: SegmentJob['segment']): SegmentJob => {
  count += 1;
  return { id: `long-${count}`, model: 'base-tts-fast', voice: VOICES[0], seed: 0, segment };
};

describe('the real engine in its process', () => {
  it('speaks 2,048 characters to the last word', async () => {
    const reader = await createReader();
    let text = '';
    while (text.length < 2_048) text += `${SENTENCES[text.length % SENTENCES.length]} `;
    text = `${text.slice(0, 2_048 - 16).replace(/\S*$/, '')}This is the end.`.padEnd(2_048, '!');
    const segments = segmentText(text, { countTokens: (part) => reader.countTokens(part) });
    expect(segments.map((segment) => segment.text).join('')).toBe(text);
    const clips: Int16Array[] = [];
    let [errors, letters] = [0, 0];
    for (const segment of segments) {
      const parts: Int16Array[] = [];
      for await (const event of worker.run(jobOf(segment), never)) if (event.type === 'audio') parts.push(event.pcm);
      const clip = joinPcm(parts);
      clips.push(clip);
      errors += letterErrors(segment.text, await recogniser.transcribe(clip));
      letters += lettersOf(segment.text).length;
    }
    expect(lettersOf(await recogniser.transcribe(clips.at(-1)!))).toContain('theend');
    expect(errors / letters).toBeLessThan(0.03);
    expect(faultsOf(joinPcm(clips))).toEqual([]);
  }, 300_000);

  it('gives a clear error when it is killed in the middle of a sentence, and speaks the next request', async () => {
    const segment = segmentOf(
      'The ship sailed at dawn, and nobody on the quay waved to those who were leaving for good.',
    );
    const killed = (async () => {
      for await (const event of worker.run(jobOf(segment), never)) {
        if (event.type === 'audio' && pid !== undefined) {
          process.kill(pid, 'SIGKILL');
          pid = undefined;
        }
      }
    })();
    await expect(killed).rejects.toMatchObject({ code: 'no_worker_ready' });
    await new Promise<void>((resolve) => {
      const stop = worker.onStateChange((state) => {
        if (state !== 'ready') return;
        stop();
        resolve();
      });
    });
    let samples = 0;
    for await (const event of worker.run(jobOf(segment), never))
      if (event.type === 'audio') samples += event.pcm.length;
    expect(samples).toBeGreaterThan(24_000 * 3);
    expect(worker.restarts).toBe(1);
  }, 120_000);
});
