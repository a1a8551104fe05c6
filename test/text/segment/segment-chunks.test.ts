/** Segments depend on the text alone: any way of cutting it into pushes gives the same ones. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Segment } from '../../../src/protocol/job.js';
import { Segmenter, segmentText } from '../../../src/text/segment/segment.js';

const countTokens = (text: string) => text.length;

/** Text rich in what the rules look at. */
const FRAGMENTS =
  `Hello|there|Dr.|Mr.|e.g.|U.S.|3.14|1.|2)|- |* |# |\n|\n\n| | |. |? |! |… |... |, |; |: |—| - |"|'|”|’|(|)|[1]|Smith|he|said|a|I|I.|J.|😀|👩‍👩‍👧|é|。|「|」|今日は|p.m.|No.|5|vitamin|C.|word|\r\n|\t|\u2028|\u2029|\ud83d|${'x'.repeat(30)}|1234567890`.split(
    '|',
  );
const messy = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 120 }).map((parts) => parts.join(''));
const anyText = fc.oneof(messy, fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ maxLength: 300 }));

function inPieces(text: string, cuts: readonly number[], inTimeChars = 0): Segment[] {
  const segmenter = new Segmenter({ countTokens, inTimeChars });
  const out: Segment[] = [];
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    const at = Math.min(cut, text.length);
    out.push(...segmenter.push(text.slice(from, at)));
    from = at;
  }
  return [...out, ...segmenter.push(text.slice(from)), ...segmenter.end()];
}

describe('segments of a text in pieces', () => {
  it('are those of the whole text, however it was cut', () => {
    fc.assert(
      fc.property(anyText, fc.array(fc.nat(600), { maxLength: 12 }), (text, cuts) => {
        expect(inPieces(text, cuts)).toEqual(segmentText(text, { countTokens }));
      }),
      { numRuns: 1000 },
    );
  });

  it('are those of the whole text on a machine that has longer first pieces in time', () => {
    fc.assert(
      fc.property(anyText, fc.array(fc.nat(600), { maxLength: 12 }), fc.nat(200), (text, cuts, inTimeChars) => {
        const whole = segmentText(text, { countTokens, inTimeChars });
        expect(whole.map((segment) => segment.text).join('')).toBe(text);
        expect(inPieces(text, cuts, inTimeChars)).toEqual(whole);
      }),
      { numRuns: 1000 },
    );
  });

  it('are those of the whole text, one code unit at a time', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const every = Array.from({ length: text.length }, (_, index) => index);
        expect(inPieces(text, every)).toEqual(segmentText(text, { countTokens }));
      }),
      { numRuns: 500 },
    );
  });

  it('are those of the whole text where a formula begins behind a digit', () => {
    const text = '"0${$ " and "0$x$" and "\\\\(x\\)".';
    const whole = segmentText(text, { countTokens });
    for (let cut = 1; cut < text.length; cut += 1) expect(inPieces(text, [cut]), `cut at ${cut}`).toEqual(whole);
  });

  it('join to the text as sent, with offsets in code points', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const segments = segmentText(text, { countTokens });
        expect(segments.map((segment) => segment.text).join('')).toBe(text);
        let offset = 0;
        for (const segment of segments) {
          expect(segment.offset).toBe(offset);
          offset += [...segment.text].length;
        }
      }),
      { numRuns: 500 },
    );
  });
});
