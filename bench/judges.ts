/**
 * What instruments hear of the voices, on the same sentences: base-tts, base-tts-fast and kokoro-js side by side.
 *
 * Periodicity of voiced frames by band (1 is purely harmonic, 0 is noise), word errors of a recogniser (Moonshine base,
 * fetched once), how high the voice is and how far it moves, and how it rests.
 */
import { SAMPLE_RATE } from '../src/protocol/audio.js';
import { createRecogniser } from '../test/support/recogniser.js';
import { SENTENCES } from '../test/support/sentences.js';
import { modelDirForTests, realEngine, speak } from '../test/support/speech.js';
import { wordErrors, wordsOf } from '../test/support/word-errors.js';
import { startPeer } from './peer.js';

const BANDS: readonly (readonly [fromHz: number, toHz: number])[] = [
  [100, 1_000],
  [1_000, 2_200],
  [2_200, 3_400],
  [3_400, 4_600],
  [4_600, 6_000],
];
const FRAME = SAMPLE_RATE * 0.04;
const HOP = SAMPLE_RATE * 0.02;
const LAGS = { least: Math.round(SAMPLE_RATE / 400), most: Math.round(SAMPLE_RATE / 70) };
/** Below this likeness of a frame to itself a pitch period later there is no pitch. */
const VOICED = 0.6;
const TAPS = 255;
const REST_MS = 120;
/** Softer than this, of 32,768, is a rest. */
const SILENT = 200;

interface Heard {
  readonly periodicity: readonly number[];
  readonly medianHz: number;
  readonly semitones: number;
  readonly restsPerMinute: number;
  readonly restMs: number;
  readonly errors: number;
}

/** A band of the sound: a windowed sinc, as long as a frame is short. */
function bandOf(pcm: Int16Array, [fromHz, toHz]: readonly [number, number]): Float32Array {
  const middle = (TAPS - 1) / 2;
  const filter = Float32Array.from({ length: TAPS }, (_, i) => {
    const n = i - middle;
    const sinc = (hz: number) =>
      n === 0 ? (2 * hz) / SAMPLE_RATE : Math.sin((2 * Math.PI * hz * n) / SAMPLE_RATE) / (Math.PI * n);
    return (sinc(toHz) - sinc(fromHz)) * (0.54 + 0.46 * Math.cos((Math.PI * n) / middle));
  });
  const out = new Float32Array(pcm.length);
  for (let at = 0; at < pcm.length; at++) {
    let sum = 0;
    const from = Math.max(0, at - middle);
    const to = Math.min(pcm.length - 1, at + middle);
    for (let i = from; i <= to; i++) sum += pcm[i]! * filter[i - at + middle]!;
    out[at] = sum;
  }
  return out;
}

/** How like a frame is to itself `lag` samples later. */
function likeness(sound: Float32Array, at: number, lag: number): number {
  let both = 0;
  let one = 1e-9;
  let other = 1e-9;
  for (let i = at; i < at + FRAME; i++) {
    both += sound[i]! * sound[i + lag]!;
    one += sound[i]! ** 2;
    other += sound[i + lag]! ** 2;
  }
  return both / Math.sqrt(one * other);
}

/** The pitch period of a frame in samples, 0 where it has none. */
function periodAt(low: Float32Array, at: number): number {
  let best = VOICED;
  let period = 0;
  for (let lag = LAGS.least; lag <= LAGS.most; lag++) {
    const like = likeness(low, at, lag);
    // A whole multiple of the period is as like: the shortest one that is nearly the best is meant.
    if (like > best * 1.02) {
      best = like;
      period = lag;
    }
  }
  return period;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0;

/** What is heard in clips, each of one sentence. */
async function hear(clips: readonly Int16Array[], transcribe: (pcm: Int16Array) => Promise<string>): Promise<Heard> {
  const likenesses: number[][] = BANDS.map(() => []);
  const pitches: number[] = [];
  let rests = 0;
  let restMs = 0;
  let errors = 0;
  let seconds = 0;
  for (const [index, pcm] of clips.entries()) {
    const bands = BANDS.map((band) => bandOf(pcm, band));
    for (let at = 0; at + FRAME + LAGS.most * 1.03 < pcm.length; at += HOP) {
      const period = periodAt(bands[0]!, at);
      if (period === 0) continue;
      pitches.push(SAMPLE_RATE / period);
      for (const [band, sound] of bands.entries()) {
        // The pitch moves: what it is in this band is looked for nearby.
        let best = -1;
        for (let lag = Math.floor(period * 0.98); lag <= period * 1.02 + 1; lag++)
          best = Math.max(best, likeness(sound, at, lag));
        likenesses[band]!.push(best);
      }
    }
    for (const ms of restsOf(pcm)) {
      rests += 1;
      restMs += ms;
    }
    seconds += pcm.length / SAMPLE_RATE;
    errors += wordErrors(SENTENCES[index]!, await transcribe(pcm));
  }
  return {
    periodicity: likenesses.map(median),
    medianHz: median(pitches),
    semitones: 12 * Math.log2(quantile(pitches, 0.9) / quantile(pitches, 0.1)),
    restsPerMinute: rests / (seconds / 60),
    restMs: rests === 0 ? 0 : restMs / rests,
    errors,
  };
}

/** Rests inside a clip, in milliseconds. */
function restsOf(pcm: Int16Array): number[] {
  const found: number[] = [];
  let since = -1;
  let loud = false;
  for (let at = 0; at < pcm.length; at++) {
    if (Math.abs(pcm[at]!) < SILENT) {
      if (since < 0) since = at;
      continue;
    }
    const ms = since < 0 ? 0 : ((at - since) / SAMPLE_RATE) * 1_000;
    if (loud && ms >= REST_MS) found.push(ms);
    since = -1;
    loud = true;
  }
  return found;
}

export async function judge(count: number, withPeer: boolean): Promise<void> {
  const sentences = SENTENCES.slice(0, count);
  const recogniser = await createRecogniser(await modelDirForTests(), 'base');
  const engine = await realEngine(['base-tts', 'base-tts-fast']);
  const peer = withPeer ? await startPeer() : undefined;
  const voices: readonly (readonly [string, (text: string) => Promise<Int16Array>])[] = [
    ['base-tts', async (text) => (await speak(engine, text, { model: 'base-tts' })).pcm],
    ['base-tts-fast', async (text) => (await speak(engine, text, { model: 'base-tts-fast' })).pcm],
    ...(peer ? [['kokoro-js', (text: string) => peer.sound(text)] as const] : []),
  ];
  const words = sentences.reduce((sum, text) => sum + wordsOf(text).length, 0);
  const columns = BANDS.map(([from, to]) => `${from / 1_000}–${to / 1_000} kHz`.padStart(12)).join('');
  process.stdout.write(`${''.padEnd(15)}${columns}   pitch    moves    rests           word errors in ${words}\n`);
  for (const [name, say] of voices) {
    const clips: Int16Array[] = [];
    for (const text of sentences) clips.push(await say(text));
    const heard = await hear(clips, (pcm) => recogniser.transcribe(pcm));
    const bands = heard.periodicity.map((value) => value.toFixed(2).padStart(12)).join('');
    const pitch = `${heard.medianHz.toFixed(0)} Hz`.padStart(8) + `${heard.semitones.toFixed(1)} st`.padStart(9);
    const rests = `${heard.restsPerMinute.toFixed(1)}/min, ${heard.restMs.toFixed(0)} ms`.padStart(18);
    process.stdout.write(`${name.padEnd(15)}${bands}${pitch}${rests}   ${heard.errors}\n`);
  }
  peer?.stop();
  await engine.close();
  await recogniser.close();
}
