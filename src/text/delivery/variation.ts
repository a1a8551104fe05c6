/** Numbers that follow from a text and a seed alone, so that a reading can be repeated. */

/** FNV-1a over UTF-16 units, begun from the seed. */
function hashOf(text: string, seed: number): number {
  let hash = (0x811c9dc5 ^ Math.imul(seed, 0x9e3779b1)) >>> 0;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}

/** Evenly in [0, 1); `salt` parts the numbers that one text needs (the finish of MurmurHash 3). */
function evenly(text: string, seed: number, salt: number): number {
  let mixed = (hashOf(text, seed) + Math.imul(salt, 0x9e3779b9)) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}

/** About normal around 0, deviation 1, never beyond 2.1: the sum of three even numbers. */
export function variation(text: string, seed: number, salt: number): number {
  const sum = evenly(text, seed, salt) + evenly(text, seed, salt + 101) + evenly(text, seed, salt + 211);
  return Math.max(-2.1, Math.min(2.1, (sum - 1.5) * 2));
}

/** Letters at the end of a sentence that tell it from others. */
const KEY_LETTERS = 12;

/**
 * The end of a sentence, on which all routes agree: they may cut its beginning off, but leave more
 * than `KEY_LETTERS` letters.
 */
export function keyOf(text: string, repeats: number): string {
  const letters = text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
  return `${letters.slice(-KEY_LETTERS)}${repeats === 0 ? '' : ` ${repeats}`}`;
}
