/**
 * Kokoro's generator, before which the light vocoder makes the beginning of an utterance that a
 * listener waits for. Both make nearly the same samples of the same features (`bench openings`), so
 * that one is faded into the other in the middle of a word. Where the beginning ends depends on the
 * utterance alone; when it is handed over, on what the generator takes for the rest.
 */
import { Tensor } from 'onnxruntime-node';
import { SAMPLE_RATE } from '../../protocol/audio.js';
import type { StepGrant } from '../engine.js';
import { joined } from '../finish.js';
import { FRAME_SAMPLES } from '../plan.js';
import { phaseOf } from './fast-vocoder.js';
import type { AcousticFeatures } from './features.js';
import type { Utterance, Vocoder, Window } from './vocoder.js';
import { MARGIN_FRAMES } from './whole-vocoder.js';

/** Of the form of an opening; part of an engine's version. */
export const OPENING = 'opening 2';

/**
 * Frames of an opening: some, because a short run of the generator has its margin to make too, and
 * a share of the utterance, so that the rest is made while they are heard.
 */
const OPENING_FRAMES = 12;
const OPENING_SHARE = 0.5;
/** A shorter rest is left to the light vocoder: the generator makes too little of a few frames. */
const LEAST_REST = 16;
/** Frames over which one is faded into the other: 75 ms. */
const FADE_FRAMES = 6;
/** Frames before and behind the end of an opening on which both are made equally loud: 600 ms. */
const LEVEL_FRAMES = { before: 16, behind: 32 };

const FRAME_MS = (1000 * FRAME_SAMPLES) / SAMPLE_RATE;
/** What is left of an opening must be this many times what the generator is expected to take. */
const SAFETY = 1.2;
/**
 * The generator's part of the measured real-time factor, which holds the acoustic model too and is
 * that of a very short run (Neoverse-N1: 0.45 of 0.62).
 */
const GENERATOR_SHARE = 0.75;
/** Runs of the generator whose median is taken. */
const RUNS = 5;

/** One past the last frame of the opening; `to` where all of it is one. */
export function openingEnd(from: number, to: number): number {
  const end = from + OPENING_FRAMES + Math.ceil(OPENING_SHARE * (to - from));
  return to - end < LEAST_REST ? to : end;
}

/** `realTimeFactor` is what the generator is expected to take before it was seen. */
export function createOpenedVocoder(light: Vocoder, whole: Vocoder, realTimeFactor?: number): Vocoder {
  const pace = new GeneratorPace(realTimeFactor);
  return {
    begin(features, from, to, hearing) {
      if (!hearing?.awaited) return pace.watched(whole.begin(features, from, to, hearing));
      const end = openingEnd(from, to);
      if (end === to) return light.begin(features, from, to, hearing);
      const run = Math.min(features.frames, to + MARGIN_FRAMES) - (end - MARGIN_FRAMES);
      const heardMs = ((end - from) * FRAME_MS) / (hearing.pace ?? 1);
      return new OpenedUtterance({
        opening: light.begin(features, from, end + LEVEL_FRAMES.behind, hearing),
        rest: pace.watched(whole.begin(inPhase(features, end - MARGIN_FRAMES), end, to)),
        end,
        isInTime: (grant) => pace.makes(run, heardMs, grant),
      });
    },
    release: async () => void (await Promise.all([light.release(), whole.release()])),
  };
}

/** What Kokoro's generator takes for a frame while it has the machine to itself. */
class GeneratorPace {
  readonly #lastRuns: number[] = [];
  readonly #expected: number;

  constructor(realTimeFactor = Number.POSITIVE_INFINITY) {
    this.#expected = GENERATOR_SHARE * realTimeFactor * FRAME_MS;
  }

  /** Whether the generator makes `frames` within the `heardMs` that the opening lasts. */
  makes(frames: number, heardMs: number, { multiThreaded }: StepGrant): boolean {
    if (!multiThreaded) return false;
    const sorted = [...this.#lastRuns].sort((a, b) => a - b);
    const msPerFrame = sorted[Math.floor(sorted.length / 2)] ?? this.#expected;
    return SAFETY * msPerFrame * frames < heardMs;
  }

  /** The same utterance, whose run is timed. */
  watched(utterance: Utterance): Utterance {
    return {
      openingTo: utterance.openingTo,
      get ended() {
        return utterance.ended;
      },
      next: async (grant) => {
        const startMs = performance.now();
        const window = await utterance.next(grant);
        if (grant.multiThreaded) {
          this.#lastRuns.push(((performance.now() - startMs) * FRAME_SAMPLES) / window.samples.length);
          if (this.#lastRuns.length > RUNS) this.#lastRuns.shift();
        }
        return window;
      },
    };
  }
}

/**
 * The generator's sines begin with the phase 0 where its run begins. Here they have the phase that
 * they have in a run from the first frame on: the pitch of the frame `first`, in the margin that
 * nobody hears, is one that ends it there.
 */
function inPhase(features: AcousticFeatures, first: number): AcousticFeatures {
  if (first <= 0) return features;
  const f0 = Float32Array.from(features.f0.data as Float32Array);
  f0[first] = ((1 + phaseOf(f0)[first]!) * SAMPLE_RATE) / FRAME_SAMPLES;
  return { ...features, f0: new Tensor('float32', f0, features.f0.dims) };
}

/** Most by which the generator is made louder or softer: 1.5 dB. */
const MOST_GAIN = 10 ** (1.5 / 20);

/**
 * What makes `sound` as loud as `wanted`. The generator normalises over its run, so that one of a
 * part of the utterance may be up to a decibel louder or softer than one of all.
 */
function gainTo(wanted: Float32Array, sound: Float32Array): number {
  const power = (samples: Float32Array): number => samples.reduce((sum, sample) => sum + sample * sample, 1e-9);
  const gain = Math.sqrt(power(wanted) / power(sound));
  return Math.max(1 / MOST_GAIN, Math.min(MOST_GAIN, gain));
}

interface Halves {
  /** It goes on for `LEVEL_FRAMES.behind` behind `end`, or to its last frame. */
  readonly opening: Utterance;
  readonly rest: Utterance;
  readonly end: number;
  /** Whether the rest is made while the opening is heard. */
  readonly isInTime: (grant: StepGrant) => boolean;
}

class OpenedUtterance implements Utterance {
  readonly openingTo: number;
  readonly #halves: Halves;
  /** Samples of the opening from `LEVEL_FRAMES.before` before the frame `end` on. */
  #tail: Float32Array = new Float32Array(0);
  #isHeard = false;

  constructor(halves: Halves) {
    this.#halves = halves;
    this.openingTo = halves.opening.openingTo;
  }

  get ended(): boolean {
    return this.#halves.rest.ended;
  }

  async next(grant: StepGrant): Promise<Window> {
    const { opening, isInTime } = this.#halves;
    if (opening.ended) return this.#rest(grant);
    const window = await this.#opening(grant);
    // A break in the middle of a word is worse than a later first sound.
    this.#isHeard ||= isInTime(grant);
    if (this.#isHeard) return window;
    const parts = [window.samples];
    while (!opening.ended) parts.push((await this.#opening(grant)).samples);
    parts.push((await this.#rest(grant)).samples);
    return { from: window.from, samples: joined(parts) };
  }

  async #opening(grant: StepGrant): Promise<Window> {
    const { opening, end } = this.#halves;
    const { from, samples } = await opening.next(grant);
    const at = (frame: number): number => Math.max(0, frame - from) * FRAME_SAMPLES;
    this.#tail = joined([this.#tail, samples.subarray(at(end - LEVEL_FRAMES.before))]);
    return { from, samples: samples.subarray(0, at(end)) };
  }

  async #rest(grant: StepGrant): Promise<Window> {
    const { rest, end } = this.#halves;
    const { from, samples: all } = await rest.next(grant);
    const [before, faded] = [LEVEL_FRAMES.before * FRAME_SAMPLES, FADE_FRAMES * FRAME_SAMPLES];
    const own = (end - from) * FRAME_SAMPLES;
    const gain = gainTo(this.#tail, all.subarray(own - before, own - before + this.#tail.length));
    const samples = all.subarray(own).map((sample) => gain * sample);
    for (let i = 0; i < faded; i += 1) {
      const share = 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / faded);
      samples[i] = share * samples[i]! + (1 - share) * this.#tail[before + i]!;
    }
    return { from: end, samples };
  }
}
