/**
 * Words that stand alone, in every English voice and both models: what a recogniser (Moonshine
 * base, fetched once) hears, how long each lasts, and how much of it is voiced. The recogniser is
 * weak on single words, so that `base-tts` beside `base-tts-fast` is the measure.
 *
 *   npm run bench -- sound short [--voices ID,ID] [--words "Yes.,No"] [--out FOLDER]
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { loadCatalogue } from '../../src/models/catalogue.js';
import { pcmBytes, SAMPLE_RATE, wavHeader } from '../../src/protocol/audio.js';
import { BASE_MODELS, type BaseModel } from '../../src/protocol/job.js';
import { createRecogniser } from '../../testkit/sound/recogniser.js';
import { modelDirForTests, realEngine, speak } from '../../testkit/speech.js';
import { median } from './delivery/figures.js';
import { HOP_MS, pitchTrack } from './delivery/pitch-track.js';
import { markdown } from './delivery/table.js';
import { englishVoices } from './english-voices.js';

/** Each with the spellings that count as heard. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  'Yes.': ['yes'],
  No: ['no'],
  '3': ['3', 'three'],
  A: ['a', 'eh', 'ay', 'hey', 'uh'],
  'OK?': ['ok', 'okay'],
  'Hm.': ['hm', 'hmm', 'mm', 'mmm', 'mhm', 'hum'],
};
/** Softer than this, of 32,768, there is no sound. */
const SILENT = 200;

interface Said {
  readonly heard: string;
  readonly right: boolean;
  readonly seconds: number;
  /** Share of the frames between its first sound and its last that have a pitch. */
  readonly voiced: number;
}

const folded = (heard: string): string =>
  heard
    .toLowerCase()
    .replace(/[^a-z0-9 ]/gu, '')
    .trim();

/** How long a clip sounds, and the share of it that is voiced. */
function soundOf(pcm: Int16Array): Pick<Said, 'seconds' | 'voiced'> {
  const first = pcm.findIndex((sample) => Math.abs(sample) > SILENT);
  if (first < 0) return { seconds: 0, voiced: 0 };
  const seconds = (pcm.findLastIndex((sample) => Math.abs(sample) > SILENT) + 1 - first) / SAMPLE_RATE;
  const frames = pitchTrack(pcm).filter((hz) => hz > 0).length;
  return { seconds, voiced: Math.min(1, (frames * HOP_MS) / 1_000 / seconds) };
}

const cells = ({ heard, right, seconds, voiced }: Said): string[] => [
  right ? heard : `**${heard}**`,
  seconds.toFixed(2),
  `${(100 * voiced).toFixed(0)} %`,
];

const summary = (said: readonly Said[]): string[] => [
  `${said.filter(({ right }) => right).length} of ${said.length} as meant`,
  median(said.map(({ seconds }) => seconds)).toFixed(2),
  `${(100 * median(said.map(({ voiced }) => voiced))).toFixed(0)} %`,
];

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { voices: { type: 'string' }, words: { type: 'string' }, out: { type: 'string' } },
  });
  const voices = values.voices?.split(',') ?? englishVoices(loadCatalogue());
  const words = values.words?.split(',') ?? Object.keys(WORDS);
  const recogniser = await createRecogniser(await modelDirForTests(), 'base');
  const engine = await realEngine(BASE_MODELS);
  if (values.out !== undefined) await mkdir(values.out, { recursive: true });
  const say = async (text: string, voice: string, model: BaseModel): Promise<Said> => {
    const { pcm } = await speak(engine, text, { model, voice });
    if (values.out !== undefined) {
      const file = `${folded(text)}-${model}-${voice}.wav`;
      await writeFile(path.join(values.out, file), Buffer.concat([wavHeader(pcm.byteLength), pcmBytes(pcm)]));
    }
    const heard = await recogniser.transcribe(pcm);
    return { heard, right: (WORDS[text] ?? [folded(text)]).includes(folded(heard)), ...soundOf(pcm) };
  };
  for (const text of words) {
    const said = new Map<BaseModel, Said[]>(BASE_MODELS.map((model) => [model, []]));
    const rows: string[][] = [];
    for (const voice of voices) {
      for (const model of BASE_MODELS) said.get(model)!.push(await say(text, voice, model));
      rows.push([voice, ...BASE_MODELS.flatMap((model) => cells(said.get(model)!.at(-1)!))]);
    }
    rows.push(['all, median', ...BASE_MODELS.flatMap((model) => summary(said.get(model)!))]);
    const head = [`"${text}"`, ...BASE_MODELS.flatMap((model) => [model, 's', 'voiced'])];
    process.stdout.write(`${markdown(head, rows)}\n`);
  }
  await engine.close();
  await recogniser.close();
}
