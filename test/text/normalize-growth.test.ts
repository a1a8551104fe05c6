/** Time grows with the length of a text and no faster, whatever the text is made of. */
import { cpuUsage } from 'node:process';
import { describe, expect, it } from 'vitest';
import { normalize } from '../../src/text/normalize.js';
import { segmentText } from '../../src/text/segment.js';
import { randomBytes, repeated } from '../support/long-texts.js';

/** Four times the text may take this many times as long; quadratic work would take sixteen. */
const MOST = 10;
const SMALL = 1 << 14;
/** Below this a measurement is nothing but noise. */
const LEAST_MS = 4;

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
];

/** Cut into segments, each normalised for itself: how a text is spoken. */
function speak(text: string): void {
  for (const { spans } of segmentText(text, { countTokens: (part) => part.length })) {
    for (const span of spans) if (span.kind === 'text') normalize(span.text);
  }
}

/** Processor time, for other work on the machine must not count. */
function milliseconds(work: (text: string) => void, text: string): number {
  const before = cpuUsage();
  work(text);
  const { user, system } = cpuUsage(before);
  return (user + system) / 1000;
}

function growth(work: (text: string) => void, make: (units: number) => string): number {
  const [small, large] = [make(SMALL), make(SMALL * 4)];
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 4 && best > MOST; run++) {
    const smallMs = Math.max(milliseconds(work, small), LEAST_MS);
    best = Math.min(best, milliseconds(work, large) / smallMs);
  }
  return best;
}

describe('four times the text takes about four times as long', () => {
  for (const piece of PIECES) {
    it(`for a row of ${JSON.stringify(piece)}`, () => {
      expect(growth(normalize, (units) => repeated(piece, units))).toBeLessThan(MOST);
      expect(growth(speak, (units) => repeated(piece, units))).toBeLessThan(MOST);
    });
  }

  it('for random bytes taken as text', () => {
    expect(growth(normalize, randomBytes)).toBeLessThan(MOST);
    expect(growth(speak, randomBytes)).toBeLessThan(MOST);
  });
});
