/** Where sentences end, what is cut, and what each cut is called. */
import { describe, expect, it } from 'vitest';
import { Segmenter, segmentText } from '../../src/text/segment.js';
import { FIRST, LATER, PAUSES } from './segment-cases.js';

const countTokens = (text: string) => [...text].length;
const cut = (text: string, autoMode = true) =>
  segmentText(text, { countTokens, autoMode }).map((segment) => segment.text);

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
      const found = segmentText(text, { countTokens, whole: true });
      expect(found.map(({ text: part }) => part).join('')).toBe(text);
      expect(found.slice(0, -1).every(({ pause }) => pause !== 'clause')).toBe(true);
    }
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

describe('the pause after a segment', () => {
  for (const [text, pauses] of PAUSES) {
    it(`${JSON.stringify(text)} → ${pauses.join(', ')}`, () => {
      expect(segmentText(text, { countTokens }).map(({ pause }) => pause)).toEqual(pauses);
    });
  }
});
