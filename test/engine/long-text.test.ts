/**
 * The longest text a request may carry, and a process that is killed while it speaks: the real
 * model in a real process.
 */
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGateway } from '../../src/gateway/gateway.js';
import { WorkerPool } from '../../src/gateway/workers/pool.js';
import { createProcessWorker } from '../../src/gateway/workers/process-worker.js';
import type { Worker } from '../../src/gateway/workers/worker.js';
import { loadCatalogue } from '../../src/models/catalogue.js';
import { SAMPLE_RATE } from '../../src/protocol/audio.js';
import { createReader } from '../../src/text/reader.js';
import { segmentText } from '../../src/text/segment/segment.js';
import { SENTENCES } from '../../testkit/sentences.js';
import { createRecogniser, type Recogniser } from '../../testkit/sound/recogniser.js';
import { joinPcm, modelDirForTests, segmentOf, VOICES } from '../../testkit/speech.js';
import { grantAll, jobOf, whenReady } from '../support/books/jobs.js';
import { letterErrors, lettersOf } from '../support/letters.js';
import { pidLog } from '../support/processes/pid-log.js';
import { faultsOf } from '../support/sound/clip-checks.js';

let worker: Worker;
let recogniser: Recogniser;
const { log, pid } = pidLog();
const never = new AbortController().signal;

beforeAll(async () => {
  const modelDir = await modelDirForTests();
  recogniser = await createRecogniser(modelDir);
  const kokoro = {
    modelDir,
    lexicon: '',
    device: 'cpu',
    threads: 0,
    preload: ['base-tts-fast'],
  } as const;
  worker = createProcessWorker({ id: 'real', options: { engine: 'kokoro', kokoro }, log });
  await whenReady(worker);
}, 600_000);
afterAll(async () => {
  await worker?.close();
  await recogniser?.close();
});

const voiced = { model: 'base-tts-fast' } as const;

/** The fewest, where a voice hurries: 20 letters a second. */
const SAMPLES_PER_LETTER = SAMPLE_RATE / 20;

describe('the real engine in its process', () => {
  it('speaks 2,048 characters to the last word', async () => {
    const reader = await createReader();
    let text = '';
    while (text.length < 2_048) text += `${SENTENCES[text.length % SENTENCES.length]} `;
    text = `${text.slice(0, 2_048 - 16).replace(/\S*$/, '')}This is the end.`.padEnd(2_048, '!');
    const segments = segmentText(text, { countTokens: (part) => reader.countTokens(part) });
    expect(segments.map((segment) => segment.text).join('')).toBe(text);
    const stopGranting = worker.onChange(() => grantAll(worker));
    const clips: Int16Array[] = [];
    let last = '';
    let [errors, letters] = [0, 0];
    for (const [i, segment] of segments.entries()) {
      const parts: Int16Array[] = [];
      for await (const event of worker.run(jobOf(segment, voiced), never))
        if (event.type === 'audio') parts.push(event.pcm);
      const clip = joinPcm(parts);
      clips.push(clip);
      // Its sentences are understood elsewhere (intelligibility.test.ts): here none may be missing.
      expect(clip.length, segment.text).toBeGreaterThan(SAMPLES_PER_LETTER * lettersOf(segment.text).length);
      if (i % 3 !== 0 && i < segments.length - 1) continue;
      last = await recogniser.transcribe(clip);
      errors += letterErrors(segment.text, last);
      letters += lettersOf(segment.text).length;
    }
    stopGranting();
    expect(lettersOf(last)).toContain('theend');
    expect(errors / letters).toBeLessThan(0.03);
    expect(faultsOf(joinPcm(clips))).toEqual([]);
  }, 300_000);

  it('is killed in the middle of a sentence, and what is heard is the same to the sample', async () => {
    const gateway = createGateway({ pool: new WorkerPool([worker]), catalogue: loadCatalogue(), log, queueLimit: 4 });
    const order = { ...voiced, voice: VOICES[0], seed: 0, owner: 'a', requestId: 'r' };
    const text = 'The ship sailed at dawn, and nobody on the quay waved to those who were leaving for good.';
    const speak = async (onAudio: (chunks: number) => void) => {
      const parts: Int16Array[] = [];
      const speech = gateway.open(order);
      for await (const event of speech.speak(Readable.from([segmentOf(text), segmentOf('They did.')]), never)) {
        if (event.type !== 'audio') continue;
        parts.push(event.pcm);
        onAudio(parts.length);
      }
      speech.close();
      return joinPcm(parts);
    };
    const undisturbed = await speak(() => undefined);
    const heard = await speak((chunks) => chunks === 2 && process.kill(pid(), 'SIGKILL'));
    expect(worker.restarts).toBe(1);
    expect(heard).toEqual(undisturbed);
    expect(undisturbed.length).toBeGreaterThan(24_000 * 4);
  }, 300_000);
});
