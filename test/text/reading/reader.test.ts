/** A segment read: tokens with the characters they speak, silences, what was not spoken. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Segment } from '../../../src/protocol/job.js';
import { parseLexicon } from '../../../src/text/lexicon.js';
import { createReader } from '../../../src/text/reader.js';
import { segmentText } from '../../../src/text/segment/segment.js';
import { MAX_TOKENS, type Reader, type Reading } from '../../../src/text/types.js';

const reader = await createReader();
const segmentsOf = (text: string, ssml = false, by: Reader = reader): Segment[] =>
  segmentText(text, { countTokens: (part) => by.countTokens(part), ssml });
const one = (text: string, ssml = false): Segment => {
  const [segment, ...more] = segmentsOf(text, ssml);
  expect(more).toEqual([]);
  return segment!;
};
const tokensOf = (reading: Reading) => reading.parts.flatMap((part) => (part.kind === 'speech' ? part.tokens : []));

/** What is said for each stretch of the text, white space left out. */
function pairs(segment: Segment, by: Reader = reader): [string, string][] {
  const points = [...segment.text];
  const out: { start: number; end: number; said: string }[] = [];
  for (const { start, end, symbol } of tokensOf(by.read(segment))) {
    const last = out.at(-1);
    if (last?.start === start && last.end === end) last.said += symbol;
    else out.push({ start, end, said: symbol });
  }
  return out
    .map(({ start, end, said }): [string, string] => [points.slice(start, end).join(''), said.trim()])
    .filter(([, said]) => said !== '');
}

describe('a reading', () => {
  it('maps every word to the characters that spell it', () => {
    expect(pairs(one('The cat sat, then ran!'))).toEqual([
      ['The', 'ðə'],
      ['cat', 'kˈæt'],
      ['sat', 'sˈæt'],
      [',', ','],
      ['then', 'ðˈɛn'],
      ['ran', 'ɹˈæn'],
      ['!', '!'],
    ]);
  });

  it('maps what was normalised to what was written, in code points', () => {
    const found = pairs(one('😀 It costs $5 now'));
    expect(found).toContainEqual(['$5', 'fˈIv dˈɑləɹz']);
    expect(found).toContainEqual(['now', 'nˈW']);
  });

  it('has tokens in the order of the text, within it', () => {
    const segment = one('Dr. Smith paid $1,234.50 on 3 May 2024 for 2 kg of “HTML” books');
    let last = 0;
    for (const { start, end } of tokensOf(reader.read(segment))) {
      expect(start).toBeGreaterThanOrEqual(last);
      expect(end).toBeGreaterThanOrEqual(start);
      expect(end).toBeLessThanOrEqual([...segment.text].length);
      last = start;
    }
  });

  it('is the same each time and for another reader', async () => {
    const segment = one('The quick brown fox jumps over the lazy dog');
    const again = await createReader();
    expect(again.read(segment)).toEqual(reader.read(segment));
    expect(reader.read(segment)).toEqual(reader.read(segment));
  });

  it('counts the tokens it makes', () => {
    for (const text of ['Hello there, world!', 'Dr. Smith paid $5.', 'www', '', '   ', '😀', '今日は']) {
      const spans = [{ kind: 'text' as const, text, start: 0, end: [...text].length }];
      const reading = reader.read({ text, offset: 0, spans, pause: 'none' });
      expect(reader.countTokens(text)).toBe(tokensOf(reading).length);
    }
  });

  it('says nothing where there is nothing to say, and says so', () => {
    const emoji = reader.read(one('😀😀'));
    expect(tokensOf(emoji)).toEqual([]);
    expect(Object.values(emoji.skipped).reduce((sum, chars) => sum + chars, 0)).toBe(2);
    expect(reader.read(one('… — !')).parts).toEqual([]);
    const silent = reader.read({ text: ' \n', offset: 0, spans: [], pause: 'none' });
    expect(silent).toEqual({
      normalized: '',
      words: [],
      phonemes: '',
      parts: [],
      questions: [],
      stressed: [],
      before: [],
      ahead: [],
      skipped: {},
    });
  });

  it('counts scripts it cannot read and speaks the rest', () => {
    const reading = reader.read(one('Hello 世界 there'));
    expect(reading.phonemes).toBe('həlˈO ðˈɛɹ');
    expect(Object.values(reading.skipped).reduce((sum, chars) => sum + chars, 0)).toBe(2);
  });

  it('begins and ends without a space, and has none before a closing mark', () => {
    const { phonemes } = reader.read(one('  Hello there , friend .  '));
    expect(phonemes).toBe('həlˈO ðˈɛɹ, fɹˈɛnd.');
  });

  it('keeps within the limit whatever it is handed', () => {
    const text = `${'1234567890'.repeat(60)} ${'abc'.repeat(500)}`;
    const reading = reader.read({
      text,
      offset: 0,
      spans: [{ kind: 'text', text, start: 0, end: text.length }],
      pause: 'none',
    });
    expect(reading.parts.length).toBeGreaterThan(1);
    for (const part of reading.parts)
      if (part.kind === 'speech') expect(part.tokens.length).toBeLessThanOrEqual(MAX_TOKENS);
  });
});

describe('SSML read', () => {
  const read = (text: string) => reader.read(one(text, true));

  it('turns a break into silence between two stretches of speech', () => {
    const { parts } = read('One <break time="700ms"/> two');
    expect(
      parts.map((part) => (part.kind === 'silence' ? part.ms : part.tokens.map(({ symbol }) => symbol).join(''))),
    ).toEqual(['wˈʌn', 700, 'tˈu']);
  });

  it('says what a phoneme element gives, and maps it to the text inside', () => {
    const segment = one('My <phoneme alphabet="ipa" ph="təˈmɑːtəʊ">tomato</phoneme>, yours', true);
    expect(pairs(segment)).toEqual([
      ['My', 'mI'],
      ['tomato', 'təmˈɑtO'],
      [',', ','],
      ['yours', 'jˈɔɹz'],
    ]);
  });

  it('says the alias of a sub element, normalised, and maps it to the text inside', () => {
    const segment = one('See <sub alias="page 12">p. 12</sub>.', true);
    expect(pairs(segment)).toEqual([
      ['See', 'sˈi'],
      ['p. 12', 'pˈAʤ twˈɛlv'],
      ['.', '.'],
    ]);
  });

  it('reads say-as the way it was asked to', () => {
    expect(read('<say-as interpret-as="characters">AB1</say-as>').phonemes).toContain('wˈʌn');
    expect(read('<say-as interpret-as="cardinal">1999</say-as>').phonemes).toContain('θˈWzənd');
    expect(read('<say-as interpret-as="ordinal">21</say-as>').phonemes).toContain('fˈɜɹst');
    expect(read('<say-as interpret-as="telephone">12</say-as>').phonemes).toBe('wˈʌn tˈu');
  });

  it('maps text with references and dropped tags to the source', () => {
    const segment = one('Ask AT&amp;T or un<b>believ</b>able', true);
    const found = pairs(segment);
    expect(found.at(-1)).toEqual(['un<b>believ</b>able', 'ʌnbᵻlˈivəbᵊl']);
    expect(found.some(([source]) => source.includes('&amp;'))).toBe(true);
  });

  it('lets a possessive join an element', () => {
    expect(read('<phoneme ph="ˈkæt">Kat</phoneme>\'s hat').phonemes).toBe('kˈæts hˈæt');
  });

  it('counts a symbol outside the alphabet', () => {
    expect(read('<phoneme ph="ǃa">x</phoneme>').skipped).toEqual({ 'symbol:ǃ': 1 });
  });
});

describe('a lexicon', () => {
  const lexicon = (content: string) => parseLexicon(content, 'words.txt');
  const readWith = async (content: string, text: string) => {
    const own = await createReader({ lexicon: lexicon(content) });
    return pairs(segmentsOf(text, false, own)[0]!, own);
  };

  it('gives sounds or a respelling to a word, wherever it stands', async () => {
    expect(await readWith('nginx = engine x\nSiobhan = /ʃəˈvɔːn/', 'Siobhan runs nginx')).toEqual([
      ['Siobhan', 'ʃəvˈɔn'],
      ['runs', 'ɹˈʌnz'],
      ['nginx', 'ˈɛnʤɪn ˈɛks'],
    ]);
  });

  it('takes a word in small letters for every capitalisation, one with capitals for itself', async () => {
    const file = 'foo = /bɑː/\nPIN = /pɪn/';
    expect((await readWith(file, 'Foo FOO foo')).map(([, said]) => said)).toEqual(['bɑ', 'bɑ', 'bɑ']);
    expect((await readWith(file, 'the PIN'))[1]).toEqual(['PIN', 'pɪn']);
    expect((await readWith('Lib = /laɪb/', 'the lib'))[1]![1]).not.toBe('lIb');
  });

  it('finds whole words only, with their possessive', async () => {
    expect((await readWith('foo = /bɑː/', "foo's food"))[0]).toEqual(['foo', 'bɑ']);
    expect(await readWith('foo = /bɑː/', 'food')).toEqual([['food', 'fˈud']]);
  });

  it('takes signs inside a word, and words with accents', async () => {
    expect((await readWith('c++ = see plus plus', 'We use C++ here')).map(([source]) => source)).toContain('C++');
    expect((await readWith('Zoë = /zoʊi/', 'Zoë came'))[0]).toEqual(['Zoë', 'zOi']);
  });

  it('takes a word of any signs, hyphens among them', async () => {
    const own = lexicon(
      'wi-fi = why fie\nC++ = see plus plus\nwhat? = huh\n.NET = dot net\n[x] = ex\n-5 = cold\na|b = both\n$ = buck',
    );
    const found = (text: string) => own.find(text).map(({ index, length }) => text.slice(index, index + length));
    expect(found('Wi-Fi and wi-fi, C++ or C++17; WHAT? what')).toEqual(['Wi-Fi', 'wi-fi', 'C++', 'C++', 'WHAT?']);
    expect(found('use .NET, [x], -5, a|b for $ but not ASP.NET, xa|bx')).toEqual(['.NET', '[x]', '-5', 'a|b', '$']);
    expect(await readWith('wi-fi = why fie', 'our wi-fi works')).toContainEqual(['wi-fi', 'wˌI fˈI']);
    expect(await readWith('C++ = /siː/', 'we write C++.')).toContainEqual(['C++', 'si']);
    expect((await readWith('what? = huh', 'You said what? Yes')).map(([source]) => source)).toContain('what?');
  });

  it('prefers the longest word that stands there', () => {
    const own = lexicon('new york = a\nnew = b\nNew York City = c');
    const found = (text: string) => own.find(text).map(({ entry }) => (entry.kind === 'respelling' ? entry.text : ''));
    expect(found('new york, New York City, new york city, new yorker, newer')).toEqual(['a', 'c', 'a', 'b']);
  });

  it('makes of any words a lexicon that finds each of them, or says what is wrong', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), { maxLength: 8 }), (words) => {
        const file = JSON.stringify(Object.fromEntries(words.map((word) => [word, 'said'])));
        let own: ReturnType<typeof lexicon>;
        try {
          own = lexicon(file);
        } catch (error) {
          expect(error).toMatchObject({ code: 'config_invalid' });
          return;
        }
        for (const word of words) {
          const written = word.trim().normalize('NFC');
          const match = own.find(`x ${written} y`).find(({ index }) => index === 2);
          expect(match?.length).toBe(written.length);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('can be JSON', async () => {
    expect((await readWith('{ "foo": "/bɑː/", "bar": "baz" }', 'foo bar')).map(([, said]) => said)).toEqual([
      'bɑ',
      'bˈæz',
    ]);
  });

  it('ignores comments and empty lines', () => {
    expect(lexicon('# a comment\n\n  foo = /bɑː/ # said so\n').size).toBe(1);
    expect(lexicon('').size).toBe(0);
  });

  const MISTAKES: readonly (readonly [string, RegExp])[] = [
    ['foo', /words\.txt, line 1: "foo" has no "="/],
    ['ok = /a/\nfoo = /b', /line 2: IPA stands between two slashes/],
    ['foo = /ǃ/', /line 1: "ǃ" is no IPA symbol/],
    ['foo = /a/\nfoo = /e/', /line 2: "foo" is there twice/],
    ['foo = //', /line 1: IPA stands between/],
    [`foo = ${'x'.repeat(300)}`, /more than 200 characters/],
    ['{\n "foo": 5\n}', /line 2: "foo" needs a text/],
    ['{ "foo": ', /not JSON/],
  ];
  for (const [content, message] of MISTAKES) {
    it(`with a mistake says where: ${JSON.stringify(content.slice(0, 30))}`, () => {
      expect(() => lexicon(content)).toThrow(expect.objectContaining({ code: 'config_invalid' }));
      expect(() => lexicon(content)).toThrow(message);
    });
  }
});
