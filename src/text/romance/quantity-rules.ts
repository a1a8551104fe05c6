/**
 * Numbers with what is counted: money, units, percentages, ranges, fractions, ordinals, and plain
 * ones.
 */
import type { Rule } from '../normalize/rule.js';
import { isLetter, LETTERS, type Scan } from '../normalize/scan.js';
import { matchAt } from '../normalize/sticky.js';
import { isOne, type Numeral, numeralAt, numeralWords, wholeWords } from './numerals.js';
import { say } from './say.js';
import type { Currency, Noun, Standing, Wording } from './wording.js';

const WORD_BEHIND = new RegExp(` ([${LETTERS}]+)`, 'y');
const ORDINAL =
  /(\d{1,3})\.?(º|ª|°(?! ?[CFKcfk]\b)|er\b|ro\b|do\b|to\b|mo\b|vo\b|no\b|ra\b|da\b|ta\b|ma\b|va\b|na\b|o\b|a\b)(s?)(?![\p{L}\d])/uy;
const FRACTION = /(\d{1,3})\/(\d{1,3})(?![\d/]|[.,]\d|\s?[-–]\s?\d)/y;
const RANGE = / ?[-–] ?(?=\d)/y;
const VULGAR: Readonly<Record<string, readonly [number, number]>> = {
  '½': [1, 2],
  '⅓': [1, 3],
  '⅔': [2, 3],
  '¼': [1, 4],
  '¾': [3, 4],
  '⅕': [1, 5],
  '⅛': [1, 8],
};

/** Hours are feminine: "la una de la tarde", "duas da tarde". */
const HOUR_BEHIND = /^ d[ae] (?:la )?(?:tarde|mañana|noche|madrugada|manhã|noite)\b/;

export const isVulgar = (sign: string): boolean => sign in VULGAR;

const wordBehind = (scan: Scan, at: number): string => matchAt(WORD_BEHIND, scan.text, at)?.[1] ?? '';

export class QuantityReader {
  readonly #wording: Wording;
  readonly #currencies: readonly string[];
  readonly #units: RegExp;

  constructor(wording: Wording) {
    this.#wording = wording;
    const longestFirst = (a: string, b: string) => b.length - a.length;
    this.#currencies = Object.keys(wording.currencies).sort(longestFirst);
    const names = Object.keys(wording.units).sort(longestFirst).map(escaped).join('|');
    this.#units = new RegExp(` ?(${names})(²|³|\\^2|\\^3|(?<=m)[23])?(?:/(${names}))?(?![${LETTERS}\\d])`, 'y');
  }

  get rules(): readonly Rule[] {
    return [
      { name: 'ordinal', begins: { digits: 'any digits' }, apply: (scan, at) => this.#ordinal(scan, at) },
      { name: 'fraction', begins: { digits: 'any digits' }, apply: (scan, at) => this.#fraction(scan, at) },
      {
        name: 'money',
        begins: { signs: 'any sign', words: { when: (_word, scan, at) => this.#currencyAt(scan.text, at) !== '' } },
        apply: (scan, at) => this.#moneyBefore(scan, at),
      },
      { name: 'sign of a number', begins: { signs: '-−+±' }, apply: (scan, at) => this.#signed(scan, at) },
      { name: 'decade', begins: { signs: "'" }, apply: (scan, at) => this.#decade(scan, at) },
      {
        name: 'vulgar fraction',
        begins: { signs: Object.keys(VULGAR).join('') },
        apply: (scan, at) => this.#vulgar(scan, at),
      },
      {
        name: 'quantity',
        begins: { digits: 'any digits', inside: true },
        apply: (scan, at) => this.#quantity(scan, at),
      },
    ];
  }

  #say(scan: Scan, words: string, from: number, to: number): number {
    say(scan, this.#wording.polished?.(words) ?? words, from, to);
    scan.remember(scan.text.slice(from, Math.min(to, from + 40)));
    return to;
  }

  #ordinal(scan: Scan, at: number): number {
    const match = matchAt(ORDINAL, scan.text, at);
    if (!match) return at;
    const [all, digits, mark, plural] = match;
    const { code, ordinal, shortOrdinal } = this.#wording;
    // "20 a 30", "5 o 6": letters behind a space never get here; "3a" and "1o" are Portuguese and
    // Spanish.
    if (/^[a-z]$/.test(mark!) && code === 'it') return at;
    // "45°" is an angle, "1° premio" a place.
    const behind = scan.text.slice(at + all.length, at + all.length + 2);
    if (mark === '°' && (Number(digits) > 31 || !/^ \p{L}/u.test(behind))) return at;
    const feminine = /ª|a$/.test(mark!);
    const short = /^(?:er)$/.test(mark!);
    const value = Number(digits);
    const words = short ? shortOrdinal(value) : ordinal(value, feminine ? 'f' : 'm');
    if (words === undefined) return at;
    return this.#say(scan, plural ? `${words}s` : words, at, at + all.length);
  }

  #fraction(scan: Scan, at: number): number {
    const match = matchAt(FRACTION, scan.text, at);
    if (!match || Number(match[2]) === 0) return at;
    return this.#say(scan, this.#wording.fraction(Number(match[1]), Number(match[2])), at, at + match[0].length);
  }

  #vulgar(scan: Scan, at: number): number {
    const [over, under] = VULGAR[scan.text[at]!]!;
    const behindNumber = /\d ?$/.test(scan.text.slice(Math.max(0, at - 2), at));
    const words = this.#wording.fraction(over, under);
    const isHalf = over === 1 && under === 2;
    const noun = wordBehind(scan, at + 1);
    const gender = noun === '' ? undefined : this.#wording.genderOf(noun.toLowerCase());
    const half = isHalf ? words.replace(/^un[ao]? |^um /, '') : words;
    // "½ taza" is half a cup, and no more is said.
    if (isHalf && !behindNumber && gender !== undefined)
      return this.#say(scan, gender === 'f' ? half.replace(/o$/, 'a') : half, at, at + 1);
    return this.#say(scan, behindNumber ? `${this.#wording.words.and} ${half}` : words, at, at + 1);
  }

  #signed(scan: Scan, at: number): number {
    const { text } = scan;
    if (!/^[-−+±] ?\d/.test(text.slice(at, at + 3)) || (at > 0 && text[at - 1] !== ' ' && text[at - 1] !== '('))
      return at;
    if (text[at] === '-' && text[at + 1] === ' ') return at;
    const { plus, minus } = this.#wording.words;
    const sign = text[at] === '+' ? plus : text[at] === '±' ? this.#wording.signs['±']! : minus;
    say(scan, sign, at, at + 1);
    return at + 1;
  }

  /** "los años '90": the apostrophe stands for the century. */
  #decade(scan: Scan, at: number): number {
    const match = matchAt(/'(\d\d)(?!\d)/y, scan.text, at);
    if (!match || !scan.atBoundary(at)) return at;
    return this.#say(scan, wholeWords(match[1]!, this.#wording, 'alone'), at, at + 3);
  }

  /** The longest sign or code of a currency that begins at `at`. */
  #currencyAt(text: string, at: number): string {
    const found = this.#currencies.find((name) => text.startsWith(name, at));
    if (found === undefined) return '';
    const behind = text.charCodeAt(at + found.length);
    return isLetter(found.charCodeAt(found.length - 1)) && isLetter(behind) ? '' : found;
  }

  /** "€ 20", "R$ 3,50", "US$5 millones". */
  #moneyBefore(scan: Scan, at: number): number {
    if (!scan.atBoundary(at) && isLetter(scan.text.charCodeAt(at))) return at;
    const name = this.#currencyAt(scan.text, at);
    if (name === '') return at;
    const from = at + name.length + (scan.text[at + name.length] === ' ' ? 1 : 0);
    const numeral = numeralAt(scan.text, from);
    if (!numeral) return at;
    return this.#money(scan, at, numeral, this.#wording.currencies[name]!, numeral.end);
  }

  /**
   * Says an amount; `end` is where the number and the sign end, a "millones" behind them belongs to
   * it.
   */
  #money(scan: Scan, at: number, numeral: Numeral, { unit, part }: Currency, end: number): number {
    const { words, large } = this.#wording;
    const scale = wordBehind(scan, end);
    if (large.test(scale)) {
      const said = `${numeralWords(numeral, this.#wording, 'm', scale)} ${scale} ${words.of} ${unit[1]}`;
      return this.#say(scan, said, at, end + 1 + scale.length);
    }
    const cents =
      part && numeral.decimals.length > 0 && numeral.decimals.length < 3 ? numeral.decimals.padEnd(2, '0') : '';
    if (numeral.decimals !== '' && cents === '') {
      return this.#say(scan, `${numeralWords(numeral, this.#wording, 'alone')} ${unit[1]}`, at, end);
    }
    const whole = { ...numeral, decimals: '' };
    const round = /^[1-9]\d*000000$/.test(numeral.whole) ? `${words.of} ` : '';
    const amount = `${numeralWords(whole, this.#wording, unit[2], unit[1])} ${round}${isOne(whole) ? unit[0] : unit[1]}`;
    if (cents === '' || Number(cents) === 0) return this.#say(scan, amount, at, end);
    const few = `${wholeWords(String(Number(cents)), this.#wording, part![2], part![1])} ${Number(cents) === 1 ? part![0] : part![1]}`;
    return this.#say(scan, numeral.whole === '0' ? few : `${amount} ${words.withParts} ${few}`, at, end);
  }

  #quantity(scan: Scan, at: number): number {
    const { text } = scan;
    const numeral = numeralAt(text, at);
    if (!numeral) return at;
    const { words } = this.#wording;
    const { end } = numeral;
    const range = numeral.decimals.length < 3 ? matchAt(RANGE, text, end) : null;
    if (range && scan.atBoundary(at) && this.#rangeFits(text, at, end + range[0].length)) {
      const unit = this.#counted(scan, numeralAt(text, end + range[0].length)!.end);
      this.#say(
        scan,
        numeralWords(numeral, this.#wording, unit ? unit[2] : this.#standing(scan, end + range[0].length)),
        at,
        end,
      );
      say(scan, words.to, end, end + range[0].length);
      return end + range[0].length;
    }
    const behind = text.slice(end, end + 2);
    if (/^ ?%/.test(behind))
      return this.#say(
        scan,
        `${numeralWords(numeral, this.#wording, 'alone')} ${words.percent}`,
        at,
        text.indexOf('%', end) + 1,
      );
    if (/^ ?‰/.test(behind))
      return this.#say(
        scan,
        `${numeralWords(numeral, this.#wording, 'alone')} ${words.perMille}`,
        at,
        text.indexOf('‰', end) + 1,
      );
    const currencyAt = end + (text[end] === ' ' ? 1 : 0);
    const currency = this.#currencyAt(text, currencyAt);
    // "5 $20": the sign belongs to what follows it.
    if (currency !== '' && !/^ ?\d/.test(text.slice(currencyAt + currency.length, currencyAt + currency.length + 2)))
      return this.#money(scan, at, numeral, this.#wording.currencies[currency]!, currencyAt + currency.length);
    const scale = wordBehind(scan, end);
    const scaledEnd = end + 1 + scale.length;
    if (this.#wording.large.test(scale)) {
      const sign = this.#currencyAt(text, scaledEnd + 1);
      if (sign !== '' && text[scaledEnd] === ' ') {
        const said = `${numeralWords(numeral, this.#wording, 'm', scale)} ${scale} ${words.of} ${this.#wording.currencies[sign]!.unit[1]}`;
        return this.#say(scan, said, at, scaledEnd + 1 + sign.length);
      }
    }
    const factor = matchAt(/ ?x(?= ?\d)/y, text, end);
    if (factor) {
      this.#say(scan, numeralWords(numeral, this.#wording, 'alone'), at, end);
      return this.#say(scan, words.times, end, end + factor[0].length);
    }
    const measured = this.#measure(scan, at, numeral);
    if (measured > at) return measured;
    return this.#sayBeforeNoun(scan, numeralWords(numeral, this.#wording, this.#standing(scan, end), scale), at, end);
  }

  /** "1 ora": what is elided before a noun has no space behind it. */
  #sayBeforeNoun(scan: Scan, said: string, at: number, end: number): number {
    const noun = wordBehind(scan, end);
    const polished = this.#wording.polished?.(`${said} ${noun}`);
    if (noun === '' || !polished?.endsWith(`'${noun}`)) return this.#say(scan, said, at, end);
    scan.out.put(polished.slice(0, -noun.length), at, end + 1);
    scan.remember(scan.text.slice(at, end));
    return end + 1;
  }

  /** A range goes up, or counts years of one century: "10-15", "1936-39". */
  #rangeFits(text: string, at: number, next: number): boolean {
    const [low, high] = [numeralAt(text, at), numeralAt(text, next)];
    if (!low || !high || /^[-–/.]\d/.test(text.slice(high.end, high.end + 2))) return false;
    if (/[-–]$/.test(text.slice(Math.max(0, at - 1), at))) return false;
    const value = ({ whole, decimals }: Numeral) => Number(`${whole}.${decimals || 0}`);
    // "ganó por 3-1"
    const score = low.whole.length < 3 && high.whole.length < 3;
    return score || value(low) < value(high) || (low.whole.length === 4 && high.whole.length === 2);
  }

  /** The noun of a unit or currency behind a number. */
  #counted(scan: Scan, end: number): Noun | undefined {
    const unit = matchAt(this.#units, scan.text, end);
    if (unit) return this.#wording.units[unit[1]!];
    return this.#wording.currencies[this.#currencyAt(scan.text, end + (scan.text[end] === ' ' ? 1 : 0))]?.unit;
  }

  #measure(scan: Scan, at: number, numeral: Numeral): number {
    const { words, units, per } = this.#wording;
    const degrees = matchAt(/ ?°(?: ?([CFK])(?![A-Za-z]))?/y, scan.text, numeral.end);
    if (degrees) {
      const [one, many, gender] = words.degrees;
      const scale =
        degrees[1] === 'C'
          ? ` ${words.celsius}`
          : degrees[1] === 'F'
            ? ` ${words.fahrenheit}`
            : degrees[1] === 'K'
              ? ' kelvin'
              : '';
      const said = `${numeralWords(numeral, this.#wording, gender)} ${isOne(numeral) ? one : many}${scale}`;
      return this.#say(scan, said, at, numeral.end + degrees[0].length);
    }
    const match = matchAt(this.#units, scan.text, numeral.end);
    if (!match) return at;
    const [all, name, power, under] = match;
    // "5 a 6", "3 m de alto": a single letter that is also a word needs more than a space.
    if (
      name!.length === 1 &&
      'aegtlA'.includes(name!) &&
      all.startsWith(' ') &&
      /^ \p{Ll}|^ \d/u.test(scan.text.slice(numeral.end + all.length, numeral.end + all.length + 2)) &&
      !'gtl'.includes(name!)
    )
      return at;
    const [one, many, gender] = units[name!]!;
    const raised =
      power === undefined ? '' : ` ${/2|²/.test(power) ? words.squared : words.cubed}${isOne(numeral) ? '' : 's'}`;
    const perUnit = under === undefined ? '' : ` ${per(units[under]!)}`;
    const counted = isOne(numeral) ? one : many;
    const plural = this.#wording.code === 'it' ? raised.replace(/o?s$/, 'i').replace(/di$/, 'ti') : raised;
    const said = `${numeralWords(numeral, this.#wording, gender, counted)} ${counted}${isOne(numeral) ? raised : plural}${perUnit}`;
    return this.#say(scan, said, at, numeral.end + all.length);
  }

  /** How a number stands before the word behind it. */
  #standing(scan: Scan, end: number): Standing {
    const behind = wordBehind(scan, end);
    // "2 mil pessoas": the noun stands behind the thousand.
    const word = behind === 'mil' ? wordBehind(scan, end + 4) : behind;
    if (HOUR_BEHIND.test(scan.text.slice(end, end + 24)) || scan.previous === 'la') return 'f';
    return word === '' ? 'alone' : (this.#wording.genderOf(word.toLowerCase()) ?? 'alone');
  }
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
