/** The one answer to a voice that is not there, wherever it was named. */
import { TtsError } from '../../protocol/errors.js';
import type { BaseModel } from '../../protocol/job.js';
import type { ServerDeps } from '../deps.js';

export function requireVoice(catalogue: ServerDeps['catalogue'], model: BaseModel, voice: string, param: string): void {
  if (catalogue.find(model, voice) !== undefined) return;
  const ids = catalogue.voices(model).map(({ id }) => id);
  throw new TtsError('voice_not_found', `There is no such voice. There are: ${ids.join(', ')}.`, { param });
}
