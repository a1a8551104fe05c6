/** The real engine for tests: the pack from the model cache, sentences in, clips out. */

import { loadConfig } from '../src/config.js';
import { type Engine, type StepRunner, UNSCHEDULED } from '../src/engine/engine.js';
import { createKokoroEngine } from '../src/engine/kokoro.js';
import { loadCatalogue } from '../src/models/catalogue.js';
import { ensureModel } from '../src/models/packs.js';
import {
  BASE_MODELS,
  type PauseKind,
  type Segment,
  type SegmentJob,
  type SegmentTimings,
} from '../src/protocol/job.js';

/** Whose turn it is, where nobody else is there. */
export const UNSCHEDULED_STEPS: StepRunner = { run: (work) => work(UNSCHEDULED) };

export const VOICES = ['english_female_professional', 'english_female_articulate'] as const;

/** Where the packs are, fetched first if they are not. */
export async function modelDirForTests(): Promise<string> {
  const { modelDir, offline } = loadConfig().config;
  for (const model of BASE_MODELS) await ensureModel(model, { modelDir, offline });
  return modelDir;
}

let opened: Promise<Engine> | undefined;

/**
 * One engine for a process: to open its models takes a core seconds, and suites of a worker follow
 * each other. The first caller's `preload` is loaded at once, every other model when it is asked
 * for. Closing it does nothing; it ends with the process. It has one thread, which makes the same
 * samples as several do, in less of the processor's time: the other cores have suites of their own.
 */
export async function realEngine(preload: readonly SegmentJob['model'][]): Promise<Engine> {
  const modelDir = await modelDirForTests();
  const log = () => undefined;
  opened ??= createKokoroEngine({ modelDir, lexicon: '', device: 'cpu', threads: 1, preload, log });
  return { ...(await opened), close: async () => undefined };
}

export const segmentOf = (text: string, pause: PauseKind = 'sentence'): Segment => ({
  text,
  offset: 0,
  spans: [{ kind: 'text', text, start: 0, end: [...text].length }],
  pause,
});

export interface Clip {
  readonly pcm: Int16Array;
  readonly timings: SegmentTimings;
  readonly chunks: readonly number[];
}

export interface SpeakOptions extends Partial<Omit<SegmentJob, 'id' | 'segment'>> {
  readonly voice?: string;
}

const catalogue = loadCatalogue();
/** What the gateway tells an engine of a voice. */
function voiceOf(model: SegmentJob['model'], id: string): Pick<SegmentJob, 'language' | 'mix' | 'gainDb'> {
  const { language, mix, gainDb } = catalogue.get(model, id);
  return { language, mix, gainDb: gainDb[model] };
}

let count = 0;
export async function speak(
  engine: Engine,
  segment: Segment | string,
  { model = 'base-tts-fast', voice = VOICES[0], seed = 0, ...more }: SpeakOptions = {},
  signal = new AbortController().signal,
): Promise<Clip> {
  count += 1;
  const job: SegmentJob = {
    id: `test-${count}`,
    model,
    ...voiceOf(model, voice),
    seed,
    speed: 1,
    ...more,
    segment: typeof segment === 'string' ? segmentOf(segment) : segment,
  };
  const parts: Int16Array[] = [];
  let timings: SegmentTimings | undefined;
  for await (const event of engine.speak(job, UNSCHEDULED_STEPS, signal)) {
    if (event.type === 'begin') timings = event.timings;
    else if (event.type === 'audio') parts.push(event.pcm);
  }
  return { pcm: joinPcm(parts), timings: timings!, chunks: parts.map((part) => part.length) };
}

export function joinPcm(parts: readonly Int16Array[]): Int16Array {
  const pcm = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    pcm.set(part, at);
    at += part.length;
  }
  return pcm;
}
