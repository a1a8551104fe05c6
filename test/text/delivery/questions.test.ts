/** What kind of question a sentence is, by its words. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createReader } from '../../../src/text/reader.js';
import { segmentText } from '../../../src/text/segment/segment.js';
import type { Question, Reader } from '../../../src/text/types.js';
import { segmentOf } from '../../../testkit/speech.js';
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

it('says where the mark and the "or" stand, in sentences that follow one another', () => {
  const { questions } = reader.read(segmentOf('Who? You? Tea or coffee? Yes. Is it 5 or 6?!'));
  expect(questions).toEqual([{ at: 8 }, { at: 23, or: 14 }, { at: 42, or: 38 }]);
});

it('says nothing of statements and of what has no words', () => {
  for (const text of ['He is here.', 'Whether or not he comes!', '?', '?!?', '', 'https://example.com/?q=1 is it.'])
    expect(reader.read(segmentOf(text)).questions, text).toEqual([]);
});

describe('a question that was cut', () => {
  const options = { countTokens: (text: string) => text.length / 2, written: true };
  const last = (text: string) => {
    const segments = segmentText(text, options);
    expect(segments.length, text).toBeGreaterThan(1);
    return melodyOf(reader.read(segments.at(-1)!).questions[0]);
  };

  it('is known by its beginning in an earlier segment', () => {
    const end = 'in the middle of the night when everybody else in the house is asleep and nobody answers the door';
    expect(last(`What do you think that your brother would say to his neighbours ${end}?`)).toBe('own');
    expect(last(`Do you think that your brother would say that to his neighbours ${end}?`)).toBe('rise');
  });
});

it('leaves questions alone in languages that have no rules for them', async () => {
  const hindi = await createReader({ language: 'hi-IN' });
  expect(hindi.read(segmentOf('क्या आप आएँगे?')).questions).toEqual([]);
});
