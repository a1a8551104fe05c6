/** Names of voices and models as people type them: Kokoro's ids, and suggestions for mistakes. */
import type { ServerAddress } from '../client/address.js';
import type { Sources } from '../config.js';
import { SPEECH_MODELS, type SpeechModel } from '../protocol/contract.js';
import { TtsError } from '../protocol/errors.js';
import { BASE_MODELS, type BaseModel } from '../protocol/job.js';
import { didYouMean } from '../protocol/suggestion.js';
import { ownCatalogue } from './own-voices.js';

const modelNotFound = (name: string, there: readonly string[]): TtsError =>
  new TtsError(
    'model_not_found',
    `There is no model "${name}".${didYouMean(name, there)} There are: ${there.join(', ')}.`,
  );

/** An empty string means that no model was asked for. */
export function checkModel(name: string): SpeechModel | undefined {
  const known = SPEECH_MODELS.find((model) => model === name);
  if (known || name === '') return known;
  throw modelNotFound(name, SPEECH_MODELS);
}

/** The model on disk behind a name, with or without its access suffix. */
export function baseModel(name: string): BaseModel {
  const found = BASE_MODELS.find((model) => model === name.replace(/:free$/, ''));
  if (found) return found;
  throw modelNotFound(name, BASE_MODELS);
}

/** Kokoro's own id of a voice: language, gender, name. */
export const KOKORO_ID = /^[a-z][fm]_[a-z]+$/;

/** The settings with the voice by its id in the catalogue, also where Kokoro's own id was given. */
export async function withVoiceId(settings: Sources): Promise<Sources> {
  const { config } = settings;
  const voice = await voiceIdOf(config.voice, config.voicesDir);
  return voice === config.voice ? settings : { ...settings, config: { ...config, voice } };
}

/** Servers know the ids of the catalogue alone; any other name is returned as it is. */
export async function voiceIdOf(name: string, voicesDir: string): Promise<string> {
  if (!KOKORO_ID.test(name)) return name;
  const [{ voiceOfStyle }, { all }] = await Promise.all([
    import('../models/catalogue.js'),
    ownCatalogue({ voicesDir }),
  ]);
  if (all.some(({ voice }) => voice.id === name)) return name;
  return voiceOfStyle(all, name)?.voice.id ?? name;
}

/** A voice that is not there, with the one that was probably meant. */
export const noSuchVoice = (name: string, ids: readonly string[]): TtsError =>
  new TtsError(
    'voice_not_found',
    `There is no voice "${name}".${didYouMean(name, ids)} tts voices lists all ${ids.length}.`,
    { param: 'voice' },
  );

const onlyStandard = (model: SpeechModel, voice: string): TtsError =>
  new TtsError('voice_not_found', `${model} does not have the voice ${voice}; base-tts does. Leave -m ${model} out.`, {
    param: 'voice',
  });

/** A server's error about a voice as this command says it; any other error is returned as it is. */
export async function withVoiceSuggestion(
  error: unknown,
  { voice, model, address }: { readonly voice: string; readonly model: SpeechModel; readonly address: ServerAddress },
  signal: AbortSignal,
): Promise<unknown> {
  if (!(error instanceof TtsError) || error.code !== 'voice_not_found') return error;
  const { createHttpClient } = await import('../client/http.js');
  const client = createHttpClient(address);
  try {
    const idsOf = async (name: SpeechModel) => (await client.voices(name, signal)).data.map(({ id }) => id);
    const ids = await idsOf(model);
    if (ids.includes(voice)) return error;
    const all = model.startsWith('base-tts-fast') ? await idsOf('base-tts') : ids;
    return all.includes(voice) ? onlyStandard(model, voice) : noSuchVoice(voice, all);
  } catch {
    return error;
  } finally {
    client.close();
  }
}
