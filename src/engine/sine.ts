/** An engine without a model: a sine whose length follows the text. Tests and `TTS_ENGINE=sine` speak through it. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Condition } from '../condition.js';
import { msToSamples, SAMPLE_RATE, samplesToMs } from '../protocol/audio.js';
import { isBlank } from '../protocol/characters.js';
import type { Gpu } from '../protocol/device.js';
import { TtsError } from '../protocol/errors.js';
import type { Segment, SegmentJob, SpeechEvent } from '../protocol/job.js';
import type { Engine, StepRunner } from './engine.js';
import { Card } from './gpu/card.js';

export interface SineOptions {
  /** Length of one spoken character; white space is silent and takes no time. */
  readonly msPerChar?: number;
  readonly chunkMs?: number;
  /** Speed of the process against real time: 1 speaks as slowly as a person, 10 ten times faster; absent, as fast as it can. */
  readonly pace?: number;
  /** Waits this long before the first sample of a segment. */
  readonly delayMs?: number;
  /** A text that contains this fails halfway through. */
  readonly failOn?: string;
  /** A text that contains this fails before its first sample. */
  readonly failAtOnceOn?: string;
  /** A text that contains this takes the whole process down halfway through, as a native fault would. */
  readonly crashOn?: string;
  /** A text that contains this stops the process, deaf to messages, for `hangMs`: as a deadlock would. */
  readonly hangOn?: string;
  /** A text that contains this keeps the processor busy for `hangMs`, deaf to messages: as a long native run would. */
  readonly spinOn?: string;
  readonly hangMs?: number;
  /** Speaks through a card, as a GPU does: chunks of all jobs gathered, `most` to a run of `runMs`. */
  readonly card?: SineCard;
  /** The card is lost under its run of this number, as often as the process starts again. */
  readonly loseAtRun?: number;
  /** Claims this much memory when it starts, to be seen from outside. */
  readonly ballastBytes?: number;
  /** How long the engine takes to come up, and what processor time of that. */
  readonly startMs?: number;
  readonly startSpinMs?: number;
  /** Cannot start at all, and says this. */
  readonly startError?: string;
}

export interface SineCard {
  readonly runMs: number;
  readonly most: number;
  /** Turns that the engine takes at once. */
  readonly capacity?: number;
  /** Before the engine is ready its card is compared with the CPU, until this file is there: "passed", or why it is not used. */
  readonly checkedBy?: string;
  /** The first run ends only once this many chunks were asked for, its own among them: what waits then fills the second. */
  readonly firstAwaits?: number;
}

const AMPLITUDE = 8_000;
const FADE_SAMPLES = 120;

function frequency({ mix, seed }: SegmentJob): number {
  let hash = 0;
  for (const char of mix.map(({ style, weight }) => `${style}${weight}`).join())
    hash = (hash * 31 + char.codePointAt(0)!) % 997;
  return (180 + (hash % 80)) * 2 ** ((seed % 24) / 24);
}

/** Where every code point of the segment sounds, and which stretches sound at all. */
function plan(segment: Segment, msPerChar: number) {
  const chars = [...segment.text];
  const startSamples = new Array<number>(chars.length).fill(0);
  const durationSamples = new Array<number>(chars.length).fill(0);
  const charSamples = msToSamples(msPerChar);
  const runs: { start: number; end: number }[] = [];
  let at = 0;
  let next = 0;
  for (const span of segment.spans) {
    for (; next < span.start; next += 1) startSamples[next] = at;
    if (span.kind === 'break') {
      for (; next < span.end; next += 1) startSamples[next] = at;
      at += msToSamples(span.ms);
      continue;
    }
    for (; next < span.end; next += 1) {
      startSamples[next] = at;
      if (isBlank(chars[next] ?? ' ')) continue;
      durationSamples[next] = charSamples;
      runs.push({ start: at, end: at + charSamples });
      at += charSamples;
    }
  }
  for (; next < chars.length; next += 1) startSamples[next] = at;
  return { timings: { startSamples, durationSamples }, runs, samples: at };
}

/** Samples [`from`, `to`) of the segment. */
function render({ runs, samples }: ReturnType<typeof plan>, from: number, to: number, hz: number): Int16Array {
  const pcm = new Int16Array(to - from);
  for (const run of runs) {
    const last = Math.min(to, run.end);
    for (let i = Math.max(from, run.start); i < last; i += 1) {
      const fade = Math.min(1, (i + 1) / FADE_SAMPLES, (samples - i) / FADE_SAMPLES);
      pcm[i - from] = Math.round(AMPLITUDE * fade * Math.sin((2 * Math.PI * hz * i) / SAMPLE_RATE));
    }
  }
  return pcm;
}

/** Turns that a sine engine with a card takes at once, where nothing else is said. */
const CARD_CAPACITY = 16;

interface SineChunk {
  readonly text: string;
  readonly render: () => Int16Array;
}

interface SineSurroundings {
  readonly onLost?: (error: unknown) => void;
  /** The texts whose chunks share a run of the card, when it begins. */
  readonly onRun?: ((texts: readonly string[]) => void) | undefined;
  /** Whether its card can be used is being looked at. */
  readonly onTry?: ((device: Gpu) => void) | undefined;
}

/** Whether the comparison of a card with the CPU was passed, once there is word of it. */
async function isPassed({ checkedBy }: SineCard, onTry: SineSurroundings['onTry']): Promise<boolean> {
  if (checkedBy === undefined) return true;
  onTry?.('webgpu');
  for (;;) {
    const verdict = await readFile(checkedBy, 'utf8').catch(() => '');
    if (verdict !== '') return verdict === 'passed';
    await sleep(20);
  }
}

function sineCard(
  { runMs, most, firstAwaits = 0 }: SineCard,
  loseAtRun: number | undefined,
  { onLost, onRun }: Required<Pick<SineSurroundings, 'onLost' | 'onRun'>>,
): Pick<Card<SineChunk, Int16Array>, 'run'> {
  const asking = new Condition();
  let [asked, runs] = [0, 0];
  const card = new Card<SineChunk, Int16Array>({
    kindOf: () => 'sine',
    sizeOf: () => 1,
    mostOf: () => most,
    async run(_kind, chunks) {
      onRun?.(chunks.map(({ text }) => text));
      await asking.until(() => asked >= firstAwaits);
      await sleep(runMs);
      runs += 1;
      if (runs === loseAtRun) throw new Error('device lost');
      return chunks.map(({ render }) => render());
    },
    onLost,
  });
  return {
    run(chunk, grant) {
      asked += 1;
      asking.notify();
      return card.run(chunk, grant);
    },
  };
}

export async function createSineEngine(
  options: SineOptions = {},
  { onLost = () => undefined, onRun, onTry }: SineSurroundings = {},
): Promise<Engine> {
  const { msPerChar = 55, chunkMs = 100, pace, delayMs = 0, hangMs = 1_000 } = options;
  if (options.startMs) await sleep(options.startMs);
  for (const begin = process.cpuUsage(); process.cpuUsage(begin).user < (options.startSpinMs ?? 0) * 1000; );
  if (options.startError !== undefined) throw new TtsError('model_missing', options.startError);
  const ballast = options.ballastBytes ? Buffer.alloc(options.ballastBytes, 1) : undefined;

  const found = options.card && (await isPassed(options.card, onTry)) ? options.card : undefined;
  const card = found && sineCard(found, options.loseAtRun, { onLost, onRun });

  async function* speak(job: SegmentJob, steps: StepRunner, signal: AbortSignal): AsyncGenerator<SpeechEvent> {
    const { segment } = job;
    const has = (marker: string | undefined) => marker !== undefined && segment.text.includes(marker);
    const planned = plan(segment, msPerChar / job.speed);
    const { timings, samples } = planned;
    const hz = frequency(job);
    await steps.run(async () => delayMs && sleep(delayMs, undefined, { signal }));
    signal.throwIfAborted();
    if (has(options.failAtOnceOn)) throw new TtsError('synthesis_failed', 'The sine engine was told to fail at once.');
    yield { type: 'begin', timings };
    const chunk = msToSamples(chunkMs);
    for (let at = 0; at < samples; at += chunk) {
      const make = () => render(planned, at, Math.min(samples, at + chunk), hz);
      const pcm = card
        ? await steps.run(async (grant) => {
            const { result, shareMs } = await card.run({ text: segment.text, render: make }, grant);
            grant.spent(shareMs);
            return result;
          })
        : make();
      if (pace) await steps.run(() => sleep(samplesToMs(pcm.length) / pace, undefined, { signal }));
      // Halfway, so that something of the segment has been heard already.
      if (at >= samples / 2) {
        if (has(options.failOn)) throw new TtsError('synthesis_failed', 'The sine engine was told to fail here.');
        if (has(options.crashOn)) process.kill(process.pid, 'SIGKILL');
        if (has(options.hangOn)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, hangMs);
        if (has(options.spinOn)) for (const end = performance.now() + hangMs; performance.now() < end; );
      }
      signal.throwIfAborted();
      yield { type: 'audio', pcm };
    }
  }

  return {
    // A card stands for a GPU in all that is asked of an engine.
    device: card ? 'webgpu' : 'cpu',
    get description() {
      return ballast ? `sine, ${ballast.length} bytes of ballast` : 'sine';
    },
    // As with a GPU: whoever heard a part of a segment from one does not hear the rest from the other.
    version: card ? 'sine card' : 'sine',
    realTimeFactor: 0,
    ...(found && { capacity: found.capacity ?? CARD_CAPACITY }),
    speak,
    close: async () => undefined,
  };
}
