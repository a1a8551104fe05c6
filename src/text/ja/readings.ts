/**
 * Words that are read in more than one way, and words the dictionary does not have: what stands
 * beside them tells.
 */
import type { Morpheme } from './analysis/lattice.js';

/** The sound of the word at `at`, or undefined where the dictionary's is right. */
type Choice = (words: readonly Morpheme[], at: number) => string | undefined;

const NEAR = 8;

/** Whether one of the words around the one at `at` is written so. */
const near = (words: readonly Morpheme[], at: number, pattern: RegExp): boolean =>
  words
    .slice(Math.max(0, at - NEAR), at + NEAR)
    .some(({ written, entry }) => pattern.test(written) || pattern.test(entry.base));

const after = (words: readonly Morpheme[], at: number): string => words[at + 1]?.written ?? '';
const before = (words: readonly Morpheme[], at: number): string => words[at - 1]?.written ?? '';

const FOOD = /料理|味|カレー|食|スープ|唐辛子|わさび|ソース|ラーメン|キムチ|塩|舌|口|鍋|飲|スパイス|激|甘/;

const CHOICES: ReadonlyMap<string, string | Choice> = new Map(
  Object.entries<string | Choice>({
    日本: 'ニホン',
    日本人: 'ニホンジン',
    明後日: 'アサッテ',
    一昨日: 'オトトイ',
    何: (words, at) => (/^(?:で|だ|な(?!ら)|の|と)/.test(after(words, at)) ? 'ナン' : undefined),
    角: (words, at) =>
      /^[をにでのはが]/.test(after(words, at)) && !near(words, at, /鹿|牛|度|三|四/) ? 'カド' : undefined,
    辛い: (words, at) => (near(words, at, FOOD) ? 'カライ' : 'ツライ'),
    辛く: (words, at) => (near(words, at, FOOD) ? 'カラク' : 'ツラク'),
    家: (words, at) => (words[at]!.entry.detail === '接尾' ? undefined : 'イエ'),
    中: (words, at) =>
      /^(?:日|世界|一日|年|町|国|体|家|部屋|夏|冬|街)$/.test(before(words, at)) ? 'ジュー' : undefined,
    他: 'ホカ',
    後: (words, at) => (before(words, at) === 'その' ? 'ゴ' : /^[ただ]$/.test(before(words, at)) ? 'アト' : undefined),
    夜中: 'ヨナカ',
    大谷: 'オータニ',
    市場: (words, at) => (near(words, at, /魚|野菜|買い物|朝市|果物|花|食材/) ? 'イチバ' : 'シジョー'),
    いう: 'ユー',
    言う: 'ユー',
    という: 'トユー',
    ゆう: 'ユー',
  }),
);

export function corrected(words: readonly Morpheme[], at: number): string | undefined {
  const { written, entry } = words[at]!;
  if (written === 'う' && entry.kind === '助動詞') return 'ー';
  const choice = CHOICES.get(written);
  return typeof choice === 'function' ? choice(words, at) : choice;
}

/** Words that came up after the dictionary was made, with how they sound. */
export const NEW_WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    令和: 'レーワ',
    上皇: 'ジョーコー',
    推し: 'オシ',
    自撮り: 'ジドリ',
    婚活: 'コンカツ',
    就活: 'シューカツ',
    終活: 'シューカツ',
    爆買い: 'バクガイ',
    女子会: 'ジョシカイ',
    既読: 'キドク',
    歩きスマホ: 'アルキスマホ',
    在宅勤務: 'ザイタクキンム',
    濃厚接触者: 'ノーコーセッショクシャ',
    緊急事態宣言: 'キンキュージタイセンゲン',
    生成: 'セーセー',
    大谷翔平: 'オータニショーヘー',
    藤井聡太: 'フジイソータ',
  }),
);
