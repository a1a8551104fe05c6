/** Formulas in streams, in the places of words, in what is shown, and beside a lexicon. */
import { describe, expect, it } from 'vitest';
import { displayText } from '../../../src/text/display.js';
import { loadFrontEnd } from '../../../src/text/languages.js';
import { parseLexicon } from '../../../src/text/lexicon.js';
import { normalize } from '../../../src/text/normalize.js';
import { createReader } from '../../../src/text/reader.js';
import { Segmenter, segmentText } from '../../../src/text/segment/segment.js';

const countTokens = (text: string) => [...text].length;

describe('a formula in a stream', () => {
  const text =
    'We know that $f(x) = x^2, x > 0. Y$ and \\(a + b. C\\) hold here. Then $$\nx = 1.\n\ny$$ is not one formula. It goes on.';

  it('is cut nowhere inside, however the text comes', () => {
    const whole = segmentText(text, { countTokens }).map((segment) => segment.text);
    expect(whole[0]).toBe('We know that $f(x) = x^2, x > 0. Y$ and \\(a + b. C\\) hold here. ');
    for (const size of [1, 2, 3, 7, 20]) {
      const segmenter = new Segmenter({ countTokens });
      const pieces: string[] = [];
      for (let at = 0; at < text.length; at += size) {
        pieces.push(...segmenter.push(text.slice(at, at + size)).map((segment) => segment.text));
      }
      pieces.push(...segmenter.end().map((segment) => segment.text));
      expect(pieces, `in pieces of ${size}`).toEqual(whole);
    }
  });

  it('that is never closed holds nothing back for long', () => {
    for (const opened of ['$a + b', '\\(a + b', '$$a + b', 'at $5', 'of $x', '\\[a']) {
      const segmenter = new Segmenter({ countTokens });
      const prose = ' is what they said to us on that day. It was late. Nobody came to the door. ';
      const segments = segmenter.push(`This begins ${opened}${prose.repeat(3)}`);
      expect(segments.length, opened).toBeGreaterThan(1);
    }
    const endless = new Segmenter({ countTokens, written: true });
    expect(endless.push(`Let us see $${'x + '.repeat(600)}`).length).toBeGreaterThan(0);
  });

  it('is no formula where the dollar is money or a variable', () => {
    const money = 'It is $5 for one of them. The other was $10 on Friday. Nobody paid $HOME or $PATH.';
    expect(segmentText(money, { countTokens })).toHaveLength(3);
  });
});

describe('the words of a formula', () => {
  it('stand for the characters they are written with', async () => {
    const reader = await createReader();
    const text = 'So 𝑥 is $\\frac{a}{b}$, or $\\sqrt{2}$.';
    const spans = [{ kind: 'text' as const, text, start: 0, end: [...text].length }];
    const { words } = reader.read({ text, offset: 0, spans, pause: 'none' });
    const points = [...text];
    const written = new Map(words.map((word) => [word.text, points.slice(word.start, word.end).join('')]));
    expect(written.get('eigh')).toBe('a');
    expect(written.get('b')).toBe('b');
    expect(written.get('two')).toBe('2');
    expect(written.get('root')).toContain('\\sqrt');
    for (const { start, end } of words) expect(end).toBeGreaterThan(start);
    expect(words.map(({ start }) => start)).toEqual(words.map(({ start }) => start).sort((a, b) => a - b));
  });

  it('are shown as they are written', () => {
    const text = 'Here $x_1 + x_2$ and *this*.';
    expect(displayText(text).join('')).toBe('Here $x_1 + x_2$ and this.');
  });

  it('are none of the lexicon', async () => {
    const lexicon = parseLexicon('sin = wrongdoing\nx = ex', 'test');
    const reader = await createReader({ lexicon });
    const text = 'It is a sin, $\\sin x$.';
    const spans = [{ kind: 'text' as const, text, start: 0, end: text.length }];
    const { normalized } = reader.read({ text, offset: 0, spans, pause: 'none' });
    expect(normalized).toBe('It is a wrongdoing, sine x.');
  });
});

describe('what is deep, broken or unknown', () => {
  it.each([
    `$${'{'.repeat(90)}x${'}'.repeat(90)}$`,
    `$${'\\frac{1}{'.repeat(30)}x${'}'.repeat(30)}$`,
    '$\\frac{1}{$',
    '$\\left( x$',
    '$x^$',
    '$_$',
    '$\\begin{cases} a$',
    '$\\hat$',
    '$|x$',
    '$\\unknowncommand{x}$',
    '$\\zzz$',
  ])('is read without a backslash: %s', (text) => {
    expect(normalize(text).text).not.toMatch(/backslash|undefined/);
  });

  it('is read with no digit and no sign of markup, whatever follows a backslash', async () => {
    await loadFrontEnd('en-US');
    const signs = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));
    for (const sign of signs) {
      for (const text of [`$\\${sign}$`, `\\(a\\${sign}1\\)`, `$\\${sign}2 + x$`, `$x^\\${sign}$`]) {
        expect(normalize(text).text, text).not.toMatch(/\d| {2}|^ | $|[\n\t`*_|#@]/);
      }
    }
    expect(normalize('$a + \\0$').text).toBe(normalize('$a + 0$').text);
  });

  it('is left alone in other languages', async () => {
    await loadFrontEnd('es-ES');
    expect(normalize('La suma $a + b$ vale 5.', { language: 'es-ES' }).text).toContain('más');
  });
});
