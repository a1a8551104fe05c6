/** Words that a segment itself says how to read: the same as a lexicon would, for every worker. */
import { describe, expect, it } from 'vitest';
import type { Segment } from '../../../src/protocol/job.js';
import { corrected, parseWords } from '../../../src/text/corrections.js';
import { parseLexicon } from '../../../src/text/lexicon.js';
import { createReader } from '../../../src/text/reader.js';
import { Segmenter } from '../../../src/text/segment/segment.js';
import { createTexts } from '../../../src/text/thread/texts.js';

const segmentOf = (text: string): Segment => ({
  text,
  offset: 0,
  spans: [{ kind: 'text', text, start: 0, end: [...text].length }],
  pause: 'sentence',
});
const WORDS = { nginx: 'engine x', Siobhan: '/ʃəˈvɔːn/', 'C++': 'see plus plus', jalapeño: 'es: jalapeño' };

describe('corrected words', () => {
  it.each([
    "Siobhan's nginx, she said, runs C++ code. NGINX!",
    '“nginx” 👍🏽 costs $12.50 on 3/4; Siobhan knows.',
    'A jalapeño for nginx',
    'nothing of it here',
  ])('%s is read as with a lexicon', async (text) => {
    const lexicon = parseLexicon(JSON.stringify(WORDS), 'test');
    const [withLexicon, plain] = await Promise.all([createReader({ lexicon }), createReader()]);
    const segment = corrected(segmentOf(text), parseWords(WORDS));
    await plain.prepare(segment);
    const [expected, read] = [withLexicon.read(segmentOf(text)), plain.read(segment)];
    expect(read.phonemes).toBe(expected.phonemes);
    expect(read.parts).toEqual(expected.parts);
  });

  it('keep their places in a text with markup', async () => {
    const reader = await createReader();
    const segmenter = new Segmenter({ countTokens: (text) => reader.countTokens(text), ssml: true });
    const source = 'Ask &amp; <b>tell</b> nginx <break time="1s"/> now.';
    const [segment] = [...segmenter.push(source), ...segmenter.end()].map((each) => corrected(each, parseWords(WORDS)));
    const word = segment!.spans.find(({ kind }) => kind === 'sub')!;
    expect([...source].slice(word.start, word.end).join('')).toBe('nginx');
    expect(reader.read(segment!).normalized).toContain('engine x');
  });

  it('that cannot be said are refused with the reason', () => {
    expect(() => parseWords({ x: '/q̃★/' })).toThrow(/^A correction cannot be used: "★" is no IPA symbol/);
    expect(() => parseWords({ x: ' ' })).toThrow(expect.objectContaining({ code: 'invalid_value' }));
    expect(corrected(segmentOf('plain'), parseWords(WORDS)).spans).toHaveLength(1);
  });

  it('count from the next text on; a text that has begun is read one way to its end', async () => {
    const texts = createTexts();
    try {
      const options = { language: 'en-US', ssml: false, inTimeChars: 0, written: false } as const;
      const begun = texts.cutter(options);
      const first = await begun.push('We ask nginx. ');
      await texts.keepWords({ nginx: 'engine x' });
      const rest = [...first, ...(await begun.push('And nginx again.')), ...(await begun.end())];
      expect(rest.flatMap(({ spans }) => spans).map(({ kind }) => kind)).not.toContain('sub');
      const next = texts.cutter(options);
      const segments = [...(await next.push('We ask nginx.')), ...(await next.end())];
      expect(segments.flatMap(({ spans }) => spans)).toContainEqual(
        expect.objectContaining({ kind: 'sub', alias: 'engine x', start: 7, end: 12 }),
      );
      const own = texts.cutter({ ...options, words: { nginx: 'en jinx' } });
      const corrections = [...(await own.push('We ask nginx.')), ...(await own.end())];
      expect(corrections.flatMap(({ spans }) => spans)).toContainEqual(expect.objectContaining({ alias: 'en jinx' }));
      await expect(texts.checkWords({ a: '/★/' })).rejects.toThrow('no IPA symbol');
      const { segments: explained } = await texts.explain('We ask nginx.', { language: 'en-US', ssml: false });
      expect(explained[0]!.forms.at(-1)).toMatchObject({ written: 'nginx', said: 'engine x' });
    } finally {
      await texts.close();
    }
  });
});
