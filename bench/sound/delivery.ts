/**
 * How a text is delivered, measured on its sound: rests, pace, rises of questions, declination,
 * DNSMOS and words, before and after in one table, with a picture of each voice's contour.
 *
 *   npm run bench -- sound delivery [--voices ID,ID | --voices english] [--model base-tts-fast]
 *       [--style NAME] [--before-style NAME] [--against FOLDER|CHECKOUT|ADDRESS] [--key KEY]
 *       [--speed 1] [--out FOLDER] [--questions] [--without-words] [--without-dnsmos]
 *
 * `after` is this tree (with --style). `before` is the same with --before-style, or what --against
 * names: clips that an earlier run kept with --out, a checkout that is built, or a server with its
 * --key. Without either there is one column. --questions says the questions alone and prints a row
 * a voice.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { loadCatalogue } from '../../src/models/catalogue.js';
import { createRecogniser } from '../../testkit/sound/recogniser.js';
import { modelDirForTests } from '../../testkit/speech.js';
import { contoursPicture } from './delivery/contours.js';
import { type Delivery, type Ears, measure } from './delivery/measure.js';
import { keepClip, ownServer, type Speaker, speakerOf } from './delivery/speakers.js';
import { type Block, QUESTION_KINDS, QUESTIONS, STORY, textOf } from './delivery/story.js';
import { deliveryTable, markdown, NOTE, risesOf } from './delivery/table.js';
import { dnsmosIfThere } from './dnsmos.js';
import { englishVoices } from './english-voices.js';

const VOICES = ['american_female_heart', 'american_male_michael', 'british_female_emma', 'british_male_george'];

/** One of the two that are compared. */
interface Variant {
  readonly name: string;
  readonly speaker: Speaker;
  readonly style?: string | undefined;
  /** Where its clips are kept. */
  readonly out?: string | undefined;
}

interface Asked {
  readonly model: string;
  readonly speed: number;
  readonly blocks: readonly Block[];
  readonly ears: Ears;
}

async function deliver({ speaker, style, out }: Variant, voice: string, asked: Asked): Promise<Delivery> {
  const wanted = { model: asked.model, voice, speed: asked.speed, text: textOf(asked.blocks), style };
  const clip = await speaker.speak(wanted);
  if (out !== undefined) await keepClip(out, wanted, clip);
  return measure(asked.blocks, clip, asked.ears);
}

/** Options of the command. */
const OPTIONS = {
  voices: { type: 'string', default: VOICES.join(',') },
  model: { type: 'string', default: 'base-tts-fast' },
  style: { type: 'string' },
  'before-style': { type: 'string' },
  against: { type: 'string' },
  key: { type: 'string', default: '' },
  speed: { type: 'string', default: '1' },
  out: { type: 'string' },
  questions: { type: 'boolean', default: false },
  'without-words': { type: 'boolean', default: false },
  'without-dnsmos': { type: 'boolean', default: false },
} as const;

const optionsOf = (args: string[]) => parseArgs({ args, options: OPTIONS }).values;
type Options = ReturnType<typeof optionsOf>;

async function variantsOf({ style, against, key, out, 'before-style': beforeStyle }: Options): Promise<Variant[]> {
  const speaker = await ownServer();
  const folder = (name: string) => (out === undefined ? undefined : path.join(out, name));
  const after = { name: 'after', speaker, style, out: folder('after') };
  if (against === undefined && beforeStyle === undefined) return [{ ...after, name: 'now', out: folder('now') }];
  const other = against === undefined ? speaker : await speakerOf(against, key);
  return [{ name: 'before', speaker: other, style: beforeStyle, out: folder('before') }, after];
}

async function withEars<T>(options: Options, use: (ears: Ears) => Promise<T>): Promise<T> {
  const modelDir = await modelDirForTests();
  const quick = options.questions;
  const recogniser = quick || options['without-words'] ? undefined : await createRecogniser(modelDir, 'base');
  const dnsmos = quick || options['without-dnsmos'] ? undefined : await dnsmosIfThere(modelDir);
  try {
    return await use({ transcribe: recogniser && ((pcm) => recogniser.transcribe(pcm)), dnsmos });
  } finally {
    await recogniser?.close();
    await dnsmos?.close();
  }
}

export async function main(args: string[]): Promise<void> {
  const options = optionsOf(args);
  const { model, out } = options;
  const voices = options.voices === 'english' ? englishVoices(loadCatalogue()) : options.voices.split(',');
  const variants = await variantsOf(options);
  const names = variants.map(({ name }) => name);
  const blocks = options.questions ? QUESTIONS : STORY;
  const rises: string[][] = [];
  if (out !== undefined) await mkdir(out, { recursive: true });
  await withEars(options, async (ears) => {
    for (const voice of voices) {
      const deliveries: Delivery[] = [];
      for (const variant of variants)
        deliveries.push(await deliver(variant, voice, { model, speed: Number(options.speed), blocks, ears }));
      const named = names.map((name, at) => [name, deliveries[at]!] as const);
      if (out !== undefined)
        await writeFile(path.join(out, `${model}-${voice}.svg`), contoursPicture(`${voice}, ${model}`, named));
      for (const [name, { melody }] of named)
        rises.push([
          voice,
          ...(names.length > 1 ? [name] : []),
          ...QUESTION_KINDS.map((kind) => risesOf(melody, kind)),
        ]);
      if (!options.questions) process.stdout.write(`${voice}, ${model}\n\n${deliveryTable(names, deliveries)}\n`);
    }
  });
  if (options.questions) {
    const head = ['voice', ...(names.length > 1 ? [''] : []), ...QUESTION_KINDS];
    process.stdout.write(`questions that rise, ${model}\n\n${markdown(head, rises)}\n`);
  }
  process.stdout.write(NOTE);
  for (const { speaker } of variants) await speaker.close();
}
