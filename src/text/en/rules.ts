/** The rules of reading English, in the order they are asked: the more particular ones first. A new rule is one line here. */
import type { Rule } from '../normalize/rule.js';
import { abbreviationRule } from './abbreviation-rule.js';
import { formulaRule } from './chemistry.js';
import { headingRule, planRule, teamRule, verseRule } from './citations.js';
import { dateRule, decadeRule, namedDateRule, shortYearRule } from './dates.js';
import { commandRule } from './formulas.js';
import { slashedRule } from './fractions.js';
import { absoluteRule, argumentsRule, factorialRule, functionRule } from './mathematics.js';
import {
  airlinersRule,
  dimensionsRule,
  feetAndInchesRule,
  ordinalRule,
  resolutionRule,
  scientificRule,
} from './numerals.js';
import { caretRule, operatorRule, raisedRule, slashRule } from './operators.js';
import { phoneNumberRule, zipCodeRule } from './phone-numbers.js';
import { directionRule, partyRule, shortStateRule, stateRule } from './places.js';
import {
  bulletRule,
  closingBracketRule,
  dashRule,
  endMarkRule,
  fullStopRule,
  hyphenRule,
  openingBracketRule,
  pauseMarkRule,
  separatorRule,
  spaceRule,
} from './punctuation.js';
import { quantityRule } from './quantities.js';
import { apostropheRule, quoteRule } from './quotes.js';
import { romanNumeralRule } from './roman.js';
import { degreesRule, formulaDollarRule, fractionSignRule, heartRule, pointerRule, signRule } from './signs.js';
import { starsRule, tagRule } from './tags.js';
import { dotNetRule, termRule } from './terms.js';
import { clockRule, dottedClockRule, lengthOfTimeRule, ratioRule } from './times.js';
import { hexadecimalRule, versionRule } from './versions.js';
import { addressRule, machineRule, pathRule } from './web.js';
import { wordRule } from './words.js';

export const RULES: readonly Rule[] = [
  spaceRule,
  termRule,
  dotNetRule,
  headingRule,
  functionRule,
  machineRule,
  addressRule,
  pathRule,
  commandRule,
  namedDateRule,
  dateRule,
  shortYearRule,
  phoneNumberRule,
  zipCodeRule,
  verseRule,
  dottedClockRule,
  clockRule,
  ratioRule,
  lengthOfTimeRule,
  romanNumeralRule,
  directionRule,
  partyRule,
  shortStateRule,
  abbreviationRule,
  stateRule,
  hexadecimalRule,
  versionRule,
  formulaRule,
  planRule,
  teamRule,
  ordinalRule,
  scientificRule,
  dimensionsRule,
  airlinersRule,
  resolutionRule,
  feetAndInchesRule,
  decadeRule,
  slashedRule,
  tagRule,
  starsRule,
  quantityRule,
  wordRule,
  factorialRule,
  absoluteRule,
  operatorRule,
  fullStopRule,
  endMarkRule,
  pauseMarkRule,
  quoteRule,
  apostropheRule,
  openingBracketRule,
  argumentsRule,
  closingBracketRule,
  hyphenRule,
  dashRule,
  bulletRule,
  slashRule,
  caretRule,
  separatorRule,
  raisedRule,
  degreesRule,
  fractionSignRule,
  pointerRule,
  heartRule,
  formulaDollarRule,
  signRule,
];
