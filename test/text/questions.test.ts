/** What kind of question a sentence is, by its words. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createReader } from '../../src/text/reader.js';
import { segmentText } from '../../src/text/segment/segment.js';
import type { Question, Reader } from '../../src/text/types.js';
import { segmentOf } from '../../testkit/speech.js';
import { HELD_BACK, type Melody, SEEN } from './question-cases.js';

let reader: Reader;
beforeAll(async () => {
  reader = await createReader();
});

const melodyOf = (question: Question | undefined): Melody =>
  question === undefined ? 'own' : question.or === undefined ? 'rise' : 'choice';
const melody = (text: string): Melody => {
  const { questions } = reader.read(segmentOf(text));
  expect(questions.length, text).toBeLessThan(2);
  return melodyOf(questions[0]);
};
const wrong = (cases: readonly (readonly [string, Melody])[]) =>
  cases.filter(([text, wanted]) => melody(text) !== wanted).map(([text, wanted]) => `${wanted} ${text}`);

it('hears what the questions ask that its rules were made with', () => expect(wrong(SEEN)).toEqual([]));
it('hears what other questions ask', () => expect(wrong(HELD_BACK)).toEqual([]));
