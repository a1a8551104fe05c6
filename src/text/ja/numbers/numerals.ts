/** Japanese numerals and how they sound. */

const DIGITS = '〇一二三四五六七八九';
const SOUNDS = ['ゼロ', 'イチ', 'ニ', 'サン', 'ヨン', 'ゴ', 'ロク', 'ナナ', 'ハチ', 'キュー'];
/** Digits said one by one, as in a telephone number: short ones are drawn out. */
const NAMES = ['ゼロ', 'イチ', 'ニー', 'サン', 'ヨン', 'ゴー', 'ロク', 'ナナ', 'ハチ', 'キュー'];
/** 10⁴, 10⁸ … */
const MYRIADS = ['', '万', '億', '兆', '京'];
const UNITS: Readonly<Record<string, string>> = {
  十: 'ジュー',
  百: 'ヒャク',
  千: 'セン',
  万: 'マン',
  億: 'オク',
  兆: 'チョー',
  京: 'ケー',
};
/** A digit and a unit that change each other. */
const CHANGED: Readonly<Record<string, string>> = {
  三百: 'サンビャク',
  六百: 'ロッピャク',
  八百: 'ハッピャク',
  何百: 'ナンビャク',
  三千: 'サンゼン',
  八千: 'ハッセン',
  一千: 'イッセン',
  何千: 'ナンゼン',
  一兆: 'イッチョー',
  八兆: 'ハッチョー',
  十兆: 'ジュッチョー',
  百兆: 'ヒャクチョー',
  一京: 'イッケー',
  六京: 'ロッケー',
  八京: 'ハッケー',
  十京: 'ジュッケー',
};
const LONGEST = 20;

export const NUMERALS = '〇零一二三四五六七八九十百千万億兆京何数';

/**
 * A whole number in numerals: "2024" → "二千二十四". Digits beyond the myriads known are named one by
 * one.
 */
export function numerals(digits: string): string {
  const plain = digits.replace(/^0+(?=\d)/, '');
  if (plain === '0') return '〇';
  if (plain.length > LONGEST) return [...plain].map((digit) => DIGITS[Number(digit)]).join('');
  let out = '';
  const groups = Math.ceil(plain.length / 4);
  for (let group = groups - 1; group >= 0; group--) {
    const from = Math.max(0, plain.length - 4 * (group + 1));
    const four = plain.slice(from, plain.length - 4 * group).padStart(4, '0');
    const inMyriad = belowMyriad(four, group > 0);
    if (inMyriad !== '') out += inMyriad + MYRIADS[group]!;
  }
  return out;
}

/** `counted`: a myriad follows, before which even a thousand is said as one thousand. */
function belowMyriad(four: string, counted: boolean): string {
  let out = '';
  for (const [i, unit] of ['千', '百', '十', ''].entries()) {
    const digit = Number(four[i]);
    if (digit === 0) continue;
    const alone = digit === 1 && unit !== '' && !(unit === '千' && counted);
    out += (alone ? '' : DIGITS[digit]!) + unit;
  }
  return out;
}

/** How a row of numerals sounds; a row of bare digits ("二〇二四") is the number they write. */
export function numeralSound(written: string): string {
  if (/^[〇零一二三四五六七八九]{2,}$/.test(written)) return numeralSound(numerals(asDigits(written)));
  let sound = '';
  for (let at = 0; at < written.length; ) {
    const changed = CHANGED[written.slice(at, at + 2)];
    if (changed !== undefined) {
      sound += changed;
      at += 2;
      continue;
    }
    sound += soundOf(written[at]!);
    at += 1;
  }
  return sound;
}

function soundOf(numeral: string): string {
  if (numeral === '何') return 'ナン';
  if (numeral === '数') return 'スー';
  if (numeral === '零') return 'レー';
  return UNITS[numeral] ?? SOUNDS[DIGITS.indexOf(numeral)] ?? '';
}

const asDigits = (written: string): string =>
  [...written].map((numeral) => (numeral === '零' ? '0' : String(DIGITS.indexOf(numeral)))).join('');

/**
 * The value of a row of numerals where it is below ten thousand; undefined beyond, and for 何 and 数.
 */
export function numeralValue(written: string): number | undefined {
  if (/[何数万億兆京]/.test(written)) return undefined;
  if (/^[〇零一二三四五六七八九]+$/.test(written)) return Number(asDigits(written));
  let value = 0;
  let digit = 0;
  for (const numeral of written) {
    const unit = { 十: 10, 百: 100, 千: 1000 }[numeral];
    if (unit === undefined) digit = DIGITS.indexOf(numeral);
    else {
      value += (digit || 1) * unit;
      digit = 0;
    }
  }
  return value + digit;
}

export const integerSound = (digits: string): string => numeralSound(numerals(digits));

export const digitNames = (digits: string): string => [...digits].map((digit) => NAMES[Number(digit)]).join('');

/** "3.14": behind the point one by one. */
export function decimalSound(whole: string, decimals: string): string {
  const before = /^0+$/.test(whole) ? 'レー' : geminated(integerSound(whole), 'テン');
  return `${before}テン${[...decimals].map((digit) => (digit === '0' ? 'ゼロ' : SOUNDS[Number(digit)])).join('')}`;
}

/** The ends of numbers that close up before a voiceless sound, and before which ones. */
const CLOSING: readonly (readonly [RegExp, string, RegExp])[] = [
  [/イチ$/, 'イッ', /^[カ-コサ-ソタ-トハ-ホパ-ポ]/],
  [/ハチ$/, 'ハッ', /^[カ-コサ-ソタ-トハ-ホパ-ポ]/],
  [/ジュー$/, 'ジュッ', /^[カ-コサ-ソタ-トハ-ホパ-ポ]/],
  [/ロク$/, 'ロッ', /^[カキクケコハヒフヘホパピプペポ]/],
  [/([ヒビピ])ャク$/, '$1ャッ', /^[カキクケコハヒフヘホパピプペポ]/],
];
const VOICED = /^[ガギグゲゴザジズゼゾダヂヅデドバビブベボ]/;

/** A number as it stands before a counter: "イチ" before "カイ" is イッ. */
export function geminated(sound: string, counter: string): string {
  if (VOICED.test(counter)) return sound;
  for (const [end, closed, before] of CLOSING)
    if (end.test(sound) && before.test(counter)) return sound.replace(end, closed);
  return sound;
}
