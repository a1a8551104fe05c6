/** The voices of a model as a body of `/v1`. */
import type { VoiceCatalogue } from '../models/catalogue.js';
import { parseModel, type SpeechModel } from '../protocol/contract.js';
import type { VoiceCatalog } from '../protocol/http.js';

export const voiceCatalog = (
  catalogue: Pick<VoiceCatalogue, 'version' | 'voices'>,
  model: SpeechModel,
): VoiceCatalog => ({
  object: 'list',
  model,
  catalog_version: catalogue.version,
  data: [...catalogue.voices(parseModel(model).base)],
});
