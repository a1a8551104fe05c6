/** Words put where something else is written, with what an elision asks for. */
import { isLetter, type Scan } from '../normalize/scan.js';

/**
 * Says `words` for `[from, to)`. Behind an elision ("all'1%", "l'IVA") no space parts them from it.
 */
export function say(scan: Scan, words: string, from: number, to: number): void {
  const { text, out } = scan;
  const elided = from > 1 && text[from - 1] === "'" && isLetter(text.charCodeAt(from - 2));
  if (elided) out.put(words, from, to);
  else out.say(words, from, to);
}
