/**
 * Written French and how it is said; the tables lie in `fr-cases/`, one case a line. Sentence ends,
 * liaison, words and their times.
 */
import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/text/reader.js';
import { segmentText } from '../../src/text/segment/segment.js';
import { testCases } from '../../testkit/text-cases.js';
import { disagreements, spanOf } from '../support/sound/spoken-words.js';

await testCases('fr-cases', 'fr-FR', 430);

const reader = await createReader({ language: 'fr-FR' });
const read = (text: string) => reader.read(spanOf(text));
const cut = (text: string) =>
  segmentText(text, { countTokens: reader.countTokens, language: 'fr-FR', inTimeChars: Number.POSITIVE_INFINITY }).map(
    (segment) => segment.text,
  );

describe('sentences', () => {
  it.each([
    'M. Dupont est arrivé hier soir avec le Dr. Martin, Mme Roux et J.-P. Petit. ¦Puis il est reparti chez lui.',
    '« Est-ce que tu viens avec nous demain ? » demanda-t-il. ¦« Oui, bien sûr que je viens ! » ¦Elle se mit à rire.',
    '«\u00a0Je reviendrai demain matin.\u00a0» ¦Puis il ferma doucement la porte.',
    'Il habite au 12 av. Foch depuis dix ans. ¦C’est assez loin du centre de la ville.',
    'Rome fut fondée en 753 av. J.-C. à ce que l’on dit. ¦Personne ne le sait vraiment.',
    'Le prix est de 12,50 € par personne. ¦Voir p. 12 et art. 3 pour les détails.',
    'Il acheta des pommes, des poires, etc. au marché. ¦Ensuite il rentra chez lui.',
  ])('%s', (marked) => {
    const segments = cut(marked.replaceAll('¦', ''));
    expect(segments.join('')).toBe(marked.replaceAll('¦', ''));
    // Short sentences may share a segment: none begins where no sentence does.
    const begins = (parts: readonly string[]) => parts.map((_, i) => parts.slice(0, i).join('').length);
    expect(begins(marked.split('¦'))).toEqual(expect.arrayContaining(begins(segments)));
  });
});

describe('words', () => {
  it('agree with a pronouncing dictionary that is not ours in at least 95 of 100', () => {
    const heard = (ipa: string) =>
      ipa
        .normalize('NFD')
        .replace(/[ˈˌːʲ‿ʼ]/gu, '')
        .replace(/g/gu, 'ɡ')
        .replace(/ɑ(?!\u0303)/gu, 'a')
        .replace(/œ\u0303/gu, 'ɛ\u0303')
        .replace(/[eɛ](?!\u0303)/gu, 'e')
        .replace(/[oɔ](?!\u0303)/gu, 'o')
        .replace(/[øœə](?!\u0303)/gu, '')
        .replace(/ɲ/gu, 'nj')
        .replace(/ɥ/gu, 'y')
        .replace(/b(?=[st])/gu, 'p')
        .replace(/i?j/gu, 'i')
        .replace(/(.)\1/gu, '$1');
    const wrong = disagreements('french.txt', 60, (word) => read(word).phonemes, heard);
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(3);
  });

  it('are linked where French links them, and not before "et"', () => {
    expect(read('les enfants ont deux ans').phonemes).toBe('lez ɑ̃fˈɑ̃ ˈɔ̃ dˈøz ˈɑ̃');
    expect(read('des frères et des sœurs').phonemes).toBe('de fʁˈɛʁ e de sˈœʁ');
    expect(read('les héros').phonemes).toMatch(/^le /);
  });

  it('are said letter by letter where they are letters', () => {
    expect(read("la SNCF et l'UE").phonemes).toBe('la ˌɛsˌɛnsˌeˈɛf e lˌyˈə');
  });

  it('stand for their own characters, numbers and marks too', () => {
    const text = "« J'ai 21 maisons ! » dit-il à 14 h 30.";
    const { words, skipped } = read(text);
    const points = [...text];
    const said = words.map((word) => [word.text, points.slice(word.start, word.end).join('')]);
    expect(said).toContainEqual(["J'ai", "J'ai"]);
    expect(said).toContainEqual(['une', '21']);
    expect(said).toContainEqual(['heures', '14 h 30']);
    expect(skipped).toEqual({});
  });

  it('are asked for as SSML asks', () => {
    const say = (text: string, as: 'characters' | 'ordinal' | 'telephone' | 'date') =>
      reader.read({ text, offset: 0, spans: [{ kind: 'say-as', text, as, start: 0, end: text.length }], pause: 'none' })
        .normalized;
    expect(say('ab1', 'characters')).toBe('A B un');
    expect(say('21', 'ordinal')).toBe('vingt et unième');
    expect(say('0123456789', 'telephone')).toBe(
      'zéro un, vingt-trois, quarante-cinq, soixante-sept, quatre-vingt-neuf',
    );
    expect(say('01/02/2020', 'date')).toBe('premier février deux mille vingt');
  });
});
