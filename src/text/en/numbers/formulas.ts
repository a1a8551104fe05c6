/** Commands of LaTeX, as chats and READMEs have them among ordinary text. */
import type { Rule } from '../../normalize/rule.js';
import { isLetter, type Scan } from '../../normalize/scan.js';
import { matchAt } from '../../normalize/sticky.js';
import { GREEK_NAMES } from '../symbols.js';

const COMMAND = /\\([A-Za-z]{2,14})(?![A-Za-z])/y;
/** An empty reading is silent: the braces that follow are read as brackets. */
const COMMANDS: Readonly<Record<string, string>> = {
  frac: '',
  dfrac: '',
  text: '',
  mathrm: '',
  mathbf: '',
  left: '',
  right: '',
  quad: '',
  sqrt: 'the square root of',
  times: 'times',
  cdot: 'times',
  div: 'divided by',
  pm: 'plus or minus',
  le: 'is less than or equal to',
  leq: 'is less than or equal to',
  ge: 'is greater than or equal to',
  geq: 'is greater than or equal to',
  ne: 'is not equal to',
  neq: 'is not equal to',
  approx: 'is approximately',
  equiv: 'is identical to',
  infty: 'infinity',
  to: 'to',
  rightarrow: 'to',
  Rightarrow: 'implies',
  implies: 'implies',
  in: 'is in',
  sum: 'the sum of',
  prod: 'the product of',
  int: 'the integral of',
  partial: 'partial',
  nabla: 'nabla',
  log: 'log',
  ln: 'natural log',
  sin: 'sine',
  cos: 'cosine',
  tan: 'tangent',
  lim: 'the limit of',
  ldots: '',
  dots: '',
};

function command(scan: Scan, at: number): number {
  if (!isLetter(scan.text.charCodeAt(at + 1)) || !isLetter(scan.text.charCodeAt(at + 2))) return at;
  const match = matchAt(COMMAND, scan.text, at);
  if (!match) return at;
  const name = match[1]!;
  const greek = [...GREEK_NAMES.values()].includes(name.toLowerCase()) ? name.toLowerCase() : undefined;
  const words = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : greek;
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
