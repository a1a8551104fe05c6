/** The rules of reading French, in the order they are asked: the more particular ones first. */
import type { Rule } from '../normalize/rule.js';
import { abbreviationRule } from './abbreviations.js';
import { dateRule } from './dates.js';
import { ordinalRule, romanNumeralRule } from './ordinals.js';
import { phoneNumberRule } from './phone-numbers.js';
import { moneyRule, quantityRule, signedRule } from './quantities.js';
import { fractionSignRule, quoteRule, raisedDotRule, signRule, slashRule, spanRule } from './signs.js';
import { timeRule } from './times.js';
import { addressRule, tagRule } from './web.js';
import { wordRule } from './words.js';

export const RULES: readonly Rule[] = [
  addressRule,
  phoneNumberRule,
  dateRule,
  timeRule,
  ordinalRule,
  romanNumeralRule,
  abbreviationRule,
  quantityRule,
  wordRule,
  moneyRule,
  signedRule,
  tagRule,
  fractionSignRule,
  quoteRule,
  slashRule,
  spanRule,
  raisedDotRule,
  signRule,
];
