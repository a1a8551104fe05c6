/** White space and characters, as every route, command and page trims and counts them. */
import { describe, expect, it } from 'vitest';
import { countChars, isBlank, isWhiteSpace, trim } from '../../src/protocol/characters.js';

describe('white space', () => {
  it("is Unicode's White_Space, in every unit there is", () => {
    for (let unit = 0; unit <= 0xffff; unit++) {
      const is = /\p{White_Space}/u.test(String.fromCharCode(unit));
      if (isWhiteSpace(unit) !== is) expect.fail(`U+${unit.toString(16)} is ${is ? '' : 'not '}white space`);
    }
    for (let point = 0x10000; point <= 0x10ffff; point++) {
      if (/\p{White_Space}/u.test(String.fromCodePoint(point))) expect.fail(`U+${point.toString(16)}`);
    }
  });

  it('is trimmed at both ends: U+0085 is, U+FEFF and U+200B are not', () => {
    expect(trim('\u0085 \n\u3000Hello there.\u2028\u00a0\t')).toBe('Hello there.');
    expect(trim('\ufeffHello\u200b')).toBe('\ufeffHello\u200b');
    expect(trim('\u0085 \u0085')).toBe('');
    expect([isBlank(''), isBlank('\u0085 \u0085'), isBlank('\ufeff'), isBlank('\u200b')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('takes time that grows with the text, wherever it stands', () => {
    const long = ' '.repeat(5_000_000);
    expect(trim(`${long}a${long}b${long}`)).toHaveLength(long.length + 2);
  });
});

describe('characters', () => {
  it('are code points; half of a pair is one', () => {
    for (const text of [
      '',
      'abc',
      '😀😀',
      'a\ud83d',
      '\ude00a',
      '\ude00\ud83d',
      '\ud83d\ud83d\ude00',
      'é',
      'e\u0301',
    ]) {
      expect(countChars(text), JSON.stringify(text)).toBe([...text].length);
    }
  });
});
