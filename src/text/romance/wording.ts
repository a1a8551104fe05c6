/**
 * What a Romance language brings to the rules of this folder: its words for numbers, dates, money,
 * units and signs.
 */
import type { LanguageCode } from '../../protocol/languages.js';

export type Gender = 'm' | 'f';

/**
 * How a number stands: alone ("veintiuno"), or before a noun of a gender ("veintiún libros",
 * "veintiuna casas").
 */
export type Standing = 'alone' | Gender;

/** A noun that numbers are counted in: one, several, gender. */
export type Noun = readonly [one: string, many: string, gender: Gender];

export interface Currency {
  readonly unit: Noun;
  /** A hundredth; absent where nobody counts them. */
  readonly part?: Noun;
}

export interface Wording {
  readonly code: LanguageCode;
  /**
   * A whole number up to 15 digits; `next` is the word behind it, which may ask for another form.
   */
  readonly cardinal: (value: bigint, standing: Standing, next?: string) => string;
  /** An ordinal up to 199; undefined beyond. */
  readonly ordinal: (value: number, gender: Gender) => string | undefined;
  /** Ordinals that lose their end before a masculine noun ("primer"); as the others elsewhere. */
  readonly shortOrdinal: (value: number) => string | undefined;
  /** The gender of a noun by its form; undefined for a word that is none ("de", "y"). */
  readonly genderOf: (noun: string) => Gender | undefined;
  /** A date; the year is in words already, the day a number. */
  readonly date: (day: number, month: number, year: string | undefined) => string;
  readonly months: readonly string[];
  /** How a day stands before "de mayo", "maggio": a number, or the first as an ordinal. */
  readonly day: (day: number) => string;
  /** What stands between a day and the name of a month: " de ", or a space. */
  readonly ofMonth: string;
  readonly clock: (hour: number, minute: number, second?: number) => string;
  readonly fraction: (over: number, under: number) => string;
  /** The number of a century, a ruler or a chapter, by the word before it. */
  readonly roman: (value: number, before: string, after: string) => string;
  /** Words before which or behind which capitals such as "XXI" are a number. */
  readonly romanBefore: RegExp;
  readonly romanBehind: RegExp;
  readonly words: {
    readonly point: string;
    readonly dot: string;
    readonly minus: string;
    readonly plus: string;
    readonly to: string;
    readonly and: string;
    /** Between euros and cents, and between a million and euros. */
    readonly withParts: string;
    readonly of: string;
    readonly times: string;
    readonly slash: string;
    readonly hyphen: string;
    readonly underscore: string;
    readonly at: string;
    readonly colon: string;
    readonly double: string;
    readonly percent: string;
    readonly perMille: string;
    readonly degrees: Noun;
    readonly celsius: string;
    readonly fahrenheit: string;
    readonly squared: string;
    readonly cubed: string;
    readonly number: string;
    readonly equals: string;
  };
  /** Words for powers of a thousand that money is counted "of": "millones de euros". */
  readonly large: RegExp;
  readonly letters: Readonly<Record<string, string>>;
  readonly units: Readonly<Record<string, Noun>>;
  /** "per hour", of the unit below a slash. */
  readonly per: (unit: Noun) => string;
  readonly currencies: Readonly<Record<string, Currency>>;
  /** Signs said wherever they stand. */
  readonly signs: Readonly<Record<string, string>>;
  /**
   * Abbreviations without their last stop, and what they are said as. A capital in the key counts.
   */
  readonly abbreviations: Readonly<Record<string, string>>;
  /** Abbreviations that only stand before a number ("n.º 5", "pág. 3"). */
  readonly beforeNumber: Readonly<Record<string, string>>;
  /**
   * Capitals that are said as a word though they do not look it, and those that are spelled though
   * they do.
   */
  readonly spokenCapitals: ReadonlySet<string>;
  readonly spelledCapitals: ReadonlySet<string>;
  /** A word in capitals that can be said. */
  readonly pronounceable: RegExp;
  /** What is said once more looked over: "una ora" is "un'ora". */
  readonly polished?: (words: string) => string;
  /** Words of other languages, spelled so that espeak says them as people here do. */
  readonly respelled: Readonly<Record<string, string>>;
}

/** The tables of a language's `words.ts`. */
export interface WordTables {
  readonly ABBREVIATIONS: Wording['abbreviations'];
  readonly BEFORE_NUMBER: Wording['beforeNumber'];
  readonly CURRENCIES: Wording['currencies'];
  readonly RESPELLED: Wording['respelled'];
  readonly SIGNS: Wording['signs'];
  readonly SPELLED: Wording['spelledCapitals'];
  readonly SPOKEN: Wording['spokenCapitals'];
  readonly UNITS: Wording['units'];
  readonly WORDS: Wording['words'];
}

export const wordingOf = (tables: WordTables) => ({
  abbreviations: tables.ABBREVIATIONS,
  beforeNumber: tables.BEFORE_NUMBER,
  currencies: tables.CURRENCIES,
  respelled: tables.RESPELLED,
  signs: tables.SIGNS,
  spelledCapitals: tables.SPELLED,
  spokenCapitals: tables.SPOKEN,
  units: tables.UNITS,
  words: tables.WORDS,
});

export const list = (words: string): readonly string[] => words.trim().split(/\s+/);
