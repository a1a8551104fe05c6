/**
 * The rules of reading Chinese, in the order they are asked: the more particular ones first. What
 * they say is Chinese.
 */
import { MARK_RULES } from '../normalize/marks.js';
import type { Rule } from '../normalize/rule.js';
import { middleDotRule, scriptRule, wideMarkRule } from '../normalize/wide-marks.js';
import { clockRule, dateRule, phoneNumberRule } from './forms/dates.js';
import { addressRule, handleRule, latinRule, numberedRule, tagRule, usRule } from './forms/latin.js';
import {
  currencyRule,
  fractionRule,
  operatorRule,
  quantityRule,
  rangeRule,
  ratioRule,
  shortYearRule,
  signedRule,
  vulgarFractionRule,
  yearRangeRule,
  yearRule,
} from './forms/quantities.js';
import { signRule, slashRule } from './forms/signs.js';

export const SCRIPT = /[\p{Script=Han}〇]/u;

export const RULES: readonly Rule[] = [
  addressRule,
  numberedRule,
  usRule,
  dateRule,
  phoneNumberRule,
  clockRule,
  ratioRule,
  fractionRule,
  yearRangeRule,
  yearRule,
  quantityRule,
  latinRule,
  handleRule,
  tagRule,
  currencyRule,
  operatorRule,
  rangeRule,
  signedRule,
  shortYearRule,
  vulgarFractionRule,
  signRule,
  slashRule,
  wideMarkRule,
  middleDotRule,
  scriptRule(/[\p{Script=Han}〇]+/uy),
  ...MARK_RULES,
];
