/** The default model: the best one that this machine speaks in real time. */
import type { Config } from '../../config.js';
import type { SpeechModel } from '../../protocol/contract.js';

/** Undefined before this machine was measured, which happens once a model is fetched. */
export async function knownChoice(config: Config): Promise<SpeechModel | undefined> {
  // What another machine carries is for its operator to know; the best model is the one to ask for.
  if (config.server) return 'base-tts';
  if (config.engine === 'sine') return 'base-tts-fast';
  const { carriesLive } = await import('../../engine/measure/carries-live.js');
  const carries = await carriesLive(config.modelDir, config);
  return carries === undefined ? undefined : carries ? 'base-tts' : 'base-tts-fast';
}

/** The safe choice until then is the model that every machine carries. */
export const chooseModel = async (config: Config): Promise<SpeechModel> =>
  (await knownChoice(config)) ?? 'base-tts-fast';
