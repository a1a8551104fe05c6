/** Money: which currency, how much, and what the smaller coin is called. */

import { matchAt } from '../../normalize/sticky.js';
import { amount, cardinal, decimal, integer } from './numbers.js';

export interface Currency {
  readonly one: string;
  readonly many: string;
  readonly coin?: readonly [one: string, many: string];
}

const DOLLAR: Currency = { one: 'dollar', many: 'dollars', coin: ['cent', 'cents'] };
const EURO: Currency = { one: 'euro', many: 'euros', coin: ['cent', 'cents'] };
const POUND: Currency = { one: 'pound', many: 'pounds', coin: ['penny', 'pence'] };
const RUPEE: Currency = { one: 'rupee', many: 'rupees', coin: ['paisa', 'paise'] };
const YEN: Currency = { one: 'yen', many: 'yen' };
const CENT: Currency = { one: 'cent', many: 'cents' };
const simple = (one: string, many = one): Currency => ({ one, many });
const dollar = (nation: string): Currency => ({ ...DOLLAR, one: `${nation} dollar`, many: `${nation} dollars` });

const SIGNS: Readonly<Record<string, Currency>> = {
  $: DOLLAR,
  '€': EURO,
  '£': POUND,
  '¥': YEN,
  '₹': RUPEE,
  '₽': simple('ruble', 'rubles'),
  '₩': simple('won'),
  '₺': simple('lira'),
  '₪': simple('shekel', 'shekels'),
  '₫': simple('dong'),
  '₦': simple('naira'),
  '₱': simple('peso', 'pesos'),
  '₴': simple('hrivnia', 'hrivnias'),
  '₿': simple('bitcoin', 'bitcoin'),
  '฿': simple('baht'),
};

const NATIONS: Readonly<Record<string, Currency>> = {
  US: dollar('U S'),
  U: dollar('U S'),
  C: dollar('Canadian'),
  CA: dollar('Canadian'),
  A: dollar('Australian'),
  AU: dollar('Australian'),
  NZ: dollar('New Zealand'),
  HK: dollar('Hong Kong'),
  S: dollar('Singapore'),
  R: { one: 'real', many: 'reais' },
};

const CODES: Readonly<Record<string, Currency>> = {
  USD: dollar('U S'),
  EUR: EURO,
  GBP: { ...POUND, one: 'British pound', many: 'British pounds' },
  JPY: { one: 'Japanese yen', many: 'Japanese yen' },
  INR: { ...RUPEE, one: 'Indian rupee', many: 'Indian rupees' },
  CNY: simple('Chinese yuan'),
  RMB: simple('yuan'),
  CHF: simple('Swiss franc', 'Swiss francs'),
  CAD: dollar('Canadian'),
  AUD: dollar('Australian'),
  NZD: dollar('New Zealand'),
  SEK: simple('Swedish krona', 'Swedish kronor'),
  NOK: simple('Norwegian krone', 'Norwegian kroner'),
  DKK: simple('Danish krone', 'Danish kroner'),
  PLN: simple('Polish zloty', 'Polish zlotys'),
  MXN: simple('Mexican peso', 'Mexican pesos'),
  BRL: simple('Brazilian real', 'Brazilian reais'),
  KRW: simple('Korean won'),
  kr: simple('krone', 'kroner'),
  BTC: simple('bitcoin', 'bitcoin'),
  ETH: simple('ether', 'ether'),
};

const BEFORE = /(US|CA|AU|NZ|HK|C|A|S|R)?([$£€¥₹₽₩₺₪₫₦₱₴₿฿]) ?(?=[.\d])/y;
const RUPEES_BEFORE = /Rs\.? ?(?=\d)/y;
const CODE_BEFORE = /([A-Z]{3}) ?(?=\d)/y;
const BEHIND = / ?([€£¥₹₽₩₺₪₫₦₱₴₿฿¢$])(?![\d.])| ?([A-Z]{3}|kr)(?![A-Za-z])/y;
const SCALE =
  /[ -]?(thousand|million|billion|trillion|quadrillion|hundred)(?![A-Za-z])| ?(bn|mn|tn|mm|K|k|M|m|B|b|T)(?![A-Za-z0-9'²³])/y;
const SCALE_STARTS = 'tmbqhkKMBT';
const SHORT_SCALES: Readonly<Record<string, string>> = {
  k: 'thousand',
  K: 'thousand',
  m: 'million',
  M: 'million',
  mm: 'million',
  mn: 'million',
  b: 'billion',
  B: 'billion',
  bn: 'billion',
  t: 'trillion',
  T: 'trillion',
  tn: 'trillion',
};

export const CURRENCY_CODES: readonly string[] = [...Object.keys(CODES), 'Rs'];

/** A currency sign or code that a number follows. */
export function currencyBefore(text: string, at: number): { currency: Currency; end: number } | undefined {
  const begin = text.charCodeAt(at);
  // Most often it is the number itself that stands there.
  if (begin === 46 /* . */ || (begin > 47 && begin < 58)) return undefined;
  const sign = matchAt(BEFORE, text, at);
  if (sign) {
    const currency = sign[1] && sign[2] === '$' ? NATIONS[sign[1]]! : SIGNS[sign[2]!]!;
    if (sign[1] && sign[2] !== '$') return undefined;
    return { currency, end: at + sign[0].length };
  }
  const rupees = begin === 82 /* R */ ? matchAt(RUPEES_BEFORE, text, at) : null;
  if (rupees) return { currency: RUPEE, end: at + rupees[0].length };
  const code = begin > 64 && begin < 91 ? matchAt(CODE_BEFORE, text, at) : null;
  const known = code && Object.hasOwn(CODES, code[1]!) ? CODES[code[1]!] : undefined;
  return known ? { currency: known, end: at + code![0].length } : undefined;
}

/** A currency sign or code behind a number. */
export function currencyBehind(text: string, at: number): { currency: Currency; end: number } | undefined {
  const begin = text.charCodeAt(at) === 32 ? text.charCodeAt(at + 1) : text.charCodeAt(at);
  const possible =
    begin === 107 /* k */ ||
    begin === 36 /* $ */ ||
    (begin > 0xa1 && begin !== 0xb0) /* ° */ ||
    (begin > 64 && begin < 91);
  const match = possible ? matchAt(BEHIND, text, at) : null;
  if (!match) return undefined;
  const [whole, sign, code] = match;
  let end = at + whole.length;
  // The dot of "kr." is its own, unless the sentence ends with it.
  if (code === 'kr' && /^\. [a-z]/.test(text.slice(end, end + 3))) end += 1;
  if (code) return Object.hasOwn(CODES, code) ? { currency: CODES[code]!, end } : undefined;
  return { currency: sign === '¢' ? CENT : SIGNS[sign!]!, end };
}

/** "million" behind a number; the short forms only where it is money, or leave no doubt. */
export function magnitude(text: string, at: number, isMoney: boolean): { words: string; end: number } | undefined {
  const parted = text[at] === ' ' || text[at] === '-';
  const match = SCALE_STARTS.includes(text.charAt(parted ? at + 1 : at) || ' ') ? matchAt(SCALE, text, at) : null;
  if (!match) return undefined;
  const [whole, word, short] = match;
  const end = at + whole.length;
  if (word) return whole.startsWith('-') ? undefined : { words: word, end };
  const attached = !whole.startsWith(' ');
  if (!isMoney && text[end] === '/') return undefined;
  if (isMoney && attached) return { words: SHORT_SCALES[short!]!, end };
  // "221B Baker Street" is an address.
  const named = /^ [A-Z]/.test(text.slice(end, end + 2));
  if (attached && !named && /^(?:bn|mn|tn|M|B)$/.test(short!)) return { words: SHORT_SCALES[short!]!, end };
  return undefined;
}

/** An amount of money: "five dollars and fifty cents", "ninety-nine cents". */
export function money(written: string, currency: Currency, modifies = false): string {
  const dot = written.indexOf('.');
  const name = (count: string) => (modifies || /^0*1$/.test(count) ? currency.one : currency.many);
  if (dot < 0) return `${integer(written)} ${name(written)}`;
  const whole = written.slice(0, dot);
  const rest = written.slice(dot + 1);
  if (/^0*$/.test(rest) && whole !== '') return `${integer(whole)} ${name(whole)}`;
  if (rest.length !== 2 || !currency.coin) return `${amount(written)} ${modifies ? currency.one : currency.many}`;
  const coins = `${cardinal(rest)} ${currency.coin[Number(rest) === 1 ? 0 : 1]}`;
  if (/^0*$/.test(whole)) return modifies ? `${cardinal(rest)} ${currency.coin[0]}` : coins;
  if (modifies) return `${decimal(whole, rest)} ${currency.one}`;
  return `${integer(whole)} ${name(whole)} and ${coins}`;
}
