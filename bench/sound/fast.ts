/**
 * Fast speech: words that a recogniser still hears, and what people would say of it (dnsmos.ts), by
 * speed.
 *
 * Recognisers fail on fast speech themselves, so the words are counted twice: as it is spoken, and
 * slowed down to the ordinary pace by a plain time stretch. Three sentences make a clip: alone at
 * 4 × they are shorter than the recogniser hears.
 *
 *   npm run bench -- fast [--model base-tts-fast] [--speeds 1,1.5,2,2.5,3,4] [--sentences 24]
 *                         [--voices A,B,C] [--save FOLDER]
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createTimeStretch } from '../../src/engine/time-stretch.js';
import { joinPcm, msToSamples, SAMPLE_RATE } from '../../src/protocol/audio.js';
import type { BaseModel } from '../../src/protocol/job.js';
import { SENTENCES } from '../../testkit/sentences.js';
import { createRecogniser } from '../../testkit/sound/recogniser.js';
import { wordErrors, wordsOf } from '../../testkit/sound/word-errors.js';
import { modelDirForTests, realEngine, speak } from '../../testkit/speech.js';
import { dnsmosIfThere } from './dnsmos.js';

const VOICES = 'english_female_professional,american_male_michael,british_female_emma';
const CLIP_SENTENCES = 3;
/** What DNSMOS hears at once. */
const OPINION_SAMPLES = msToSamples(9_020);

interface Sums {
  words: number;
  wrong: number;
  wrongSlowed: number;
  samples: number;
  opinions: number;
  overall: number;
  signal: number;
  background: number;
}

function slowed(pcm: Int16Array, speed: number): Int16Array {
  const stretch = createTimeStretch(1 / speed);
  return joinPcm([stretch.push(pcm), stretch.end()]);
}

const percent = (count: number, words: number): string => `${((100 * count) / words).toFixed(1)} %`.padStart(8);

function line(speed: number, sums: Sums, ownSamples: number): string {
  const mean = (sum: number) => (sum / Math.max(1, sums.opinions)).toFixed(2).padStart(6);
  return [
    `${speed}`.padEnd(7),
    `${(ownSamples / sums.samples).toFixed(2)}`.padStart(6),
    percent(sums.wrong, sums.words),
    percent(sums.wrongSlowed, sums.words),
    mean(sums.signal),
    mean(sums.background),
    mean(sums.overall),
    '\n',
  ].join('  ');
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      model: { type: 'string', default: 'base-tts-fast' },
      speeds: { type: 'string', default: '1,1.5,2,2.5,3,4' },
      sentences: { type: 'string', default: '24' },
      voices: { type: 'string', default: VOICES },
      save: { type: 'string' },
    },
  });
  const model = values.model as BaseModel;
  const texts = SENTENCES.slice(1, 1 + Number(values.sentences));
  const modelDir = await modelDirForTests();
  const recogniser = await createRecogniser(modelDir, 'base');
  const dnsmos = await dnsmosIfThere(modelDir);
  const engine = await realEngine([model]);
  if (values.save) await mkdir(values.save, { recursive: true });
  process.stdout.write(`${model}, ${texts.length} sentences by each of ${values.voices}\n`);
  process.stdout.write('speed    heard  words wrong   slowed     sig     bak    ovrl\n');
  let ownSamples = 0;
  for (const speed of values.speeds.split(',').map(Number)) {
    const sums = { words: 0, wrong: 0, wrongSlowed: 0, samples: 0, opinions: 0, overall: 0, signal: 0, background: 0 };
    for (const voice of values.voices.split(',')) {
      const spoken: Int16Array[] = [];
      for (let at = 0; at < texts.length; at += CLIP_SENTENCES) {
        const said = texts.slice(at, at + CLIP_SENTENCES);
        const clips: Int16Array[] = [];
        for (const text of said) clips.push((await speak(engine, text, { model, voice, speed })).pcm);
        const pcm = joinPcm(clips);
        const meant = said.join(' ');
        sums.words += wordsOf(meant).length;
        sums.wrong += wordErrors(meant, await recogniser.transcribe(pcm, Math.max(1, speed)));
        sums.wrongSlowed += wordErrors(meant, await recogniser.transcribe(slowed(pcm, speed)));
        sums.samples += pcm.length;
        spoken.push(pcm);
      }
      const whole = joinPcm(spoken);
      if (values.save) await writeFile(path.join(values.save, `${model}-${voice}-${speed}.s16`), whole);
      for (let at = 0; dnsmos && (at === 0 || at + OPINION_SAMPLES <= whole.length); at += OPINION_SAMPLES) {
        const opinion = await dnsmos.opinion(whole.subarray(at, at + OPINION_SAMPLES));
        sums.signal += opinion.signal;
        sums.background += opinion.background;
        sums.overall += opinion.overall;
        sums.opinions += 1;
      }
    }
    if (ownSamples === 0) ownSamples = sums.samples * speed;
    process.stdout.write(line(speed, sums, ownSamples));
  }
  process.stdout.write(`PCM at ${SAMPLE_RATE} Hz; "heard" is the speed by the length of all clips.\n`);
  await engine.close();
  await dnsmos?.close();
  await recogniser.close();
}
