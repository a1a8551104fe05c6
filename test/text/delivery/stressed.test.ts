/** Words that plain text asks to stress. */
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { createReader } from '../../../src/text/reader.js';
import { Segmenter, segmentText } from '../../../src/text/segment/segment.js';
import type { Reader } from '../../../src/text/types.js';
import { segmentOf } from '../../../testkit/speech.js';

let reader: Reader;
beforeAll(async () => {
  reader = await createReader();
});

const stressed = (text: string) =>
  reader.read(segmentOf(text)).stressed.map(({ start, end }) => [...text].slice(start, end).join(''));

const CASES: readonly (readonly [string, ...string[]])[] = [
  ['I am *so* tired.', '*so*'],
  ['This is **very** important.', '**very**'],
  ['It was *the other one*, not this.', '*the other one*'],
  ['😀 I said *now*!', '*now*'],
  ['Not *you*. And not *him*.', '*you*', '*him*'],
  ['I did NOT say that.', 'NOT'],
  ["We DON'T sell it here.", "DON'T"],
  ['You must NEVER do that again, EVER.', 'NEVER'],
  ['NASA did NOT launch it.', 'NOT'],
  ['She told me. But it was HER idea, not mine.', 'HER'],
  // A headline, a sign, a label, an acronym, a row of capitals.
  ['THIS IS NOT A TEST.'],
  ['NOT NOW'],
  ['The sign said DO NOT ENTER in red letters.'],
  ['STOP: the road is closed.'],
  ['The US and the WHO met in May.'],
  ['Our IT team uses SQL and JSON.'],
  ['ALL of it, EVERY bit, and NOTHING else will do.'],
  ['I saw it.'],
  // Products, lists, footnotes, codes, what is all emphasis, and a label.
  ['The area is 2*3*4 metres.'],
  ['* one\n* two\n* three'],
  ['a*b*c is a product.'],
  ['It costs five pounds* and *no more.'],
  ['*All of this is stage direction.*'],
  ['**Note:** the door is open.'],
  ['Dial *67* or *#06# now.'],
  ['The books *A*, *B*, *C* and *D* are here.'],
  ['It was *a very long stretch of words that nobody would say with emphasis*, really.'],
];
for (const [text, ...wanted] of CASES) it(text, () => expect(stressed(text)).toEqual(wanted));

it('says the same words as without asterisks', () => {
  const [plain, marked] = [reader.read(segmentOf('I am so tired.')), reader.read(segmentOf('I am *so* tired.'))];
  expect(marked.phonemes).toBe(plain.phonemes);
});

it('stresses in other languages between asterisks alone', async () => {
  const spanish = await createReader({ language: 'es-ES' });
  const of = (text: string) => spanish.read(segmentOf(text)).stressed.length;
  expect(of('Estoy *muy* cansado.')).toBe(1);
  expect(of('Estoy NO cansado del todo.')).toBe(0);
});

it('is the same however the text was cut into messages', () => {
  const countTokens = (text: string) => text.length;
  const FRAGMENTS = ['*so*', 'NOT', ' I am ', 'tired', '. ', '*', '**', ', ', '\n', '😀', 'Is it you? ', 'What is '];
  const document = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 40 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(document, fc.integer({ min: 1, max: 7 }), (text, size) => {
      const segmenter = new Segmenter({ countTokens });
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
        text.slice(i * size, (i + 1) * size),
      );
      const inPieces = [...pieces.flatMap((piece) => segmenter.push(piece)), ...segmenter.end()];
      expect(inPieces).toEqual(segmentText(text, { countTokens }));
    }),
    { numRuns: 200 },
  );
});
