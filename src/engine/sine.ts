/** An engine without a model, for tests and `TTS_ENGINE=sine`: a tone as long as the text. */
import { readFile } from 'node:fs/promises';
import { type Clock, systemClock } from '../clock.js';
import { Condition } from '../condition.js';
import { msToSamples, SAMPLE_RATE, samplesToMs } from '../protocol/audio.js';
import { isBlank } from '../protocol/characters.js';
import type { Gpu } from '../protocol/device.js';
import { TtsError } from '../protocol/errors.js';
import type { Segment, SegmentJob, SpeechEvent } from '../protocol/job.js';
import type { Engine, StepRunner } from './engine.js';
import { GpuBatcher } from './gpu/gpu-batcher.js';

export interface SineOptions {
  /** Length of a spoken character; white space takes no time. */
  readonly msPerChar?: number;
  readonly chunkMs?: number;
  /** Seconds of speech made in a second: 1 is real time. Absent: as fast as possible. */
  readonly pace?: number;
  /** Delay before the first sample of a segment. */
  readonly delayMs?: number;
  /** A text that contains this fails halfway through. */
  readonly failOn?: string;
  /** A text that contains this fails before its first sample. */
  readonly failAtOnceOn?: string;
  /** A text that contains this kills the process halfway through, as a native fault would. */
  readonly crashOn?: string;
  /** A text that contains this blocks the process for `hangMs`, as a deadlock would. */
  readonly hangOn?: string;
  /** A text that contains this keeps a core busy for `hangMs`, as a long native run would. */
  readonly spinOn?: string;
  readonly hangMs?: number;
  /** Speaks through a simulated GPU: chunks of all jobs in batches. */
  readonly card?: SineGpu;
  /** The simulated GPU is lost in its run of this number, in every process that is started. */
  readonly loseAtRun?: number;
  /** Memory that is allocated at the start. */
  readonly ballastBytes?: number;
  /** Time until the engine is ready, and processor time it uses besides. */
  readonly startMs?: number;
  readonly startSpinMs?: number;
  /** The engine fails to start, with this message. */
  readonly startError?: string;
}

export interface SineGpu {
  /** Time of one run. */
  readonly runMs: number;
  /** Most chunks in a run. */
  readonly most: number;
  /** Steps that the engine takes at once. */
  readonly capacity?: number;
  /**
   * The engine's start waits for this file, as for the test of a GPU. It holds "passed", or why the
   * GPU is not used.
   */
  readonly checkedBy?: string;
  /** The first run ends once this many chunks were asked for, its own included. */
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

/** The times of every code point of the segment, and the stretches that sound. */
function plan(segment: Segment, msPerChar: number) {
  const chars = [...segment.text];
  const startSamples = new Array<number>(chars.length).fill(0);
  const durationSamples = new Array<number>(chars.length).fill(0);
  const charSamples = msToSamples(msPerChar);
  const runs: { start: number; end: number; semitones: number; gain: number }[] = [];
  let at = 0;
  let next = 0;
  for (const span of segment.spans) {
    for (; next < span.start; next += 1) startSamples[next] = at;
    if (span.kind === 'break') {
      for (; next < span.end; next += 1) startSamples[next] = at;
      at += msToSamples(span.ms);
      continue;
    }
    const { rate = 1, pitch: semitones = 0, volume = 0 } = span.prosody ?? {};
    const samples = Math.round(charSamples / rate);
    for (; next < span.end; next += 1) {
      startSamples[next] = at;
      if (isBlank(chars[next] ?? ' ')) continue;
      durationSamples[next] = samples;
      runs.push({ start: at, end: at + samples, semitones, gain: 10 ** (volume / 20) });
      at += samples;
    }
  }
  for (; next < chars.length; next += 1) startSamples[next] = at;
  return { timings: { startSamples, durationSamples }, runs, samples: at };
}

/** One turn of the tone: a lookup takes a fifth of what a sine takes, and load tests make hours. */
const TURN = Float32Array.from({ length: 4_096 }, (_, i) => Math.sin((2 * Math.PI * i) / 4_096));

/** Samples [`from`, `to`) of the segment. */
function render({ runs, samples }: ReturnType<typeof plan>, from: number, to: number, hz: number): Int16Array {
  const pcm = new Int16Array(to - from);
  for (const run of runs) {
    const last = Math.min(to, run.end);
    const turnsPerSample = (hz * 2 ** (run.semitones / 12)) / SAMPLE_RATE;
    for (let i = Math.max(from, run.start); i < last; i += 1) {
      const fade = Math.min(1, (i + 1) / FADE_SAMPLES, (samples - i) / FADE_SAMPLES);
      const place = (i * turnsPerSample) % 1;
      pcm[i - from] = Math.round(AMPLITUDE * run.gain * fade * TURN[Math.floor(place * TURN.length)]!);
    }
  }
  return pcm;
}

/** Default of the steps that a simulated GPU takes at once. */
const GPU_CAPACITY = 16;

interface SineChunk {
  readonly text: string;
  readonly render: () => Int16Array;
}

interface SineSurroundings {
  readonly onLost?: (error: unknown) => void;
  /** A run of the simulated GPU begins, with chunks of these texts. */
  readonly onRun?: ((texts: readonly string[]) => void) | undefined;
  /** The test of the simulated GPU begins. */
  readonly onTry?: ((device: Gpu) => void) | undefined;
  /** What its work takes passes on this clock. */
  readonly clock?: Clock;
}

/** Waits for the verdict on the simulated GPU. */
async function isPassed({ checkedBy }: SineGpu, onTry: SineSurroundings['onTry']): Promise<boolean> {
  if (checkedBy === undefined) return true;
  onTry?.('webgpu');
  for (;;) {
    const verdict = await readFile(checkedBy, 'utf8').catch(() => '');
    if (verdict !== '') return verdict === 'passed';
    await systemClock.sleep(20);
  }
}

function simulatedGpu(
  { runMs, most, firstAwaits = 0 }: SineGpu,
  loseAtRun: number | undefined,
  { onLost, onRun, clock }: Required<Pick<SineSurroundings, 'onLost' | 'onRun' | 'clock'>>,
): Pick<GpuBatcher<SineChunk, Int16Array>, 'run'> {
  const asking = new Condition();
  let [asked, runs] = [0, 0];
  const batcher = new GpuBatcher<SineChunk, Int16Array>({
    kindOf: () => 'sine',
    sizeOf: () => 1,
    mostOf: () => most,
    async run(_kind, chunks) {
      onRun?.(chunks.map(({ text }) => text));
      await asking.until(() => asked >= firstAwaits);
      const beganMs = performance.timeOrigin + performance.now();
      await clock.sleep(runMs);
      runs += 1;
      if (runs === loseAtRun) throw new Error('device lost');
      return { results: chunks.map(({ render }) => render()), beganMs, deviceMs: runMs };
    },
    onLost,
  });
  return {
    run(chunk, grant) {
      asked += 1;
      asking.notify();
      return batcher.run(chunk, grant);
    },
  };
}

export async function createSineEngine(
  options: SineOptions = {},
  { onLost = () => undefined, onRun, onTry, clock = systemClock }: SineSurroundings = {},
): Promise<Engine> {
  const { msPerChar = 55, chunkMs = 100, pace, delayMs = 0, hangMs = 1_000 } = options;
  if (options.startMs) await clock.sleep(options.startMs);
  for (const begin = process.cpuUsage(); process.cpuUsage(begin).user < (options.startSpinMs ?? 0) * 1000; );
  if (options.startError !== undefined) throw new TtsError('model_missing', options.startError);
  const ballast = options.ballastBytes ? Buffer.alloc(options.ballastBytes, 1) : undefined;

  const found = options.card && (await isPassed(options.card, onTry)) ? options.card : undefined;
  const gpu = found && simulatedGpu(found, options.loseAtRun, { onLost, onRun, clock });

  async function* speak(job: SegmentJob, steps: StepRunner, signal: AbortSignal): AsyncGenerator<SpeechEvent> {
    const { segment } = job;
    const has = (marker: string | undefined) => marker !== undefined && segment.text.includes(marker);
    const planned = plan(segment, msPerChar / job.speed);
    const { timings, samples } = planned;
    const hz = frequency(job);
    await steps.run(async (grant) => {
      // Steps run beside each other: what one waits for the others is not its cost.
      if (gpu) grant.spent(delayMs);
      if (delayMs > 0) await clock.sleep(delayMs, signal);
    });
    signal.throwIfAborted();
    if (has(options.failAtOnceOn)) throw new TtsError('synthesis_failed', 'The sine engine was told to fail at once.');
    yield { type: 'begin', timings };
    const chunk = msToSamples(chunkMs);
    for (let at = 0; at < samples; at += chunk) {
      const make = () => render(planned, at, Math.min(samples, at + chunk), hz);
      const pcm = gpu
        ? await steps.run(async (grant) => {
            const { result, shareMs } = await gpu.run({ text: segment.text, render: make }, grant);
            grant.spent(shareMs);
            return result;
          })
        : make();
      if (pace) await steps.run(() => clock.sleep(samplesToMs(pcm.length) / pace, signal));
      // Halfway, so that a part of the segment has been heard.
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
    device: gpu ? 'webgpu' : 'cpu',
    get description() {
      return ballast ? `sine, ${ballast.length} bytes of ballast` : 'sine';
    },
    // As with a real GPU, a segment begun on it is not resumed on a CPU.
    version: gpu ? 'sine card' : 'sine',
    realTimeFactor: 0,
    ...(found && { capacity: found.capacity ?? GPU_CAPACITY }),
    speak,
    close: async () => undefined,
  };
}
