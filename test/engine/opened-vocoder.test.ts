/** Kokoro's generator behind an opening by the light vocoder: one sound, heard early. */
import { Tensor } from 'onnxruntime-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StepGrant, UNSCHEDULED } from '../../src/engine/engine.js';
import { joined, toPcm } from '../../src/engine/finish.js';
import { cpuProvider } from '../../src/engine/graphs/provider.js';
import { createSessions, type Sessions } from '../../src/engine/graphs/sessions.js';
import { melDistance } from '../../src/engine/measure/mel-cepstrum.js';
import { closeShort } from '../../src/engine/parts.js';
import { FRAME_SAMPLES, planSpeech } from '../../src/engine/plan.js';
import { type AcousticFeatures, silence } from '../../src/engine/vocoder/features.js';
import { createOpenedVocoder, openingEnd } from '../../src/engine/vocoder/opened-vocoder.js';
import type { Hearing, Utterance, Vocoder, Window } from '../../src/engine/vocoder/vocoder.js';
import { MARGIN_FRAMES } from '../../src/engine/vocoder/whole-vocoder.js';
import { groupOf, type VoiceGroup } from '../../src/models/model-files.js';
import { createReader } from '../../src/text/reader.js';
import { modelDirForTests, segmentOf } from '../../testkit/speech.js';
import { furthestApart } from '../support/sound/clip-checks.js';

const ALONE: StepGrant = { ...UNSCHEDULED, multiThreaded: true };
const AWAITED: Hearing = { awaited: true };

async function windowsOf(utterance: Utterance, grant: StepGrant): Promise<Window[]> {
  const windows: Window[] = [];
  while (!utterance.ended) windows.push(await utterance.next(grant));
  return windows;
}
const samplesOf = (windows: readonly Window[]): Float32Array => joined(windows.map(({ samples }) => samples));

interface Asked {
  readonly from: number;
  readonly to: number;
  readonly f0: readonly number[];
}

/** Says the same value at every sample, in windows of `size` frames or, without, all with margins. */
function monotone(value: number, size: number | undefined, asked: Asked[] = []): Vocoder {
  return {
    begin({ f0 }, from, to) {
      asked.push({ from, to, f0: [...(f0.data as Float32Array)] });
      let at = size === undefined ? Math.max(0, from - MARGIN_FRAMES) : from;
      return {
        openingTo: from,
        get ended() {
          return at >= to;
        },
        async next() {
          const start = at;
          at = Math.min(to, at + (size ?? to));
          return { from: start, samples: new Float32Array((at - start) * FRAME_SAMPLES).fill(value) };
        },
      };
    },
    release: async () => undefined,
  };
}

function monotones(realTimeFactor?: number) {
  const [opening, rest]: [Asked[], Asked[]] = [[], []];
  const vocoder = createOpenedVocoder(monotone(1, 40, opening), monotone(-1, undefined, rest), realTimeFactor);
  return { vocoder, opening, rest };
}

describe('an opening', () => {
  it('ends in the second half of what is heard, and is all of what is very short', () => {
    expect(openingEnd(10, 50)).toBe(50);
    for (const heard of [60, 87, 200, 457, 1_500]) {
      const share = (openingEnd(20, 20 + heard) - 20) / heard;
      expect(share, `${heard} frames`).toBeGreaterThanOrEqual(0.5);
      expect(share, `${heard} frames`).toBeLessThan(0.75);
    }
  });

  it('is faded into what the generator makes behind it', async () => {
    const { vocoder, rest } = monotones(0.1);
    const windows = await windowsOf(vocoder.begin(silence(300, false), 0, 200, AWAITED), ALONE);
    const heard = windows.filter(({ samples }) => samples.length > 0);
    expect(heard.map(({ from }) => from)).toEqual([0, 40, 80, 112]);
    expect(rest.map(({ from, to }) => [from, to])).toEqual([[112, 200]]);
    const samples = samplesOf(windows);
    expect(samples).toHaveLength(200 * FRAME_SAMPLES);
    const end = 112 * FRAME_SAMPLES;
    expect(samples.subarray(0, end).every((sample) => sample === 1)).toBe(true);
    const faded = samples.subarray(end, end + 6 * FRAME_SAMPLES);
    expect(faded.every((sample, i) => i === 0 || sample < faded[i - 1]!)).toBe(true);
    expect(samples.subarray(end + 6 * FRAME_SAMPLES).every((sample) => sample === -1)).toBe(true);
  });

  it('waits for the rest beside others, on a slow machine and on one whose pace is unknown', async () => {
    for (const [realTimeFactor, grant] of [
      [0.1, UNSCHEDULED] as const,
      [2, ALONE] as const,
      [undefined, ALONE] as const,
    ]) {
      const { vocoder } = monotones(realTimeFactor);
      const windows = await windowsOf(vocoder.begin(silence(300, false), 0, 200, AWAITED), grant);
      expect(windows.map(({ from }) => from)).toEqual([0]);
      const early = monotones(0.1).vocoder;
      const expected = samplesOf(await windowsOf(early.begin(silence(300, false), 0, 200, AWAITED), ALONE));
      expect(furthestApart(toPcm(windows[0]!.samples, 1), toPcm(expected, 1))).toBe(0);
    }
  });

  it('is as loud as the rest of it', async () => {
    const vocoder = createOpenedVocoder(monotone(0.5, 40), monotone(0.45, undefined), 0.1);
    const samples = samplesOf(await windowsOf(vocoder.begin(silence(300, false), 0, 200, AWAITED), ALONE));
    expect(samples.every((sample) => Math.abs(sample - 0.5) < 1e-6)).toBe(true);
    const soft = createOpenedVocoder(monotone(0.5, 40), monotone(0.1, undefined), 0.1);
    const rest = samplesOf(await windowsOf(soft.begin(silence(300, false), 0, 200, AWAITED), ALONE)).at(-1)!;
    expect(rest).toBeCloseTo(0.1 * 10 ** (1.5 / 20), 5);
  });

  it('comes before nothing that nobody waits for', async () => {
    const { vocoder, opening } = monotones(0.1);
    for (const hearing of [undefined, { pace: 1 }, { awaited: false }]) {
      const samples = samplesOf(await windowsOf(vocoder.begin(silence(300, false), 0, 200, hearing), ALONE));
      expect(samples.every((sample) => sample === -1)).toBe(true);
    }
    expect(opening).toEqual([]);
  });

  it('leaves the generator in the phase of a run from the first frame on', async () => {
    const { vocoder, rest } = monotones(0.1);
    const frames = 300;
    const f0 = Float32Array.from({ length: frames }, (_, frame) => (frame % 50 < 40 ? 110 + frame / 7 : 0));
    const features = { ...silence(frames, false), f0: new Tensor('float32', f0, [1, 1, frames]) };
    vocoder.begin(features, 0, 250, AWAITED);
    const [asked] = rest;
    const first = asked!.from - MARGIN_FRAMES;
    const cycles = (curve: ArrayLike<number>, from: number) =>
      Array.from(curve)
        .slice(from, asked!.from)
        .reduce((sum, hz) => sum + hz * 0.0125, 0) % 1;
    expect(cycles(asked!.f0, first)).toBeCloseTo(cycles(f0, 0), 3);
    expect(asked!.f0.filter((hz, frame) => hz !== f0[frame])).toHaveLength(1);
  });
});

describe('of the real voice', () => {
  let sessions: Sessions;
  beforeAll(async () => {
    const modelDir = await modelDirForTests();
    const provider = cpuProvider(1);
    sessions = createSessions({ modelDir, offline: false, provider, vocoder: 'quantised', realTimeFactor: 0.1 });
  }, 600_000);
  afterAll(async () => sessions?.close());

  const SPANISH = { text: 'Las luces del pueblo quedaron muy atrás.', style: 'em_alex', language: 'es-ES' } as const;
  const ENGLISH = {
    text: 'The lights of the town were far behind.',
    style: 'bm_george',
    language: 'en-GB',
  } as const;

  /** The features of a sentence, as Kokoro's own acoustic model makes them. */
  async function said({ text, style: name, language }: typeof SPANISH | typeof ENGLISH) {
    const mix = [{ style: name, weight: 1 }];
    const model = await sessions.model('base-tts', groupOf(mix));
    const [part] = (await createReader({ language })).read(segmentOf(text)).parts;
    if (part?.kind !== 'speech') throw new Error('the sentence has no speech');
    const tokens = closeShort(part.tokens);
    const style = await model.styles.take(mix, tokens.length, 0);
    const features: AcousticFeatures = await model.acousticModel(tokens, style, UNSCHEDULED);
    return { model, features, ...planSpeech(tokens, features.durations) };
  }

  it.each([
    ['English', ENGLISH],
    ['Spanish', SPANISH],
  ])(
    'an opening is near the generator, and the same samples however early it was heard: %s',
    async (_, sentence) => {
      const { model, features, fromFrame, toFrame } = await said(sentence);
      const say = (hearing: Hearing, grant: StepGrant) =>
        windowsOf(model.vocoder.begin(features, fromFrame, toFrame, hearing), grant);

      // Before the generator has run, its pace is what the session was told.
      const early = await say(AWAITED, ALONE);
      expect(early.length).toBeGreaterThan(1);
      const late = await say(AWAITED, UNSCHEDULED);
      expect(late).toHaveLength(1);
      expect(furthestApart(toPcm(samplesOf(early), 1), toPcm(samplesOf(late), 1))).toBe(0);

      const [whole] = await say({}, UNSCHEDULED);
      const opened = samplesOf(late);
      const heard = (toFrame - fromFrame) * FRAME_SAMPLES;
      const same = whole!.samples.subarray((fromFrame - whole!.from) * FRAME_SAMPLES);
      const [one, other] = [opened.subarray(0, heard), same.subarray(0, heard)];
      expect(melDistance(one, other).mcdDb).toBeLessThan(2);
      // Out of phase, sines that are added up would be lost where one is faded into the other.
      const at = (openingEnd(fromFrame, toFrame) - fromFrame) * FRAME_SAMPLES;
      for (const from of [at - 2_400, at, at + 2_400]) {
        expect(alike(one.subarray(from, from + 2_400), other.subarray(from, from + 2_400))).toBeGreaterThan(0.8);
      }
    },
    120_000,
  );

  it('the weights for other voices are nearer to them than those for English ones', async () => {
    const { model, features } = await said(SPANISH);
    const { frames } = features;
    const [whole] = await windowsOf(model.vocoder.begin(features, 0, frames), UNSCHEDULED);
    const apart = async (group: VoiceGroup) => {
      const { vocoder } = await sessions.model('base-tts-fast', group);
      const made = samplesOf(await windowsOf(vocoder.begin(features, 0, frames), UNSCHEDULED));
      return melDistance(made, whole!.samples.subarray(0, made.length)).mcdDb;
    };
    const [own, english] = [await apart('others'), await apart('english')];
    expect(own).toBeLessThan(1.6);
    expect(own).toBeLessThan(english);
  }, 120_000);
});

/** The correlation of two sounds. */
function alike(one: Float32Array, other: Float32Array): number {
  const product = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
  return product(one, other) / Math.sqrt(product(one, one) * product(other, other));
}
