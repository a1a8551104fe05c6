/** The body of a speech request, past validation: every field has its value, and the text is what will be spoken. */

import { DEFAULT_VOICE, MAX_INPUT_CHARS, parseModel, type SpeechModel } from '../../../protocol/contract.js';
import { TtsError } from '../../../protocol/errors.js';
import { SpeechRequest } from '../../../protocol/http.js';
import type { BaseModel } from '../../../protocol/job.js';
import type { ServerDeps } from '../../deps.js';
import { type SpokenInput, spokenInput } from '../../speech/spoken-input.js';

export interface SpokenRequest {
  readonly model: SpeechModel;
  readonly base: BaseModel;
  readonly voice: string;
  readonly input: SpokenInput;
  readonly stream: boolean;
  readonly format: 'wav' | 'pcm';
}

/** The fields that mean something here. */
export const KNOWN_FIELDS: ReadonlySet<string> = new Set(Object.keys(SpeechRequest.properties));

export function parseSpeechRequest(body: SpeechRequest, catalogue: ServerDeps['catalogue']): SpokenRequest {
  const { model, voice = DEFAULT_VOICE, stream = false, response_format: format = 'wav', language = 'auto' } = body;
  const { base } = parseModel(model);
  const input = spokenInput(body.input, 'input', MAX_INPUT_CHARS);
  const spoken = catalogue.get(base, voice).voice.language;
  if (language !== 'auto' && language !== spoken) {
    throw new TtsError(
      'invalid_value',
      `The field "language" must be one of auto, ${spoken}: the voice ${voice} speaks no other.`,
      { param: 'language' },
    );
  }
  return { model, base, voice, input, stream, format };
}
