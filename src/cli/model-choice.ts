/** The model where none was asked for: the best one, unless this machine would be too slow to speak it live. */
import type { Config } from '../config.js';
import type { SpeechModel } from '../protocol/speech.js';

export async function chooseModel(config: Config, server: 'remote' | 'local' | 'embedded'): Promise<SpeechModel> {
  // What another machine carries is for its operator to know; the best model is the one to ask for.
  if (server === 'remote') return 'base-tts';
  void config;
  return 'base-tts-fast';
}
