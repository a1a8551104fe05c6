/** The query parameters of a session, past validation. */
import { excerpt, TtsError } from '../../protocol/errors.js';
import { BASE_MODELS, type BaseModel } from '../../protocol/job.js';
import { MAX_INACTIVITY_S, MAX_SEED, STREAM_DEFAULTS } from '../../protocol/stream.js';
import type { StreamParams } from '../../protocol/stream-messages.js';

export function parseParams(query: URLSearchParams): StreamParams {
  const refuse = (name: string, allowed: string): never => {
    const given = JSON.stringify(excerpt(query.get(name) ?? ''));
    throw new TtsError('invalid_value', `The parameter "${name}" must be ${allowed}, not ${given}.`, { param: name });
  };
  const whole = (name: 'seed' | 'inactivity_timeout', min: number, max: number): number => {
    const text = query.get(name);
    if (text === null) return STREAM_DEFAULTS[name];
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : refuse(name, `a whole number from ${min} to ${max}`);
  };
  const truth = (name: 'auto_mode' | 'sync_alignment' | 'enable_ssml_parsing'): boolean => {
    const text = query.get(name);
    if (text === null) return STREAM_DEFAULTS[name];
    return text === 'true' || (text === 'false' ? false : refuse(name, 'true or false'));
  };
  const only = <T extends string>(name: string, value: T): T =>
    [null, value].includes(query.get(name) as T | null) ? value : refuse(name, `"${value}"`);

  const model = query.get('model_id') ?? STREAM_DEFAULTS.model_id;
  if (!BASE_MODELS.includes(model as BaseModel)) {
    throw new TtsError(
      'model_not_found',
      `The parameter "model_id" must be one of ${BASE_MODELS.join(', ')}, not ${JSON.stringify(excerpt(model))}.`,
      { param: 'model_id' },
    );
  }
  return {
    model_id: model as BaseModel,
    output_format: only('output_format', STREAM_DEFAULTS.output_format),
    language_code: query.get('language_code') ?? STREAM_DEFAULTS.language_code,
    seed: whole('seed', 0, MAX_SEED),
    inactivity_timeout: whole('inactivity_timeout', 1, MAX_INACTIVITY_S),
    auto_mode: truth('auto_mode'),
    sync_alignment: truth('sync_alignment'),
    enable_ssml_parsing: truth('enable_ssml_parsing'),
    apply_text_normalization: only('apply_text_normalization', STREAM_DEFAULTS.apply_text_normalization),
  };
}
