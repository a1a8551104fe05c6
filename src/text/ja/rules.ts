/**
 * The rules of reading Japanese, in the order they are asked: the more particular ones first. What
 * they say is katakana.
 */

import { form } from '../normalize/form.js';
import { MARK_RULES } from '../normalize/marks.js';
import type { Rule } from '../normalize/rule.js';
import { middleDotRule, scriptRule, wideMarkRule } from '../normalize/wide-marks.js';
import {
  blockNumberRule,
  clockRule,
  codeRule,
  dateRule,
  monthDayRule,
  phoneNumberRule,
  postalCodeRule,
  weekdayRule,
} from './forms/dates.js';
import { latinRule, numberedLetterRule } from './forms/latin.js';
import {
  currencyRule,
  fractionRule,
  negativeRule,
  operatorRule,
  quantityRule,
  rangeRule,
  vulgarFractionRule,
} from './forms/quantities.js';
import { comparisonRule, signRule, slashRule } from './forms/signs.js';
import { addressRule, handleRule, tagRule } from './forms/web.js';

export const SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々〆ゝゞヽヾ]/u;

/** A row of it, but for narrow kana and squared words. */
const ROW =
  /(?:(?![\uff66-\uff9f\u3300-\u3357〆])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々ゝゞヽヾ])+/uy;

/** Narrow kana and squared words, written with the characters they are made of. */
const compatibleRule = form('narrow kana', { signs: 'any sign' }, /[\uff66-\uff9f\u3300-\u3357]+/y, ([narrow]) =>
  narrow!.normalize('NFKC'),
);

const COMPANIES: Readonly<Record<string, string>> = { '㈱': 'カブシキガイシャ', '㈲': 'ユーゲンガイシャ' };
const companyRule = form('company', { signs: '㈱㈲' }, /[㈱㈲]/y, ([sign]) => COMPANIES[sign!]);

export const RULES: readonly Rule[] = [
  addressRule,
  postalCodeRule,
  weekdayRule,
  dateRule,
  monthDayRule,
  phoneNumberRule,
  blockNumberRule,
  clockRule,
  fractionRule,
  numberedLetterRule,
  codeRule,
  quantityRule,
  latinRule,
  handleRule,
  tagRule,
  currencyRule,
  operatorRule,
  negativeRule,
  rangeRule,
  vulgarFractionRule,
  comparisonRule,
  signRule,
  slashRule,
  wideMarkRule,
  middleDotRule,
  compatibleRule,
  companyRule,
  scriptRule(ROW),
  ...MARK_RULES,
];
