/** Texts of any length as requests the interface takes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitIntoRequests } from '../../src/client/requests.js';
import { countChars } from '../../src/protocol/characters.js';

const split = (text: string, max?: number) => [...splitIntoRequests(text, max)].map(({ input }) => input);
const withoutSpace = (text: string) => text.replace(/\s+/gu, '');

describe('splitting into requests', () => {
  it('leaves a text that fits as it is, without the white space around it', () => {
    expect(split('  Hello there.\n')).toEqual(['Hello there.']);
    expect(split(`${'x'.repeat(2048)}  `)).toEqual(['x'.repeat(2048)]);
  });

  it('makes no request of nothing', () => {
    expect(split('')).toEqual([]);
    expect(split(' \n\t ')).toEqual([]);
  });

  it('cuts at the last sentence end that fits', () => {
    expect(split('One two three. Four five six. Seven eight nine.', 32)).toEqual([
      'One two three. Four five six.',
      'Seven eight nine.',
    ]);
  });

  it('says whether a paragraph was cut', () => {
    const text = 'One two three. Four five six. Seven eight nine.\n\nTen eleven twelve. Thirteen.';
    const whole = { continues: false, goesOn: false };
    expect([...splitIntoRequests(text, 32)].map(({ input, part }) => [input, part])).toEqual([
      ['One two three. Four five six.', { continues: false, goesOn: true }],
      ['Seven eight nine.', { continues: true, goesOn: false }],
      ['Ten eleven twelve. Thirteen.', whole],
    ]);
    expect([...splitIntoRequests('One two three.')]).toEqual([{ input: 'One two three.', part: whole }]);
  });

  it('does not take the stop of an abbreviation for the end of a sentence', () => {
    expect(split('It was all over now. Then we saw Dr. Smith again.', 40)).toEqual([
      'It was all over now.',
      'Then we saw Dr. Smith again.',
    ]);
  });

  it('falls back to a clause, then to a word, then to anywhere between characters', () => {
    expect(split('one two three four, five six seven eight', 24)[0]).toBe('one two three four,');
    expect(split('one two three four five six', 16)[0]).toBe('one two three');
    const endless = split('😀'.repeat(25), 10);
    expect(endless.join('')).toBe('😀'.repeat(25));
    for (const piece of endless) expect(piece).toMatch(/^😀{1,10}$/u);
  });

  it('fills requests: a long text needs hardly more of them than its length asks for', () => {
    const text = 'The quick brown fox jumps over the lazy dog. '.repeat(1000);
    const pieces = split(text);
    expect(pieces.length).toBeLessThanOrEqual(Math.ceil(text.length / 2048) + 1);
    for (const piece of pieces) expect(piece.endsWith('.')).toBe(true);
  });

  it('keeps every visible character in order and every piece within the limit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('A. ', 'Mr. ', '\n\n', ' ', '?! ', '😀'))),
        fc.integer({ min: 1, max: 40 }),
        (parts, max) => {
          const text = parts.join('');
          const pieces = split(text, max);
          for (const piece of pieces) {
            expect(piece.trim()).toBe(piece);
            expect(countChars(piece)).toBeGreaterThan(0);
            expect(countChars(piece)).toBeLessThanOrEqual(max);
          }
          expect(withoutSpace(pieces.join(''))).toBe(withoutSpace(text));
        },
      ),
      { numRuns: 300 },
    );
  });
});
