/**
 * How far apart two devices sound, on lines that `gpu --wav FOLDER` wrote: mel-cepstral distortion,
 * and the words that a recogniser (Moonshine base, fetched once) misses in each.
 *
 *   npm run bench -- apart FOLDER/webgpu-base-tts FOLDER/cpu-base-tts [--without-words]
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { melDistance } from '../../src/engine/measure/mel-cepstrum.js';
import { SAMPLE_RATE } from '../../src/protocol/audio.js';
import { createRecogniser } from '../../testkit/sound/recogniser.js';
import { wordErrors, wordsOf } from '../../testkit/sound/word-errors.js';
import { modelDirForTests } from '../../testkit/speech.js';
import { floats } from './spectral-distance.js';

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
    } else apart.push(melDistance(floats(pcm), floats(reference)).mcdDb);
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
