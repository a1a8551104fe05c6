/**
 * How far apart two devices sound, on lines that `gpu --wav FOLDER` wrote: mel-cepstral distortion, and the words that a recogniser
 * (Moonshine base, fetched once) misses in each.
 *
 *   npm run bench -- apart FOLDER/webgpu-base-tts FOLDER/cpu-base-tts [--without-words]
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { SAMPLE_RATE } from '../src/protocol/audio.js';
import { createRecogniser } from '../test/support/recogniser.js';
import { modelDirForTests } from '../test/support/speech.js';
import { wordErrors, wordsOf } from '../test/support/word-errors.js';

const SIZE = 1_024;
const HOP = 256;
const BANDS = 80;
const CEPSTRA = 24;
/** Softer than this is silence, in which nobody hears a difference. */
const FLOOR = 1e-2;
/** Lines may differ by a rest that was found a frame sooner, not by a word. */
const MOST_SAMPLES = SAMPLE_RATE / 40;

interface Line {
  readonly text: string;
  readonly pcm: Int16Array;
}

async function linesOf(file: string): Promise<Line[]> {
  const { lines, lengths } = JSON.parse(await readFile(`${file}.json`, 'utf8')) as {
    lines: string[];
    lengths: number[];
  };
  const bytes = await readFile(`${file}.pcm`);
  const all = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  let at = 0;
  return lines.map((text, i) => {
    const pcm = all.subarray(at, at + lengths[i]!);
    at += lengths[i]!;
    return { text, pcm };
  });
}

const hann = Float64Array.from({ length: SIZE }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / SIZE));
const melOf = (hz: number): number => 2595 * Math.log10(1 + hz / 700);
const hzOf = (mel: number): number => 700 * (10 ** (mel / 2595) - 1);
const edges = Array.from({ length: BANDS + 2 }, (_, i) => hzOf((melOf(SAMPLE_RATE / 2) * i) / (BANDS + 1)));
const filters = edges.slice(0, BANDS).map((low, band) => {
  const [middle = 0, high = 0] = [edges[band + 1], edges[band + 2]];
  return Float64Array.from({ length: SIZE / 2 + 1 }, (_, bin) => {
    const hz = (bin * SAMPLE_RATE) / SIZE;
    return Math.max(0, Math.min((hz - low) / (middle - low), (high - hz) / (high - middle)));
  });
});
const cosines = Array.from({ length: CEPSTRA }, (_, k) =>
  Float64Array.from({ length: BANDS }, (_, band) => (2 / BANDS) * Math.cos((Math.PI * (k + 1) * (band + 0.5)) / BANDS)),
);

/** In place: real and imaginary parts of a power of two of samples. */
function transform(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) [re[i], re[j]] = [re[j]!, re[i]!];
  }
  for (let length = 2; length <= n; length *= 2) {
    const half = length / 2;
    for (let k = 0; k < half; k++) {
      const [c, s] = [Math.cos((-2 * Math.PI * k) / length), Math.sin((-2 * Math.PI * k) / length)];
      for (let at = k; at < n; at += length) {
        const other = at + half;
        const real = re[other]! * c - im[other]! * s;
        const imaginary = re[other]! * s + im[other]! * c;
        re[other] = re[at]! - real;
        im[other] = im[at]! - imaginary;
        re[at]! += real;
        im[at]! += imaginary;
      }
    }
  }
}

function logMel(pcm: Int16Array): Float64Array[] {
  const frames: Float64Array[] = [];
  for (let from = 0; from + SIZE <= pcm.length; from += HOP) {
    const re = Float64Array.from(hann, (weight, i) => (weight * pcm[from + i]!) / 32_767);
    const im = new Float64Array(SIZE);
    transform(re, im);
    const sizes = Float64Array.from({ length: SIZE / 2 + 1 }, (_, bin) => Math.hypot(re[bin]!, im[bin]!));
    frames.push(
      Float64Array.from(filters, (filter) =>
        Math.log(
          Math.max(
            filter.reduce((sum, weight, bin) => sum + weight * sizes[bin]!, 0),
            FLOOR,
          ),
        ),
      ),
    );
  }
  return frames;
}

/** Mean over frames, in dB. */
function distortion(one: Int16Array, other: Int16Array): number {
  const [a, b] = [logMel(one), logMel(other)];
  const frames = Math.min(a.length, b.length);
  let total = 0;
  for (let i = 0; i < frames; i++) {
    let squares = 0;
    for (const row of cosines) squares += row.reduce((sum, c, band) => sum + c * (a[i]![band]! - b[i]![band]!), 0) ** 2;
    total += (10 / Math.LN10) * Math.sqrt(2 * squares);
  }
  return total / frames;
}

export async function main(argv: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { 'without-words': { type: 'boolean', default: false } },
  });
  const [one = '', other = ''] = positionals;
  const [ones, others] = [await linesOf(one), await linesOf(other)];
  const apart: number[] = [];
  for (const [i, { text, pcm }] of ones.entries()) {
    const { pcm: reference, text: same } = others[i]!;
    if (same !== text || Math.abs(pcm.length - reference.length) > MOST_SAMPLES) {
      process.stdout.write(`line ${i + 1} has ${pcm.length} samples and ${reference.length}: "${text}"\n`);
    } else apart.push(distortion(pcm, reference));
  }
  const mean = apart.reduce((sum, value) => sum + value, 0) / apart.length;
  const figures = `${mean.toFixed(3)} dB, worst line ${Math.max(...apart).toFixed(3)} dB`;
  process.stdout.write(`mel-cepstral distortion of ${apart.length} lines: ${figures}\n`);
  if (values['without-words']) return;
  const recogniser = await createRecogniser(await modelDirForTests(), 'base');
  const words = ones.reduce((sum, { text }) => sum + wordsOf(text).length, 0);
  for (const [name, lines] of [
    [one, ones],
    [other, others],
  ] as const) {
    let errors = 0;
    for (const { text, pcm } of lines) errors += wordErrors(text, await recogniser.transcribe(pcm));
    process.stdout.write(`${name}: ${errors} word errors in ${words}\n`);
  }
  await recogniser.close();
}
