/** Signs that have a name, and marks as Japanese writes them. */

import { form } from '../../normalize/form.js';
import type { Rule } from '../../normalize/rule.js';

const NAMES: Readonly<Record<string, string>> = {
  '&': 'アンド',
  '+': 'プラス',
  '±': 'プラスマイナス',
  '×': 'カケル',
  '÷': 'ワル',
  '=': 'イコール',
  '≒': 'ヤク',
  '≈': 'ヤク',
  '≠': 'ノットイコール',
  '≤': 'イカ',
  '≥': 'イジョー',
  '%': 'パーセント',
  '℃': 'ド',
  '°': 'ド',
  '#': 'シャープ',
  '@': 'アット',
  '※': 'コメジルシ',
  '§': 'セクション',
  '©': 'コピーライト',
  '™': 'トレードマーク',
  '√': 'ルート',
  π: 'パイ',
  α: 'アルファ',
  β: 'ベータ',
  γ: 'ガンマ',
  δ: 'デルタ',
  Δ: 'デルタ',
  θ: 'シータ',
  λ: 'ラムダ',
  μ: 'ミュー',
  µ: 'ミュー',
  σ: 'シグマ',
  Σ: 'シグマ',
  φ: 'ファイ',
  ω: 'オメガ',
  Ω: 'オメガ',
  '∞': 'ムゲンダイ',
  '¥': 'エン',
  '￥': 'エン',
  $: 'ドル',
  '€': 'ユーロ',
  '£': 'ポンド',
  '‰': 'パーミル',
  '〒': 'ユービンバンゴー',
  〆: 'シメ',
};

export const isNamed = (sign: string): boolean => Object.hasOwn(NAMES, sign);

export const signRule: Rule = {
  name: 'sign',
  begins: { signs: Object.keys(NAMES).join('') },
  apply(scan, at) {
    scan.out.say(NAMES[scan.text[at]!]!, at, at + 1);
    return at + 1;
  },
};

export const comparisonRule = form('comparison', { signs: '<>' }, /[<>](?=\s?\d)/y, ([sign]) =>
  sign === '>' ? 'ダイナリ' : 'ショーナリ',
);

/** Between words a slash parts; between letters it is named. */
export const slashRule: Rule = {
  name: 'slash',
  begins: { signs: '/\\' },
  apply(scan, at) {
    if (/[A-Za-z]/.test(scan.text[at - 1] ?? '')) scan.out.say('スラッシュ', at, at + 1);
    else scan.out.pause(',', at, at + 1);
    return at + 1;
  },
};
