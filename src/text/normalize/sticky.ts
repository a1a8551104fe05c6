/**
 * Matching at one place of a text, never searching ahead: what keeps every rule's cost independent
 * of the text's length.
 */

/** The match of a sticky pattern exactly at `at`. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/**
 * How many of the same unit stand at `at` in a row. A caller that does not step over the whole row
 * sets a bound.
 */
export function runLength(text: string, at: number, most = Number.POSITIVE_INFINITY): number {
  const unit = text.charCodeAt(at);
  const last = Math.min(text.length, at + most);
  let end = at + 1;
  while (end < last && text.charCodeAt(end) === unit) end++;
  return end - at;
}
