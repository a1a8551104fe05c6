/**
 * What is heard where the first sentence behind a writer is cut: the step of its pitch and of its
 * level, and the rest there, next to the same place in the sentence said as a whole.
 *
 *   npm run bench -- joins [--voices ID,ID] [--model base-tts-fast] [--against CHECKOUT]
 *     [--out FOLDER]
 *
 * `--against` is a checkout that is built, whose cuts are measured beside those of this one (built
 * too). `--out` keeps what was heard as raw PCM, with a line for each cut.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { createKokoroEngine } from '../../src/engine/kokoro.js';
import { msToSamples } from '../../src/protocol/audio.js';
import type { BaseModel, Segment } from '../../src/protocol/job.js';
import type { deliveryOf } from '../../src/text/delivery/delivery.js';
import type { createReader } from '../../src/text/reader.js';
import type { Segmenter } from '../../src/text/segment/segment.js';
import { joinPcm, modelDirForTests, speak } from '../../testkit/speech.js';
import { mean, quantile } from './delivery/figures.js';
import { voicedPoints } from './delivery/melody.js';
import { pitchTrack } from './delivery/pitch-track.js';
import { markdown } from './delivery/table.js';

export const VOICES = [
  'american_female_heart',
  'american_male_michael',
  'british_female_emma',
  'british_male_george',
  'english_female_articulate',
];
const REST = 'The two of them walked along the river until the lights of the town were far behind.';
export const SENTENCES = [
  'When the evening comes, a speech service reads the news to everybody who wants to hear it.',
  'For example, the committee that met on Monday in the old town hall could not agree on a plan for the new bridge over the river.',
  'A speech service that runs on your own machine reads every text that you give it in a voice of your choice.',
  'Sure, I can help you with that, but first I need to know which version of the program you have installed.',
  'If you want to learn to bake bread at home, you should begin with a simple recipe and a good oven.',
  'The capital of Norway is a city of seven hundred thousand people that lies at the end of a long fjord in the south.',
  'In most cases the easiest way to solve this problem is to write a small program that reads the file line by line.',
  'I think that the best thing you can do right now is to call the doctor and ask for an appointment on Friday.',
  'You can use the second command to see which files have changed since the last time you ran the program.',
  'Although it was raining hard, the children went out to play in the garden behind the house.',
];
/** Voiced frames that give the pitch of an edge, and how far from the cut they are looked for. */
const EDGE_FRAMES = 5;
const EDGE_MS = 400;
/** The level of an edge is that of the loudest stretch of this length within `EDGE_MS`. */
const LEVEL_MS = 80;
/** Softer stretches of 5 ms are a rest. */
const REST_LEVEL = 10 ** (-46 / 20) * 32_768;

/** What is heard at a cut: steps of pitch (semitones) and level (dB), and the rest (ms). */
interface Join {
  readonly pitch: number;
  readonly level: number;
  readonly restMs: number;
}

/** The modules of a built checkout. */
interface Checkout {
  readonly engine: Awaited<ReturnType<typeof createKokoroEngine>>;
  readonly reader: Awaited<ReturnType<typeof createReader>>;
  readonly Segmenter: typeof Segmenter;
  readonly deliveryOf: typeof deliveryOf;
}

async function opened(folder: string, model: BaseModel): Promise<Checkout> {
  const module = (file: string) => import(/* @vite-ignore */ path.resolve(folder, 'dist', file));
  const { createKokoroEngine: open } = await module('engine/kokoro.js');
  const { createReader: read } = await module('text/reader.js');
  const modelDir = await modelDirForTests();
  const log = () => undefined;
  return {
    engine: await open({ modelDir, lexicon: '', device: 'cpu', threads: 1, preload: [model], log }),
    reader: await read(),
    Segmenter: (await module('text/segment/segment.js')).Segmenter,
    deliveryOf: (await module('text/delivery/delivery.js')).deliveryOf,
  };
}

interface Said {
  readonly pcm: Int16Array;
  /** Samples at which the pieces of its first sentence meet. */
  readonly cuts: readonly number[];
  /** The pieces of its first sentence. */
  readonly pieces: readonly string[];
  /** First sample of each character. */
  readonly times: readonly number[];
}

const GOES_ON = new Set<Segment['pause']>(['clause', 'carried', 'joined']);

async function said(
  { engine, reader, Segmenter: Cutter, deliveryOf: deliver }: Checkout,
  { text, voice, model, written }: { text: string; voice: string; model: BaseModel; written: boolean },
): Promise<Said> {
  const segmenter = new Cutter({
    countTokens: reader.countTokens,
    ...(written ? { written } : { inTimeChars: Number.POSITIVE_INFINITY }),
  });
  const segments = [...segmenter.push(text), ...segmenter.end()];
  const parts: Int16Array[] = [];
  const times: number[] = [];
  const cuts: number[] = [];
  const pieces: string[] = [];
  let at = 0;
  let isFirst = true;
  for (const segment of segments) {
    const delivery = deliver(segment, { style: 'assistant', seed: 0 });
    const clip = await speak(engine, segment, { model, voice, ...(delivery && { delivery }) });
    times.push(...clip.timings.startSamples.map((sample) => at + sample));
    parts.push(clip.pcm);
    at += clip.pcm.length;
    if (isFirst) pieces.push(segment.text);
    isFirst &&= GOES_ON.has(segment.pause);
    if (isFirst) cuts.push(at);
  }
  return { pcm: joinPcm(parts), cuts, pieces, times };
}

const power = (pcm: Int16Array, from: number, to: number): number => {
  let sum = 0;
  for (let i = Math.max(0, from); i < Math.min(pcm.length, to); i++) sum += pcm[i]! ** 2;
  return Math.sqrt(sum / Math.max(1, to - from));
};

function loudest(pcm: Int16Array, from: number, to: number): number {
  const [step, size] = [msToSamples(10), msToSamples(LEVEL_MS)];
  let most = 1;
  for (let at = from; at + size <= to; at += step) most = Math.max(most, power(pcm, at, at + size));
  return 20 * Math.log10(most);
}

function restAt(pcm: Int16Array, cut: number): number {
  const step = msToSamples(5);
  const isQuiet = (at: number) => power(pcm, at, at + step) < REST_LEVEL;
  let [from, to] = [cut, cut];
  while (from > 0 && isQuiet(from - step)) from -= step;
  while (to < pcm.length && isQuiet(to)) to += step;
  return (to - from) / 24;
}

function joinAt(pcm: Int16Array, track: Float64Array, cut: number): Join | undefined {
  const ms = cut / 24;
  const edge = msToSamples(EDGE_MS);
  const before = voicedPoints(track, ms - EDGE_MS, ms).slice(-EDGE_FRAMES);
  const behind = voicedPoints(track, ms, ms + EDGE_MS + restAt(pcm, cut)).slice(0, EDGE_FRAMES);
  if (before.length === 0 || behind.length === 0) return undefined;
  const height = (points: typeof before) => mean(points.map(([, semitones]) => semitones));
  return {
    pitch: height(behind) - height(before),
    level: loudest(pcm, cut, cut + edge) - loudest(pcm, cut - edge, cut),
    restMs: restAt(pcm, cut),
  };
}

const signed = (value: number): string => `${value < 0 ? '' : '+'}${value.toFixed(1)}`;
const shown = ({ pitch, level, restMs }: Join): string =>
  `${signed(pitch)} st, ${signed(level)} dB, ${restMs.toFixed(0)} ms`;

type Variant = readonly [name: string, checkout: Checkout];

/** The joins of a sentence, each in every variant and, last, in the whole sentence. */
async function joinsOf(
  sentence: string,
  {
    voice,
    model,
    variants,
    out,
  }: { voice: string; model: BaseModel; variants: readonly Variant[]; out?: string | undefined },
): Promise<{ name: string; kind: 'clause' | 'phrase'; joins: Join[] }[]> {
  const asked = { text: `${sentence} ${REST}`, voice, model };
  const whole = await said(variants.at(-1)![1], { ...asked, written: false });
  const heard: (readonly [string, Said])[] = [];
  for (const [name, checkout] of variants) heard.push([name, await said(checkout, { ...asked, written: true })]);
  if (out !== undefined) await keep(out, `${voice}-${SENTENCES.indexOf(sentence)}`, [...heard, ['whole', whole]]);
  const tracks = new Map([...heard.map(([, { pcm }]) => pcm), whole.pcm].map((pcm) => [pcm, pitchTrack(pcm)]));
  const { pieces } = heard.at(-1)![1];
  let chars = 0;
  return pieces.slice(1).flatMap((next, index) => {
    const piece = pieces[index]!;
    chars += [...piece].length;
    const places = [
      ...heard.map(([, { pcm, cuts }]) => [pcm, cuts[index]!] as const),
      [whole.pcm, whole.times[chars]!] as const,
    ];
    const joins = places.flatMap(([pcm, cut]) => joinAt(pcm, tracks.get(pcm)!, cut) ?? []);
    if (joins.length < places.length) return [];
    const kind = /[,:;—]\s*$/u.test(piece) ? ('clause' as const) : ('phrase' as const);
    return [{ name: `${piece.slice(-14)}| ${next.slice(0, 10)}`, kind, joins }];
  });
}

/** How far a join is from the same place in the whole sentence. */
const apart = (one: Join, whole: Join): Join => ({
  pitch: Math.abs(one.pitch - whole.pitch),
  level: Math.abs(one.level - whole.level),
  restMs: Math.abs(one.restMs - whole.restMs),
});
const size = ({ pitch, level, restMs }: Join): Join => ({ pitch: Math.abs(pitch), level: Math.abs(level), restMs });

export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      voices: { type: 'string', default: VOICES.join(',') },
      model: { type: 'string', default: 'base-tts-fast' },
      against: { type: 'string' },
      out: { type: 'string' },
    },
  });
  const model = values.model as BaseModel;
  const variants: Variant[] = [['now', await opened('.', model)]];
  if (values.against !== undefined) variants.unshift(['before', await opened(values.against, model)]);
  const names = [...variants.map(([name]) => name), 'whole'];
  const rows: string[][] = [];
  const groups = new Map<string, Join[]>();
  const count = (group: string, join: Join) => groups.set(group, [...(groups.get(group) ?? []), join]);
  for (const sentence of SENTENCES) {
    for (const voice of values.voices.split(',')) {
      for (const { name, kind, joins } of await joinsOf(sentence, { voice, model, variants, out: values.out })) {
        rows.push([name, voice, ...joins.map(shown)]);
        for (const [at, join] of joins.entries()) {
          count(`${kind}, ${names[at]}`, size(join));
          if (at < joins.length - 1) count(`${kind}, ${names[at]}, from whole`, apart(join, joins.at(-1)!));
        }
      }
    }
  }
  process.stdout.write(markdown(['cut', 'voice', ...names], rows));
  const sums = [...groups].map(([name, joins]) => {
    const of = (figure: (join: Join) => number, digits: number) =>
      [0.5, 0.9, 1].map((share) => quantile(joins.map(figure), share).toFixed(digits)).join(' / ');
    const figures = [of(({ pitch }) => pitch, 1), of(({ level }) => level, 1), of(({ restMs }) => restMs, 0)];
    return [name, String(joins.length), ...figures];
  });
  process.stdout.write(`\n${markdown(['p50 / p90 / most', 'cuts', 'pitch, st', 'level, dB', 'rest, ms'], sums)}`);
}

async function keep(folder: string, name: string, heard: readonly (readonly [string, Said])[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [kind, { pcm, cuts, pieces }] of heard) {
    await writeFile(
      path.join(folder, `${name}-${kind}.pcm`),
      new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength),
    );
    await writeFile(path.join(folder, `${name}-${kind}.json`), JSON.stringify({ cuts, pieces }));
  }
}
