/**
 * Stretches of a text in another language than its own: SSML's <lang>, and entries of a lexicon.
 */
import { describe, expect, it } from 'vitest';
import { parseLexicon } from '../../src/text/lexicon.js';
import { createReader } from '../../src/text/reader.js';
import { segmentText } from '../../src/text/segment/segment.js';

async function readings(text: string, { lexicon = '', ssml = true } = {}) {
  const reader = await createReader(lexicon === '' ? {} : { lexicon: parseLexicon(lexicon, 'a file') });
  const segments = segmentText(text, { countTokens: (part) => reader.countTokens(part), ssml });
  for (const segment of segments) await reader.prepare(segment);
  return segments.map((segment) => ({ segment, reading: reader.read(segment) }));
}

describe('<lang>', () => {
  it('reads its inside in the language it names, and what is around it in the own', async () => {
    const text = 'He said <lang xml:lang="es-ES">buenos días a las 21 casas</lang> and left at 5.';
    const [{ reading, segment }] = (await readings(text)) as [Awaited<ReturnType<typeof readings>>[number]];
    expect(reading.normalized).toBe('He said buenos días a las veintiuna casas and left at five.');
    expect(reading.phonemes).toContain('bwˈenos ðˈiʲas');
    expect(reading.phonemes).toMatch(/^hi sˈɛd .* lˈɛft/);
    expect(segment.text).toBe(text);
    const word = reading.words.find((each) => each.text === 'casas')!;
    expect([...text].slice(word.start, word.end).join('')).toBe('casas');
  });

  it('takes a language alone, holds inside other elements, and ends where it ends', async () => {
    const text = '<speak><lang xml:lang="it">Sono le <s>21 case</s></lang><s>It is 21.</s></speak>';
    const all = (await readings(text)).map(({ reading }) => reading.normalized).join(' ');
    expect(all).toContain('ventuno case');
    expect(all).toContain('It is twenty-one.');
  });

  it('refuses a language that does not exist, with those that do', async () => {
    await expect(readings('<lang xml:lang="tlh">nuqneH</lang>')).rejects.toThrow(/xml:lang="tlh".*en-US, en-GB, es-ES/);
    await expect(readings('<lang>hola</lang>')).rejects.toThrow(/allowed are/);
  });
});

describe('an entry of a lexicon', () => {
  it('is said in the language it names', async () => {
    const options = { lexicon: 'jalapeño = es: jalapeño\nciao = /tʃaʊ/', ssml: false };
    const [{ reading }] = (await readings('A jalapeño, please.', options)) as [
      Awaited<ReturnType<typeof readings>>[number],
    ];
    expect(reading.phonemes).toContain('xˌalapˈeɲo');
    expect(reading.normalized).toBe('A jalapeño, please.');
  });
});
