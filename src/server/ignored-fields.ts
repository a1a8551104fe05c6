/** Names the fields of a body that change nothing, for the header `x-ignored-fields`. */
import { maskKeys } from '../protocol/errors.js';

const MAX_IGNORED = 10;
const MAX_NAME_CHARS = 64;

function encodeName(name: string): string {
  let encoded = '';
  // A lone surrogate has no bytes to encode.
  for (const char of name.replace(/\p{Surrogate}/gu, '\u{fffd}')) {
    const next = encodeURIComponent(char);
    if (encoded.length + next.length > MAX_NAME_CHARS) break;
    encoded += next;
  }
  return encoded;
}

/** The value of `x-ignored-fields`, or undefined where every field has a meaning. */
export function ignoredFields(body: object, known: ReadonlySet<string>): string | undefined {
  const names = Object.keys(body).filter((name) => !known.has(name));
  return names.length === 0 ? undefined : names.slice(0, MAX_IGNORED).map(maskKeys).map(encodeName).join(',');
}
