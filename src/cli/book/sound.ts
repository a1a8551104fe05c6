/** What decides how a sentence sounds besides its text: facts that go into its name. */
import type { Config } from '../../config.js';
import type { SpeechModel } from '../../protocol/contract.js';
import type { DeliveryStyle } from '../../protocol/delivery/delivery.js';
import type { Connection } from '../connection.js';
import { ownCatalogue } from '../own-voices.js';
import { packageVersion } from '../version.js';

export interface SoundOptions {
  readonly config: Config;
  readonly connection: Connection;
  readonly model: SpeechModel;
  readonly voice: string;
  readonly speed: number;
  readonly style: DeliveryStyle;
}

/**
 * Of another machine only its address is known: when its voices change, `tts book --clean` forgets
 * what it made.
 */
export async function soundOf(options: SoundOptions): Promise<readonly unknown[]> {
  const { config, connection, model, voice, speed, style } = options;
  const asked = [model, voice, speed, style];
  if (connection.kind === 'remote') return [...asked, connection.baseUrl];
  const { textVersion } = await import('../../text/text-version.js');
  const { dictionaryDigests } = await import('../../models/language-packs.js');
  const { engine } = connection;
  const lexicon = engine === undefined ? config.lexicon : String(engine.lexicon ?? '');
  const voicesDir = engine === undefined ? config.voicesDir : String(engine.voicesDir ?? '');
  const found = (await ownCatalogue({ voicesDir })).all.find((entry) => entry.voice.id === voice);
  const { mix, gainDb, language } = found ?? {};
  return [...asked, packageVersion(), config.engine, textVersion(lexicon, dictionaryDigests()), mix, gainDb, language];
}
