/**
 * Voices made of others by shares: a voice file of `NAME=af_heart:60,af_bella:40`, and a voice for
 * one order of `af_heart(60)+af_bella(40)`.
 */
import { TtsError } from '../protocol/errors.js';
import { BASE_MODELS, type BaseModel, DEFAULT_LANGUAGE, type Language, type StyleShare } from '../protocol/job.js';
import { loadPackManifest, STYLE_PACK, stylesOf } from './manifest.js';
import { type CatalogueVoice, parseVoice } from './voice-file.js';

export interface VoiceFile {
  readonly id: string;
  readonly display_name: string;
  readonly language: string;
  readonly gender: 'female' | 'male' | 'neutral';
  readonly description: string;
  readonly style: Readonly<Record<string, number>>;
  readonly gain_db: Readonly<Record<string, number>>;
  /** Left out where both have it. */
  readonly models?: readonly BaseModel[];
}

interface Voices {
  readonly all: readonly CatalogueVoice[];
}

const USAGE = 'A mix is written NAME=STYLE:SHARE,STYLE:SHARE, such as evening=af_heart:60,bm_george:40';
/** Most voices of a mix that is named in a request. */
const MAX_SHARES = 5;
/** A mix as OpenAI's clients of other Kokoro servers write it. */
const MIX = /^[\w-]{1,64}(?:\(\d{1,5}(?:\.\d{1,3})?\))?(?:\+[\w-]{1,64}(?:\(\d{1,5}(?:\.\d{1,3})?\))?)+$/;

export const isMix = (id: string): boolean => MIX.test(id);

export function mixVoice(spec: string, catalogue: Voices): VoiceFile {
  const [, id, list] = /^([^=]+)=(.+)$/.exec(spec.trim()) ?? [];
  if (id === undefined || list === undefined) throw new TtsError('usage', `${USAGE}.`);
  if (catalogue.all.some(({ voice }) => voice.id === id)) {
    throw new TtsError('usage', `There is a voice "${id}" already. Give the mix another name.`);
  }
  const shares = list.split(',').map((part) => shareOf(part, catalogue));
  const styles: Record<string, number> = {};
  for (const { style, weight } of shares) styles[style] = (styles[style] ?? 0) + weight;
  const mix = mixOf(shares);
  const { language, models } = speechOf(mix, catalogue);
  const file: VoiceFile = {
    id,
    display_name: id.replace(/[_-]+/g, ' ').replace(/^./, (first) => first.toUpperCase()),
    language,
    gender: genderOf(mix),
    description: `A mix: ${mix.map(({ style, weight }) => `${Math.round(weight * 100)} % ${style}`).join(', ')}.`,
    style: styles,
    gain_db: gainOf(mix, catalogue),
    ...(models.length < BASE_MODELS.length && { models }),
  };
  // Refuses here, in the same words, what a starting server would refuse.
  parseVoice(file, { file: `${id}.json`, at: '', styles: knownStyles() });
  return file;
}

let styles: ReadonlySet<string> | undefined;
/** Read once: requests ask for it. */
function knownStyles(): ReadonlySet<string> {
  styles ??= new Set(stylesOf(loadPackManifest(STYLE_PACK)));
  return styles;
}

interface Wanted extends Voices {
  readonly model: BaseModel;
  readonly param?: string | undefined;
}

/** A voice for one order. Throws `voice_not_found` where it cannot be made. */
export function mixedSpeaker(id: string, { model, all, param }: Wanted): CatalogueVoice {
  const refuse = (message: string): never => {
    throw new TtsError('voice_not_found', message, { ...(param !== undefined && { param }) });
  };
  const shares = id.split('+').map((part) => {
    const [, name = '', share = '1'] = /^([\w-]+)(?:\((.+)\))?$/.exec(part) ?? [];
    const voice = all.find((entry) => entry.voice.id === name);
    const pure = voice?.mix[0]?.style ?? name;
    if (!knownStyles().has(pure) || (voice?.mix.length ?? 1) > 1)
      refuse(`"${name}" in the mix is no voice of a single style.`);
    return { style: pure, weight: Number(share) };
  });
  if (shares.length > MAX_SHARES) refuse(`A mix has at most ${MAX_SHARES} voices.`);
  if (!shares.some(({ weight }) => weight > 0)) refuse('The shares of a mix must add up to more than 0.');
  const mix = mixOf(shares.filter(({ weight }) => weight > 0));
  const { language, models } = speechOf(mix, { all });
  if (!models.includes(model)) refuse(`${model} does not have all voices of this mix; base-tts does.`);
  const gains = gainOf(mix, { all });
  return {
    voice: {
      id,
      object: 'voice',
      display_name: 'A mix',
      language: language.slice(0, 2),
      locale: language,
      gender: genderOf(mix),
      description: 'A mix.',
      supports_instructions: false,
    },
    language,
    models,
    character: [],
    uses: [],
    mix,
    gainDb: { 'base-tts': gains['base-tts']!, 'base-tts-fast': gains['base-tts-fast']! },
    file: '',
  };
}

/** Each style once, with shares that add up to 1. */
function mixOf(shares: readonly StyleShare[]): StyleShare[] {
  const total = shares.reduce((sum, { weight }) => sum + weight, 0);
  const styles = new Map<string, number>();
  for (const { style, weight } of shares) styles.set(style, (styles.get(style) ?? 0) + weight / total);
  return [...styles].map(([style, weight]) => ({ style, weight }));
}

const pureOf = (style: string, { all }: Voices): CatalogueVoice | undefined =>
  all.find((entry) => entry.mix.length === 1 && entry.mix[0]!.style === style);

/** The language that most of it speaks, and the models that have all of it. */
function speechOf(
  mix: readonly StyleShare[],
  catalogue: Voices,
): { readonly language: Language; readonly models: BaseModel[] } {
  const shares = new Map<Language, number>();
  for (const { style, weight } of mix) {
    const { language = DEFAULT_LANGUAGE } = pureOf(style, catalogue) ?? {};
    shares.set(language, (shares.get(language) ?? 0) + weight);
  }
  const [language] = [...shares].sort((a, b) => b[1] - a[1])[0]!;
  const models = BASE_MODELS.filter((model) =>
    mix.every(({ style }) => (pureOf(style, catalogue)?.models ?? BASE_MODELS).includes(model)),
  );
  return { language, models };
}

/** A style, or a voice of the catalogue that has a single style. */
function shareOf(part: string, { all }: Voices): StyleShare {
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
function gainOf(mix: readonly StyleShare[], catalogue: Voices): VoiceFile['gain_db'] {
  const gain = (model: BaseModel): number => {
    const each = mix.map(({ style, weight }) => weight * (pureOf(style, catalogue)?.gainDb[model] ?? 0));
    return Math.round(each.reduce((sum, share) => sum + share, 0) * 10) / 10;
  };
  return { 'base-tts': gain('base-tts'), 'base-tts-fast': gain('base-tts-fast') };
}

/** Checks a voice file that came in a request. Throws `invalid_value` with the field. */
export function parseVoiceFile(data: unknown): CatalogueVoice {
  try {
    return parseVoice(data, { file: 'of this request', at: '', styles: knownStyles() });
  } catch (error) {
    if (!(error instanceof TtsError)) throw error;
    const message = error.message.replace('The voice file of this request: f', 'F');
    throw new TtsError('invalid_value', message, { ...(error.param !== null && { param: error.param }) });
  }
}
