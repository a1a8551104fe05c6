/** The cast file: what a draft holds can be read again, and names find their character. */
import { describe, expect, it } from 'vitest';
import { castDraft, characterOf, countedSpeakers, parseCast } from '../../src/book/cast/cast.js';

const parse = (text: string) => parseCast(text, 'x.cast', (name) => name);

describe('a cast', () => {
  it('is a draft that can be read as it is', () => {
    const times = new Map([
      ['Ahab', 9],
      ['Captain Ahab', 2],
      ['the captain', 3],
      ['the Captain', 1],
      ['I', 5],
      ['Pip', 1],
    ]);
    const speakers = countedSpeakers(times);
    expect(speakers.map(({ names, times: all }) => [names.join('/'), all])).toEqual([
      ['Captain Ahab/Ahab', 11],
      ['I', 5],
      ['the captain/the Captain', 4],
      ['Pip', 1],
    ]);
    const draft = castDraft({
      title: 'T',
      narrator: 'n',
      speakers,
      quotations: 30,
      attributed: 21,
      voices: ['a', 'b'],
    });
    expect(draft.split('\n').slice(4)).toEqual([
      'narrator = n',
      'Captain Ahab, Ahab = a  # 11 times',
      '# I = n  # 5 times',
      'the captain = b  # 4 times',
      '# Pip = a  # once',
      '',
    ]);
    expect(parse(draft)).toEqual({
      narrator: 'n',
      characters: [
        { names: ['Captain Ahab', 'Ahab'], voice: 'a' },
        { names: ['the captain'], voice: 'b' },
      ],
    });
  });

  it('finds a character by a form of the name, where only one can be meant', () => {
    const cast = parse('Ahab = a\nMr. Bennet = b\nMrs. Bennet = c\nMary Rudd = d');
    const voice = (name: string) => characterOf(cast, name)?.voice;
    expect(['Captain Ahab', 'mr bennet', 'Mrs Bennet', 'Bennet', 'Mary', 'Mrs. Ahab', 'Tom'].map(voice)).toEqual([
      'a',
      'b',
      'c',
      undefined,
      'd',
      undefined,
      undefined,
    ]);
  });

  it('refuses what is no line of it', () => {
    for (const [text, problem] of [
      ['Ahab', /line 1: a character is written NAME = VOICE/],
      ['\nAhab =', /line 2/],
      ['= a', /line 1/],
      ['Ahab = a\nahab = b', /line 2: "ahab" is there twice/],
    ] as const) {
      expect(() => parse(text)).toThrow(problem);
    }
  });
});
