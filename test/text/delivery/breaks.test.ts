/**
 * Silence that a text asks for fills a segment as speech does: no number of breaks makes one that
 * lasts for minutes.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Segment } from '../../../src/protocol/job.js';
import { Segmenter, segmentText } from '../../../src/text/segment/segment.js';

const countTokens = (text: string) => text.length;
const segments = (text: string) => segmentText(text, { countTokens, ssml: true });
const silenceMs = ({ spans }: Segment) => spans.reduce((sum, span) => sum + (span.kind === 'break' ? span.ms : 0), 0);
const joined = (list: readonly Segment[]) => list.map(({ text }) => text).join('');

/** As long as the longest speech a segment holds. */
const MOST_MS = 31_000;

const FRAGMENTS =
  '<break time="3s"/>|<break time="2999ms"/>|<break time="0ms"/>|<break strength="none"/>|<break/>|<break></break>|Hello there. |word |x|, |; |\n\n| |<p>x</p>|<p> </p>|<sub alias="Doctor.">Dr.</sub>|&amp;|- a\n|1. |[1]|é|😀'.split(
    '|',
  );
const document = fc
  .array(fc.constantFrom(...FRAGMENTS, '<break time="3s"/>', '<break time="3s"/>'), { maxLength: 200 })
  .map((parts) => parts.join(''));

describe('breaks', () => {
  it('alone are cut into segments of bounded silence, and none of it is lost', () => {
    for (const [tag, ms] of [
      ['<break time="3s"/>', 3000],
      ['<break time="10ms"/>', 10],
      ['<break time="0s"/>', 0],
    ] as const) {
      const text = tag.repeat(3000);
      const found = segments(text);
      expect(joined(found)).toBe(text);
      expect(found.length).toBeGreaterThan(4);
      expect(found.reduce((sum, segment) => sum + silenceMs(segment), 0)).toBe(3000 * ms);
      for (const segment of found) expect(silenceMs(segment)).toBeLessThanOrEqual(MOST_MS);
    }
  });

  it('come out of the segmenter as they go in', () => {
    const segmenter = new Segmenter({ countTokens, ssml: true });
    let pending = 0;
    for (let i = 0; i < 2000; i += 1) {
      segmenter.push('<break time="3s"/>');
      pending = Math.max(pending, segmenter.pendingChars);
    }
    expect(pending).toBeLessThan(400);
  });

  it('between words count by their time, and are a good place for a cut', () => {
    const text = `This is the opening. ${'word <break time="3s"/>'.repeat(40)}`;
    const found = segments(text);
    for (const segment of found.slice(0, -1)) expect(segment.text).toMatch(/(?:opening\. |\/>)$/);
    for (const segment of found) expect(silenceMs(segment)).toBeLessThanOrEqual(MOST_MS);
  });

  it('cut nothing where all fits', () => {
    const text = 'Take a breath <break time="3s"/> and hold it <break time="2s"/> and let it go again.';
    expect(segments(text)).toHaveLength(1);
  });

  it('give the same segments however the text was cut, each of bounded silence', () => {
    fc.assert(
      fc.property(document, fc.array(fc.nat(4000), { maxLength: 12 }), (text, cuts) => {
        const whole = segments(text);
        expect(joined(whole)).toBe(text);
        for (const segment of whole) expect(silenceMs(segment)).toBeLessThanOrEqual(MOST_MS);
        const segmenter = new Segmenter({ countTokens, ssml: true });
        const out: Segment[] = [];
        let from = 0;
        for (const at of cuts.sort((a, b) => a - b)) {
          out.push(...segmenter.push(text.slice(from, at)));
          from = Math.max(from, Math.min(at, text.length));
        }
        expect([...out, ...segmenter.push(text.slice(from)), ...segmenter.end()]).toEqual(whole);
        const single = new Segmenter({ countTokens, ssml: true });
        expect([...[...text].flatMap((char) => single.push(char)), ...single.end()]).toEqual(whole);
      }),
      { numRuns: 300 },
    );
  });
});
