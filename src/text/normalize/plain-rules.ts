/** The least that a language needs to be read: words as they stand, and numbers in its own words. */
import type { Rule } from './rule.js';
import { digitsEnd } from './scan.js';

interface PlainWording {
  /** A row of digits in words. */
  readonly digits: (digits: string) => string;
}

/** Longer rows of digits are said one by one. */
const LONGEST_NUMBER = 15;

export const plainRules = ({ digits }: PlainWording): readonly Rule[] => [
  {
    name: 'digits',
    begins: { digits: 'any digits', inside: true },
    apply(scan, at) {
      const end = digitsEnd(scan.text, at);
      const written = scan.text.slice(at, end);
      const said = written.length > LONGEST_NUMBER ? [...written].map(digits).join(' ') : digits(written);
      scan.out.say(said, at, end);
      scan.remember(written.slice(0, 40));
      return end;
    },
  },
  {
    name: 'word',
    begins: { words: 'any word', inside: true },
    apply(scan, at) {
      const word = scan.wordAt(at);
      scan.out.copy(word, at);
      scan.remember(word.slice(0, 40));
      return at + word.length;
    },
  },
];

/** Copies characters of a script that the scan has no notion of words for. */
export const keptScriptRule = (script: RegExp): Rule => ({
  name: 'script',
  begins: { signs: 'any sign' },
  apply(scan, at) {
    const char = String.fromCodePoint(scan.text.codePointAt(at)!);
    if (!script.test(char)) return at;
    scan.out.copy(char, at);
    return at + char.length;
  },
});
