/**
 * Written Hindi and how it is said; the tables lie in `hi-cases/`, one case a line. Sentence ends,
 * silent vowels, words and their times.
 */
import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/text/reader.js';
import { segmentText } from '../../src/text/segment/segment.js';
import { testCases } from '../../testkit/text-cases.js';
import { disagreements, spanOf } from '../support/sound/spoken-words.js';

await testCases('hi-cases', 'hi-IN', 380);

const reader = await createReader({ language: 'hi-IN' });
const read = (text: string) => reader.read(spanOf(text));
const cut = (text: string) =>
  segmentText(text, { countTokens: reader.countTokens, language: 'hi-IN', inTimeChars: Number.POSITIVE_INFINITY }).map(
    (segment) => segment.text,
  );

describe('sentences', () => {
  it.each([
    'यह हमारा पुराना घर है जहाँ हम रहते थे। ¦वह पेड़ मेरे दादा जी ने लगाया था।',
    'डॉ. शर्मा आज अस्पताल नहीं आए। ¦क्या वे कल आएँगे? ¦हाँ, ज़रूर आएँगे!',
    'श्री ए.पी.जे. अब्दुल कलाम ने यह कहा था। ¦एस. जयशंकर भी वहाँ आए थे।',
    'उसने मुझे रु. 500 दिए थे।¦मैंने उसे अगले दिन लौटा दिए।',
    'राम बोला, “चलो, घर चलते हैं।” ¦फिर वह अपने घर चला गया।',
    'रघुपति राघव राजा राम॥ ¦पतित पावन सीताराम॥',
  ])('%s', (marked) => {
    const segments = cut(marked.replaceAll('¦', ''));
    expect(segments.join('')).toBe(marked.replaceAll('¦', ''));
    // Short sentences may share a segment: none begins where no sentence does.
    const begins = (parts: readonly string[]) => parts.map((_, i) => parts.slice(0, i).join('').length);
    expect(begins(marked.split('¦'))).toEqual(expect.arrayContaining(begins(segments)));
  });
});

describe('words', () => {
  it('agree with a second source in at least 95 of 100', () => {
    const heard = (ipa: string) =>
      ipa
        .normalize('NFD')
        .replace(/(?<=[^aeiouəɛɔʌɑɪʊ])ː/gu, '')
        .replace(/[ˈˌ.ːʲᵊ]|\u0361|\u032a|\u0329|\u032f/gu, '')
        .replace(/dʒ/gu, 'ɟ')
        .replace(/tʃ/gu, 'c')
        .replace(/[ʱʰɦ]/gu, 'h')
        .replace(/ʌ/gu, 'ə')
        .replace(/ɑ/gu, 'a')
        .replace(/ɪ/gu, 'i')
        .replace(/ʊ/gu, 'u')
        .replace(/[ɽɾ]/gu, 'r')
        .replace(/[ŋɲɳm]/gu, 'n')
        .replace(/ʂ/gu, 'ʃ')
        .replace(/x/gu, 'kh')
        .replace(/q/gu, 'k')
        .replace(/ɣ/gu, 'ɡ')
        .replace(/[zʒ]/gu, 'ɟ')
        .replace(/f/gu, 'ph')
        .replace(/([aeiouəɛɔ])\u0303/gu, '$1n')
        .replace(/tc/gu, 'cc')
        .replace(/([ckʈtp])h\1h/gu, '$1$1h')
        .replace(/ɛh/gu, 'əh')
        .replace(/[əɛ]j/gu, 'ɛ')
        .replace(/ə$/u, '')
        .replace(/([^aeiouəɛɔ])\1+/gu, '$1');
    const wrong = disagreements('hindi.txt', 60, (word) => read(word).phonemes, heard);
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(3);
  });

  it('lose the vowels that are not said', () => {
    expect(read('लगभग').phonemes).toBe('lˈʌɡbʰəɡ');
    expect(read('रहती').phonemes).toBe('ɾˈʌhti');
    expect(read('बारहवीं').phonemes).toBe('baːɾˈʌhʋi\u0303');
    expect(read('नेताओं').phonemes).toMatch(/o\u0303$/u);
  });

  it('stand for their own characters, numbers and Latin letters too', () => {
    const text = 'BJP ने १५ अगस्त को ₹500 दिए।';
    const { words, skipped } = read(text);
    const points = [...text];
    const said = words.map((word) => [word.text, points.slice(word.start, word.end).join('')]);
    expect(said).toContainEqual(['जे', 'BJP']);
    expect(said).toContainEqual(['पंद्रह', '१५']);
    expect(said).toContainEqual(['रुपये', '₹500']);
    expect(said).toContainEqual(['दिए', 'दिए']);
    expect(skipped).toEqual({});
  });

  it('are asked for as SSML asks', () => {
    const say = (text: string, as: 'characters' | 'ordinal' | 'telephone' | 'date') =>
      reader.read({ text, offset: 0, spans: [{ kind: 'say-as', text, as, start: 0, end: text.length }], pause: 'none' })
        .normalized;
    expect(say('AB1', 'characters')).toBe('ए बी एक');
    expect(say('21', 'ordinal')).toBe('इक्कीसवाँ');
    expect(say('98765', 'telephone')).toBe('नौ आठ सात छह पाँच');
    expect(say('15/08/1947', 'date')).toBe('पंद्रह अगस्त उन्नीस सौ सैंतालीस');
  });
});
