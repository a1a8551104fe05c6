/** A number with whatever belongs to it: sign, range, fraction, money, percent, unit. */

import type { Rule } from '../../normalize/rule.js';
import { isAlphanumeric, isDigit, isLetter, type Scan } from '../../normalize/scan.js';
import { matchAt } from '../../normalize/sticky.js';
import { CURRENCY_CODES, type Currency, currencyBefore, currencyBehind, magnitude, money } from './currency.js';
import { behind, isModifier, measure } from './measures.js';
import { amount, cardinal, digitByDigit, digitName, isDigitString, pairs, triple, year } from './numbers.js';
import { perWord } from './units.js';
import { isPoint, type Parsed, writtenNumber } from './written-numbers.js';

const SIGN = /[-−–+±](?=[$£€¥₹]?[.\d])/y;
const DASH = /(?: ?[–—] ?| - |-)(?=[$£€¥₹]?\d)/y;
const PER_TAIL = /\/([A-Za-z]{1,10})(?![A-Za-z0-9])/y;
const PERCENT = / ?(%|‰|‱)/y;
const PERCENT_RANGE = / ?[-–—] ?(?=\d{1,3}(?:\.\d{1,4})? ?%)/y;
const SIGN_WORDS: Readonly<Record<string, string>> = {
  '-': 'minus ',
  '−': 'minus ',
  '–': 'minus ',
  '+': 'plus ',
  '±': 'plus or minus ',
};

const spoken = (parsed: Parsed): string => parsed.words ?? amount(parsed.written);

const spokenRange = (scan: Scan, first: Parsed, second: Parsed | undefined): string =>
  second ? `${spoken(first)} ${until(scan)} ${spoken(second)}` : spoken(first);

/** "Between 1914-1918" has an "and" in it. */
const until = (scan: Scan): string => (/^between$/i.test(scan.previous) ? 'and' : 'to');

const isOne = (written: string): boolean => written === '1' || /^1\.0*$/.test(written);

/** Quantities, and plain numbers where nothing follows. */
function quantity(scan: Scan, at: number): number {
  const end = readQuantity(scan, at);
  if (end > at) scan.remember(scan.text.slice(at, Math.min(end, at + 12)));
  return end;
}

/** A number or a range, with the sign and the currency before it. */
interface Amount {
  readonly words: string;
  readonly currency: Currency | undefined;
  readonly first: Parsed;
  readonly second: Parsed | undefined;
  readonly dash: string;
  readonly end: number;
}

function parseAmount(scan: Scan, at: number): Amount | undefined {
  const { text } = scan;
  let from = at;
  let words = '';
  const code = text.charCodeAt(at);
  // Neither a sign nor a currency stands before the number.
  const digits = isDigit(code) || code === 46; /* . */
  if (code === 46 && !isPoint(text, at)) return undefined;
  if (isSign(code) && !scan.atBoundary(at)) return undefined;
  const sign = digits ? null : matchAt(SIGN, text, at);
  if (sign) {
    if (sign[0] === '–' && text[at - 1] !== ' ' && at > 0) return undefined;
    words = SIGN_WORDS[sign[0]]!;
    from += 1;
  }
  const currency = digits ? undefined : currencyBefore(text, from);
  const first = writtenNumber(text, currency?.end ?? from);
  if (!first) return undefined;
  let end = first.end;
  let second: Parsed | undefined;
  const dash = isDash(behind(text, end)) ? matchAt(DASH, text, end) : null;
  if (dash) {
    const begin = end + dash[0].length;
    const again = currencyBefore(text, begin);
    if (!again || again.currency === currency?.currency) second = writtenNumber(text, again?.end ?? begin);
    if (second && (isAlphaRun(scan, second.end) || !isRange(first.written, second.written, dash[0])))
      second = undefined;
    if (second) end = second.end;
  }
  return { words, currency: currency?.currency, first, second, dash: dash?.[0] ?? '', end };
}

function readQuantity(scan: Scan, at: number): number {
  const amount = parseAmount(scan, at);
  if (!amount) return at;
  const { text, out } = scan;
  const { words, currency, first, second, end } = amount;
  if (second && /^ ?=/.test(text.slice(end, end + 2)) && amount.dash.includes('-')) {
    out.say(`${words}${spoken(first)} minus ${spoken(second)}`, at, end);
    return end;
  }
  const last = second ?? first;
  const visible = behind(text, end);
  // Only a letter or a sign can be a magnitude, a currency, a percentage or a unit; the letter of
  // "C-130J" is neither.
  const tailed = mayTail(visible) && !(isModel(text, at) && isLetter(text.charCodeAt(end)));
  let scale = tailed ? magnitude(text, end, currency !== undefined) : undefined;
  if (scale && NUMBERED_PLACE.test(scan.previous)) scale = undefined;
  if (tailed && !currency && !second && isMillion(scan, first.written, end)) scale = { words: 'million', end: end + 1 };
  const afterScale = scale?.end ?? end;
  const suffix = currency || !(tailed || scale) ? undefined : currencyBehind(text, afterScale);
  const kind = currency ?? suffix?.currency;
  if (kind) return sayMoney(scan, at, amount, { kind, scale: scale?.words, end: suffix?.end ?? afterScale });
  if (scale) {
    out.say(`${words}${spokenRange(scan, first, second)} ${scale.words}`, at, scale.end);
    return scale.end;
  }
  const percent = isPercent(visible) ? sayPercent(scan, at, amount) : undefined;
  if (percent !== undefined) return percent;
  const measured = tailed && measure(scan, end, !second && isOne(last.written) && last.words === undefined);
  if (measured) {
    out.say(`${words}${spokenRange(scan, first, second)} ${measured.words}`, at, measured.end);
    return measured.end;
  }
  if (second) {
    out.say(words + range(scan, first, second, end), at, end);
    return end;
  }
  return sayNumber(scan, at, amount);
}

interface MoneyTail {
  readonly kind: Currency;
  /** "million", where one stands behind the number. */
  readonly scale: string | undefined;
  readonly end: number;
}

function sayMoney(scan: Scan, at: number, { words, first, second }: Amount, { kind, scale, end }: MoneyTail): number {
  const { text, out } = scan;
  const alone = !second && scale === undefined && first.words === undefined;
  const modifies = isModifier(scan, end) || (text[end] === ' ' && PRICED.test(scan.nextWord(end)));
  const sum = alone
    ? money(first.written, kind, modifies)
    : `${spokenRange(scan, first, second)}${scale === undefined ? '' : ` ${scale}`} ${modifies ? kind.one : kind.many}`;
  const per = perTail(text, end);
  const stop = per?.end ?? end;
  out.say(words + sum + (per?.words ?? ''), at, stop);
  // "$5M-$10M": each amount has its own magnitude.
  const dashed = scale === undefined ? null : matchAt(DASH, text, stop);
  if (!dashed) return stop;
  out.say('to', stop, stop + dashed[0].length);
  return stop + dashed[0].length;
}

/** Undefined where no percentage stands behind the number. */
function sayPercent(scan: Scan, at: number, { words, first, second, end }: Amount): number | undefined {
  const { text, out } = scan;
  const percent = matchAt(PERCENT, text, end);
  if (!percent || isDigit(text.charCodeAt(end + percent[0].length))) return undefined;
  const name = percent[1] === '%' ? 'percent' : percent[1] === '‰' ? 'per thousand' : 'per ten thousand';
  const stop = end + percent[0].length;
  out.say(`${words}${spokenRange(scan, first, second)} ${name}`, at, stop);
  // "10%-20%"
  const more = matchAt(PERCENT_RANGE, text, stop);
  if (!more) return stop;
  out.say(until(scan), stop, stop + more[0].length);
  return stop + more[0].length;
}

/** A number with nothing behind it that says what it counts. */
function sayNumber(scan: Scan, at: number, { words, first, end }: Amount): number {
  const { text, out } = scan;
  if (words === '' && first.words === undefined && isDigitString(first.written)) {
    sayDigits(scan, at, first.written);
    return end;
  }
  const said = words + (first.words ?? bare(scan, first.written, at, end));
  // "the S&P 500's members"
  if (OWNER.test(text.slice(end, end + 3))) {
    out.say(`${said}'s`, at, end + 2);
    return end + 2;
  }
  out.say(said, at, end);
  if (words === '' && isInRow(text, at, end)) out.mark(',', end, end);
  return end;
}

/** Three numbers and more with nothing but spaces between: a pause parts them. */
function isInRow(text: string, at: number, end: number): boolean {
  if (text[end] !== ' ' || !isDigit(text.charCodeAt(end + 1))) return false;
  const behindOne = text[at - 1] === ' ' && isDigit(text.charCodeAt(at - 2));
  return behindOne || /^ \d[\d.]{0,9} \d/.test(text.slice(end, end + 13));
}

/** "$5/month": the word behind the slash says for what. */
function perTail(text: string, end: number): { words: string; end: number } | undefined {
  const match = text[end] === '/' ? matchAt(PER_TAIL, text, end) : null;
  const word = match ? perWord(match[1]!) : undefined;
  if (!word) return undefined;
  const stop = end + match![0].length;
  // The dot of "$5/mo." is the abbreviation's, unless the sentence ends with it.
  const dotted =
    text[stop] === '.' &&
    /^(?:mo|yr|hr|wk|min|sec)$/.test(match![1]!) &&
    /^ [a-z]/.test(text.slice(stop + 1, stop + 3));
  return { words: ` per ${word}`, end: dotted ? stop + 1 : stop };
}

/** "Apt. 4B" is no billion. */
const NUMBERED_PLACE =
  /^(?:apt|apartment|suite|ste|unit|room|row|seat|gate|section|exit|flat|platform|track|pier|block|building|bldg|route|bus|lane|locker|stand|hall|level|rm|form|rule)$/i;

const OWNER = /^'s(?![A-Za-z])/;

/** "C-130", "Shahed-136": the number of a model behind its name. */
const isModel = (text: string, at: number): boolean =>
  text[at - 1] === '-' && isDigit(text.charCodeAt(at)) && MODEL.test(text.slice(Math.max(0, at - 12), at));
const MODEL = /(?<![A-Za-z0-9])(?:[A-Z]{1,3}|[A-Z][a-z]{2,9})-$/;

const MANY =
  /^(?:people|men|women|children|users|customers|subscribers|viewers|listeners|readers|visitors|tourists|passengers|tickets|copies|homes|households|jobs|workers|employees|voters|votes|residents|refugees|doses|cases|deaths|barrels|tonnes|tons|acres|hectares|shares|units|cars|vehicles|phones|downloads|followers|fans|litres|liters|euros|pounds|dollars|items|books|pupils|students|patients|followers|members|trees|documents|records|accounts|players|views|streams)$/;
const FIGURE = /^(?:number|total|population|figure|audience|sales|up|down|rose|fell|grew|climbed|dropped|jumped)$/;

/** "2.4m tickets", "up from 108.4m": so many are counted, not measured. */
function isMillion(scan: Scan, written: string, end: number): boolean {
  const { text } = scan;
  if (text[end] !== 'm' || isAlphanumeric(text.charCodeAt(end + 1)) || text[end + 1] === '/') return false;
  const next = text[end + 1] === ' ' ? scan.nextWord(end + 1) : '';
  if (MANY.test(next) || / b\/d\b/.test(text.slice(end + 1, end + 6))) return true;
  return written.includes('.') && /^(?:from|to|at|of|by)$/.test(scan.previous) && FIGURE.test(scan.beforePrevious);
}

/** What is named by its price: "the $500 fine". */
const PRICED =
  /^(?:bill|bond|bonus|budget|campaign|contract|deal|donation|fee|fine|fund|gift|grant|investment|lawsuit|loan|mansion|offer|package|plan|prize|program|project|purchase|settlement|ticket|upgrade|verdict)$/;

/** - + ± – − */
const isSign = (code: number): boolean =>
  code === 45 || code === 43 || code === 0xb1 || code === 0x2013 || code === 0x2212;

const isPercent = (code: number): boolean => code === 37 || code === 0x2030 || code === 0x2031;

const isDash = (code: number): boolean => code === 45 || code === 0x2013 || code === 0x2014;

/** A letter or one of `%$"-`, or anything beyond ASCII that is a sign. */
const mayTail = (code: number): boolean =>
  (code > 96 && code < 123) ||
  (code > 64 && code < 91) ||
  code === 37 ||
  code === 36 ||
  code === 34 ||
  code === 45 ||
  code >= 0xa2;

/** An identifier rather than a number: each digit stands for itself. */
function sayDigits(scan: Scan, at: number, written: string): void {
  // "at 0600": hours, as soldiers say them.
  if (/^0[1-9]00$/.test(written) && /^(?:at|by|until|from|since|to)$/i.test(scan.previous)) {
    scan.out.say(`oh ${cardinal(written[1]!)} hundred`, at, at + 4);
    return;
  }
  // "at 0645"
  if (
    /^0[1-9][0-5]\d$/.test(written) &&
    /^(?:at|by|until|from|since|to|till|around|before|after)$/i.test(scan.previous)
  ) {
    const minutes = written.slice(2);
    const low = minutes.startsWith('0') ? `oh ${cardinal(minutes[1]!)}` : cardinal(minutes);
    scan.out.say(`oh ${cardinal(written[1]!)} ${low}`, at, at + 4);
    return;
  }
  for (let i = 0; i < written.length; i++) scan.out.say(digitName(written.charCodeAt(i)), at + i, at + i + 1);
}

const isAlphaRun = (scan: Scan, at: number): boolean => {
  // "5-10th", "3-4x": let the number be read with its ending.
  const code = scan.text.charCodeAt(at);
  if (code === 45 /* - */ || code === 47 /* / */ || code === 58 /* : */) return isDigit(scan.text.charCodeAt(at + 1));
  return isLetter(code) && /^(?:st|nd|rd|th)/.test(scan.text.slice(at, at + 2));
};

/**
 * Two numbers joined by a dash are a range or a score, unless they fall and are large: then a name,
 * "747-400".
 */
function isRange(first: string, second: string, dash: string): boolean {
  const [a, b] = [value(first), value(second)];
  if (first === second || (AIRLINER.test(first) && dash === '-' && b < 1000)) return false;
  if (dash.includes('–') || dash.includes('—')) return true;
  // The votes for and against are near one another: "218-210".
  return a < b || b < 200 || (a < 1000 && b > 0.75 * a && !first.endsWith('7') && !second.endsWith('00'));
}

const value = (written: string): number => Number(written.replaceAll(',', ''));

function range(scan: Scan, first: Parsed, second: Parsed, end: number): string {
  const { written: a } = first;
  const { written: b } = second;
  const yearLike = (written: string) => /^(?:1[0-9]|20)\d\d$/.test(written);
  if (scan.previous === 'CVE' && yearLike(a)) return `${year(Number(a))}, ${digitByDigit(b)}`;
  if (yearLike(a) && (yearLike(b) || /^\d\d$/.test(b)) && !isCounted(scan, end, b.length === 2)) {
    const short = b.length === 2 && b.startsWith('0') ? `oh ${cardinal(b)}` : '';
    return `${year(Number(a))} ${until(scan)} ${short || (b.length === 2 ? cardinal(b) : year(Number(b)))}`;
  }
  return `${first.words ?? amount(a)} ${until(scan)} ${second.words ?? amount(b)}`;
}

const NOUNS =
  /^(?:people|men|women|children|users|customers|employees|students|workers|soldiers|troops|dollars?|euros?|pounds?|yen|items|files|pages|words|characters|lines|rows|records|points?|votes|miles|kilometers|meters|feet|inches|calories|tokens|steps|copies|units|members|cases|deaths|homes|jobs|seats|times|hours|minutes|seconds|days|weeks|years|months|tons|bytes|requests|messages|samples|images|songs|books|cars|percent|million|billion|more|other|different)$/;
const NOT_PLURAL =
  /^(?:was|is|has|its|this|as|us|plus|versus|does|less|across|thus|always|yes|species|news|series|perhaps|towards|besides|census|crisis|[a-z]*ss)$/;

/**
 * Whether a noun follows that the number counts. After what looks like a year most plurals do not
 * count.
 */
function isCounted(scan: Scan, end: number, yearLike = false): boolean {
  if (scan.text[end] !== ' ') return false;
  const next = scan.nextWord(end);
  return NOUNS.test(next) || (!yearLike && /^[a-z]{3,}s$/.test(next) && !NOT_PLURAL.test(next));
}

const YEAR_BEFORE = /^(?:in|since|year|by|until|circa|from|around|before|after|of)$/i;
const PAIRED =
  /^(?:port|room|flight|bus|route|highway|suite|apartment|apt|gate|channel|pin|extension|building|unit|rtx|gtx|rx|model|boeing|airbus|embraer|cessna|learjet|gulfstream|nikkei|interstate|bell|area|http|status|code|error)$/i;
const STREET =
  /^ (?:[NSEW]\.? )?(?:[A-Z][a-z]+|\d{1,3}(?:st|nd|rd|th))(?: [A-Z][a-z]+)? (?:St|Ave|Rd|Blvd|Dr|Ln|Pl|Ct|Street|Avenue|Road|Boulevard|Drive|Lane|Place|Way|Court)\b/;
const SECRET = /^(?:passcode|passcodes|password|postcode|id|username|account|tracking|serial|reference)$/i;
const AIRLINER = /^7[0-8]7$/;
const EMERGENCY = /^(?:911|411|999|111|112|101|988)$/;

/** What a server answers with such a number: "503 errors". */
const ANSWERED = /^(?:errors?|response|redirects?|status)$/;

/** A plain number by itself. */
function bare(scan: Scan, written: string, at: number, end: number): string {
  const { text } = scan;
  if (written.length > 3 && /^\d+$/.test(written)) {
    const texted = written.length > 4 && /^to$/i.test(scan.previous) && /^[A-Z]{2,}$/.test(scan.beforePrevious);
    if (texted || SECRET.test(scan.previous)) return digitByDigit(written);
  }
  if (written.length === 4 && /^\d{4}$/.test(written) && !isAlphanumeric(text.charCodeAt(end))) {
    const n = Number(written);
    // "RTX 4090", "ISO 8601": numbers behind a name in capitals are names as well.
    const named = PAIRED.test(scan.previous) || /^[A-Z](?:\.?[A-Z]){1,4}$/.test(scan.previous);
    if (named && n >= 1000 && n % 1000 !== 0) return pairs(written);
    if (n % 100 !== 0 && STREET.test(text.slice(end, end + 48))) return pairs(written);
    if (n >= 1000 && n < 2100 && /^year$/i.test(scan.previous)) return year(n);
    if (n >= 1000 && n < 1100 && YEAR_BEFORE.test(scan.previous) && !isCounted(scan, end)) return year(n);
    if (n >= 1100 && n < 2100) {
      if (isCounted(scan, end, n >= 1900)) return n % 100 === 0 && n % 1000 !== 0 ? pairs(written) : cardinal(written);
      return year(n);
    }
  }
  if (written.length === 3 && /^\d{3}$/.test(written)) {
    if (/^(?:call|dial|dialed|calling|dialing)$/i.test(scan.previous) || written === '911' || written === '411')
      return digitByDigit(written);
    if (EMERGENCY.test(written) && /^(?:on|or|ring|rang|called|phone|phoned|number)$/i.test(scan.previous))
      return digitByDigit(written);
    const airliner =
      AIRLINER.test(written) &&
      /^(?:-\d| (?:MAX|Max|Dreamliner|jet|jets|plane|planes)\b)/.test(text.slice(end, end + 12));
    if (airliner || (isModel(text, at) && !written.endsWith('00') && !written.startsWith('0'))) return triple(written);
    const flown = /^[A-Z][A-Z0-9]$/.test(scan.previous) && /^flights?$/i.test(scan.beforePrevious);
    const named = flown || PAIRED.test(scan.previous) || (text[end] === ' ' && ANSWERED.test(scan.nextWord(end)));
    if (named && !written.endsWith('00') && !written.startsWith('0')) {
      const low = Number(written.slice(1));
      return `${cardinal(written[0]!)} ${low < 10 ? `oh ${cardinal(low)}` : cardinal(low)}`;
    }
  }
  return amount(written);
}

export const quantityRule: Rule = {
  name: 'quantity',
  begins: {
    signs: '.+-−–±$£€¥₹₽₩₺₪₫₦₱₴₿฿',
    digits: 'any digits',
    words: { first: /[A-Z]/, behind: /\$/, known: CURRENCY_CODES },
    inside: true,
  },
  apply: quantity,
};
