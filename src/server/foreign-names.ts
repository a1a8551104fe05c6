/** What other families call models and voices, in our own names. */
import type { KeyRecord } from '../accounts/types.js';
import { type VoiceCatalogue, voiceOfStyle } from '../models/catalogue.js';
import type { CatalogueVoice } from '../models/voice-file.js';
import { isMix } from '../models/voice-mix.js';
import { DEFAULT_VOICE, parseModel, SPEECH_MODELS, type SpeechModel } from '../protocol/contract.js';
import { TtsError } from '../protocol/errors.js';
import type { BaseModel } from '../protocol/job.js';
import { speaks } from '../protocol/languages.js';
import { didYouMean } from '../protocol/suggestion.js';

/** Of a name that is not ours: the model it stands for here, or undefined. */
export type ModelAlias = (name: string) => BaseModel | undefined;

interface VoiceAlias {
  readonly name: string;
  readonly style: string;
}

/** Names of voices, each with the style nearest to it in gender, accent and character. */
export type VoiceAliases = ReadonlyMap<string, VoiceAlias>;

/** Clients write "Alloy" as well as "alloy". */
const aliasOf = (aliases: VoiceAliases, name: string): VoiceAlias | undefined =>
  aliases.get(name) ?? aliases.get(name.toLowerCase());

/**
 * A mix as it is written here. Other servers with Kokoro's voices take spaces in one, the names of
 * aliases, and a share of a single voice.
 */
function writtenMix(voice: string, aliases: VoiceAliases): string {
  if (!/[+(]/.test(voice)) return voice;
  const shares = voice.replace(/\s+/g, '').split('+');
  const parts = shares.map((part) => {
    const [, name = part, share = ''] = /^([^()]*)(\(.*\))?$/.exec(part) ?? [];
    return { name: aliasOf(aliases, name)?.style ?? name, share };
  });
  return parts.length === 1 ? parts[0]!.name : parts.map(({ name, share }) => `${name}${share}`).join('+');
}

/** Our own names stand for themselves; an alias is the model of the key's own tier. */
function speechModel(name: string, alias: ModelAlias, { tier }: Pick<KeyRecord, 'tier'>, param: string): SpeechModel {
  const own = SPEECH_MODELS.find((model) => model === name);
  if (own !== undefined) return own;
  const base = alias(name);
  if (base !== undefined) return tier === 'free' ? `${base}:free` : base;
  const meant = didYouMean(name, SPEECH_MODELS);
  throw new TtsError('model_not_found', `There is no such model.${meant} Ours are ${SPEECH_MODELS.join(', ')}.`, {
    param,
  });
}

/** The id of a voice by our id, an alias or Kokoro's own id. Throws `voice_not_found`. */
export function voiceId(
  catalogue: Pick<VoiceCatalogue, 'all' | 'get'>,
  { base, name, param }: { readonly base: BaseModel; readonly name: string; readonly param: string },
  aliases: VoiceAliases,
): string {
  const alias = aliasOf(aliases, name);
  const isOurs = catalogue.all.some(({ voice }) => voice.id === name);
  if (isOurs) return catalogue.get(base, name, param).voice.id;
  const spoken = catalogue.all.filter(({ models }) => models.includes(base));
  if (alias === undefined) {
    const kokoros = voiceOfStyle(spoken, name);
    if (kokoros) return kokoros.voice.id;
    const ids = spoken.map(({ voice }) => voice.id);
    const meant = didYouMean(name, ids);
    throw new TtsError('voice_not_found', `There is no such voice.${meant} There are: ${ids.join(', ')}.`, { param });
  }
  const nearest = spoken.find(({ mix }) => mix[0]?.style === alias.style);
  return (nearest ?? catalogue.get(base, DEFAULT_VOICE, param)).voice.id;
}

const isAlias = ({ all }: Pick<VoiceCatalogue, 'all'>, name: string, aliases: VoiceAliases): boolean =>
  aliasOf(aliases, name) !== undefined && !all.some(({ voice }) => voice.id === name);

interface Named {
  readonly model: string;
  readonly modelParam: string;
  readonly modelAlias: ModelAlias;
  readonly voice: string;
  readonly voiceParam: string;
  readonly voiceAliases: VoiceAliases;
  /**
   * The language that an alias of a voice is to speak; its own where absent. Our own voices keep
   * theirs.
   */
  readonly language?: string | undefined;
}

/**
 * The model and voice that a client of another family names. An alias of a voice stands for one of
 * the wanted language and of its gender. An alias of a model stands for the one that has the voice;
 * our own names of models stand for themselves.
 */
export function namedSpeaker(
  catalogue: Pick<VoiceCatalogue, 'all' | 'get' | 'speaker' | 'fitting'>,
  key: Pick<KeyRecord, 'tier'>,
  { model: modelName, modelParam, modelAlias, voice: written, voiceParam, voiceAliases, language }: Named,
): { readonly model: SpeechModel; readonly voice: string } {
  const name = writtenMix(written, voiceAliases);
  const model = speechModel(modelName, modelAlias, key, modelParam);
  const { base, free } = parseModel(model);
  const isOwnModel = model === modelName;
  const able = (entry: CatalogueVoice | undefined): CatalogueVoice | undefined =>
    entry && (!isOwnModel || entry.models.includes(base)) ? entry : undefined;
  if (isMix(name)) return { model, voice: catalogue.speaker(base, name, voiceParam).voice.id };
  let found = able(catalogue.all.find(({ voice }) => voice.id === name));
  if (found === undefined) {
    const id = voiceId(catalogue, { base, name, param: voiceParam }, voiceAliases);
    const near = catalogue.get(base, id);
    const wanted = language !== undefined && isAlias(catalogue, name, voiceAliases) && !speaks(near.language, language);
    found = (wanted ? able(catalogue.fitting(language, { gender: near.voice.gender })) : undefined) ?? near;
  }
  const spokenBy = found.models.includes(base) ? base : found.models[0]!;
  return { model: free ? `${spokenBy}:free` : spokenBy, voice: found.voice.id };
}
