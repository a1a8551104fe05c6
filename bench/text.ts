/**
 * A megabyte of anything through the normaliser: milliseconds, and how many times as long as a quarter of it took (4 is
 * linear).
 *
 *   npm run bench -- text [--piece "1/"]
 */
import { parseArgs } from 'node:util';
import { normalize } from '../src/text/normalize.js';

const MEGABYTE = 1 << 20;
const PROSE =
  "On Jan. 5, 2024, Dr. Smith paid $5.50 for 3 kg of apples at 5:30 p.m. He said, \"It's the HTML API's 21st version, " +
  'v1.2.3; see https://example.com/a?b=c." Nobody answered him, and the evening went on as evenings do. ';
const PIECES = [
  '1',
  '[[[[[(((((',
  '"',
  "'",
  '😀',
  'a',
  ' ',
  '1.',
  'a@',
  '$',
  '#',
  'http://',
  'I',
  '1/',
  '-',
  '*',
  '\n',
  '1 ',
  '- a\n',
];

const repeated = (piece: string, units: number) => piece.repeat(Math.ceil(units / piece.length)).slice(0, units);

function randomBytes(units: number): string {
  let seed = 7;
  const bytes = Buffer.alloc(units);
  for (let i = 0; i < units; i++) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    bytes[i] = seed >>> 23;
  }
  return bytes.toString('utf8');
}

function milliseconds(text: string): number {
  const startMs = performance.now();
  normalize(text);
  return performance.now() - startMs;
}

function report(name: string, make: (units: number) => string): void {
  const quarter = Math.min(milliseconds(make(MEGABYTE / 4)), milliseconds(make(MEGABYTE / 4)));
  const whole = Math.min(milliseconds(make(MEGABYTE)), milliseconds(make(MEGABYTE)));
  console.log(`${name.padEnd(16)} ${whole.toFixed(0).padStart(6)} ms/MB  × ${(whole / quarter).toFixed(1)}`);
}

export function main(args: string[]): void {
  const { values } = parseArgs({ args, options: { piece: { type: 'string' } } });
  normalize(repeated(PROSE, 100_000));
  if (values.piece !== undefined) {
    const { piece } = values;
    report(JSON.stringify(piece), (units) => repeated(piece, units));
    return;
  }
  report('prose', (units) => repeated(PROSE, units));
  report('random bytes', randomBytes);
  for (const piece of PIECES) report(JSON.stringify(piece), (units) => repeated(piece, units));
}
