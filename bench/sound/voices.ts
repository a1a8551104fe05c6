/**
 * Every voice of the catalogue in its own language, with two sentences, as instruments hear it:
 *
 *   LUFS     integrated loudness (ITU-R BS.1770, by ffmpeg); all are to lie within 1 LU
 *   Hz       median pitch of voiced frames, and the middle nine tenths of it
 *   token    ms a token takes: the median of words, and the shortest and the longest word
 *   peak     of full scale, in dB
 *   end      the last 20 ms below the peak, in dB: a voice that is cut off ends loud
 *   skipped  symbols that the model does not know
 *
 *   npm run bench -- voices [--language ja] [--voice ID] [--model base-tts-fast] [--out FOLDER]
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { loadCatalogue } from '../../src/models/catalogue.js';
import { pcmBytes, SAMPLE_RATE } from '../../src/protocol/audio.js';
import type { BaseModel } from '../../src/protocol/job.js';
import { codeOf, type LanguageCode } from '../../src/protocol/languages.js';
import { createReader } from '../../src/text/reader.js';
import type { Reading } from '../../src/text/types.js';
import { languageFiles } from '../../testkit/language-files.js';
import { loudness } from '../../testkit/sound/loudness.js';
import { median, voicedFrames } from '../../testkit/sound/periodicity.js';
import { type Clip, joinPcm, realEngine, segmentOf, speak } from '../../testkit/speech.js';

const SENTENCES: Readonly<Record<LanguageCode, readonly [string, string]>> = {
  en: [
    'Nobody in the village had ever seen the sea freeze over.',
    'Please leave the parcel with my neighbour, and ring twice.',
  ],
  es: [
    'Nadie en el pueblo había visto nunca el mar helado.',
    'Por favor, deje el paquete con mi vecina y llame dos veces.',
  ],
  fr: [
    "Personne au village n'avait jamais vu la mer geler.",
    'Laissez le paquet chez ma voisine, et sonnez deux fois.',
  ],
  it: [
    'Nessuno in paese aveva mai visto il mare gelato.',
    'Per favore, lasci il pacco alla mia vicina e suoni due volte.',
  ],
  pt: [
    'Ninguém na aldeia tinha visto o mar congelar.',
    'Por favor, deixe o pacote com a minha vizinha e toque duas vezes.',
  ],
  hi: ['गाँव में किसी ने कभी समुद्र को जमते नहीं देखा था।', 'कृपया सामान मेरे पड़ोसी को दे दीजिए और दो बार घंटी बजाइए।'],
  ja: ['村の人は誰も海が凍るのを見たことがなかった。', '荷物は隣の人に預けて、二回ベルを鳴らしてください。'],
  zh: ['村里没有人见过大海结冰。', '请把包裹交给我的邻居，然后按两次门铃。'],
};

const decibels = (share: number): number => 20 * Math.log10(Math.max(share, 1e-6));
const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0;

/** For each word how long one of its tokens takes, in ms. */
function tokenMs({ words, parts }: Reading, { timings }: Clip): number[] {
  const tokens = parts.flatMap((part) => (part.kind === 'speech' ? part.tokens : []));
  return words.flatMap(({ start, end }) => {
    const count = tokens.filter((token) => token.start >= start && token.end <= end && token.symbol !== ' ').length;
    const samples = timings.durationSamples.slice(start, end).reduce((sum, each) => sum + each, 0);
    return count === 0 ? [] : [(1000 * samples) / SAMPLE_RATE / count];
  });
}

function peakOf(pcm: Int16Array): number {
  let peak = 1;
  for (const sample of pcm) peak = Math.max(peak, Math.abs(sample));
  return peak;
}

const levelOf = (pcm: Int16Array): number => Math.sqrt(pcm.reduce((sum, each) => sum + each * each, 0) / pcm.length);

function report(voice: string, clips: readonly Clip[], readings: readonly Reading[]): void {
  const pcm = joinPcm(clips.map((clip) => clip.pcm));
  const pitches = clips.flatMap((clip) => [...voicedFrames(clip.pcm)].map(({ period }) => SAMPLE_RATE / period));
  const ms = clips.flatMap((clip, at) => tokenMs(readings[at]!, clip));
  const ends = clips.map((clip) => decibels(levelOf(clip.pcm.slice(-SAMPLE_RATE / 50)) / peakOf(clip.pcm)));
  const skipped = readings.flatMap((reading) => Object.entries(reading.skipped).map(([kind, n]) => `${kind} ${n}`));
  const figures = [
    loudness(pcm).toFixed(1),
    `${median(pitches).toFixed(0)} ${quantile(pitches, 0.05).toFixed(0)}-${quantile(pitches, 0.95).toFixed(0)}`,
    `${median(ms).toFixed(0)} ${Math.min(...ms).toFixed(0)}-${Math.max(...ms).toFixed(0)}`,
    decibels(peakOf(pcm) / 32_768).toFixed(1),
    Math.max(...ends).toFixed(0),
    skipped.join(', ') || '-',
  ];
  console.log(`${voice.padEnd(30)}${figures.map((each) => each.padEnd(14)).join('')}`);
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      language: { type: 'string' },
      voice: { type: 'string' },
      model: { type: 'string', default: 'base-tts' },
      out: { type: 'string' },
    },
  });
  const model = values.model as BaseModel;
  const wanted = loadCatalogue().all.filter(
    ({ voice, language, models }) =>
      models.includes(model) &&
      (values.voice ?? voice.id) === voice.id &&
      (values.language ?? codeOf(language)) === codeOf(language),
  );
  const engine = await realEngine([model]);
  if (values.out !== undefined) mkdirSync(values.out, { recursive: true });
  console.log(
    `${''.padEnd(30)}${['LUFS', 'Hz', 'token', 'peak', 'end', 'skipped'].map((each) => each.padEnd(14)).join('')}`,
  );
  for (const { voice, language } of wanted) {
    const reader = await createReader({ language, files: languageFiles });
    const sentences = SENTENCES[codeOf(language)];
    const readings = sentences.map((text) => reader.read(segmentOf(text)));
    const clips: Clip[] = [];
    for (const text of sentences) clips.push(await speak(engine, text, { model, voice: voice.id }));
    report(voice.id, clips, readings);
    for (const [at, { pcm }] of values.out === undefined ? [] : clips.entries())
      writeFileSync(path.join(values.out!, `${voice.id}-${at + 1}.s16`), pcmBytes(pcm));
  }
  await engine.close();
}
