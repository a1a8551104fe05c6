/** A written form that a pattern knows, said in the words of a language. */
import type { Rule } from './rule.js';
import type { Scan } from './scan.js';
import { matchAt } from './sticky.js';

/**
 * `say` returns the reading, or undefined where the form is not meant. The pattern is sticky. A
 * `joined` reading stands beside what is around it without spaces.
 */
export const form = (
  name: string,
  begins: Rule['begins'],
  pattern: RegExp,
  say: (match: RegExpExecArray, scan: Scan) => string | undefined,
  joined = false,
): Rule => ({
  name,
  begins,
  apply(scan, at) {
    const match = matchAt(pattern, scan.text, at);
    const said = match ? say(match, scan) : undefined;
    if (said === undefined || match === null) return at;
    const end = at + match[0].length;
    if (joined) scan.out.put(said, at, end);
    else scan.out.say(said, at, end);
    scan.remember(match[0].slice(0, 40));
    return end;
  },
});
