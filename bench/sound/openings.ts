/**
 * How far sentences of base-tts that begin with the light vocoder, because a listener waits for
 * them, are from the same sentences by Kokoro's generator alone: mel-cepstral distortion and level
 * of either half, the pitch around the place where one is faded into the other, and with `--words`
 * the words that a recogniser (Moonshine base, fetched once) gets wrong.
 *
 *   npm run bench -- openings [--voices ID,ID] [--text FILE] [--sentences 10] [--words]
 *
 * A file has one sentence a line.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { createKokoroEngine } from '../../src/engine/kokoro.js';
import { melDistance } from '../../src/engine/measure/mel-cepstrum.js';
import type { Segment } from '../../src/protocol/job.js';
import { createRecogniser, type Recogniser } from '../../testkit/sound/recogniser.js';
import { wordErrors, wordsOf } from '../../testkit/sound/word-errors.js';
import { modelDirForTests, segmentOf, speak } from '../../testkit/speech.js';
import { quantile } from './delivery/figures.js';
import { voicedPoints } from './delivery/melody.js';
import { pitchTrack } from './delivery/pitch-track.js';
import { markdown } from './delivery/table.js';
import { SENTENCES, VOICES } from './joins.js';
import { floats } from './spectral-distance.js';

/** Samples by which the clips may be shifted: where the voice begins is looked up in each. */
const MOST_SHIFT = 480;
/** Pitches are compared so far to either side of the middle. */
const AROUND_MS = 300;
/** Voiced frames, of 10 ms each. */
const LEAST_VOICED = 6;

/** By how many samples `one` is heard later than `other`. */
function shiftOf(one: Float32Array, other: Float32Array): number {
  let [best, most] = [0, Number.NEGATIVE_INFINITY];
  for (let shift = -MOST_SHIFT; shift <= MOST_SHIFT; shift += 1) {
    let sum = 0;
    for (let at = MOST_SHIFT; at < 24_000; at += 3) sum += (one[at + shift] ?? 0) * (other[at] ?? 0);
    if (sum > most) [best, most] = [shift, sum];
  }
  return best;
}

const levelDb = (sound: Float32Array): number =>
  10 * Math.log10(sound.reduce((sum, sample) => sum + sample * sample, 0) / sound.length);

/**
 * How far the pitch of voiced frames is apart in the middle (semitones), their median; undefined
 * where so few have a voice that a slip of the tracker would be all of them.
 */
function pitchApart(one: Int16Array, other: Int16Array, ms: number): number | undefined {
  const [a, b] = [one, other].map((pcm) => new Map(voicedPoints(pitchTrack(pcm), ms - AROUND_MS, ms + AROUND_MS)));
  const apart = [...a!].flatMap(([at, height]) => (b!.has(at) ? [Math.abs(height - b!.get(at)!)] : []));
  return apart.length < LEAST_VOICED ? undefined : quantile(apart, 0.5);
}

/** Both sounds of a sentence, from the same sample of the voice on. */
function figuresOf(opened: Int16Array, whole: Int16Array): (number | undefined)[] {
  const shift = shiftOf(floats(opened), floats(whole));
  const [one, other] = [opened.subarray(Math.max(0, shift)), whole.subarray(Math.max(0, -shift))];
  const middle = Math.floor(Math.min(one.length, other.length) / 2);
  const halves = [0, 1].map((half) =>
    [one, other].map((pcm) => floats(pcm.subarray(half * middle, (half + 1) * middle))),
  );
  const [[first, firstWhole], [second, secondWhole]] = halves as [
    [Float32Array, Float32Array],
    [Float32Array, Float32Array],
  ];
  return [
    melDistance(first, firstWhole).mcdDb,
    Math.abs(levelDb(first) - levelDb(firstWhole)),
    melDistance(second, secondWhole).mcdDb,
    Math.abs(levelDb(second) - levelDb(secondWhole)),
    pitchApart(one, other, middle / 24),
  ];
}

export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      voices: { type: 'string', default: VOICES.join(',') },
      text: { type: 'string' },
      sentences: { type: 'string', default: String(SENTENCES.length) },
      words: { type: 'boolean', default: false },
    },
  });
  const modelDir = await modelDirForTests();
  const recogniser: Recogniser | undefined = values.words ? await createRecogniser(modelDir, 'base') : undefined;
  const engine = await createKokoroEngine({
    modelDir,
    lexicon: '',
    device: 'cpu',
    threads: 'auto',
    preload: ['base-tts'],
    log: () => undefined,
  });
  const said = values.text === undefined ? SENTENCES : (await readFile(values.text, 'utf8')).trim().split('\n');
  const figures: (number | undefined)[][] = [];
  const errors = [0, 0];
  let words = 0;
  for (const sentence of said.slice(0, Number(values.sentences))) {
    for (const voice of values.voices.split(',')) {
      const say = async (segment: Segment) => (await speak(engine, segment, { model: 'base-tts', voice })).pcm;
      const [opened, whole] = [await say({ ...segmentOf(sentence), awaited: true }), await say(segmentOf(sentence))];
      figures.push(figuresOf(opened, whole));
      words += wordsOf(sentence).length;
      for (const [at, pcm] of [opened, whole].entries()) {
        if (recogniser) errors[at]! += wordErrors(sentence, await recogniser.transcribe(pcm));
      }
    }
  }
  const names = [
    'first half, MCD (dB)',
    'level (dB)',
    'second half, MCD (dB)',
    'level (dB)',
    'pitch in the middle (semitones)',
  ];
  const rows = names.map((name, at) => {
    const all = figures.map((row) => row[at]).filter((figure) => figure !== undefined);
    return [name, ...[0.5, 0.9, 1].map((share) => quantile(all, share).toFixed(2))];
  });
  process.stdout.write(`${figures.length} sentences\n${markdown(['apart', 'p50', 'p90', 'most'], rows)}`);
  if (recogniser) process.stdout.write(`words wrong: opened ${errors[0]}, whole ${errors[1]}, of ${words}\n`);
  await recogniser?.close();
}
