/** The body of a speech request, past validation: every field has its value, and the text is what will be spoken. */

import { DEFAULT_VOICE, MAX_INPUT_CHARS, parseModel, type SpeechModel } from '../../protocol/contract.js';
import { TtsError } from '../../protocol/errors.js';
import { SpeechRequest } from '../../protocol/http.js';
import type { BaseModel } from '../../protocol/job.js';
import type { ServerDeps } from '../deps.js';

export interface SpokenRequest {
  readonly model: SpeechModel;
  readonly base: BaseModel;
  readonly voice: string;
  readonly text: string;
  readonly chars: number;
  readonly stream: boolean;
  readonly format: 'wav' | 'pcm';
}

/** The fields that mean something here. */
export const KNOWN_FIELDS: ReadonlySet<string> = new Set(Object.keys(SpeechRequest.properties));

export function parseSpeechRequest(body: SpeechRequest, catalogue: ServerDeps['catalogue']): SpokenRequest {
  const { model, voice = DEFAULT_VOICE, stream = false, response_format: format = 'wav' } = body;
  const { base } = parseModel(model);
  const text = body.input.trim();
  // Cheaper than counting where the answer is clear: a code point is at most two units.
  const chars = text.length > MAX_INPUT_CHARS * 2 ? text.length : [...text].length;
  if (chars === 0) {
    throw new TtsError('empty_input', 'The field "input" holds nothing but white space.', { param: 'input' });
  }
  if (chars > MAX_INPUT_CHARS) {
    throw new TtsError(
      'input_too_long',
      `The field "input" is longer than ${MAX_INPUT_CHARS} characters. Split it at sentences into several requests.`,
      { param: 'input' },
    );
  }
  catalogue.get(base, voice);
  return { model, base, voice, text, chars, stream, format };
}
