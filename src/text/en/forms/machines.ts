/** What is written for machines: codes of telephones, flags, placeholders, network cards, ions. */
import type { Rule } from '../../normalize/rule.js';
import { isLetter, type Scan } from '../../normalize/scan.js';
import { matchAt } from '../../normalize/sticky.js';
import { spell } from '../acronyms.js';
import { sayIdentifier } from '../identifiers.js';
import { digitByDigit } from '../numbers/numbers.js';

const CODE = /(?:\*{1,2}#?|#{1,2})\d{2,4}(?:[*#]\d{1,15})*#?(?![A-Za-z0-9*])/y;

/** "*#06#", "*67", "#31#". */
export const dialledRule: Rule = {
  name: 'code of a telephone',
  begins: { signs: '*#' },
  apply(scan, at) {
    const match = scan.atBoundary(at) ? matchAt(CODE, scan.text, at) : null;
    // "#1234" is a number of something.
    if (!match || (match[0].startsWith('#') && !match[0].endsWith('#'))) return at;
    for (const part of match[0].matchAll(/[*#]|\d+/g)) {
      const begin = at + part.index;
      const words = part[0] === '*' ? 'star' : part[0] === '#' ? 'hash' : digitByDigit(part[0]);
      scan.out.say(words, begin, begin + part[0].length);
    }
    return at + match[0].length;
  },
};

const CARD = /(?:[0-9A-Fa-f]{2}([:-]))(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![A-Za-z0-9:])/y;

/** "00:1A:2B:3C:4D:5E". */
export const cardAddressRule: Rule = {
  name: 'address of a network card',
  begins: {
    digits: { next: /[:A-Fa-f-]/ },
    words: { first: /[A-Fa-f]/, behind: /[\d:-]/ },
  },
  apply(scan, at) {
    const match = scan.atBoundary(at) ? matchAt(CARD, scan.text, at) : null;
    if (!match) return at;
    const parts = match[0]
      .split(match[1]!)
      .map((part) => [...part].map((char) => (/\d/.test(char) ? digitByDigit(char) : spell(char))).join(' '));
    scan.out.say(parts.join(', '), at, at + match[0].length);
    return at + match[0].length;
  },
};

const PLACEHOLDER = /\$?(?:\{\{ ?([A-Za-z_][\w.]{0,40}) ?\}\}|\{([A-Za-z_][\w.]{0,40})\})/y;

/** "{id}", "{{user}}", "${HOME}": the name of what is put there. */
export const placeholderRule: Rule = {
  name: 'placeholder',
  begins: { signs: '{$' },
  apply(scan, at) {
    const match = matchAt(PLACEHOLDER, scan.text, at);
    if (!match || scan.text[at - 1] === '}') return at;
    const begin = at + match[0].indexOf((match[1] ?? match[2])!);
    scan.out.space(at, at);
    sayIdentifier(scan, begin, begin + (match[1] ?? match[2])!.length);
    return at + match[0].length;
  },
};

const COMMANDS = new Set(
  'git ls rm cp mv ps df du tar npm npx grep cat curl wget chmod chown ssh scp docker kubectl python node pip awk sed find kill make gcc java brew sudo apt zip unzip tail head top ping mkdir touch sort diff rsync cargo go yarn pnpm bash sh zsh env ln wc xargs tts'.split(
    ' ',
  ),
);
/** Commands that are said by their letters. */
const SPELLED = new Set('ls rm cp mv ps df du ssh scp gcc ln wc npm'.split(' '));
const FLAGGED = / -{1,2}[A-Za-z]/y;
const FLAG = /-([A-Za-z]{1,5})(?![A-Za-z-])/y;

/** "ls -la": the command where a flag follows it. */
export const commandNameRule: Rule = {
  name: 'command with a flag',
  begins: { words: { first: /[cdglmnprsw]/, known: SPELLED } },
  apply(scan, at) {
    const word = scan.wordAt(at);
    if (!scan.atBoundary(at) || !SPELLED.has(word) || !matchAt(FLAGGED, scan.text, at + word.length)) return at;
    scan.out.say(spell(word), at, at + word.length);
    scan.remember(word);
    return at + word.length;
  },
};

/** "git commit -am": the letters of a flag by their names. */
export const flagRule: Rule = {
  name: 'flag',
  begins: { signs: '-' },
  apply(scan, at) {
    if (scan.text[at - 1] !== ' ' || !isLetter(scan.text.charCodeAt(at + 1))) return at;
    const match = matchAt(FLAG, scan.text, at);
    if (!match || !isCommandLine(scan, match[1]!)) return at;
    scan.out.say(`dash ${spell(match[1]!)}`, at, at + match[0].length);
    scan.remember(match[0]);
    return at + match[0].length;
  },
};

/** A command stands one or two words before. */
const isCommandLine = ({ previous, beforePrevious }: Scan, flag: string): boolean =>
  COMMANDS.has(previous) || previous.startsWith('-') || (COMMANDS.has(beforePrevious) && flag.length < 4);

const ION =
  /(?:(Ca|Mg|Fe|Cu|Zn|Mn|Co|Ni|Pb|Hg|Ba|Sr|Al|Cr|Sn|Cd|Ti)([1-4]?)(\+)|(Na|Li|K|Ag|H|Rb|Cs|NH4)(\+)|(Cl|Br|OH|NO3|HCO3|SO4|CO3|PO4)([23]?)(-))(?![A-Za-z0-9+-])/y;

/** "Ca2+", "Na+", "Cl-". */
export const ionRule: Rule = {
  name: 'ion',
  begins: { words: { first: /[A-Z]/, behind: /[\d+-]/ } },
  apply(scan, at) {
    const match = scan.atBoundary(at) ? matchAt(ION, scan.text, at) : null;
    if (!match) return at;
    for (const part of match[0].matchAll(/[A-Z][a-z]?|\d|[+-]/g)) {
      const begin = at + part.index;
      const sign = part[0] === '+' ? 'plus' : part[0] === '-' ? 'minus' : undefined;
      const words = sign ?? (/\d/.test(part[0]) ? digitByDigit(part[0]) : spell(part[0]));
      scan.out.say(words, begin, begin + part[0].length);
    }
    scan.remember(match[0]);
    return at + match[0].length;
  },
};
