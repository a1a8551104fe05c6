/** Written Chinese and how it is read; the tables lie in `zh-cases/`, one case a line. */
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadFrontEnd } from '../../src/text/languages.js';
import { parseLexicon } from '../../src/text/lexicon.js';
import { normalize } from '../../src/text/normalize.js';
import { createReader } from '../../src/text/reader.js';
import { segmentText } from '../../src/text/segment/segment.js';
import type { Reader } from '../../src/text/types.js';
import { chineseWordList } from '../../src/text/zh/mandarin.js';
import { sayClause, wordPhonemes } from '../../src/text/zh/pinyin/reading.js';
import { languageFiles } from '../../testkit/language-files.js';
import { casesOf } from '../../testkit/text-cases.js';

const language = 'zh-CN';
const casesIn = (file: string) => casesOf(path.resolve(import.meta.dirname, 'zh-cases', file));

let reader: Reader;
beforeAll(async () => {
  await (await loadFrontEnd(language)).prepare!(languageFiles);
  reader = await createReader({ language, files: languageFiles });
});

const MARKS: Readonly<Record<string, string>> = {
  '。': '.',
  '，': ',',
  '、': ',',
  '！': '!',
  '？': '?',
  '：': ':',
  '；': ';',
  '（': '(',
  '）': ')',
};
/** Spaces and the width of marks are not compared. */
const plain = (text: string): string =>
  text
    .replace(/\s/g, '')
    .replace(/[“”"「」《》]/g, '"')
    .replace(/[。，、！？：；（）]/g, (mark) => MARKS[mark]!);

describe('written forms', () => {
  const cases = casesIn('forms.txt');
  it('has at least 250, none twice', () => {
    expect(new Set(cases.map(({ written }) => written)).size).toBe(cases.length);
    expect(cases.length).toBeGreaterThanOrEqual(250);
  });
  it.each(cases)('$kind: $written', ({ written, read }) => {
    expect(plain(normalize(written, { language }).text)).toBe(plain(read));
  });
});

const pinyinOf = (text: string): string =>
  (text.match(/\p{Script=Han}+/gu) ?? [])
    .map((clause) =>
      sayClause(clause, chineseWordList())
        .map(({ syllables }) => syllables.map(({ sound, tone }) => sound + tone).join(''))
        .join(' '),
    )
    .join(', ');

describe.each(['prose.txt', 'prose-2.txt'])('%s', (file) => {
  it.each(casesIn(file))('$written', ({ written, read }) => {
    expect(pinyinOf(written)).toBe(read);
  });
});

/** The notation of ipa-dict in our symbols, without tones. */
const fromIpaDict = (ipa: string): string =>
  ipa
    .replace(/[˥˧˨˩˦]/g, '')
    .replaceAll('tɕ', 'ʨ')
    .replaceAll('ʈʂ', 'ꭧ')
    .replaceAll('ts', 'ʦ')
    .replaceAll('ʐ', 'ɻ')
    .replace(/(?<=[ʂꭧʰɻ])ɚ/g, 'ɨ')
    .replace(/(?<=[sʦʰ])ɯ/g, 'ɨ')
    .replaceAll('aɻ', 'ɚ')
    .replaceAll('ɑʊ', 'au')
    .replaceAll('ɪ', 'i')
    .replace(/oʊ/g, 'ou')
    .replaceAll('ɑ', 'a')
    .replaceAll('ɥœn', 'ɥɛn')
    .replaceAll('ɥœ', 'ɥe')
    .replaceAll('uɔ', 'wo')
    .replace(/ɤŋ/g, 'əŋ')
    .replace(/u(?=[aəe])/g, 'w')
    .replace(/jɛ(?!n)/g, 'je')
    .replaceAll(' ', '');
const TONES: Readonly<Record<string, string>> = { '˥˥': '→', '˧˥': '↗', '˨˩˦': '↓', '˥˩': '↘', '˧': '' };
const tonesOf = (ipa: string): string => (ipa.match(/[˥˧˨˩˦]+/g) ?? []).map((tone) => TONES[tone] ?? '?').join('');

describe('words against a pronouncing dictionary of others', () => {
  const cases = casesIn('words.txt');
  it('has at least 60', () => expect(cases.length).toBeGreaterThanOrEqual(60));
  it.each(cases)('$written', ({ written, read }) => {
    const said = sayClause(written, chineseWordList()).map(wordPhonemes).join('');
    const ways = read.split(' | ').map((way) => `${fromIpaDict(way)} ${tonesOf(way)}`);
    expect(ways).toContain(`${said.replace(/[→↗↓↘]/g, '')} ${said.replace(/[^→↗↓↘]/g, '')}`);
  });
});

describe('tones in a row', () => {
  it.each([
    ['你好', 'ni2hao3'],
    ['我很好', 'wo3 hen2 hao3'],
    ['一个', 'yi2ge4'],
    ['一天', 'yi4tian1'],
    ['第一', 'di4yi1'],
    ['一九四九年', 'yi1jiu3si4jiu3 nian2'],
    ['不是', 'bu2shi4'],
    ['不好', 'bu4hao3'],
    ['看一看', 'kan4yi0kan4'],
    ['对不起', 'dui4bu0qi3'],
    ['受不了', 'shou4bu0liao3'],
    ['跑得快', 'pao3de0kuai4'],
    ['不得不', 'bu4de2bu4'],
    ['一百一十', 'yi4bai3yi1shi2'],
  ])('%s', (written, pinyin) => {
    expect(pinyinOf(written).replace(/[ ,]/g, '')).toBe(pinyin.replaceAll(' ', ''));
  });

  it('gives the syllable before 儿 its r', () => {
    const said = (text: string) => sayClause(text, chineseWordList()).map(wordPhonemes).join(' ');
    expect(said('花儿')).toBe('xwa→ɚ');
    expect(said('一点儿')).toBe('i↘tja↓ɚ');
    expect(said('女儿')).toBe('ny↓ɚ↗');
  });
});

describe('a text', () => {
  const read = (text: string) =>
    segmentText(text, { countTokens: (part) => reader.countTokens(part), language }).map((each) => reader.read(each));

  it('is cut at its marks, read to its last character, and drops no symbol', () => {
    const readings = read('“真的吗？”他问。是的，我在IBM工作了2年（2020年至2021年）！《红楼梦》很好看。');
    expect(readings.map(({ skipped }) => skipped)).toEqual(readings.map(() => ({})));
    const phonemes = readings.map((each) => each.phonemes).join(' ');
    expect(phonemes).not.toMatch(/[\d\p{Script=Han}]/u);
    expect(phonemes).toContain('ˈI bˈi ˈɛm');
    expect(phonemes).toMatch(/ʂɨ↘ tɤ, wo↓/);
  });

  it('finds entries of a lexicon in rows without spaces, and keeps the marks behind them', async () => {
    const lexicon = parseLexicon('乐清 = 月清\n重庆 = /ʈʂʰʊ↗ŋʨʰi↘ŋ/', 'a file');
    const own = await createReader({ language, files: languageFiles, lexicon });
    const text = '我住在乐清，不在重庆。';
    const { phonemes } = own.read({
      text,
      offset: 0,
      spans: [{ kind: 'text', text, start: 0, end: text.length }],
      pause: 'sentence',
    });
    expect(phonemes).toBe('wo↓ ꭧu↘ ʦai↘ ɥe↘ ʨʰi→ŋ, pu↗ ʦai↘ ꭧʰʊ↗ŋʨʰi↘ŋ.');
  });

  it('keeps the characters of every word', () => {
    const text = '我有2只猫，花了100元。';
    const words = read(text).flatMap((each) => each.words.map(({ start, end }) => text.slice(start, end)));
    expect(words.join('')).toBe('我有2只猫花了100元');
  });
});
