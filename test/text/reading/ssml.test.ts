/** SSML: what is spoken, how markup may arrive, and what a mistake is answered with. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { TtsError } from '../../../src/protocol/errors.js';
import type { Segment } from '../../../src/protocol/job.js';
import { loadFrontEnd } from '../../../src/text/languages.js';
import { Segmenter, segmentText } from '../../../src/text/segment/segment.js';
import { failureOf } from '../../support/failures.js';

// A word's sounds and a date's words are the front end's.
beforeAll(() => loadFrontEnd('en-US'));

const countTokens = (text: string) => [...text].length;
const segments = (text: string) => segmentText(text, { countTokens, ssml: true });
/** Spans without their places, each as short as it can be said. */
const said = (text: string) =>
  segments(text).flatMap(({ spans }) =>
    spans.map((span) => {
      if (span.kind === 'text') return span.text;
      if (span.kind === 'break') return span.ms;
      if (span.kind === 'phoneme') return `/${span.ipa}/${span.text}`;
      return span.kind === 'sub' ? `{${span.alias}}` : `${span.as}(${span.text})`;
    }),
  );
const failure = (text: string) => failureOf(() => segments(text), text);

describe('what is spoken', () => {
  const CASES: readonly (readonly [string, readonly (string | number)[]])[] = [
    ['Hello there', ['Hello there']],
    ['<speak>Hello there</speak>', ['Hello there']],
    ['<?xml version="1.0"?><speak>Hello</speak>', ['Hello']],
    ['<!DOCTYPE speak><speak>Hello</speak>', ['Hello']],
    ['One<break time="500ms"/>two', ['One', 500, 'two']],
    ['One<break time="1.5s"/>two', ['One', 1500, 'two']],
    ['One<break time="3s"></break>two', ['One', 3000, 'two']],
    ["One<break time='0.25s' />two", ['One', 250, 'two']],
    ['One<break/>two', ['One', 500, 'two']],
    ['One<break strength="x-strong"/>two', ['One', 1000, 'two']],
    ['A <phoneme alphabet="ipa" ph="təˈmeɪtoʊ">tomato</phoneme> here', ['A ', '/təˈmeɪtoʊ/tomato', ' here']],
    ['A <phoneme ph="a&apos;b">tomato</phoneme>', ['A ', "/a'b/tomato"]],
    ['The <sub alias="World Wide Web">WWW</sub> now', ['The ', '{World Wide Web}', ' now']],
    ['<sub alias="AT&amp;T">x</sub>', ['{AT&T}']],
    ['<say-as interpret-as="characters">ABC</say-as>', ['characters(ABC)']],
    ['<say-as interpret-as="cardinal">1999</say-as>', ['cardinal(1999)']],
    ['<say-as interpret-as="ordinal">5</say-as>', ['ordinal(5)']],
    ['<say-as interpret-as="date" format="mdy">5/6/2024</say-as>', ['date(5/6/2024)']],
    ['<say-as interpret-as="telephone">555-1234</say-as>', ['telephone(555-1234)']],
    ['<say-as interpret-as="characters"></say-as>x', ['x']],
    ['AT&amp;T &lt;3 &#65;&#x42; &quot;x&quot;', ['AT&T <3 AB "x"']],
    ['un<b>believ</b>able', ['unbelievable']],
    ['<prosody rate="slow">slowly</prosody> now', ['slowly', ' now']],
    ['<audio src="x.wav">instead</audio> now', ['instead now']],
    ['One <mark name="here"/>two', ['One two']],
    ['<amazon:effect name="whispered">psst</amazon:effect>', ['psst']],
    ['<voice name="x"><p><s>One.</s></p></voice>', ['  One.  ']],
    ['<s>First one.</s><s>Second one.</s>', [' First one.  ', 'Second one. ']],
    ['One <!-- a > comment & more --> two', ['One  two']],
    ['<![CDATA[a < b & c]]>', ['a < b & c']],
    ['x <![CDATA[]]> y', ['x  y']],
    ['<speak/>', []],
    ['   ', []],
    ['<a title="x > y">z</a>', ['z']],
    ['é <b>ñ</b> 😀', ['é ñ 😀']],
    ['<speak>One. </speak><speak>And the second document.</speak>', ['One. And the second document.']],
  ];
  for (const [text, spoken] of CASES) it(text, () => expect(said(text)).toEqual(spoken));

  it('is read literally where SSML was not asked for', () => {
    const text = 'a <b> & c';
    expect(segmentText(text, { countTokens })[0]!.spans).toEqual([{ kind: 'text', text, start: 0, end: 9 }]);
  });

  it('keeps the text as sent, with spans at their places in code points', () => {
    const text = '<speak>😀 One<break time="1s"/>AT&amp;T</speak>';
    const [segment, ...more] = segments(text);
    expect(more).toEqual([]);
    expect(segment!.text).toBe(text);
    const points = [...text];
    const cut = segment!.spans.map(({ start, end }) => points.slice(start, end).join(''));
    expect(cut).toEqual(['😀 One', '<break time="1s"/>', 'AT&amp;T']);
  });

  it('is never cut inside an element', () => {
    const text = `${'word '.repeat(99)}<sub alias="Doctor. And more. And more.">Dr. A. Of. All.</sub> end. ${'x '.repeat(300)}`;
    const spans = segments(text).flatMap((segment) => segment.spans);
    expect(spans.filter((span) => span.kind === 'sub')).toHaveLength(1);
    expect(
      segments(text)
        .map((segment) => segment.text)
        .join(''),
    ).toBe(text);
  });

  it('is cut inside an element that alone exceeds the limit', () => {
    const text = `<say-as interpret-as="characters">${'ABCDEFGHIJ'.repeat(80)}</say-as>`;
    const found = segmentText(text, { countTokens: (part) => part.replace(/\s/g, '').length * 4, ssml: true });
    expect(found.length).toBeGreaterThan(4);
    expect(found.map((segment) => segment.text).join('')).toBe(text);
    const letters = found.flatMap(({ spans }) => spans.map((span) => (span.kind === 'say-as' ? span.text : '')));
    expect(letters.join('')).toBe('ABCDEFGHIJ'.repeat(80));
  });
});

describe('a mistake', () => {
  const CASES: readonly (readonly [string, RegExp])[] = [
    ['a < b', /line 1, column 3 \(character 3\): "<" begins a tag.*&lt;/],
    ['a & b', /column 3 .*&amp;/],
    ['AT&T', /column 3 .*&amp;/],
    ['&nonsense;', /"&nonsense;" is unknown/],
    ['&#xD800;', /unknown/],
    ['<speak>Hello', /column 1 .*<speak> is never closed; add <\/speak>/],
    ['Hello</speak>', /column 6 .*<\/speak> closes nothing/],
    ['<a><b></a></b>', /column 7 .*<\/a> stands where <\/b> is due/],
    ['one\ntwo <break time="5s"/>', /line 2, column 5 \(character 9\): a break of 5s is too long; up to 3s/],
    ['<break time="soon"/>', /time="soon" is not a time; write time="500ms"/],
    ['<break time=1s/>', /not an attribute of the form name="value"/],
    ['<break time="1s" time="2s"/>', /attribute time twice/],
    ['<break time="1s"', /the tag .* is not finished/],
    ['<!-- never', /the comment .* is not finished/],
    ['<![CDATA[ never', /the CDATA section .* is not finished/],
    ['text &am', /the reference .* is not finished/],
    ['<phoneme>x</phoneme>', /needs ph=/],
    ['<phoneme alphabet="x-sampa" ph="t">x</phoneme>', /takes alphabet="ipa"/],
    ['<sub>x</sub>', /needs alias=/],
    ['<say-as interpret-as="shout">x</say-as>', /allowed are characters, cardinal, ordinal, date, telephone/],
    ['<say-as>x</say-as>', /allowed are characters/],
    ['<sub alias="x">a<break time="1s"/>b</sub>', /<break> cannot stand inside <sub>/],
    ['<a b="<">x</a>', /inside the value of an attribute/],
    ['<a <b>', /a tag begins inside another one/],
    ['</a b>', /a closing tag is <\/a> and nothing more/],
    ['<!ELEMENT x>', /only comments/],
    ['<1a>', /begins a tag/],
    ['<a b="&bad;">x</a>', /no reference/],
    [`<sub alias="${'x '.repeat(600)}">y</sub>`, /too long/],
    [`${'<a>'.repeat(101)}`, /more than 100 elements/],
  ];
  for (const [text, message] of CASES) {
    it(text.slice(0, 60), () => {
      const error = failure(text);
      expect(error.code).toBe('invalid_ssml');
      expect(error.message).toMatch(message);
    });
  }

  it('never echoes more than 80 characters of the text', () => {
    const text = `<break time="${'z'.repeat(500)}"/>`;
    expect(failure(text).message.length).toBeLessThan(200);
  });

  const LONG = 'ž'.repeat(3900);
  for (const text of [
    `</${LONG}>`,
    `<${LONG}>`,
    `<${LONG}>x</${LONG}${LONG.slice(4000)}ž>`,
    `</${LONG} ž>`,
    `<${LONG} ž>`,
    `<x ${LONG.slice(1900)}="1" ${LONG.slice(1900)}="2">`,
    `<${LONG.slice(2600)} ${LONG.slice(2600)}="1" ${LONG.slice(2600)}="2">`,
    `<${LONG}`,
    `<!--${LONG}`,
    `<![CDATA[${LONG}`,
    `<a b="${LONG}&${LONG}">`,
    `<a b="&žžžžžžžžžžž;">`,
    `<break strength="${LONG}"/>`,
    `<say-as interpret-as="${LONG}">x</say-as>`,
    `<phoneme alphabet="${LONG}" ph="x">x</phoneme>`,
    `<sub alias="x">${LONG}</sub>`,
    `<sub alias="${LONG}">x</sub>`,
    `<ž ${LONG}>`,
    `<!${LONG}>`,
    `<?${LONG}`,
  ]) {
    it(`echoes no more than 80 characters of ${text.replace(/ž{3,}/g, 'ž…')}`, () => {
      expect(failure(text).message.replace(/[^ž]/g, '').length).toBeLessThanOrEqual(80);
    });
  }
});

describe('markup in pieces', () => {
  const FRAGMENTS =
    '<speak>|</speak>|Hello there. |How are you? |<break time="1s"/>|<sub alias="Doctor X.">Dr.</sub>|&amp;|&#128512;|<b>|</b>|<!-- c. -->|<![CDATA[a < b. ]]>|<phoneme ph="tə">to</phoneme>|\n\n|<say-as interpret-as="characters">ABC</say-as>|<p>|</p>|x|. |A|😀'.split(
      '|',
    );
  const document = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 40 }).map((parts) => parts.join(''));
  const inPieces = (text: string, cuts: readonly number[]): Segment[] | string => {
    const segmenter = new Segmenter({ countTokens, ssml: true });
    const out: Segment[] = [];
    let from = 0;
    try {
      for (const cut of [...cuts, text.length].sort((a, b) => a - b)) {
        const at = Math.min(cut, text.length);
        out.push(...segmenter.push(text.slice(from, at)));
        from = at;
      }
      return [...out, ...segmenter.end()];
    } catch (error) {
      if (error instanceof TtsError && error.code === 'invalid_ssml') return error.message;
      throw error;
    }
  };

  it('gives the same segments, or the same mistake, however it was cut', () => {
    fc.assert(
      fc.property(document, fc.array(fc.nat(400), { maxLength: 20 }), (text, cuts) => {
        expect(inPieces(text, cuts)).toEqual(inPieces(text, []));
      }),
      { numRuns: 1000 },
    );
  });

  it('gives the same one character at a time', () => {
    fc.assert(
      fc.property(document, (text) => {
        const every = Array.from({ length: text.length }, (_, index) => index);
        expect(inPieces(text, every)).toEqual(inPieces(text, []));
      }),
      { numRuns: 300 },
    );
  });

  it('answers anything at all with segments that join to it, or with invalid_ssml', () => {
    const anything = fc.oneof(
      fc
        .array(fc.constantFrom('<', '>', '/', '&', ';', '"', "'", '=', '!', '-', '[', ']', '?', 'a', ' ', '\n', '#'), {
          maxLength: 60,
        })
        .map((parts) => parts.join('')),
      fc.string({ unit: 'binary', maxLength: 100 }),
      document,
    );
    fc.assert(
      fc.property(anything, (text) => {
        const found = inPieces(text, []);
        if (typeof found !== 'string') expect(found.map((segment) => segment.text).join('')).toBe(text);
      }),
      { numRuns: 3000 },
    );
  });

  it('holds an open tag or element back at a flush, and speaks it once it is closed', () => {
    const segmenter = new Segmenter({ countTokens, ssml: true });
    const texts = (found: readonly Segment[]) => found.map((segment) => segment.text);
    expect(texts([...segmenter.push('Hello <sub ali'), ...segmenter.flush()])).toEqual(['Hello ']);
    expect(texts([...segmenter.push('as="Doctor">Dr'), ...segmenter.flush()])).toEqual([]);
    expect(segmenter.pendingChars).toBe(22);
    expect(texts([...segmenter.push('.</sub> Who'), ...segmenter.flush()])).toEqual([
      '<sub alias="Doctor">Dr.</sub> Who',
    ]);
    expect(segmenter.end()).toEqual([]);
    expect(segmenter.pendingChars).toBe(0);
  });
});
