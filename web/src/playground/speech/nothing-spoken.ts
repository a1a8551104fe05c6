/** The error of a run that made no sound, in the words of the command line. */
import { nothingSpokenInWords } from '../../../../src/protocol/errors.js';
import { MAX_EXPLAINED_CHARS } from '../../../../src/protocol/pages.js';
import type { ExplainResponse } from '../../../../src/protocol/playground/playground.js';
import { ApiError, call } from '../../shared/api.js';
import type { RunOptions } from './run.js';

export async function nothingSpoken(text: string, { voice, key }: RunOptions): Promise<ApiError> {
  const { unspokenInWords } = await import('../../../../src/text/unspoken.js');
  const body = { text: [...text].slice(0, MAX_EXPLAINED_CHARS).join(''), voice };
  const skipped = await call<ExplainResponse>('/playground/explain', { body, key }).then(
    (explained) => explained.skipped,
    () => ({}),
  );
  const message = `${nothingSpokenInWords(unspokenInWords(skipped))} “How is this read?” shows more.`;
  return new ApiError(0, 'empty_input', message, undefined);
}
