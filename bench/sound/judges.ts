/**
 * What instruments hear of the voices, on the same sentences: base-tts, base-tts-fast and kokoro-js
 * side by side.
 *
 * Periodicity of voiced frames by band (1 is purely harmonic, 0 is noise), word errors of a
 * recogniser (Moonshine base, fetched once), how high the voice is and how far it moves, how it
 * rests, what people would say of it (dnsmos.ts), and how far the fast voice is from the other
 * (spectral-distance.ts).
 */
import { SAMPLE_RATE } from '../../src/protocol/audio.js';
import { SENTENCES } from '../../testkit/sentences.js';
import { BANDS, median, voicedFrames } from '../../testkit/sound/periodicity.js';
import { createRecogniser } from '../../testkit/sound/recogniser.js';
import { wordErrors, wordsOf } from '../../testkit/sound/word-errors.js';
import { modelDirForTests, realEngine, speak } from '../../testkit/speech.js';
import { startPeer } from '../speed/peer.js';
import { type Dnsmos, dnsmosIfThere } from './dnsmos.js';
import { distanceOf } from './spectral-distance.js';

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
  /** Signal, background and the whole; absent without DNSMOS. */
  readonly opinion?: readonly [number, number, number];
}

interface Ears {
  transcribe(pcm: Int16Array): Promise<string>;
  readonly dnsmos?: Dnsmos;
}

const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0;

/** What is heard in clips, each of one sentence. */
async function hear(clips: readonly Int16Array[], { transcribe, dnsmos }: Ears): Promise<Heard> {
  const likenesses: number[][] = BANDS.map(() => []);
  const pitches: number[] = [];
  let rests = 0;
  let restMs = 0;
  let errors = 0;
  let seconds = 0;
  const opinions: [number, number, number] = [0, 0, 0];
  for (const [index, pcm] of clips.entries()) {
    for (const { period, likenesses: frame } of voicedFrames(pcm)) {
      pitches.push(SAMPLE_RATE / period);
      for (const [band, like] of frame.entries()) likenesses[band]!.push(like);
    }
    for (const ms of restsOf(pcm)) {
      rests += 1;
      restMs += ms;
    }
    seconds += pcm.length / SAMPLE_RATE;
    errors += wordErrors(SENTENCES[index]!, await transcribe(pcm));
    if (dnsmos) {
      const { signal, background, overall } = await dnsmos.opinion(pcm);
      for (const [i, value] of [signal, background, overall].entries()) opinions[i]! += value / clips.length;
    }
  }
  return {
    periodicity: likenesses.map(median),
    medianHz: median(pitches),
    semitones: 12 * Math.log2(quantile(pitches, 0.9) / quantile(pitches, 0.1)),
    restsPerMinute: rests / (seconds / 60),
    restMs: rests === 0 ? 0 : restMs / rests,
    errors,
    ...(dnsmos ? { opinion: opinions } : {}),
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

const column = (text: string, width: number): string => text.padStart(width);

/** The figures of a voice, one line; the same widths as the titles. */
function row(
  name: string,
  { periodicity, medianHz, semitones, restsPerMinute, restMs, errors, opinion }: Heard,
): string {
  return [
    name.padEnd(15),
    ...periodicity.map((value) => column(value.toFixed(2), 12)),
    column(`${medianHz.toFixed(0)} Hz`, 8),
    column(`${semitones.toFixed(1)} st`, 9),
    column(`${restsPerMinute.toFixed(1)}/min, ${restMs.toFixed(0)} ms`, 18),
    column(opinion ? opinion.map((value) => value.toFixed(2)).join(' ') : '–', 17),
    column(String(errors), 8),
  ].join('');
}

/**
 * How far the second of two voices is from the first, over the sentences both spoke in the same
 * time.
 */
function apart(first: readonly Int16Array[], second: readonly Int16Array[]): string {
  let l1 = 0;
  let mcd = 0;
  let frames = 0;
  let clips = 0;
  for (const [index, one] of first.entries()) {
    const distance = distanceOf(one, second[index]!);
    if (!distance) continue;
    l1 += distance.l1 * distance.frames;
    mcd += distance.mcdDb * distance.frames;
    frames += distance.frames;
    clips += 1;
  }
  if (clips === 0) return 'no two clips of the same length';
  return `log-mel L1 ${(l1 / frames).toFixed(3)}, MCD ${(mcd / frames).toFixed(2)} dB over ${clips} of ${first.length} sentences spoken in the same time`;
}

export async function judge(count: number, withPeer: boolean, voice: string): Promise<void> {
  const sentences = SENTENCES.slice(0, count);
  const modelDir = await modelDirForTests();
  const recogniser = await createRecogniser(modelDir, 'base');
  const dnsmos = await dnsmosIfThere(modelDir);
  const ears: Ears = { transcribe: (pcm) => recogniser.transcribe(pcm), ...(dnsmos ? { dnsmos } : {}) };
  const engine = await realEngine(['base-tts', 'base-tts-fast']);
  const peer = withPeer ? await startPeer() : undefined;
  const ours = (model: 'base-tts' | 'base-tts-fast') => async (text: string) =>
    (await speak(engine, text, { model, voice })).pcm;
  const voices: readonly (readonly [string, (text: string) => Promise<Int16Array>])[] = [
    ['base-tts', ours('base-tts')],
    ['base-tts-fast', ours('base-tts-fast')],
    ...(peer ? [['kokoro-js', (text: string) => peer.sound(text)] as const] : []),
  ];
  const words = sentences.reduce((sum, text) => sum + wordsOf(text).length, 0);
  const titles = [
    ...BANDS.map(([from, to]) => column(`${from / 1_000}–${to / 1_000} kHz`, 12)),
    column('pitch', 8),
    column('moves', 9),
    column('rests', 18),
    column('sig bak ovrl', 17),
    column('errors', 8),
  ];
  process.stdout.write(
    `${sentences.length} sentences, ${words} words, ${voice}; periodicity by band, DNSMOS, word errors of Moonshine base\n${''.padEnd(15)}${titles.join('')}\n`,
  );
  const spoken: Int16Array[][] = [];
  for (const [name, say] of voices) {
    const clips: Int16Array[] = [];
    for (const text of sentences) clips.push(await say(text));
    spoken.push(clips);
    process.stdout.write(`${row(name, await hear(clips, ears))}\n`);
  }
  process.stdout.write(`base-tts-fast against base-tts: ${apart(spoken[0]!, spoken[1]!)}\n`);
  peer?.stop();
  await engine.close();
  await dnsmos?.close();
  await recogniser.close();
}
