/** Voice changes inside a text: SSML's <voice>, and tags of a plain text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TtsError } from '../../../src/protocol/errors.js';
import type { Language, Segment } from '../../../src/protocol/job.js';
import { createReader } from '../../../src/text/reader.js';
import { Segmenter, segmentText } from '../../../src/text/segment/segment.js';
import { VoiceTags, voicesNamed } from '../../../src/text/ssml/voice-tags.js';
import { failureOf } from '../../support/failures.js';

const VOICES: Readonly<Record<string, Language>> = {
  british_male_george: 'en-GB',
  american_male_adam: 'en-US',
  spanish_female_dora: 'es-ES',
};
const countTokens = (text: string) => [...text].length;
const segments = (text: string) => segmentText(text, { countTokens, ssml: true, voices: VOICES });
/** Each segment as `voice: what is spoken`. */
const spoken = (found: readonly Segment[]) =>
  found.map(({ voice = '', spans }) => `${voice}: ${spans.map((span) => ('text' in span ? span.text : '')).join('')}`);
const failure = (text: string) => failureOf(() => segments(text), text);

describe('<voice>', () => {
  it('begins a segment of its own, and the voice before it goes on behind', () => {
    const text = 'He said, <voice name="british_male_george">"Good day to you."</voice> And she left.';
    const found = segments(text);
    expect(spoken(found)).toEqual([': He said, ', 'british_male_george: "Good day to you." ', ': And she left.']);
    expect(found.map(({ pause }) => pause)).toEqual(['clause', 'sentence', 'sentence']);
    expect(found.map((segment) => segment.text).join('')).toBe(text);
  });

  it('rests between paragraphs, and stays up in the middle of a sentence', () => {
    const paragraphs = '<voice name="american_male_adam">One is here.</voice>\n\n<voice name="british_male_george">Two';
    expect(segments(`${paragraphs}.</voice>`).map(({ pause }) => pause)).toEqual(['paragraph', 'sentence']);
    const inside = 'This word <voice name="british_male_george">tomato</voice> is read';
    expect(segments(inside).map(({ pause }) => pause)).toEqual(['carried', 'carried', 'none']);
  });

  it('does not cut where the same voice goes on, or where nothing is said between', () => {
    const text =
      '<speak> <voice name="american_male_adam">Hello </voice><voice name="british_male_george"> </voice><voice name="american_male_adam">there.</voice></speak>';
    expect(spoken(segments(text))).toEqual(['american_male_adam:  Hello  there.']);
  });

  it('may stand inside another one, and takes the first name of a list that is there', () => {
    const text =
      '<voice name="american_male_adam">A one. <voice name="Brian british_male_george">B two.</voice> C three.</voice>';
    expect(spoken(segments(text))).toEqual([
      'american_male_adam: A one. ',
      'british_male_george: B two. ',
      'american_male_adam: C three.',
    ]);
  });

  it('reads in the language of its voice, but for a <lang>', async () => {
    const text =
      'I have 21. <voice name="spanish_female_dora">Tengo 21 casas. <lang xml:lang="en-US">I have 21.</lang></voice>';
    const found = segments(text);
    const languages = found.flatMap(({ spans }) => spans.map((span) => ('language' in span ? span.language : '')));
    expect(languages).toEqual(['', 'es-ES', 'en-US']);
    const reader = await createReader({ language: 'es-ES' });
    const own = found.filter(({ voice }) => voice === 'spanish_female_dora');
    for (const segment of own) await reader.prepare(segment);
    const read = own.map((segment) => reader.read(segment).normalized);
    expect(read).toEqual(['Tengo veintiuna casas.', 'I have twenty-one.']);
  });

  it('refuses a name that is none, with near ones', () => {
    const error = failure('Hello.\n<voice name="british_male_gorge">Hi.</voice>');
    expect(error.code).toBe('invalid_ssml');
    expect(error.message).toBe(
      'SSML, line 2, column 1 (character 8): there is no voice "british_male_gorge" here; did you mean british_male_george.',
    );
    expect(failure('<voice name="zzz">Hi.</voice>').message).toMatch(
      /there is no voice "zzz" here; british_male_george/,
    );
    expect(failure('<voice name="toString">Hi.</voice>').message).toMatch(/there is no voice "toString"/);
    expect(failure('<voice name=" ">Hi.</voice>').message).toMatch(/needs name=/);
  });

  it('without a name changes nothing, and says so', () => {
    const segmenter = new Segmenter({ countTokens, ssml: true, voices: VOICES });
    expect(spoken(segmenter.push('<voice gender="male">Hello there.</voice> '))).toEqual([]);
    expect(segmenter.ignoredMarkup).toEqual(['voice gender']);
    expect(spoken(segmenter.end())).toEqual([': Hello there. ']);
  });

  const FRAGMENTS =
    '<voice name="british_male_george">|<voice name="spanish_female_dora">|</voice>|Hello there. |How are you? |, |<break time="1s"/>|<sub alias="Doctor X.">Dr.</sub>|&amp;|&#32;|<p>|</p>|<!-- c. -->|\n\n|\n|“|x|. |A| |😀'.split(
      '|',
    );
  const document = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 40 }).map((parts) => parts.join(''));
  for (const written of [false, true]) {
    it(`gives the same segments however it was cut into messages${written ? ', behind a writer' : ''}`, () => {
      const inPieces = (text: string, cuts: readonly number[]): Segment[] | string => {
        const segmenter = new Segmenter({ countTokens, ssml: true, voices: VOICES, written });
        try {
          let from = 0;
          const out: Segment[] = [];
          for (const cut of [...cuts, text.length].sort((a, b) => a - b)) {
            out.push(...segmenter.push(text.slice(from, Math.max(from, Math.min(cut, text.length)))));
            from = Math.max(from, Math.min(cut, text.length));
          }
          return [...out, ...segmenter.end()];
        } catch (error) {
          return (error as Error).message;
        }
      };
      fc.assert(
        fc.property(document, fc.array(fc.nat(600), { maxLength: 30 }), (text, cuts) => {
          const whole = inPieces(text, []);
          expect(inPieces(text, cuts)).toEqual(whole);
          const every = Array.from({ length: text.length }, (_, index) => index);
          expect(inPieces(text, every)).toEqual(whole);
          if (typeof whole !== 'string') expect(whole.map((segment) => segment.text).join('')).toBe(text);
        }),
        { numRuns: 600 },
      );
    });
  }
});

describe('voice tags', () => {
  const marked = (...pieces: string[]) => {
    const tags = new VoiceTags((name) => (name === 'bm_george' ? 'british_male_george' : name));
    return pieces.map((piece) => tags.push(piece)).join('') + tags.end();
  };

  it('become SSML, line by line, and the rest of the text is escaped', () => {
    expect(marked('A & b <c>. [voice:american_male_adam]Hi.\n\nYou [1] too. [/voice]Bye.')).toBe(
      'A &amp; b &lt;c&gt;. <voice name="american_male_adam">Hi.</voice>\n\n<voice name="american_male_adam">You [1] too. </voice>Bye.',
    );
    expect(marked('[Voice: bm_george ]Hi.')).toBe('<voice name="british_male_george">Hi.</voice>');
    expect(marked('[voices:x] [voice:a b] [voice:]')).toBe('[voices:x] [voice:a b] [voice:]');
    expect(marked('An open [voice:adam')).toBe('An open [voice:adam');
  });

  it('give the same segments in any pieces', () => {
    const FRAGMENTS =
      '[voice:british_male_george]|[voice:american_male_adam]|[/voice]|[|]|voice:|Hello there. |you|? |&|<b>|\n\n| |[1]';
    const text = fc.array(fc.constantFrom(...FRAGMENTS.split('|')), { maxLength: 30 }).map((parts) => parts.join(''));
    const said = (...pieces: string[]) =>
      segments(marked(...pieces)).map(({ voice, spans, pause }) => {
        return { voice, pause, said: spans.map((span) => ('text' in span ? span.text : '')) };
      });
    fc.assert(
      fc.property(text, (whole) => {
        try {
          expect(said(...Array.from({ length: whole.length }, (_, at) => whole[at]!))).toEqual(said(whole));
        } catch (error) {
          // A name that the text made up is the same mistake either way.
          if (!(error instanceof TtsError)) throw error;
        }
      }),
      { numRuns: 400 },
    );
  });

  it('leave no element open behind a sentence, so that a session may end there', () => {
    const tags = new VoiceTags();
    expect(tags.push('[voice:a]One.')).toBe('<voice name="a">One.</voice>');
    expect(tags.push(' Two')).toBe('<voice name="a"> Two');
    expect(tags.push(' three.')).toBe(' three.</voice>');
  });
});

it('the voices that SSML names are seen at a glance', () => {
  expect(voicesNamed('<voice name="a">x</voice> <voice  gender="m" name = \'b\'>y</voice><voice name="a">')).toEqual([
    'a',
    'b',
  ]);
});
