/** Who may write text while it is spoken: Partner keys with Partner models, at every door. */
import type { KeyRecord } from '../../accounts/types.js';
import { parseModel, type SpeechModel } from '../../protocol/contract.js';
import { TtsError } from '../../protocol/errors.js';
import { BASE_MODELS, type BaseModel } from '../../protocol/job.js';

/** Throws `early_access_required`; `instead` is the door's own way for Free access. */
export function checkPartner({ tier }: KeyRecord, instead: string): void {
  if (tier === 'partner') return;
  const message = 'The WebSocket speaks with Partner models, which need a Partner key. A Free key like this one';
  throw new TtsError('early_access_required', `${message} uses a ":free" model over ${instead}.`);
}

/** The model that speaks. Throws `model_not_found` where it is a Free one. */
export function partnerModel(model: SpeechModel, instead: string): BaseModel {
  const { base, free } = parseModel(model);
  if (!free) return base;
  const message = `The WebSocket speaks with Partner models: "model_id" must be one of ${BASE_MODELS.join(', ')}`;
  throw new TtsError('model_not_found', `${message}. ${model} is for ${instead}.`, { param: 'model_id' });
}
