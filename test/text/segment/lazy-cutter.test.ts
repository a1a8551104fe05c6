/** A text is cut alike whether its reader is there from the start or loaded when it is needed. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LocalCutter } from '../../../src/text/segment/cutter.js';
import { LazyCutter } from '../../../src/text/segment/lazy-cutter.js';
import type { TextPiece } from '../../../src/text/thread/text-messages.js';

const countTokens = (text: string) => 2 * text.length;

async function lazily(pieces: readonly TextPiece[], options = {}) {
  let loaded = 0;
  const cutter = new LazyCutter(options, async () => {
    loaded += 1;
    return new LocalCutter({ ...options, countTokens });
  });
  const segments = [];
  for (const piece of pieces) segments.push(...(await cutter.take(piece)));
  return { segments, loaded, pendingChars: cutter.pendingChars };
}

function atOnce(pieces: readonly TextPiece[], options = {}) {
  const cutter = new LocalCutter({ ...options, countTokens });
  return pieces.flatMap((piece) => (piece.kind === 'push' ? cutter.push(piece.text) : cutter[piece.kind]()));
}

const push = (text: string): TextPiece => ({ kind: 'push', text });
const END: TextPiece = { kind: 'end' };

describe('a reader that is loaded when it is needed', () => {
  it('is not loaded for sentences', async () => {
    const { loaded, segments } = await lazily([
      push('Hello there. How are you'),
      push(' today? Very well, thank you.'),
      END,
    ]);
    expect(loaded).toBe(0);
    expect(segments.map(({ text }) => text)).toEqual(['Hello there. ', 'How are you today? ', 'Very well, thank you.']);
  });

  it('is loaded once where a sentence is long, where a word is spelled, and where all else is long', async () => {
    for (const text of ['and so on '.repeat(60), `${'bcdfg'.repeat(8)}`, 'Once more it is said. '.repeat(400)]) {
      const pieces = [...(text.match(/.{1,50}/gs) ?? []).map(push), END];
      const { loaded, segments } = await lazily(pieces);
      expect(loaded).toBe(1);
      expect(segments).toEqual(atOnce(pieces));
    }
  });

  it('tells what is wrong with markup', async () => {
    await expect(lazily([push('<speak>Hello'), END], { ssml: true })).rejects.toMatchObject({ code: 'invalid_ssml' });
  });

  it('changes no segment', async () => {
    const words = fc.constantFrom(
      'Hello ',
      'and ',
      'there. ',
      'bcdfgh ',
      '1234567890 ',
      'U.S.A. ',
      '🙂 ',
      ':-) ',
      '\n\n',
      'so, ',
    );
    const piece = fc.oneof(
      { weight: 8, arbitrary: fc.array(words, { maxLength: 20 }).map((all) => push(all.join(''))) },
      { weight: 1, arbitrary: fc.constant<TextPiece>({ kind: 'flush' }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), fc.boolean(), async (pieces, written) => {
        const all = [...pieces, END];
        const { segments, pendingChars } = await lazily(all, { written });
        expect(segments).toEqual(atOnce(all, { written }));
        expect(pendingChars).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});
