/** Makes a voice file from a mix of styles or voices: `NAME=af_heart:60,af_bella:40`. */
import { TtsError } from '../protocol/errors.js';
import type { StyleShare } from '../protocol/job.js';
import type { VoiceCatalogue } from './catalogue.js';
import { loadPackManifest, stylesOf } from './manifest.js';
import { parseVoice } from './voice-file.js';

export interface VoiceFile {
  readonly id: string;
  readonly display_name: string;
  readonly language: string;
  readonly gender: 'female' | 'male' | 'neutral';
  readonly description: string;
  readonly style: Readonly<Record<string, number>>;
  readonly gain_db: Readonly<Record<string, number>>;
}

const USAGE = 'A mix is written NAME=STYLE:SHARE,STYLE:SHARE, such as evening=af_heart:60,bm_george:40';

export function mixVoice(spec: string, catalogue: Pick<VoiceCatalogue, 'all'>): VoiceFile {
  const [, id, list] = /^([^=]+)=(.+)$/.exec(spec.trim()) ?? [];
  if (id === undefined || list === undefined) throw new TtsError('usage', `${USAGE}.`);
  if (catalogue.all.some(({ voice }) => voice.id === id)) {
    throw new TtsError('usage', `There is a voice "${id}" already. Give the mix another name.`);
  }
  const shares = list.split(',').map((part) => shareOf(part, catalogue));
  const total = shares.reduce((sum, { weight }) => sum + weight, 0);
  const styles: Record<string, number> = {};
  for (const { style, weight } of shares) styles[style] = (styles[style] ?? 0) + weight;
  const mix = Object.entries(styles).map(([style, weight]) => ({ style, weight: weight / total }));
  const file: VoiceFile = {
    id,
    display_name: id.replace(/[_-]+/g, ' ').replace(/^./, (first) => first.toUpperCase()),
    language: 'en',
    gender: genderOf(mix),
    description: `A mix: ${mix.map(({ style, weight }) => `${Math.round(weight * 100)} % ${style}`).join(', ')}.`,
    style: styles,
    gain_db: gainOf(mix, catalogue),
  };
  // Refuses here, in the same words, what a starting server would refuse.
  parseVoice(file, { file: `${id}.json`, at: '', styles: new Set(stylesOf(loadPackManifest('kokoro-82m'))) });
  return file;
}

/** A style, or a voice of the catalogue that has a single style. */
function shareOf(part: string, { all }: Pick<VoiceCatalogue, 'all'>): StyleShare {
  const [, name, share = '1'] = /^\s*([\w-]+)\s*(?::\s*(\d+(?:\.\d+)?)\s*%?\s*)?$/.exec(part) ?? [];
  if (name === undefined || !(Number(share) > 0)) {
    throw new TtsError('usage', `"${part.trim()}" is no share of a mix. ${USAGE}.`);
  }
  const voice = all.find((entry) => entry.voice.id === name);
  if (voice && voice.mix.length > 1) {
    throw new TtsError('usage', `${name} is a mix itself. Name the styles it is made of.`);
  }
  return { style: voice?.mix[0]?.style ?? name, weight: Number(share) };
}

function genderOf(mix: readonly StyleShare[]): VoiceFile['gender'] {
  const female = mix.reduce((sum, { style, weight }) => sum + (style[1] === 'f' ? weight : 0), 0);
  if (female > 0.6) return 'female';
  return female < 0.4 ? 'male' : 'neutral';
}

/** The mean of the styles' gains, by their weights. */
function gainOf(mix: readonly StyleShare[], { all }: Pick<VoiceCatalogue, 'all'>): VoiceFile['gain_db'] {
  const gain = (model: 'base-tts' | 'base-tts-fast'): number => {
    const each = mix.map(({ style, weight }) => {
      const pure = all.find((entry) => entry.mix.length === 1 && entry.mix[0]!.style === style);
      return weight * (pure?.gainDb[model] ?? 0);
    });
    return Math.round(each.reduce((sum, share) => sum + share, 0) * 10) / 10;
  };
  return { 'base-tts': gain('base-tts'), 'base-tts-fast': gain('base-tts-fast') };
}
