/** Text on its way to the WebSocket: what may be sent, and that nothing of it is lost. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText, TextFeed } from '../../src/client/text-feed.js';

const piecesOf = (parts: readonly string[], flushOnNewline = false) => {
  const feed = new TextFeed(flushOnNewline);
  return parts.flatMap((part) => [...feed.push(part)]);
};

describe('the text feed', () => {
  it('joins a lone space to the piece that follows it', () => {
    expect(piecesOf(['Hello', ' ', 'world', ' ', ' ']).map(({ text }) => text)).toEqual(['Hello', ' world', '  ']);
  });

  it('keeps back a lone space at the end, which would be a keepalive', () => {
    expect(piecesOf(['Hello.', ' '])).toEqual([{ text: 'Hello.', flush: false }]);
  });

  it('flushes at every end of a line where that is asked for', () => {
    expect(piecesOf(['one\ntwo', '\nthree'], true)).toEqual([
      { text: 'one\n', flush: true },
      { text: 'two', flush: false },
      { text: '\n', flush: true },
      { text: 'three', flush: false },
    ]);
  });

  it('sends everything but a last lone space, never a lone space, never nothing, never half a character', () => {
    const part = fc.oneof(fc.constantFrom(' ', '', '\n', 'word', '😀', ' 😀'), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(fc.array(part), fc.boolean(), fc.integer({ min: 0, max: 9_000 }), (parts, lines, padding) => {
        const texts = [...parts, 'x'.repeat(padding), ' ', '😀'.repeat(padding)];
        const pieces = piecesOf(texts, lines);
        for (const { text } of pieces) {
          expect(text).not.toBe('');
          expect(text).not.toBe(' ');
          expect(text.length).toBeLessThanOrEqual(4_000);
        }
        const sent = pieces.map(({ text }) => text).join('');
        expect([sent, `${sent} `]).toContain(texts.join(''));
        for (const { text } of pieces)
          expect(/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(text) && parts.length === 0).toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});

describe('decoding', () => {
  it('puts characters back together wherever the bytes were cut', async () => {
    const text = 'Grüße, 世界 😀!';
    const bytes = Buffer.from(text);
    const cut = async function* () {
      for (const byte of bytes) yield Buffer.from([byte]);
    };
    let decoded = '';
    for await (const part of decodeText(cut())) {
      expect(part).not.toBe('');
      decoded += part;
    }
    expect(decoded).toBe(text);
  });
});
