/**
 * Written Japanese and how it is read; the tables lie in `ja-cases/`, one case a line, readings in
 * kana.
 */
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Segment } from '../../src/protocol/job.js';
import { japaneseLattice } from '../../src/text/ja/japanese.js';
import { kanaPhonemes } from '../../src/text/ja/kana.js';
import { japaneseWords } from '../../src/text/ja/words.js';
import { loadFrontEnd } from '../../src/text/languages.js';
import { parseLexicon } from '../../src/text/lexicon.js';
import { normalize } from '../../src/text/normalize.js';
import { createReader } from '../../src/text/reader.js';
import { segmentText } from '../../src/text/segment/segment.js';
import type { Reader } from '../../src/text/types.js';
import { soundsLike } from '../../testkit/kana.js';
import { languageFiles } from '../../testkit/language-files.js';
import { casesOf } from '../../testkit/text-cases.js';

const language = 'ja-JP';
const casesIn = (file: string) => casesOf(path.resolve(import.meta.dirname, 'ja-cases', file));

/** The words of a text in katakana. */
function kanaOf(written: string): string[] {
  const { text } = normalize(written, { language });
  return japaneseWords(text, japaneseLattice()).map(({ start, end, kana }) => kana ?? text.slice(start, end));
}

let reader: Reader;
beforeAll(async () => {
  await (await loadFrontEnd(language)).prepare!(languageFiles);
  reader = await createReader({ language, files: languageFiles });
});

const wholeOf = (text: string): Segment => ({
  text,
  offset: 0,
  spans: [{ kind: 'text', text, start: 0, end: text.length }],
  pause: 'sentence',
});
const read = (text: string) =>
  segmentText(text, { countTokens: (part) => reader.countTokens(part), language }).map((each) => reader.read(each));

describe('written forms', () => {
  const cases = casesIn('forms.txt');
  it('has at least 250, none twice', () => {
    expect(new Set(cases.map(({ written }) => written)).size).toBe(cases.length);
    expect(cases.length).toBeGreaterThanOrEqual(250);
  });
  it.each(cases.map(({ kind, written, read: reading }) => ({ kind, written, reading })))('$kind: $written', (each) => {
    expect(each.reading.split(' | ').map(soundsLike)).toContain(soundsLike(kanaOf(each.written).join('')));
  });
});

describe.each(['prose.txt', 'prose-2.txt'])('%s', (file) => {
  it.each(casesIn(file))('$written', ({ written, read: reading }) => {
    expect(kanaOf(written).join(' ')).toBe(reading);
  });
});

/** Our symbols in the notation of ipa-dict. */
const asIpaDict = (phonemes: string): string =>
  phonemes
    .replaceAll('ɨ', 'ɯ')
    .replace(/ː/g, (_, at: number) => ({ o: 'ɯ', e: 'i' })[phonemes[at - 1]!] ?? phonemes[at - 1]!.replace('ɨ', 'ɯ'))
    .replace(/[mŋɲn](?=[bpmkɡʥʨtdnzʣsɾ])/g, 'ɴ')
    .replace(/ɲ(?=i)/g, 'n')
    .replaceAll('ɲ', 'nj')
    .replace(/ʲ(?=i)/g, '')
    .replaceAll('ʲ', 'j')
    .replaceAll('ʣ', 'z')
    .replace(/ʔ(ʨ|.)/g, '$1ː')
    .replaceAll('ʥ', 'dʑ')
    .replaceAll('ʨ', 'tɕ')
    .replaceAll('ʦ', 'ts')
    .replaceAll('β', 'ɰᵝ')
    .replaceAll('ɡ', 'g');

describe('words against a pronouncing dictionary of others', () => {
  const cases = casesIn('words.txt');
  it('has at least 60', () => expect(cases.length).toBeGreaterThanOrEqual(60));
  it.each(cases)('$written', ({ written, read: sounds }) => {
    expect(sounds.split(' | ')).toContain(asIpaDict(kanaOf(written).map(kanaPhonemes).join('')));
  });
});

describe('kana in the symbols of the model', () => {
  it.each([
    ['トーキョー', 'toːkʲoː'],
    ['コンニチワ', 'koɲɲiʨiβa'],
    ['サンポ', 'sampo'],
    ['ギンコー', 'ɡʲiŋkoː'],
    ['ガッコー', 'ɡaʔkoː'],
    ['シュジュツ', 'ɕɨʥɨʦɨ'],
    ['ファイル', 'ɸaiɾɯ'],
    ['ホンヤ', 'hoɴja'],
    ['ティーシャツ', 'tʲiːɕaʦɨ'],
  ])('%s', (kana, phonemes) => {
    expect(kanaPhonemes(kana)).toBe(phonemes);
  });
});

describe('a text', () => {
  it('is cut at its marks, read to its last character, and drops no symbol', () => {
    const text = '「本当ですか？」と彼女は聞いた。はい、Wi-Fiは3階（奥）にあります！';
    const readings = read(text);
    expect(readings.map(({ skipped }) => skipped)).toEqual(readings.map(() => ({})));
    const phonemes = readings.map((each) => each.phonemes).join(' ');
    expect(phonemes).not.toMatch(/[\d\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u);
    expect(phonemes).toContain('“');
    expect(phonemes).toMatch(/haː?i, /);
    expect(readings.at(-1)!.phonemes).toMatch(/!$/);
  });

  it('keeps the characters of every word', () => {
    const text = '第3回の会議は10時からです。';
    const [{ words, parts }] = read(text) as [ReturnType<Reader['read']>];
    const shown = words.map(({ start, end }) => text.slice(start, end));
    expect(shown).toEqual(['第3回', 'の', '会議', 'は', '10時', 'から', 'です']);
    const tokens = parts.flatMap((part) => (part.kind === 'speech' ? part.tokens : []));
    expect(tokens.every(({ start, end }) => start <= end && end <= text.length)).toBe(true);
  });

  it('finds entries of a lexicon in rows without spaces, but not inside a word in katakana', async () => {
    const lexicon = parseLexicon(
      '紫苑 = シオン\nアイ = エイアイ\n東雲 = /ɕinonome/\njalapeño = es: jalapeño',
      'a file',
    );
    const own = await createReader({ language, files: languageFiles, lexicon });
    const text = '私は紫苑とアイスとアイを、東雲、でjalapeñoと買った。';
    const { phonemes, words } = own.read(wholeOf(text));
    expect(phonemes).toBe('βataɕi βa ɕioɴ to aisɨ to eiai o, ɕinonome, de xˌalapˈeɲo to kaʔta.');
    const shown = words.map(({ start, end }) => text.slice(start, end));
    expect(shown).toEqual(expect.arrayContaining(['紫苑', 'アイス', 'アイ', '東雲', 'jalapeño']));
  });

  it('reads particles as they are said', () => {
    expect(kanaOf('私は学校へ本を持って行く。').map((kana) => kana.replace('ヲ', 'オ'))).toEqual([
      'ワタシ',
      'ワ',
      'ガッコー',
      'エ',
      'ホン',
      'オ',
      'モッテ',
      'イク',
    ]);
  });
});
