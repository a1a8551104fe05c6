/**
 * The rules of reading English, in the order they are asked: the more particular ones first. A new
 * rule is one line here.
 */
import {
  bulletRule,
  closingBracketRule,
  endMarkRule,
  pauseMarkRule,
  quoteRule,
  separatorRule,
  spaceRule,
} from '../normalize/marks.js';
import type { Rule } from '../normalize/rule.js';
import { abbreviationRule } from './abbreviation-rule.js';
import { bookRule, headingRule, planRule, standardRule, teamRule, verseRule } from './citations.js';
import { rebusRule, shortWordRule } from './forms/chat.js';
import { alternativeRule, arrowRule, boundRule, gradeRule, numberSignRule, smallItemRule } from './forms/counts.js';
import { cardAddressRule, commandNameRule, dialledRule, flagRule, ionRule, placeholderRule } from './forms/machines.js';
import { derivativeRule, mathematicsRule } from './mathematics/formula-rule.js';
import { formulaRule } from './numbers/chemistry.js';
import { dateRule, decadeRule, namedDateRule, shortYearRule } from './numbers/dates.js';
import { commandRule } from './numbers/formulas.js';
import { slashedRule } from './numbers/fractions.js';
import { absoluteRule, argumentsRule, factorialRule, functionRule } from './numbers/mathematics.js';
import {
  airlinersRule,
  dimensionsRule,
  feetAndInchesRule,
  ordinalRule,
  resolutionRule,
  scientificRule,
} from './numbers/numerals.js';
import { caretRule, operatorRule, raisedRule, slashRule } from './numbers/operators.js';
import { phoneNumberRule, zipCodeRule } from './numbers/phone-numbers.js';
import { quantityRule } from './numbers/quantities.js';
import { romanNumeralRule } from './numbers/roman.js';
import { britishClockRule, clockRule, dottedClockRule, lengthOfTimeRule, ratioRule } from './numbers/times.js';
import { hexadecimalRule, versionRule } from './numbers/versions.js';
import { directionRule, partyRule, shortStateRule, stateRule } from './places.js';
import { starsRule, tagRule } from './pronunciation/tags.js';
import { wordRule } from './pronunciation/words.js';
import { dashRule, fullStopRule, hyphenRule, openingBracketRule } from './punctuation.js';
import { apostropheRule } from './quotes.js';
import { degreesRule, formulaDollarRule, fractionSignRule, heartRule, pointerRule, signRule } from './signs.js';
import { dotNetRule, termRule } from './terms.js';
import { addressRule, machineRule, pathRule } from './web.js';

export const RULES: readonly Rule[] = [
  spaceRule,
  mathematicsRule,
  derivativeRule,
  smallItemRule,
  termRule,
  dotNetRule,
  headingRule,
  functionRule,
  cardAddressRule,
  machineRule,
  addressRule,
  pathRule,
  commandRule,
  bookRule,
  namedDateRule,
  dateRule,
  shortYearRule,
  phoneNumberRule,
  zipCodeRule,
  verseRule,
  standardRule,
  dottedClockRule,
  britishClockRule,
  clockRule,
  ratioRule,
  lengthOfTimeRule,
  romanNumeralRule,
  directionRule,
  partyRule,
  shortStateRule,
  abbreviationRule,
  stateRule,
  gradeRule,
  ionRule,
  rebusRule,
  shortWordRule,
  commandNameRule,
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
  dialledRule,
  numberSignRule,
  tagRule,
  starsRule,
  quantityRule,
  wordRule,
  factorialRule,
  absoluteRule,
  arrowRule,
  boundRule,
  operatorRule,
  fullStopRule,
  endMarkRule,
  pauseMarkRule,
  quoteRule,
  apostropheRule,
  placeholderRule,
  openingBracketRule,
  argumentsRule,
  closingBracketRule,
  flagRule,
  hyphenRule,
  dashRule,
  bulletRule,
  alternativeRule,
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
