/** Where sentences end, what is cut, and what each cut is called. */
import { describe, expect, it } from 'vitest';
import { firstPieceChars } from '../../../src/gateway/first-piece.js';
import { Segmenter, type SegmenterOptions, segmentText } from '../../../src/text/segment/segment.js';
import { FIRST, LATER, PAUSES } from './segment-cases.js';

const countTokens = (text: string) => [...text].length;
const cut = (text: string) => segmentText(text, { countTokens }).map((segment) => segment.text);

/** Gets the first segment, which has rules of its own, out of the way. */
const OPENING = 'This is the opening sentence.\n';

describe('later segments', () => {
  for (const [group, cases] of Object.entries(LATER)) {
    describe(group, () => {
      for (const marked of cases) {
        it(JSON.stringify(marked), () => {
          const [opening, ...rest] = cut(OPENING + marked.replaceAll('¦', ''));
          expect(opening).toBe(OPENING);
          expect(rest.join('¦')).toBe(marked);
        });
      }
    });
  }

  it('are tested in more than two hundred cases', () => {
    const count = Object.values(LATER).flat().length + FIRST.length + PAUSES.length;
    expect(count).toBeGreaterThanOrEqual(200);
  });
});

describe('the first segment', () => {
  for (const marked of FIRST) {
    it(JSON.stringify(marked), () => expect(cut(marked.replaceAll('¦', '')).join('¦')).toBe(marked));
  }

  it('is a whole sentence where nobody listens before the end', () => {
    for (const marked of FIRST) {
      const text = marked.replaceAll('¦', '');
      const found = segmentText(text, { countTokens, inTimeChars: Number.POSITIVE_INFINITY });
      expect(found.map(({ text: part }) => part).join('')).toBe(text);
      expect(found.slice(0, -1).every(({ pause }) => pause !== 'clause')).toBe(true);
    }
  });

  describe('where the machine has longer pieces in time', () => {
    const text =
      'When the rain had stopped, we went outside to look around, but nobody had come as far as the old bridge, because the road was gone. It was late.';
    const first = (inTimeChars: number) => segmentText(text, { countTokens, inTimeChars })[0]!.text;

    it('ends at the last clause within them, and with the sentence where that ends within them', () => {
      expect(first(0)).toBe('When the rain had stopped, ');
      expect(first(40)).toBe('When the rain had stopped, ');
      expect(first(80)).toBe('When the rain had stopped, we went outside to look around, ');
      expect(first(120)).toBe(
        'When the rain had stopped, we went outside to look around, but nobody had come as far as the old bridge, ',
      );
      expect(first(160)).toBe(text.slice(0, text.indexOf('It was')));
    });

    it('ends at the first clause where that is beyond them', () => {
      const late = 'Nobody in the whole of the village had ever seen such a thing, and nobody wanted to see it again.';
      expect(segmentText(late, { countTokens, inTimeChars: 40 }).map((part) => part.text)).toEqual([
        'Nobody in the whole of the village had ever seen such a thing, ',
        'and nobody wanted to see it again.',
      ]);
    });

    it('ends at the same place however the text comes, and at a flush', () => {
      for (const inTimeChars of [0, 40, 80, 120, 160, 200]) {
        const whole = segmentText(text, { countTokens, inTimeChars }).map((part) => part.text);
        const segmenter = new Segmenter({ countTokens, inTimeChars });
        const pieces = [...[...text].flatMap((character) => segmenter.push(character)), ...segmenter.end()];
        expect(pieces.map((part) => part.text)).toEqual(whole);
      }
      const flushed = new Segmenter({ countTokens, inTimeChars: 60 });
      const begun = [
        ...flushed.push('When the rain had stopped, we went outside to look around it'),
        ...flushed.flush(),
      ];
      expect(begun.map((part) => part.text).join('¦')).toBe(
        'When the rain had stopped, we went outside to look around it',
      );
      const longer = new Segmenter({ countTokens, inTimeChars: 50 });
      const cut = [...longer.push('When the rain had stopped, we went outside to look around it'), ...longer.flush()];
      expect(cut.map((part) => part.text)).toEqual([
        'When the rain had stopped, ',
        'we went outside to look around it',
      ]);
    });

    it('is known to the machine in coarse steps, and not by guess', () => {
      expect(firstPieceChars(undefined)).toBe(0);
      expect(firstPieceChars(0.3)).toBe(0);
      expect(firstPieceChars(0.0096)).toBe(80);
      expect(firstPieceChars(0.004)).toBe(160);
    });
  });

  it('comes as soon as the first character of the next word is there', () => {
    const segmenter = new Segmenter({ countTokens });
    expect(segmenter.push('Hello there. ')).toEqual([]);
    expect(segmenter.push('H').map(({ text }) => text)).toEqual(['Hello there. ']);
  });

  it('comes at a blank line without waiting for the next word', () => {
    const segmenter = new Segmenter({ countTokens });
    expect(segmenter.push('Hello there\n').length).toBe(0);
    expect(segmenter.push('\n').map(({ text }) => text)).toEqual(['Hello there\n\n']);
  });
});

describe('a segment that its listener may wait for', () => {
  const awaited = (text: string, options: Partial<SegmenterOptions> = {}) =>
    segmentText(text, { countTokens, ...options }).map((segment) => segment.awaited ?? false);

  it('is the first one, and one that is long for what was said before it', () => {
    expect(awaited('Hello there.')).toEqual([true]);
    expect(awaited('Hello there. The two of them walked along the river. It was cold out there.')).toEqual([
      true,
      true,
      false,
    ]);
    expect(awaited('The two of them walked along the river. It was cold out there.')).toEqual([true, false]);
    expect(awaited('When the rain had stopped, the four of them walked back to the house.')).toEqual([true, true]);
  });

  it('is none of a text that nobody hears before it is all there', () => {
    const text = 'Hello there. The two of them walked along the river.';
    expect(awaited(text, { inTimeChars: Number.POSITIVE_INFINITY })).toEqual([false, false]);
  });

  it('comes again behind the flush of a writer', () => {
    const segmenter = new Segmenter({ countTokens, written: true });
    const said = () => [...segmenter.push('The two of them walked along the river. '), ...segmenter.flush()];
    expect(said().map((segment) => segment.awaited)).toEqual([true]);
    expect(said().map((segment) => segment.awaited)).toEqual([true]);
  });
});

describe('a sentence without a place to breathe', () => {
  it('is cut before the word that joins, not behind it', () => {
    const clause = 'the men went on over the hills and to the villages of the valley ';
    const [first] = segmentText(`Nobody knows how ${clause.repeat(12)}`, { countTokens });
    expect(first!.pause).toBe('carried');
    expect(first!.text.trimEnd()).not.toMatch(/ (?:and|or|nor|that|which)$/);
  });
});

describe('the pause after a segment', () => {
  for (const [text, pauses] of PAUSES) {
    it(`${JSON.stringify(text)} → ${pauses.join(', ')}`, () => {
      expect(segmentText(text, { countTokens }).map(({ pause }) => pause)).toEqual(pauses);
    });
  }
});
