/**
 * Characters as the service counts and trims them: code points, and Unicode's White_Space (which
 * has U+0085 but not U+FEFF).
 */

/**
 * Whether a UTF-16 unit is white space; all of White_Space lies in the Basic Multilingual Plane.
 */
export const isWhiteSpace = (unit: number): boolean =>
  unit === 0x20 ||
  (unit >= 0x09 && unit <= 0x0d) ||
  (unit > 0x7f &&
    (unit === 0x85 ||
      unit === 0xa0 ||
      unit === 0x1680 ||
      (unit >= 0x2000 && unit <= 0x200a) ||
      unit === 0x2028 ||
      unit === 0x2029 ||
      unit === 0x202f ||
      unit === 0x205f ||
      unit === 0x3000));

/** Units of white space at the beginning of a text. */
function leadingSpace(text: string): number {
  let at = 0;
  while (at < text.length && isWhiteSpace(text.charCodeAt(at))) at += 1;
  return at;
}

export const trimStart = (text: string): string => text.slice(leadingSpace(text));

export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isWhiteSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Without the white space around it. */
export const trim = (text: string): string => trimEnd(trimStart(text));

/** Empty, or nothing but white space. */
export const isBlank = (text: string): boolean => leadingSpace(text) === text.length;

/** The first and the second half of a pair of UTF-16 units. */
export const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
export const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Code points; a lone surrogate is one. */
export function countChars(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at += 1) {
    if (isHighSurrogate(text.charCodeAt(at)) && isLowSurrogate(text.charCodeAt(at + 1))) count -= 1;
  }
  return count;
}

/** A text inside XML, HTML or WebVTT. */
export const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A text that may stand between quotation marks there. */
export const escapeAttribute = (text: string): string => escapeMarkup(text).replaceAll('"', '&quot;');
