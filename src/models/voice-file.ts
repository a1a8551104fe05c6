/** Parses the description of a voice, in the catalogue or in a voice file of the operator. */
import { TtsError } from '../protocol/errors.js';
import type { Voice } from '../protocol/http.js';
import { BASE_MODELS, type BaseModel, LANGUAGES, type Language, type StyleShare } from '../protocol/job.js';
import { VOICE_USES, type VoiceUse } from '../protocol/playground/voice-words.js';

export interface CatalogueVoice {
  readonly voice: Voice;
  readonly models: readonly BaseModel[];
  /** Language and accent; clients see `voice.language`. */
  readonly language: Language;
  /** Words for how it sounds, such as "warm"; the first says most. */
  readonly character: readonly string[];
  /** What it suits, such as "narration". */
  readonly uses: readonly VoiceUse[];
  /** The styles the voice is made of. */
  readonly mix: readonly StyleShare[];
  /** Gain for each model that makes all voices equally loud. */
  readonly gainDb: Readonly<Record<BaseModel, number>>;
  /** The file that describes it. */
  readonly file: string;
}

interface Place {
  readonly file: string;
  /** Path of the description in the file ("voices[1]."); empty where it is the whole file. */
  readonly at: string;
  /** The styles that a voice may be made of. */
  readonly styles: ReadonlySet<string>;
}

const FIELDS = [
  'id',
  'display_name',
  'language',
  'gender',
  'description',
  'character',
  'uses',
  'supports_instructions',
  'preview_url',
  'style',
  'gain_db',
  'models',
];
/** A larger gain is taken for a mistake. */
const MAX_GAIN_DB = 20;
const GENDERS: readonly string[] = ['female', 'male', 'neutral'];

export function parseVoice(data: unknown, { file, at, styles }: Place): CatalogueVoice {
  const fail = (field: string, what: string): never => {
    throw new TtsError('catalogue_invalid', `The voice file ${file}: field "${at}${field}" ${what}.`, { param: field });
  };
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new TtsError('catalogue_invalid', `The voice file ${file} must hold one JSON object that describes a voice.`);
  }
  const fields = data as Record<string, unknown>;
  for (const field of Object.keys(fields)) {
    if (!FIELDS.includes(field)) fail(field, `is unknown; the fields are ${FIELDS.join(', ')}`);
  }
  const text = (field: string, maxChars: number): string => {
    const value = fields[field];
    if (value === undefined) return fail(field, 'is missing');
    if (typeof value !== 'string' || value.trim() === '' || value.length > maxChars) {
      return fail(field, `must be a text of 1 to ${maxChars} characters`);
    }
    return value;
  };

  const id = text('id', 64);
  if (!/^[a-z0-9][a-z0-9_-]*$/.test(id)) {
    fail('id', 'must be made of a-z, 0-9, "_" and "-", and begin with a letter or digit');
  }
  const gender = text('gender', 10);
  if (!GENDERS.includes(gender)) fail('gender', `must be one of ${GENDERS.join(', ')}`);
  if (fields.supports_instructions !== undefined && fields.supports_instructions !== false) {
    fail('supports_instructions', 'must be false: no model here follows instructions');
  }
  const preview = fields.preview_url === undefined ? undefined : text('preview_url', 2_000);
  if (preview !== undefined && !isHttps(preview)) fail('preview_url', 'must be an https address');

  const mix = parseStyle(fields.style, styles, fail);
  const tag = text('language', 35);
  const language =
    languageOf(tag, mix) ?? fail('language', `must be one of ${[...SHORT_TAGS, ...LANGUAGES].join(', ')}`);
  const voice: Voice = {
    id,
    object: 'voice',
    display_name: text('display_name', 100),
    language: language.slice(0, 2),
    locale: language,
    gender: gender as Voice['gender'],
    description: text('description', 500),
    supports_instructions: false,
    ...(preview === undefined ? {} : { preview_url: preview }),
  };
  return {
    voice,
    language,
    models: parseModels(fields.models, fail),
    character: parseWords(fields.character, 'character', fail),
    uses: parseUses(fields.uses, fail),
    mix,
    gainDb: parseGain(fields.gain_db, fail),
    file,
  };
}

/** Languages without their region. */
const SHORT_TAGS = [...new Set(LANGUAGES.map((language) => language.slice(0, 2)))];

/** A language alone is its first locale; `en` alone is British where most of the mix is. */
function languageOf(tag: string, mix: readonly StyleShare[]): Language | undefined {
  if (tag !== 'en') return LANGUAGES.find((language) => language === tag || language.slice(0, 2) === tag);
  const british = mix.reduce((sum, { style, weight }) => sum + (style.startsWith('b') ? weight : 0), 0);
  return british > 0.5 ? 'en-GB' : 'en-US';
}

type Fail = (field: string, what: string) => never;

function isHttps(address: string): boolean {
  return URL.canParse(address) && new URL(address).protocol === 'https:';
}

function parseModels(models: unknown, fail: Fail): readonly BaseModel[] {
  if (models === undefined) return BASE_MODELS;
  const known: readonly unknown[] = BASE_MODELS;
  if (!Array.isArray(models) || models.length === 0 || !models.every((model) => known.includes(model))) {
    return fail('models', `must list one or more of ${BASE_MODELS.join(', ')}`);
  }
  return BASE_MODELS.filter((model) => models.includes(model));
}

/** Most words of a list, and most characters of a word. */
const MAX_WORDS = 8;
const MAX_WORD_CHARS = 24;

function parseWords(words: unknown, field: string, fail: Fail): readonly string[] {
  const isWord = (word: unknown) => typeof word === 'string' && word.trim() !== '' && word.length <= MAX_WORD_CHARS;
  if (words === undefined) return [];
  if (Array.isArray(words) && words.length <= MAX_WORDS && words.every(isWord)) return words as string[];
  return fail(field, `must list at most ${MAX_WORDS} words of at most ${MAX_WORD_CHARS} characters`);
}

function parseUses(uses: unknown, fail: Fail): readonly VoiceUse[] {
  const named = parseWords(uses, 'uses', fail);
  const known: readonly string[] = VOICE_USES;
  if (named.every((use) => known.includes(use))) return named as VoiceUse[];
  return fail('uses', `must list some of ${VOICE_USES.join(', ')}`);
}

/** One number for both models, or one for each. */
function parseGain(gain: unknown, fail: Fail): Readonly<Record<BaseModel, number>> {
  const isGain = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) <= MAX_GAIN_DB;
  if (gain === undefined) return { 'base-tts': 0, 'base-tts-fast': 0 };
  if (isGain(gain)) return { 'base-tts': gain, 'base-tts-fast': gain };
  const known: readonly string[] = BASE_MODELS;
  if (typeof gain === 'object' && gain !== null) {
    const each = Object.entries(gain);
    if (each.every(([model, value]) => known.includes(model) && isGain(value))) {
      return { 'base-tts': 0, 'base-tts-fast': 0, ...gain };
    }
  }
  return fail(
    'gain_db',
    `must be a number of decibels between -${MAX_GAIN_DB} and ${MAX_GAIN_DB}, or one for each model`,
  );
}

/** A style's name, or names with weights: {"a": 2, "b": 1} is two thirds of a, one third of b. */
function parseStyle(style: unknown, styles: ReadonlySet<string>, fail: Fail): readonly StyleShare[] {
  if (style === undefined) return fail('style', 'is missing: name a style, or several with weights');
  if (typeof style === 'string') {
    if (!styles.has(style)) return fail('style', `names "${style}", which is none of ${[...styles].join(', ')}`);
    return [{ style, weight: 1 }];
  }
  if (typeof style !== 'object' || style === null || Array.isArray(style) || Object.keys(style).length === 0) {
    return fail(
      'style',
      'must be a style name, or an object of style names and weights such as {"af_heart": 0.7, "bf_emma": 0.3}',
    );
  }
  const shares = Object.entries(style as Record<string, unknown>);
  let total = 0;
  for (const [name, weight] of shares) {
    if (!styles.has(name)) fail(`style.${name}`, `is no known style; there are ${[...styles].join(', ')}`);
    if (typeof weight !== 'number' || !Number.isFinite(weight) || weight <= 0) {
      return fail(`style.${name}`, 'must be a weight above 0');
    }
    total += weight;
  }
  return shares.map(([name, weight]) => ({ style: name, weight: (weight as number) / total }));
}
