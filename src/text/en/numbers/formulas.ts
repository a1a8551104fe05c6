/** Commands of LaTeX, as chats and READMEs have them among ordinary text. */
import type { Rule } from '../../normalize/rule.js';
import { isLetter, type Scan } from '../../normalize/scan.js';
import { matchAt } from '../../normalize/sticky.js';
import {
  BIG,
  FUNCTIONS,
  greekName,
  NAMES,
  OPERATORS,
  PREFIXES,
  RELATIONS,
  SILENT,
  STYLES,
  TEXTS,
  WIDE,
} from '../mathematics/commands.js';

const COMMAND = /\\([A-Za-z]{2,14})(?![A-Za-z])/y;
/** The words of a command where no formula was recognised around it, '' for what is silent. */
function wordsOf(name: string): string | undefined {
  if (TEXTS.has(name) || STYLES.has(name) || SILENT.has(name) || WIDE.has(name) || /^[dt]?frac$/.test(name)) return '';
  if (name === 'sqrt') return 'the square root of';
  const big = BIG.get(name);
  if (big !== undefined) return `${big} of`;
  const known = RELATIONS.get(name) ?? OPERATORS.get(name) ?? PREFIXES.get(name) ?? FUNCTIONS.get(name)?.words;
  return known ?? (/^l?dots$/.test(name) ? '' : NAMES.get(name)) ?? greekName(name);
}

function command(scan: Scan, at: number): number {
  if (!isLetter(scan.text.charCodeAt(at + 1)) || !isLetter(scan.text.charCodeAt(at + 2))) return at;
  const match = matchAt(COMMAND, scan.text, at);
  if (!match) return at;
  const name = match[1]!;
  const words = wordsOf(name);
  // Another word behind a backslash is a folder.
  if (words === undefined) return at;
  const end = at + match[0].length;
  if (words === '') scan.out.space(at, end);
  else scan.out.say(words, at, end);
  return end;
}

export const commandRule: Rule = {
  name: 'formula command',
  begins: { signs: '\\' },
  apply: command,
};
