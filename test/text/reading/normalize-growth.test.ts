/** Work grows with the length of a text and no faster, whatever the text is made of. */
import { describe, expect, it } from 'vitest';
import { normalize } from '../../../src/text/normalize.js';
import { segmentText } from '../../../src/text/segment/segment.js';
import { randomBytes, repeated } from '../../../testkit/long-texts.js';
import { countBlocks, growth, MOST_GROWTH } from '../../support/growth.js';
import '../../../src/text/languages.js';

/** More than the longest row that a pattern takes at once, which is bounded. */
const UNITS = 512;
countBlocks();

const PIECES = [
  ...['1', '[', '(', '{', '"', "'", '😀', 'a', 'A', 'I', ' ', '\n', '$', '#', '-', '*', '_', '`', '|', '\\', '.', '&'],
  ...[
    '[[[[[(((((',
    '](',
    '<',
    '<!--',
    '<a ',
    '&amp',
    '★',
    '•',
    '°',
    'é',
    'e\u0301',
    '\u0301',
    '\u200d',
    '你',
    'я',
    '½',
  ],
  ...[
    '1.',
    '1,',
    '1 ',
    '1/',
    '1:',
    '1-',
    '1 000 ',
    '5°',
    '5"',
    "5'",
    '3x',
    '3 x ',
    '1½',
    '1e',
    '0x',
    '10k',
    '+1 ',
    '555-',
  ],
  ...[
    'a@',
    'a.',
    'a. ',
    'a/',
    'a-',
    'a_',
    "a'",
    'A.',
    'A&',
    'aB',
    'a1',
    'x²',
    'H2',
    'ab:',
    '::',
    '~/',
    '/a',
    'C:\\',
    '@a',
    '#a',
  ],
  ...['http://', 'www.', 'a.b.c.com/', '(a.com/', 'v1.', 'fe80:', '1.1.1.1', 'a1b2c3d4 ', '--a '],
  ...['Dr. ', 'St. ', 'U.S.', 'IV ', 'Jan 5, ', '1 Jan ', 'May ', 'USD ', '$1-', '12:30 ', 'THE ', 'Chapter '],
  ...[
    '- a\n',
    '1. a\n',
    '> ',
    '|a|b|\n',
    '```\n',
    '---\n',
    '**a** ',
    '[a](b) ',
    '[a][b]',
    '[^1]',
    '[a',
    '\x1b[',
    '\r\n',
  ],
  ...['$x', '$x$ ', '\\(', '\\[x', '$\\frac{', '\\begin{cases}', '∫x', '√(', 'x_{1}', '$x^', '$|x', '$a/', '∀x ∈ '],
];

/** Cut into segments, each normalised for itself: how a text is spoken. */
function speak(text: string): void {
  for (const { spans } of segmentText(text, { countTokens: (part) => part.length })) {
    for (const span of spans) if (span.kind === 'text') normalize(span.text);
  }
}

describe('four times the text is about four times the work', () => {
  for (const piece of PIECES) {
    it(`for a row of ${JSON.stringify(piece)}`, () => {
      expect(growth(normalize, (units) => repeated(piece, units), UNITS)).toBeLessThan(MOST_GROWTH);
      expect(growth(speak, (units) => repeated(piece, units), UNITS)).toBeLessThan(MOST_GROWTH);
    });
  }

  it('for random bytes taken as text', () => {
    expect(growth(normalize, randomBytes, UNITS)).toBeLessThan(MOST_GROWTH);
    expect(growth(speak, randomBytes, UNITS)).toBeLessThan(MOST_GROWTH);
  });
});

describe('the count of work', () => {
  const SMALL = 32;
  const row = (piece: string) => (units: number) => repeated(piece, units);

  it('grows with the square of a text where a pattern begins anew everywhere, or tries every way', () => {
    expect(growth((text) => void /a+b/.exec(text), row('a'), SMALL)).toBeGreaterThan(MOST_GROWTH);
    expect(growth((text) => void /^(?:\d+,?)*?(?:\d,?)*x/.exec(text), row('1,'), SMALL)).toBeGreaterThan(MOST_GROWTH);
    const searches = (text: string) => [...text].forEach((_, at) => void text.indexOf('b', at));
    expect(growth(searches, row('a'), SMALL)).toBeGreaterThan(MOST_GROWTH);
  });

  it('grows with the text where one pass is enough, back references and looks behind included', () => {
    for (const pattern of [/a+b?/, /(?<=a)(a|b)\1/g, /^(?:\p{L}|[^\d\s]){2,}?$/iu, /(?<first>a)(?!b)\B.\b/gs])
      expect(
        growth((text) => void text.replace(pattern, ''), row('ab '), SMALL),
        `${pattern}`,
      ).toBeLessThan(MOST_GROWTH);
  });
});
