/** What single characters mean, whatever alphabet or keyboard they come from. */
import { LETTERS } from './scan.js';
import { romanize, scriptOf } from './scripts.js';

/** Pairs of "characters written many ways" and the one way the later rules know. */
const SAME: readonly (readonly [string, string])[] = [
  ['“”„‟«»「」『』《》〈〉〝〞〟＂❝❞″˝ˮ״', '"'],
  ['‘’‚‛‹›ʼʻʽ＇❛❜′´ˈ׳ߴ', "'"],
  ['‐‑﹣⁃', '-'],
  ['–‒', '–'],
  ['—―⸺⸻﹘︱〜～', '—'],
  ['−➖', '−'],
  ['\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000', ' '],
  ['。．｡।॥۔։።᙮᠃', '. '],
  ['、，،﹐﹑、՝፣᠂', ', '],
  ['；؛﹔፤', '; '],
  ['：﹕፥', ': '],
  ['！﹗❗❕‼', '! '],
  ['？؟﹖⁇❓❔՞፧', '? '],
  ['⁈⁉‽', '?! '],
  ['…⋯︙', '…'],
  ['【〔［〖﹝', ' ['],
  ['】〕］〗﹞', '] '],
  ['（﹙⟨', ' ('],
  ['）﹚⟩', ') '],
  ['•‣◦▪▸▹►▻●○■□◆◇▶◼◾⁌⁍∙・･', '•'],
  ['μ', 'µ'],
  ['Ω', 'Ω'],
  ['∆', 'Δ'],
  ['⁄∕／', '/'],
  ['∶', ':'],
  ['∗＊✱✳', '*'],
  ['⋅∙', '·'],
  ['➕', '+'],
  ['➗', '÷'],
  ['✖✕╳⨯', '×'],
  ['➔➜➝➞➡⟶⇾↦⮕', '→'],
  ['⟹⇨', '⇒'],
  ['⬅⟵', '←'],
  ['⟷⬌', '↔'],
  ['⟺', '⇔'],
  ['✓✔☑', '✓'],
  ['✗✘', '✗'],
  ['⩽≦', '≤'],
  ['⩾≧', '≥'],
  ['♥❤', '❤'],
  ['\u2028', '\n'],
  ['\u2029', '\n\n'],
  ['ª', 'a'],
  ['º', '°'],
  ['ı', 'i'],
  ['ſ', 's'],
];

function characterTable(): ReadonlyMap<string, string> {
  const table = new Map<string, string>();
  for (let n = 1; n <= 12; n++) {
    table.set(String.fromCharCode(0x215f + n), String(n));
    table.set(String.fromCharCode(0x216f + n), String(n));
  }
  for (const [many, one] of SAME) for (const char of many) if (!table.has(char)) table.set(char, one);
  return table;
}

const TABLE = characterTable();

const LATIN_OR_ASCII = new RegExp(`^[\\x20-\\x7e\\u00b0${LETTERS}]+$`);
/** Latin letters the pronouncing dictionary knows with their accents; the rest lose theirs. */
const KEPT_ACCENTS = /^[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f]$/;

const IGNORED = /[\p{Cf}\p{M}]/u;
const PICTURE = /[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}]/u;

/** What is to be done with a character beyond ASCII. */
export interface Character {
  /** What it is written as; undefined where it has no plain form. */
  readonly form: string | undefined;
  /** Its sound in Latin letters, where it is a letter of another alphabet that has one. */
  readonly sound: string | undefined;
  /** As what it counts where it is left out; empty where it does not count. */
  readonly skipped: string;
  /** As what it counts in a word of Greek. */
  readonly skippedInGreek: string;
}

/** Greek letters in a row are a word; one alone is a symbol with a name. */
export const isGreek = (code: number): boolean => code >= 0x370 && code <= 0x3ff;

export interface CharacterOptions {
  /**
   * Characters that the language's own rules or words know as they are: its script, "º" in Spanish.
   */
  readonly keeps?: RegExp;
  readonly groupMark?: string;
  /** The language has rules for formulas, which are then left as they are written. */
  readonly formulas?: boolean;
}

const keptAs = (form: string): Character => ({ form, sound: undefined, skipped: '', skippedInGreek: '' });

const MOST_KNOWN = 1 << 17;

/** What the characters are to a language, each worked out once, for it takes a dozen patterns. */
export class Characters {
  readonly #known = new Map<number, Character>();
  readonly #says: (sign: string) => boolean;
  readonly #keeps: RegExp | undefined;
  /** What groups the digits of a number that is written with thin spaces. */
  readonly groupMark: string;
  readonly formulas: boolean;

  /** `says`: whether the language's rules have words for a sign, so that it is left for them. */
  constructor(says: (sign: string) => boolean, { keeps, groupMark = ',', formulas = false }: CharacterOptions = {}) {
    this.#says = says;
    this.#keeps = keeps;
    this.groupMark = groupMark;
    this.formulas = formulas;
  }

  of(code: number): Character {
    let character = this.#known.get(code);
    if (character === undefined) {
      if (this.#known.size === MOST_KNOWN) this.#known.clear();
      const char = String.fromCodePoint(code);
      character = this.#keeps?.test(char) ? keptAs(char) : workedOut(char, this.#says);
      this.#known.set(code, character);
    }
    return character;
  }
}

function workedOut(char: string, says: (sign: string) => boolean): Character {
  const form = TABLE.get(char) ?? plainForm(char, says);
  return {
    form,
    sound: romanize(char),
    skipped: form === undefined ? skippedAs(char) : 'symbol',
    skippedInGreek: isGreek(char.charCodeAt(0)) ? `script:${scriptOf(char)}` : '',
  };
}

function skippedAs(char: string): string {
  if (IGNORED.test(char)) return '';
  if (PICTURE.test(char)) return 'emoji';
  if (/\p{L}/u.test(char)) return `script:${scriptOf(char)}`;
  return /\p{C}/u.test(char) ? 'unassigned' : 'symbol';
}

function plainForm(char: string, says: (sign: string) => boolean): string | undefined {
  if (says(char) || KEPT_ACCENTS.test(char)) return char;
  const compatible = char.normalize('NFKC');
  if (/\p{Nd}/u.test(char)) return /^\d$/.test(compatible) ? compatible : String(digitValue(char));
  if (compatible !== char && LATIN_OR_ASCII.test(compatible)) return compatible;
  const base = char.normalize('NFKD').replace(/\p{M}/gu, '');
  return base !== '' && LATIN_OR_ASCII.test(base) ? base : undefined;
}

/** Decimal digits of every script stand in rows of ten. */
function digitValue(char: string): number {
  const code = char.codePointAt(0)!;
  for (let value = 0; value <= 9; value++) {
    if (!/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) return value;
  }
  return code % 10;
}
