/** Rests, pitch and pace by where a segment stands: from the text and the seed alone. */
import { describe, expect, it } from 'vitest';
import type { DeliveryStyle } from '../../../src/protocol/delivery/delivery.js';
import type { PauseKind, Segment } from '../../../src/protocol/job.js';
import { bookRest } from '../../../src/text/delivery/book-rests.js';
import { deliveryOf } from '../../../src/text/delivery/delivery.js';
import { phraseEnd, restAhead, restBehind } from '../../../src/text/delivery/rests.js';
import { segmentText } from '../../../src/text/segment/segment.js';

const countTokens = (text: string) => text.length;
const cut = (text: string, inTimeChars = Number.POSITIVE_INFINITY) => segmentText(text, { countTokens, inTimeChars });
const delivered = (segments: readonly Segment[], seed = 0, style: DeliveryStyle = 'narration') =>
  segments.map((segment) => deliveryOf(segment, { style, seed })!);

const STYLE = { rests: 1, spread: 0 };
const behind = (text: string, pause: PauseKind, letters = 40) =>
  restBehind({ pause, end: phraseEnd(text), letters, key: text, seed: 0 }, STYLE);

const PROSE = Array.from({ length: 120 }, (_, at) => {
  const words = Array.from(
    { length: 2 + ((at * 7) % 17) },
    (_, word) => ['rain', 'house', 'evening', 'of'][(at + word) % 4],
  );
  return `Number ${at} ${words.join(' ')}${at % 9 === 0 ? '?' : '.'}`;
}).join(' ');

describe('a rest', () => {
  it('knows the mark behind closing quotes and brackets', () => {
    for (const [text, mark, quoted] of [
      ['He left.', 'stop', false],
      ['“He left,” ', 'comma', true],
      ['“Did he?”', 'question', true],
      ['and so on…', 'ellipsis', false],
      ['and so on ...', 'ellipsis', false],
      ['(all of them)', 'bracket', false],
      ['of two kinds:', 'colon', false],
      ['he left; ', 'semicolon', false],
      ['he left – ', 'dash', false],
      ['well-known', 'none', false],
      ['そうです。」', 'stop', true],
    ] as const) {
      expect(phraseEnd(text), text).toEqual({ mark, quoted });
    }
  });

  it('grows from the words behind a quotation to a comma, a semicolon, a sentence, a paragraph, a heading', () => {
    const rests = [
      behind('“He left,”', 'clause'),
      behind('he left,', 'clause'),
      behind('he left;', 'clause'),
      behind('He left.', 'sentence'),
      behind('He left…', 'sentence'),
      behind('He left.', 'paragraph'),
      behind('He left', 'heading'),
    ];
    expect(rests).toEqual([...rests].sort((a, b) => a - b));
    expect(rests[0]).toBeLessThan(200);
  });

  it('is short between short phrases, and long between long ones', () => {
    const between = (letters: number) =>
      behind('He left.', 'sentence', letters) + restAhead('sentence', letters, false, STYLE);
    expect(between(10)).toBeLessThan(400);
    expect(between(160) / between(10)).toBeGreaterThan(1.8);
    // A turn of another speaker comes sooner.
    expect(restAhead('sentence', 80, true, STYLE)).toBeLessThan(restAhead('sentence', 80, false, STYLE));
  });

  it('is spread, and never far from what its place asks for', () => {
    const rests = delivered(cut(PROSE)).map(({ leadMs, restMs }) => leadMs + restMs);
    expect(rests.length).toBeGreaterThan(60);
    const sorted = [...rests].sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!;
    expect(at(0.75) / at(0.25)).toBeGreaterThan(1.25);
    expect(at(0)).toBeGreaterThan(200);
    expect(at(1)).toBeLessThan(1_500);
    // Half of all rests lay within a tenth of a second before.
    const crowded = Math.max(...rests.map((rest) => rests.filter((other) => Math.abs(other - rest) < 25).length));
    expect(crowded / rests.length).toBeLessThan(0.25);
  });

  it('between a quotation in another voice and who said it is short', () => {
    const quoted = { said: '“Will he come back?”', pause: 'sentence', voice: 'tom' } as const;
    const tag = bookRest(quoted, { said: 'she asked him again.', voice: undefined }, 'narration');
    const sentence = bookRest(quoted, { said: 'Nobody knew it then.', voice: undefined }, 'narration');
    expect(tag).toBeLessThan(260);
    expect(sentence).toBeGreaterThan(tag + 150);
  });
});

describe('a delivery', () => {
  it('is nothing where the style is plain', () => {
    for (const segment of cut(PROSE)) expect(deliveryOf(segment, { style: 'plain', seed: 3 })).toBeUndefined();
  });

  it('is the same for the same text and seed, and another with another seed', () => {
    const segments = cut(PROSE);
    expect(delivered(segments)).toEqual(delivered(cut(PROSE)));
    const other = delivered(segments, 7);
    const changed = delivered(segments).filter(({ restMs }, at) => Math.abs(restMs - other[at]!.restMs) > 5);
    expect(changed.length).toBeGreaterThan(segments.length / 2);
  });

  it('differs between routes in nothing but the first sentence', () => {
    const text = `When the evening came over the hills, nobody was left in the long street of the town. ${PROSE}`;
    const whole = cut(text);
    const sooner = cut(text, 0);
    expect(sooner.length).toBe(whole.length + 1);
    expect(delivered(sooner).slice(2)).toEqual(delivered(whole).slice(1));
    expect(delivered(sooner)[1]!.restMs).toBe(delivered(whole)[0]!.restMs);
  });

  it('begins a paragraph higher, comes down, and ends it lower and slower; one sentence alone is as it is', () => {
    const sentence = (name: string) => `The ${name} of the house was open for all of that day.`;
    const text = `${['door', 'gate', 'roof', 'yard', 'attic'].map(sentence).join(' ')}\n\n${sentence('well')}`;
    const all = delivered(cut(text));
    expect(all[0]!.pitch).toBeGreaterThan(0.3);
    expect(all[0]!.pitch).toBeGreaterThan(all[3]!.pitch + 0.4);
    expect(all[4]!.pitch).toBeLessThan(-0.3);
    expect(all[4]!.rate).toBeLessThan(all[2]!.rate);
    expect(all[5]).toMatchObject({ pitch: 0 });
    for (const { pitch, rate } of all) {
      expect(Math.abs(pitch)).toBeLessThan(1.2);
      expect(rate / 0.92).toBeGreaterThan(0.94);
      expect(rate / 0.92).toBeLessThan(1.06);
    }
  });

  it('goes on where a paragraph was cut into two requests', () => {
    const text = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => `Number ${from + at} of the evening.`).join(' ');
    const part = (of: string, continues: boolean, goesOn: boolean) =>
      delivered(segmentText(of, { countTokens, inTimeChars: Number.POSITIVE_INFINITY, part: { continues, goesOn } }));
    const whole = delivered(cut(text(0, 12)));
    const parts = [...part(text(0, 6), false, true), ...part(text(6, 12), true, false)];
    expect(parts).toEqual(whole);
    expect(part(text(0, 6), false, false).at(-1)!.pitch).toBeLessThan(whole[5]!.pitch);
  });

  it('says a sentence that repeats with less, and rests behind it otherwise', () => {
    const said = 'Nobody was left in the house.';
    const [first, again] = delivered(
      cut(`${said} It was late in the evening. ${said} And then it rained again.`),
    ).filter((_, at) => at % 2 === 0);
    expect(again!.range).toBeLessThan(first!.range);
    expect(again!.restMs).not.toBe(first!.restMs);
  });

  it('adds nothing to a silence that the text asks for, and nothing behind a flush', () => {
    const options = { countTokens, ssml: true, inTimeChars: Number.POSITIVE_INFINITY };
    const [, second] = segmentText('It was late. <break time="1s"/> Nobody was left in the house.', options);
    expect(second?.place?.after).toBeUndefined();
    expect(cut('It was late in the evening. Nobody was left.').map(({ place }) => place?.after)).toEqual([
      undefined,
      'sentence',
    ]);
  });
});
