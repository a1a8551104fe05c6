/**
 * A megabyte of anything through the text front-end as built (`npm run build`), in milliseconds:
 *
 *   normalise   the whole text at once
 *   segment     the whole text cut into segments
 *   together    both
 *   as spoken   cut into segments, and then each normalised for itself: what a request costs
 *   fragments   segmented as it comes from a model that writes, a few characters at a time
 *
 * and how many times as long as a quarter of it took (4 is linear). Tokens are taken to be as many
 * as characters: counting them in earnest is the work of the pronouncing engine.
 *
 *   npm run bench -- text [--piece "1/"] [--more]
 */
import { parseArgs } from 'node:util';
import { randomBytes, repeated } from '../../testkit/long-texts.js';

type Normalizing = typeof import('../../src/text/normalize.js');
type Segmenting = typeof import('../../src/text/segment/segment.js');

let normalize: Normalizing['normalize'];
let Segmenter: Segmenting['Segmenter'];
let segmentText: Segmenting['segmentText'];

const MEGABYTE = 1 << 20;
const FRAGMENT = 5;
const PROSE =
  "On Jan. 5, 2024, Dr. Smith paid $5.50 for 3 kg of apples at 5:30 p.m. He said, \"It's the HTML API's 21st version, " +
  'v1.2.3; see https://example.com/a?b=c." Nobody answered him, and the evening went on as evenings do. ';
const PIECES = [
  ...['1', '[[[[[(((((', '"', "'", '😀', 'a', ' ', '1.', 'a@', '$', '#', 'http://', 'I', '1/', '-', '*', '\n', '1 '],
  '- a\n',
];
/** Found to be dear at one time or another. */
const MORE_PIECES = [
  ...['a.', 'a. ', 'A.', 'Dr. ', 'U.S. ', 'e.g. ', 'p. 5 ', 'Hello world. ', 'IV ', 'I ', 'a b ', 'AB ', 'THE ', 'aB'],
  ...['1,', '1:', '1-', '(1)', '$1 ', '€5 ', '1½', '5°', '5% ', 'x²', '+1 ', '%20', 'v1.', '1234567890 ', '12:30 '],
  ...['#a ', '@a ', 'x_y', 'a/b ', 'a-', 'C:\\', '~/', 'www.', 'https://example.com/a?b=c ', 'john@example.com '],
  ...['&amp;', '<', '<b>', '<break time="1s"/> hello ', '`', '|', '|a|b|\n', '# a\n', '1. a\n', '{}', '. ', '& '],
  ...['é', 'e\u0301', '\u0301', '你', '今日は。', 'я', '한글 ', '♯', '★', '•', '→', '₂', '—', '\u200d', '\ud83d'],
];

const countTokens = (text: string) => text.length;

function asSpoken(text: string): void {
  for (const { spans } of segmentText(text, { countTokens })) {
    for (const span of spans) if (span.kind === 'text') normalize(span.text);
  }
}

function inFragments(text: string): void {
  const segmenter = new Segmenter({ countTokens });
  for (let at = 0; at < text.length; at += FRAGMENT) segmenter.push(text.slice(at, at + FRAGMENT));
  segmenter.end();
}

/** The shortest of three: the others were held up. */
function milliseconds(work: (text: string) => void, text: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 3; run++) {
    const startMs = performance.now();
    work(text);
    least = Math.min(least, performance.now() - startMs);
  }
  return least;
}

function measure(text: string): number[] {
  const normalised = milliseconds(normalize, text);
  const segmented = milliseconds((each) => segmentText(each, { countTokens }), text);
  const both = normalised + segmented;
  return [normalised, segmented, both, milliseconds(asSpoken, text), milliseconds(inFragments, text)];
}

function report(name: string, make: (units: number) => string): void {
  const quarter = measure(make(MEGABYTE / 4));
  const columns = measure(make(MEGABYTE)).map(
    (ms, i) => `${ms.toFixed(0).padStart(6)}${i < 2 ? '' : ` × ${(ms / quarter[i]!).toFixed(1).padEnd(4)}`}`,
  );
  console.log(`${name.padEnd(28)}${columns.join('')}`);
}

export async function main(args: string[], built: (file: string) => Promise<unknown>): Promise<void> {
  ({ normalize } = (await built('text/normalize.js')) as Normalizing);
  ({ Segmenter, segmentText } = (await built('text/segment/segment.js')) as Segmenting);
  const { values } = parseArgs({ args, options: { piece: { type: 'string' }, more: { type: 'boolean' } } });
  for (let run = 0; run < 3; run++) asSpoken(repeated(PROSE, 100_000));
  console.log(`${'ms/MB'.padEnd(24)}normalise segment together   as spoken    fragments`);
  if (values.piece !== undefined) {
    const { piece } = values;
    report(JSON.stringify(piece), (units) => repeated(piece, units));
    return;
  }
  report('prose', (units) => repeated(PROSE, units));
  report('random bytes', randomBytes);
  const pieces = values.more ? [...PIECES, ...MORE_PIECES] : PIECES;
  for (const piece of pieces) report(JSON.stringify(piece), (units) => repeated(piece, units));
}
