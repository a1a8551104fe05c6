/** The rules of reading Hindi, in the order they are asked: the more particular ones first. */
import type { Rule } from '../normalize/rule.js';
import { abbreviationRule, innerStopRule } from './abbreviations.js';
import { dateRule, timeRule } from './dates.js';
import { ordinalRule, romanNumeralRule } from './ordinals.js';
import { phoneNumberRule } from './phone-numbers.js';
import { moneyRule, quantityRule, rupeeWordRule, signedRule } from './quantities.js';
import { fractionSignRule, signRule, slashRule } from './signs.js';
import { addressRule, tagRule } from './web.js';
import { wordRule } from './words.js';

export const RULES: readonly Rule[] = [
  addressRule,
  phoneNumberRule,
  dateRule,
  timeRule,
  ordinalRule,
  romanNumeralRule,
  rupeeWordRule,
  abbreviationRule,
  quantityRule,
  wordRule,
  moneyRule,
  signedRule,
  tagRule,
  innerStopRule,
  fractionSignRule,
  slashRule,
  signRule,
];
