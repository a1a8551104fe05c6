/**
 * What is asked of a character again and again, found out once for each and looked up from then on:
 * patterns are dear.
 */

/** Bits, for a character may be several of these. */
export const IS = {
  known: 1,
  /** A letter, an accent or a digit of any script. */
  letter: 1 << 1,
  space: 1 << 2,
  /** Belongs to the character before it. */
  extending: 1 << 3,
  closer: 1 << 4,
  quote: 1 << 5,
  opener: 1 << 6,
  end: 1 << 7,
  /** An end that needs no white space behind it. */
  wideEnd: 1 << 8,
  strong: 1 << 9,
  weak: 1 << 10,
  /** A clause's mark that needs no white space behind it. */
  wideClause: 1 << 11,
  /** Said in a word of its own. */
  odd: 1 << 12,
  lower: 1 << 13,
  upper: 1 << 14,
  digit: 1 << 15,
} as const;

export const IS_MARK = IS.end | IS.wideEnd | IS.strong | IS.weak;

const SETS: readonly (readonly [string, number])[] = [
  ['"\'”’»)]}*_`~›）」』】〉》', IS.closer],
  ['"\'”’»›」』', IS.quote],
  ['"\'“‘«‹([{*_`~¿¡「『（【<', IS.opener],
  ['.!?…‼⁇⁈⁉؟۔։', IS.end],
  ['。！？｡।॥።។။', IS.wideEnd],
  [':;；：؛', IS.strong],
  [',—–，、،', IS.weak],
  ['；：，、—', IS.wideClause],
  ['#$%&+/<=>@\\^|~', IS.odd],
];
const PATTERNS: readonly (readonly [RegExp, number])[] = [
  [/[\p{L}\p{M}\p{N}]/u, IS.letter],
  [/\p{White_Space}/u, IS.space],
  [/\p{M}|\u200D|\p{Emoji_Modifier}/u, IS.extending],
  [/\p{Ll}/u, IS.lower],
  [/[\p{Lu}\p{Lt}]/u, IS.upper],
  [/\p{N}/u, IS.digit],
];

/** One place for each code point; the machine lends no memory for the stretches nobody writes. */
const TABLE = new Uint16Array(0x110000);

export function characterIs(point: number): number {
  return TABLE[point]! || foundOut(point);
}

function foundOut(point: number): number {
  const char = String.fromCodePoint(point);
  let is: number = IS.known;
  for (const [set, bit] of SETS) if (set.includes(char)) is |= bit;
  for (const [pattern, bit] of PATTERNS) if (pattern.test(char)) is |= bit;
  TABLE[point] = is;
  return is;
}
