/** The body of a speech request, past validation: every field has its value, and the text is what will be spoken. */

import { DEFAULT_VOICE, MAX_INPUT_CHARS, parseModel, type SpeechModel } from '../../protocol/contract.js';
import { maskKeys, TtsError } from '../../protocol/errors.js';
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

const KNOWN = new Set(Object.keys(SpeechRequest.properties));
const MAX_IGNORED = 10;
const MAX_NAME_CHARS = 64;

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

function encodeName(name: string): string {
  let encoded = '';
  // A lone surrogate has no bytes to encode.
  for (const char of name.replace(/\p{Surrogate}/gu, '\u{fffd}')) {
    const next = encodeURIComponent(char);
    if (encoded.length + next.length > MAX_NAME_CHARS) break;
    encoded += next;
  }
  return encoded;
}

/** The value of `x-ignored-fields`, or undefined where every field is known. */
export function ignoredFields(body: object): string | undefined {
  const names = Object.keys(body).filter((name) => !KNOWN.has(name));
  return names.length === 0 ? undefined : names.slice(0, MAX_IGNORED).map(maskKeys).map(encodeName).join(',');
}
