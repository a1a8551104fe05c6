/**
 * Is every word heard, and does the fast voice read as the other does? Both models speak fixed
 * sentences, each once. An offline recogniser listens, checks for cuts and clicks look at the
 * samples, and the two readings are laid side by side.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lastMovement, RISE } from '../../bench/sound/delivery/melody.js';
import { pitchTrack } from '../../bench/sound/delivery/pitch-track.js';
import type { Engine } from '../../src/engine/engine.js';
import { SAMPLE_RATE, samplesToMs } from '../../src/protocol/audio.js';
import { BASE_MODELS, type BaseModel } from '../../src/protocol/job.js';
import { SENTENCES } from '../../testkit/sentences.js';
import { BANDS, median, pitchPeriods, type VoicedFrame, voicedFrames } from '../../testkit/sound/periodicity.js';
import { createRecogniser, type Recogniser } from '../../testkit/sound/recogniser.js';
import { modelDirForTests, realEngine, speak, VOICES } from '../../testkit/speech.js';
import { letterErrors, lettersOf } from '../support/letters.js';
import { faultsOf } from '../support/sound/clip-checks.js';

interface Line {
  readonly sentence: string;
  readonly voice: string;
}

/** The voices in turn. */
const LINES: readonly Line[] = SENTENCES.map((sentence, i) => ({ sentence, voice: VOICES[i % VOICES.length]! }));
/** A second of `base-tts` takes a second of a core: it speaks two lines of ten, in both voices. */
const BASE_LINES = LINES.filter((_, i) => i % 10 < 2);

let engine: Engine;
let recogniser: Recogniser;
const clips: Record<BaseModel, Map<Line, Int16Array>> = { 'base-tts': new Map(), 'base-tts-fast': new Map() };
beforeAll(async () => {
  engine = await realEngine([]);
  recogniser = await createRecogniser(await modelDirForTests());
}, 600_000);
afterAll(async () => {
  await engine?.close();
  await recogniser?.close();
});

async function say(model: BaseModel, line: Line): Promise<Int16Array> {
  const { pcm } = await speak(engine, line.sentence, { model, voice: line.voice });
  clips[model].set(line, pcm);
  return pcm;
}

async function listen(model: BaseModel, lines: readonly Line[]) {
  const bad: object[] = [];
  const faults: string[] = [];
  let errors = 0;
  let letters = 0;
  // The next sentence is spoken while the recogniser listens to this one.
  let next = say(model, lines[0]!);
  for (const [i, { sentence, voice }] of lines.entries()) {
    const pcm = await next;
    const following = lines[i + 1];
    if (following) next = say(model, following);
    // A failure is thrown where it is awaited.
    next.catch(() => undefined);
    faults.push(...faultsOf(pcm).map((fault) => `${fault}: ${sentence} (${voice})`));
    const heard = await recogniser.transcribe(pcm);
    const wrong = letterErrors(sentence, heard);
    const length = lettersOf(sentence).length;
    errors += wrong;
    letters += length;
    if (wrong / length > 0.15) bad.push({ sentence, voice, heard, rate: wrong / length });
  }
  return { overall: errors / letters, bad, faults };
}

describe('speech is understood', () => {
  it('has at least 40 sentences to say, for either voice', () => {
    expect(new Set(SENTENCES).size).toBeGreaterThanOrEqual(40);
    expect(new Set(BASE_LINES.map(({ voice }) => voice))).toEqual(new Set(VOICES));
  });

  it.each([
    ['base-tts-fast', LINES],
    ['base-tts', BASE_LINES],
  ] as const)(
    '%s: at most 3% of letters wrong, no sentence above 15%, no faulty clip',
    async (model, lines) => {
      const { overall, bad, faults } = await listen(model, lines);
      expect(bad).toEqual([]);
      expect(faults).toEqual([]);
      expect(overall).toBeLessThanOrEqual(0.03);
    },
    900_000,
  );
});

const semitones = (hz: number, from: number): number => 12 * Math.log2(hz / from);
const frames = new Map<Int16Array, readonly VoicedFrame[]>();
function framesOf(pcm: Int16Array): readonly VoicedFrame[] {
  const found = frames.get(pcm) ?? [...voicedFrames(pcm)];
  frames.set(pcm, found);
  return found;
}

/**
 * Semitones by which one clip of a sentence is higher than another, at each of its places where both
 * have a voice.
 */
function pitchDifferences(one: Int16Array, other: Int16Array): number[] {
  const [track, beside] = [pitchTrack(one), pitchTrack(other)];
  return [...track].flatMap((hz, i) => {
    const from = beside[Math.min(beside.length - 1, Math.round((i * beside.length) / track.length))]!;
    return hz > 0 && from > 0 ? [semitones(hz, from)] : [];
  });
}

/** The longest sentences of each voice, which have most of a length and a pitch to compare. */
const COMPARED = VOICES.flatMap((voice) =>
  BASE_LINES.filter((line) => line.voice === voice)
    .sort((a, b) => b.sentence.length - a.sentence.length)
    .slice(0, 3),
);
const both = (line: Line): { base: Int16Array; fast: Int16Array } => ({
  base: clips['base-tts'].get(line)!,
  fast: clips['base-tts-fast'].get(line)!,
});

describe.each(VOICES)('the fast voice as %s', (voice) => {
  const lines = COMPARED.filter((line) => line.voice === voice);

  it('takes as long for a sentence as base-tts, and speaks as high', () => {
    const lengths = lines.map((line) => {
      const { base, fast } = both(line);
      const length = fast.length / base.length;
      expect(Math.abs(length - 1), line.sentence).toBeLessThan(0.1);
      const higher = pitchDifferences(fast, base);
      expect(higher.length, line.sentence).toBeGreaterThan(60);
      expect(Math.abs(median(higher)), line.sentence).toBeLessThan(0.5);
      return length;
    });
    expect(Math.abs(lengths.reduce((sum, length) => sum + length) / lengths.length - 1)).toBeLessThan(0.05);
  }, 600_000);

  it('ends a question upwards as base-tts does, and a statement where it does', async () => {
    /** From the middle of what was said to its end. */
    const rise = async (sentence: string, model: BaseModel): Promise<number> => {
      const heard = pitchPeriods(await say(model, { sentence, voice })).map((period) => SAMPLE_RATE / period);
      return semitones(median(heard.slice(-5)), median(heard));
    };
    const [question, statement] = ['Are you coming home with us?', 'They are coming home with us.'];
    for (const model of BASE_MODELS) {
      const pcm = await say(model, { sentence: question, voice });
      expect(lastMovement(pitchTrack(pcm), 0, samplesToMs(pcm.length)), model).toBeGreaterThan(RISE);
    }
    const apart = (await rise(statement, 'base-tts-fast')) - (await rise(statement, 'base-tts'));
    expect(Math.abs(apart), statement).toBeLessThan(2.5);
  }, 600_000);
});

describe('the fast voice', () => {
  // Its generator's filters once ended at 3.3 kHz, and haze began there.
  it('is as periodic as base-tts in every band up to 4.6 kHz', () => {
    const periodicity = (pcms: readonly Int16Array[]): number[] => {
      const all = pcms.flatMap(framesOf);
      return BANDS.map((_, band) => median(all.map(({ likenesses }) => likenesses[band]!)));
    };
    const [base, fast] = [
      periodicity(COMPARED.map((line) => both(line).base)),
      periodicity(COMPARED.map((line) => both(line).fast)),
    ];
    for (const [band, [, toHz]] of BANDS.entries())
      if (toHz <= 4_600) expect(fast[band], `up to ${toHz} Hz`).toBeGreaterThan(0.85 * base[band]!);
  }, 600_000);
});
