/**
 * What can be measured of how each voice sounds, on the same two sentences of its language spoken
 * by base-tts: the figures behind the descriptions of the catalogue.
 *
 *   npm run bench -- character [--voice ID]
 *
 * A line of JSON for each style: median pitch (Hz), how far the pitch moves (10th to 90th
 * percentile, semitones), syllables a minute without rests, brightness (energy above 2 kHz next to
 * that below, dB), how harmonic 2.2 to 3.4 kHz is (1 clear, 0 breathy), and how far the level moves (dB).
 */
import { parseArgs } from 'node:util';
import { loadCatalogue } from '../../src/models/catalogue.js';
import { ensureLanguage } from '../../src/models/language-packs.js';
import { SAMPLE_RATE } from '../../src/protocol/audio.js';
import type { Language } from '../../src/protocol/job.js';
import { codeOf, type LanguageCode } from '../../src/protocol/languages.js';
import { createReader } from '../../src/text/reader.js';
import { BANDS, median, voicedFrames } from '../../testkit/sound/periodicity.js';
import { modelDirForTests, realEngine, segmentOf, speak } from '../../testkit/speech.js';

const SENTENCES: Readonly<Record<LanguageCode, readonly [string, string]>> = {
  en: ['The old lighthouse keeper walked slowly down to the sea.', 'Did you really think nobody would notice?'],
  es: ['El viejo farero bajó despacio hasta el mar.', '¿De verdad creías que nadie se daría cuenta?'],
  fr: [
    'Le vieux gardien du phare descendit lentement vers la mer.',
    'Tu pensais vraiment que personne ne le verrait ?',
  ],
  it: [
    'Il vecchio guardiano del faro scese lentamente verso il mare.',
    'Pensavi davvero che nessuno se ne accorgesse?',
  ],
  pt: ['O velho faroleiro desceu devagar até o mar.', 'Você achou mesmo que ninguém ia perceber?'],
  hi: ['बूढ़ा चौकीदार धीरे धीरे समुद्र की ओर चला गया।', 'क्या तुमने सच में सोचा था कि कोई नहीं देखेगा?'],
  ja: ['年を取った灯台守は、ゆっくりと海へ下りていった。', '本当に誰も気がつかないと思っていたの？'],
  zh: ['年老的灯塔看守人慢慢地走向大海。', '你真的以为没有人会注意到吗？'],
};
/** Vowels of the model's alphabet; a run of them is taken for one syllable. */
const NUCLEUS = /[aeiouyæøœɐɑɒɔəɚɛɜɪɨʊʌɤᵻAIOWYQᵊ]\u0303?[ːˑ]?/gu;
/** Softer than this share of the loudest frame is a rest. */
const REST = 0.03;
const FRAME = SAMPLE_RATE / 100;

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { voice: { type: 'string' } } });
  const modelDir = await modelDirForTests();
  const engine = await realEngine(['base-tts']);
  const voices = loadCatalogue().all.slice(2);
  for (const { voice, language } of voices) {
    if (values.voice !== undefined && values.voice !== voice.id) continue;
    const texts = SENTENCES[codeOf(language)];
    const clips: Int16Array[] = [];
    for (const text of texts) clips.push((await speak(engine, text, { model: 'base-tts', voice: voice.id })).pcm);
    const syllables = await syllablesIn(texts, language, modelDir);
    process.stdout.write(`${JSON.stringify({ id: voice.id, ...figuresOf(clips, syllables) })}\n`);
  }
  await engine.close();
}

async function syllablesIn(texts: readonly string[], language: Language, modelDir: string): Promise<number> {
  const files = (wanted: Language) => ensureLanguage(wanted, { modelDir, offline: true });
  const reader = await createReader({ language, files });
  return texts.reduce((sum, text) => sum + (reader.read(segmentOf(text)).phonemes.match(NUCLEUS)?.length ?? 0), 0);
}

function figuresOf(clips: readonly Int16Array[], syllables: number) {
  const pitches: number[] = [];
  const clear: number[] = [];
  const levels: number[] = [];
  let [low, high] = [0, 0];
  for (const pcm of clips) {
    for (const { period, likenesses } of voicedFrames(pcm)) {
      pitches.push(SAMPLE_RATE / period);
      clear.push(likenesses[BANDS.findIndex(([from]) => from >= 2_000)]!);
    }
    levels.push(...spokenLevels(pcm));
    const { below, above } = energies(pcm);
    low += below;
    high += above;
  }
  const spread = 12 * Math.log2(quantile(pitches, 0.9) / quantile(pitches, 0.1));
  const seconds = (levels.length * FRAME) / SAMPLE_RATE;
  return {
    pitchHz: Math.round(median(pitches)),
    semitones: Number(spread.toFixed(1)),
    syllablesPerMinute: Math.round((syllables / seconds) * 60),
    brightnessDb: Number((10 * Math.log10(high / low)).toFixed(1)),
    clearness: Number(median(clear).toFixed(2)),
    levelDb: Number((quantile(levels, 0.9) - quantile(levels, 0.1)).toFixed(1)),
  };
}

const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0;

/** Levels in dB of the frames of 10 ms that are no rest. */
function spokenLevels(pcm: Int16Array): number[] {
  const powers: number[] = [];
  for (let at = 0; at + FRAME <= pcm.length; at += FRAME) {
    let sum = 0;
    for (let i = at; i < at + FRAME; i++) sum += pcm[i]! ** 2;
    powers.push(Math.sqrt(sum / FRAME));
  }
  const loudest = Math.max(...powers);
  return powers.filter((power) => power > loudest * REST).map((power) => 20 * Math.log10(power));
}

/** Energy below and above 2 kHz, by a filter of one pole and what it leaves. */
function energies(pcm: Int16Array): { readonly below: number; readonly above: number } {
  const keep = Math.exp((-2 * Math.PI * 2_000) / SAMPLE_RATE);
  let [smooth, below, above] = [0, 0, 0];
  for (const sample of pcm) {
    smooth = keep * smooth + (1 - keep) * sample;
    below += smooth ** 2;
    above += (sample - smooth) ** 2;
  }
  return { below, above };
}
