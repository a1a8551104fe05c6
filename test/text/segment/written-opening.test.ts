/**
 * Where the first sentence of a writer is cut, so that it is heard while the rest is being written.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Segment } from '../../../src/protocol/job.js';
import { Segmenter, type SegmenterOptions } from '../../../src/text/segment/segment.js';

const countTokens = (text: string) => text.length;

/** Pieces of text, and flushes. */
type Step = string | null;

function cut(steps: readonly Step[], options: Partial<SegmenterOptions> = {}): Segment[] {
  const segmenter = new Segmenter({ countTokens, written: true, ...options });
  const out = steps.flatMap((step) => (step === null ? segmenter.flush() : segmenter.push(step)));
  return [...out, ...segmenter.end()];
}

const marked = (steps: readonly Step[]) => cut(steps).map(({ text }) => text);

/** How many characters are there when the first piece is. */
function charsUntilHeard(text: string): number {
  const segmenter = new Segmenter({ countTokens, written: true });
  for (let i = 0; i < text.length; i += 1) if (segmenter.push(text[i]!).length > 0) return i + 1;
  return text.length;
}

const CASES: readonly string[] = [
  // The first clause of twelve characters.
  'When the evening comes, ¦a speech service reads the news to everybody.',
  'For example, ¦the old bridge was closed.',
  'In short, nobody knew what to do about it.',
  'Unfortunately, ¦I cannot open the file.',
  'Here is the list: ¦apples, pears and plums.',
  'The old man—¦who was tired—went home.',
  'Yes, when the rain had stopped, ¦we went outside.',
  // Neither a list nor a relative clause is one.
  'We bought apples, pears, and plums at the market.',
  'The museum, which opened late, is shut.',
  // A first sentence, however short its words are.
  'Of course! ¦Here is what I found.',
  'Hello there. ¦How are you doing, dear friend of mine, on such a day as this one is?',
  'Sure! Here is what I found for you: ¦the whole list of names.',
  // No clause within sixty characters: before a word that opens a phrase, a clause's rather than
  // another.
  'A speech service that runs ¦on your own machine reads every text that you give it.',
  'The lions, tigers, bears and wolves were all asleep ¦when we came to the zoo.',
  'Photosynthesis is the process ¦by which green plants use sunlight to make their own food.',
  'Nobody in the village could remember ¦that such a thing had been seen in that place.',
  // Not behind words that go with the next one.
  'Everybody at the meeting was going to have to wait ¦for the results of the experiment.',
  // None within sixty characters: the first one behind them.
  'Extraordinarily complicated administrative responsibilities overwhelmed everybody ¦in the office last year.',
  // The rest of the sentence is cut again where it is much longer than what is heard before it.
  'For example, ¦the committee that met on Monday ¦in the old town hall could not agree on a plan for the new bridge.',
  'I think so, yes: ¦the road was closed, but we went on, ¦because nobody had told us how far it was to the town.',
  // What follows the first sentence is left whole.
  'Hello there. ¦When the evening comes, a speech service reads. ¦When it is dark, it sleeps.',
];

describe('the first sentence of a writer', () => {
  it.each(CASES)('%s', (text) => expect(marked([text.replaceAll('¦', '')]).join('¦')).toBe(text));

  it('is heard when its clause has surely ended, and no later', () => {
    expect(charsUntilHeard('When the evening comes, a speech service reads.')).toBe(
      'When the evening comes, a '.length,
    );
    // No word that could make a difference begins so.
    expect(charsUntilHeard('When the evening comes, everybody listens.')).toBe('When the evening comes, e'.length);
    expect(charsUntilHeard('Of course! Here it is.')).toBe('Of course! H'.length);
    expect(charsUntilHeard(CASES[12]!.replaceAll('¦', ''))).toBe(60);
  });

  it('does not depend on what the machine has in time', () => {
    const text = CASES[0]!.replaceAll('¦', '');
    expect(cut([text], { inTimeChars: 160 })).toEqual(cut([text]));
  });

  it('begins anew behind each flush', () => {
    const clause = 'When the evening comes, a speech service reads. ';
    expect(marked([clause, null, clause, clause, null, `  ${clause}`])).toEqual([
      'When the evening comes, ',
      'a speech service reads. ',
      'When the evening comes, ',
      'a speech service reads. ',
      clause,
      '  When the evening comes, ',
      'a speech service reads. ',
    ]);
    expect(marked(['Of course! ', null, 'Of course! Yes.'])).toEqual(['Of course! ', 'Of course! ', 'Yes.']);
  });

  it('goes on without a rest where no mark ends a piece, which knows the words ahead', () => {
    const [first, second] = cut([CASES[12]!.replaceAll('¦', '')]);
    expect(first).toMatchObject({ pause: 'joined', ahead: 'on your own machine reads every' });
    expect(second).toMatchObject({ pause: 'sentence', follows: 'joined', before: 'A speech service that runs ' });
    expect(cut([CASES[0]!.replaceAll('¦', '')])[1]).toMatchObject({ follows: 'clause' });
    // Of a phrase beyond reach, its first word is all that is always there.
    expect(cut([CASES[17]!.replaceAll('¦', '')])[0]).toMatchObject({ pause: 'joined', ahead: 'in' });
  });

  it('follows nothing behind a flush, a silence, another voice or the end of a sentence', () => {
    const clause = 'When the evening comes, ';
    const follows = (steps: readonly Step[], ssml = false) => cut(steps, { ssml }).map((segment) => segment.follows);
    expect(follows([clause, null, 'a speech service reads.'])).toEqual([undefined, undefined]);
    expect(follows(['Hello there. How are you today?'])).toEqual([undefined, undefined]);
    expect(follows([`<speak>${clause}<break time="1s"/>we sleep.</speak>`], true)).toEqual([undefined, undefined]);
    expect(follows([`<speak>${clause}<voice name="b">we sleep.</voice></speak>`], true)).toEqual([
      undefined,
      undefined,
    ]);
    expect(follows([`<speak>${clause}we sleep.</speak>`], true)).toEqual([undefined, 'clause']);
  });

  it('does not count white space in front, nor markup', () => {
    const text = CASES[12]!;
    expect(marked([`\n   ${text.replaceAll('¦', '')}`]).join('¦')).toBe(`\n   ${text}`);
    const spoken = cut(['<speak>For <sub alias="x">ex</sub>, you know, it is.</speak>'], { ssml: true });
    expect(spoken[0]!.text).toBe('<speak>For <sub alias="x">ex</sub>, you know, ');
  });
});

describe('however it is cut into messages', () => {
  const sentence = fc.constantFrom(...CASES.map((text) => `${text.replaceAll('¦', '')} `));
  const word = fc.constantFrom(
    ...'the a in that because and, when to from, Dr. 3.14 which we: so; houses mountains “he e.g. \n\n — 😀 Hi! etc.'.split(
      ' ',
    ),
  );
  const words = fc.array(word, { minLength: 1, maxLength: 60 }).map((all) => `${all.join(' ')} `);
  const stretch = fc.array(fc.oneof(sentence, words), { minLength: 1, maxLength: 3 }).map((all) => all.join(''));

  /** Parts that are not empty, at the given places. */
  function parted(text: string, cuts: readonly number[]): string[] {
    const places = [...new Set(cuts.map((at) => at % text.length)), text.length].sort((a, b) => a - b);
    return places.map((at, i) => text.slice(places[i - 1] ?? 0, at)).filter((part) => part !== '');
  }

  it('a text with its flushes has the same segments', () => {
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 4 }), fc.array(fc.nat(2000), { maxLength: 40 }), (all, cuts) => {
        const whole = cut(all.flatMap((text) => [text, null]));
        expect(whole.map(({ text }) => text).join('')).toBe(all.join(''));
        expect(cut(all.flatMap((text) => [...parted(text, cuts), null]))).toEqual(whole);
        expect(cut(all.flatMap((text) => [...text.split(''), null]))).toEqual(whole);
      }),
      { numRuns: 400 },
    );
  });
});
