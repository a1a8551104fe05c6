/** Kokoro: a segment's tokens through the model's graphs to samples and times. */
import { TtsError } from '../protocol/errors.js';
import type { Engine } from './engine.js';
import type { KokoroOptions } from './kokoro-options.js';

export type EngineLog = (level: 'info' | 'warn' | 'debug', message: string, fields?: object) => void;

export async function createKokoroEngine(_options: KokoroOptions & { readonly log: EngineLog }): Promise<Engine> {
  throw new TtsError('model_missing', 'The engine cannot load a model yet.');
}
