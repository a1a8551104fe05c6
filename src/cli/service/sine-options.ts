/** Reads `TTS_SINE_OPTIONS`: how slow or frail the tone engine is in a load test. */

import type { SineGpu, SineOptions } from '../../engine/sine.js';
import { TtsError } from '../../protocol/errors.js';

type Kinds<T> = { readonly [Name in keyof Required<T>]: 'number' | 'string' | 'object' };

/** The compiler holds both tables to the options that there are. */
const OPTIONS: Kinds<SineOptions> = {
  msPerChar: 'number',
  chunkMs: 'number',
  pace: 'number',
  delayMs: 'number',
  failOn: 'string',
  failAtOnceOn: 'string',
  crashOn: 'string',
  hangOn: 'string',
  spinOn: 'string',
  hangMs: 'number',
  card: 'object',
  loseAtRun: 'number',
  ballastBytes: 'number',
  startMs: 'number',
  startSpinMs: 'number',
  startError: 'string',
};
const CARD: Kinds<SineGpu> = {
  runMs: 'number',
  most: 'number',
  capacity: 'number',
  checkedBy: 'string',
  firstAwaits: 'number',
};

const invalid = (what: string): TtsError =>
  new TtsError('config_invalid', `TTS_SINE_OPTIONS ${what}. It takes JSON such as {"msPerChar":55,"pace":10}.`);

function check(found: unknown, kinds: Record<string, string>, where: string): void {
  if (typeof found !== 'object' || found === null || Array.isArray(found)) throw invalid(`is no object${where}`);
  for (const [name, value] of Object.entries(found)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) {
      throw invalid(`has no option "${name}"${where}; there are ${Object.keys(kinds).join(', ')}`);
    }
    if (typeof value !== kind)
      throw invalid(
        `wants ${kind === 'object' ? 'an' : 'a'} ${kind} for "${name}"${where}, not ${JSON.stringify(value)}`,
      );
    if (kind === 'number' && (value as number) < 0) throw invalid(`wants no negative number for "${name}"${where}`);
  }
}

export function readSineOptions(text: string): SineOptions {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch (error) {
    throw invalid(`is not JSON: ${(error as Error).message}`);
  }
  check(found, OPTIONS, '');
  const options = found as SineOptions;
  if (options.card !== undefined) check(options.card, CARD, ' under "card"');
  return options;
}
