/** Numbers with what they count: money, percentages, units, nouns; ranges and products of them. */
import type { Rule } from '../normalize/rule.js';
import { isDigit, type Scan } from '../normalize/scan.js';
import { moneyRuleOf, quantityRuleOf } from '../normalize/sign-rules.js';
import { matchAt } from '../normalize/sticky.js';
import { isFeminine } from './nouns.js';
import { amount, cardinal, digitByDigit } from './numbers.js';
import { type Currency, currencyOf, PER, UNIT, unitOf } from './units.js';

/** Thousands by a space or a point, decimals by a comma. */
const NUMBER = /(\d{1,3}(?: \d{3})+|\d{1,3}(?:\.\d{3})+|\d+)(?!\d)(?:,(\d{1,15})(?!\d|,\d))?/y;
/** "2.0", "3.11.4": parts with points between them. */
const VERSION = /\d{1,6}(?:\.\d{1,6}){1,4}(?!\.?\d)/y;
const RANGE = / ?[-–] ?(?=\d)/y;
const TIMES = / ?[x×*] ?(?=\d)/y;
const MONEY = / ?(k|M|Mds?|Mrds?)? ?([€$£¥₹]|EUR|USD|GBP|JPY|CHF|FCFA)(?![A-Za-z])/y;
const LARGE_MONEY = / (millions?|milliards?) ?([€$£¥₹]|EUR|USD|GBP|CHF)(?![A-Za-z])/y;
const SCALES: Readonly<Record<string, readonly [one: string, many: string]>> = {
  k: ['mille', 'mille'],
  M: ['million', 'millions'],
  Md: ['milliard', 'milliards'],
  Mds: ['milliard', 'milliards'],
  Mrd: ['milliard', 'milliards'],
  Mrds: ['milliard', 'milliards'],
};
/** "1,80 m", "1m75". */
const METRES_AND = /m(\d{2})(?![\dA-Za-z])/y;
const ROUNDED = /(?:million|milliard|billion)s?$/;
const NAMED = /^(?:années?|an|page|pages|p|pp|numéro|chapitre|article|tome|volume|ligne|chambre|vers|figure)$/i;
const BEFORE_YEAR =
  /^(?:en|depuis|dès|vers|avant|après|fin|début|l'an|an|année|années|printemps|été|automne|hiver|jusqu'en|d'|de|à|et|entre|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|©)$/i;

interface Written {
  readonly whole: string;
  readonly fraction: string;
  readonly end: number;
}

const magnitude = ({ whole, fraction }: Written): number => Number(`${whole.replace(/\D/g, '')}.${fraction || 0}`);

/** Below two a quantity is singular in French, decimals or not. */
const isMany = (number: Written): boolean => magnitude(number) >= 2;

/** "d'euros", "de dollars" behind millions, nothing elsewhere. */
const linking = (number: string, noun: string): string =>
  ROUNDED.test(number) ? (/^[aeéhiouy]/.test(noun) ? `d'${noun}` : `de ${noun}`) : noun;

/** "douze euros cinquante", "quatre-vingt-dix-neuf centimes". */
function money(number: Written, currency: Currency): string {
  const { whole, fraction } = number;
  const cents = fraction.length === 2 ? Number(fraction) : 0;
  const feminine = currency.feminine === true;
  if (fraction.length === 2 && currency.cents) {
    if (Number(whole) === 0 && cents > 0) return `${cardinal(cents)} ${currency.cents[cents === 1 ? 0 : 1]}`;
    const units = cardinal(whole, { feminine });
    const noun = isMany({ ...number, fraction: '' }) ? currency.many : currency.one;
    return `${units} ${linking(units, noun)}${cents > 0 ? ` ${cardinal(cents)}` : ''}`;
  }
  const words = amount(whole, fraction, { feminine });
  return `${words} ${linking(words, isMany(number) ? currency.many : currency.one)}`;
}

function readNumber(text: string, at: number): Written | undefined {
  const match = matchAt(NUMBER, text, at);
  return match ? { whole: match[1]!, fraction: match[2] ?? '', end: at + match[0].length } : undefined;
}

/** The unit behind a number in words, and where it ends. */
function measure(scan: Scan, number: Written): { words: string; end: number } | undefined {
  const { text } = scan;
  const match = matchAt(UNIT, text, number.end);
  const unit = match ? unitOf(match[2]!) : undefined;
  if (!match || !unit) return undefined;
  let end = number.end + match[0].length;
  const { whole, fraction } = number;
  const noun = isMany(number) ? unit.many : unit.one;
  let words: string;
  if (match[2] === 'm' && fraction.length === 2 && whole.length === 1)
    words = `${cardinal(whole)} ${Number(whole) > 1 ? unit.many : unit.one} ${cardinal(fraction)}`;
  else words = `${amount(whole, fraction, { feminine: unit.feminine === true })} ${noun}`;
  const per = matchAt(PER, text, end);
  if (per) {
    const by = unitOf(per[1]!);
    end += per[0].length;
    const name = by?.one ?? per[1]!;
    words += per[1] === 'h' && /mètres?$/.test(noun) ? ' heure' : ` par ${name}`;
  }
  return { words, end };
}

/** The amount of money that begins at a number, and where it ends. */
function price(scan: Scan, number: Written): { words: string; end: number } | undefined {
  const { text } = scan;
  const large = matchAt(LARGE_MONEY, text, number.end);
  const match = large ?? matchAt(MONEY, text, number.end);
  const currency = match ? currencyOf(match[2]!) : undefined;
  if (!match || !currency) return undefined;
  let end = number.end + match[0].length;
  let words: string;
  const scale = large ? match[1]! : match[1] && SCALES[match[1]]![isMany(number) ? 1 : 0];
  if (scale) {
    const thousand = scale === 'mille' && magnitude(number) === 1;
    const count = thousand ? 'mille' : `${amount(number.whole, number.fraction).replace(/s(?= mille$)/, '')} ${scale}`;
    words = `${count} ${linking(count, currency.many)}`;
  } else words = money(number, currency);
  const per = matchAt(PER, text, end);
  if (per) {
    end += per[0].length;
    words += ` par ${unitOf(per[1]!)?.one ?? per[1]!}`;
  }
  return { words, end };
}

/** Whether a number without a unit is a name: of a year, a page, a decade. */
function isName(scan: Scan, { whole, fraction, end }: Written): boolean {
  if (fraction !== '') return false;
  if (NAMED.test(scan.previous)) return true;
  if (!/^(?:1[0-9]|20)\d\d$/.test(whole)) return false;
  return BEFORE_YEAR.test(scan.previous) || !/^[a-zà-ÿ]/.test(scan.nextWord(end));
}

function quantity(scan: Scan, at: number): number {
  const { text, out } = scan;
  const version = matchAt(VERSION, text, at);
  if (version && !/^\d{1,3}(?:\.\d{3})+$/.test(version[0])) {
    const words = version[0].split('.').map((part) => cardinal(part));
    out.say(words.join(' point '), at, at + version[0].length);
    scan.remember(version[0]);
    return at + version[0].length;
  }
  const number = readNumber(text, at);
  if (!number) return at;
  const { whole, fraction } = number;
  let { end } = number;
  const metres = matchAt(METRES_AND, text, end);
  if (metres && fraction === '') {
    end += metres[0].length;
    out.say(`${cardinal(whole)} ${whole === '1' ? 'mètre' : 'mètres'} ${cardinal(metres[1]!)}`, at, end);
    return end;
  }
  const range = matchAt(RANGE, text, end) ?? matchAt(TIMES, text, end);
  if (range && (scan.atBoundary(at) || range[0].trim() !== '-') && isPair(text, end + range[0].length)) {
    const year = isName(scan, { ...number, end: text.length });
    const joint = /[x×*]/.test(range[0]) ? 'fois' : isReference(scan) && range[0] === '-' ? 'tiret' : 'à';
    out.say(`${amount(whole, fraction, { bare: year })} ${joint}`, at, end + range[0].length);
    scan.remember(joint);
    return end + range[0].length;
  }
  const counted = price(scan, number) ?? measure(scan, number);
  if (counted) {
    out.say(counted.words, at, counted.end);
    scan.remember(text.slice(at, end));
    return counted.end;
  }
  const form = { feminine: isFeminine(scan.nextWord(end)), bare: isName(scan, number) };
  out.say(whole.length > 15 && !/\D/.test(whole) ? digitByDigit(whole) : amount(whole, fraction, form), at, end);
  scan.remember(text.slice(at, end).slice(0, 40));
  return end;
}

/** "Article L. 121-1", "n° 2004-575": the number has two parts. */
const isReference = ({ previous }: Scan): boolean => /^(?:[A-Z]|numéros?|articles?|loi|réf|référence)$/i.test(previous);

/** What follows the sign between two numbers is one number, and not the next of a row. */
function isPair(text: string, at: number): boolean {
  const second = readNumber(text, at);
  return second !== undefined && !(text[second.end] === '-' && isDigit(text.charCodeAt(second.end + 1)));
}

export const quantityRule = quantityRuleOf(quantity);

export const moneyRule = moneyRuleOf('€$£¥₹', (scan, at, from) => {
  const number = readNumber(scan.text, from);
  if (!number) return at;
  const currency = currencyOf(scan.text[at]!)!;
  const scale = matchAt(/ (millions?|milliards?)(?![a-z])/y, scan.text, number.end);
  const end = number.end + (scale?.[0].length ?? 0);
  const count = `${amount(number.whole, number.fraction)}${scale?.[0] ?? ''}`;
  scan.out.say(scale ? `${count} ${linking(count, currency.many)}` : money(number, currency), at, end);
  return end;
});

/** A sign before a number: "-5", "+2 %". */
export const signedRule: Rule = {
  name: 'sign of a number',
  begins: { signs: '-+−±' },
  apply(scan, at) {
    const { text, out } = scan;
    const before = at === 0 ? ' ' : text[at - 1]!;
    const next = text.charCodeAt(text[at + 1] === ' ' && text[at] === '±' ? at + 2 : at + 1);
    if (!isDigit(next) || (text[at] !== '−' && text[at] !== '±' && !' (="'.includes(before))) return at;
    out.say(text[at] === '+' ? 'plus' : text[at] === '±' ? 'plus ou moins' : 'moins', at, at + 1);
    return at + 1;
  },
};
