/** SSML's delivery: <prosody>, <emphasis>, <p>, <s> and <mark>, and what is refused. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Segment } from '../../../src/protocol/job.js';
import { corrected, parseWords } from '../../../src/text/corrections.js';
import { Segmenter, segmentText } from '../../../src/text/segment/segment.js';
import { failureOf } from '../../support/failures.js';

const countTokens = (text: string) => [...text].length;
const segments = (text: string) => segmentText(text, { countTokens, ssml: true });
const prosodies = (text: string) =>
  segments(text).flatMap(({ spans }) => spans.map((span) => (span.kind === 'break' ? 'rest' : span.prosody)));
const failure = (text: string) => failureOf(() => segments(text), text);

describe('<prosody>', () => {
  const CASES: readonly (readonly [string, object | undefined])[] = [
    ['rate="slow"', { rate: 0.8 }],
    ['rate="80%"', { rate: 0.8 }],
    ['rate="-20%"', { rate: 0.8 }],
    ['rate="1.5"', { rate: 1.5 }],
    ['rate="medium"', undefined],
    ['rate="+0%"', undefined],
    ['pitch="+2st"', { pitch: 2 }],
    ['pitch="x-low"', { pitch: -5 }],
    ['pitch="+100%"', { pitch: 12 }],
    ['range="low"', { range: 0.6 }],
    ['range="150%"', { range: 1.5 }],
    ['volume="-6dB"', { volume: -6 }],
    ['volume="soft"', { volume: -6 }],
    ['volume="silent"', { volume: -60 }],
    ['rate="fast" pitch="high" volume="loud"', { rate: 1.25, pitch: 2.5, volume: 3 }],
    ['contour="(0%,+20Hz)"', undefined],
  ];
  for (const [attributes, wanted] of CASES) {
    it(attributes, () => expect(prosodies(`<prosody ${attributes}>One word</prosody>`)).toEqual([wanted]));
  }

  it('holds for its inside alone, and adds up inside another one', () => {
    const text =
      'A <prosody rate="slow" volume="-6dB">b <prosody rate="150%" pitch="+2st" volume="-3dB">c</prosody> d</prosody> e';
    expect(prosodies(text)).toEqual([
      undefined,
      { rate: 0.8, volume: -6 },
      { rate: 0.8 * 1.5, pitch: 2, volume: -9 },
      { rate: 0.8, volume: -6 },
      undefined,
    ]);
    const deep = '<prosody rate="50%" pitch="+12st">'.repeat(9);
    expect(prosodies(`${deep}a${'</prosody>'.repeat(9)}`)).toEqual([{ rate: 0.5, pitch: 12 }]);
  });

  it('holds for elements inside it, and for words that are corrected', () => {
    const text =
      '<prosody pitch="+2st"><sub alias="b">a</sub> <say-as interpret-as="date">5/6</say-as> nginx</prosody>';
    expect(prosodies(text).every((prosody) => prosody !== undefined && prosody !== 'rest')).toBe(true);
    const [segment] = segments(text);
    const { spans } = corrected(segment!, parseWords({ nginx: 'engine x' }));
    expect(spans.find((span) => span.kind === 'sub' && span.alias === 'engine x')).toMatchObject({
      prosody: { pitch: 2 },
    });
  });

  const MISTAKES: readonly (readonly [string, RegExp])[] = [
    [
      '<prosody rate="brisk">x</prosody>',
      /rate="brisk" is not known; allowed are x-slow, slow, medium, fast, x-fast, default, and 50% to 200%/,
    ],
    ['<prosody rate="900%">x</prosody>', /rate="900%" is too much; .*50% to 200%/],
    ['<prosody rate="-90%">x</prosody>', /is too much/],
    ['<prosody pitch="120Hz">x</prosody>', /pitch="120Hz" is not known; .*-12st to \+12st/],
    ['<prosody pitch="+20st">x</prosody>', /is too much/],
    ['<prosody pitch="-100%">x</prosody>', /is too much/],
    ['<prosody volume="11">x</prosody>', /volume="11" is not known; .*silent.*-60dB to \+10dB/],
    ['<prosody volume="+40dB">x</prosody>', /is too much/],
    ['<prosody range="3">x</prosody>', /range="3" is too much/],
    ['<prosody rate="toString">x</prosody>', /is not known/],
    ['<emphasis level="huge">x</emphasis>', /level="huge" is not known; allowed are strong, moderate, none, reduced/],
    ['<mark/>', /<mark> needs name=/],
  ];
  for (const [text, message] of MISTAKES) {
    it(`refuses ${text}`, () => {
      const error = failure(text);
      expect(error.code).toBe('invalid_ssml');
      expect(error.message).toMatch(message);
    });
  }
});

describe('<emphasis>', () => {
  it('is more of everything, or less', () => {
    expect(prosodies('I did <emphasis level="strong">not</emphasis> say it.')[1]).toEqual({
      rate: 0.85,
      pitch: 2.5,
      range: 1.2,
      volume: 3,
    });
    expect(prosodies('<emphasis>x</emphasis>')).toEqual(prosodies('<emphasis level="moderate">x</emphasis>'));
    expect(prosodies('<emphasis level="none">x</emphasis>')).toEqual([undefined]);
    expect(prosodies('<emphasis level="reduced">x</emphasis>')[0]).toMatchObject({ pitch: -1, volume: -3 });
  });
});

describe('<p> and <s>', () => {
  const pauses = (text: string) =>
    segments(text).map(({ pause, spans }) => [pause, 'text' in spans[0]! ? spans[0].text.trim() : '']);

  it('rest as a paragraph and a sentence, whatever marks are there', () => {
    expect(pauses('<p>The first one</p><p>the second one</p>')).toEqual([
      ['paragraph', 'The first one'],
      ['none', 'the second one'],
    ]);
    expect(pauses('<p><s>One here</s><s>two here,</s></p><p><s>three.</s></p>')).toEqual([
      ['sentence', 'One here'],
      ['paragraph', 'two here,'],
      ['sentence', 'three.'],
    ]);
  });
});

it('a mark changes nothing but that it is there, with its place', () => {
  const text = 'One <mark name="here"/>two.';
  const [segment, ...more] = segments(text);
  expect(more).toEqual([]);
  expect(segment).toMatchObject({ text, spans: [{ kind: 'text', text: 'One two.', start: 0, end: 27 }] });
  const segmenter = new Segmenter({ countTokens, ssml: true });
  segmenter.push(text);
  expect(segmenter.ignoredMarkup).toEqual([]);
});

it('delivery gives the same segments however it was cut into messages', () => {
  const FRAGMENTS =
    '<prosody rate="slow">|<prosody pitch="+2st">|</prosody>|<emphasis>|</emphasis>|<p>|</p>|<s>|</s>|Hello there. |you|, |<mark name="a"/>|<break time="1s"/>| |\n\n|x. |😀'.split(
      '|',
    );
  const document = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 40 }).map((parts) => parts.join(''));
  const inPieces = (pieces: readonly string[]): Segment[] | string => {
    const segmenter = new Segmenter({ countTokens, ssml: true });
    try {
      return [...pieces.flatMap((piece) => segmenter.push(piece)), ...segmenter.end()];
    } catch (error) {
      return (error as Error).message;
    }
  };
  fc.assert(
    fc.property(document, fc.integer({ min: 1, max: 9 }), (text, size) => {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
        text.slice(i * size, (i + 1) * size),
      );
      const whole = inPieces([text]);
      expect(inPieces(pieces)).toEqual(whole);
      if (typeof whole !== 'string') expect(whole.map((segment) => segment.text).join('')).toBe(text);
    }),
    { numRuns: 500 },
  );
});
