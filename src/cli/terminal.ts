/** What the terminal is good for, and how a line for people is written to it. */
import { printable } from '../protocol/errors.js';

/** Live lines are for a person: on a terminal, without --quiet, not on a build machine. */
export const liveLines = (quiet: boolean): boolean => {
  const { CI, TERM } = process.env;
  const building = CI !== undefined && CI !== '' && CI !== '0' && CI !== 'false';
  return Boolean(process.stderr.isTTY) && !quiet && !building && TERM !== 'dumb';
};

/** Whether to colour what goes to stderr. */
export const styled = (): boolean => !process.env.NO_COLOR && Boolean(process.stderr.isTTY);

/** One line of what went wrong or was left undone. */
export function complain(text: string): void {
  const { isTTY, columns } = process.stderr;
  const line = `tts: ${printable(text)}`;
  process.stderr.write(`${isTTY ? wrapped(line, columns || 80) : line}\n`);
}

/** A line for stdout, broken to fit a terminal; further lines are indented by `indent`. */
export function fitted(text: string, indent = 0): string {
  const { isTTY, columns } = process.stdout;
  return isTTY ? wrapped(text, columns || 80, indent) : text;
}

/** Help for stdout: lines that are wider than the terminal are broken between words. */
export function fittedHelp(text: string): string {
  const { isTTY, columns = 80 } = process.stdout;
  if (!isTTY) return text;
  return text
    .split('\n')
    .flatMap((line) => (line.length <= columns ? [line] : broken(line, columns)))
    .join('\n');
}

/** An example keeps its command on a line of its own, and what it does stands below. */
function broken(line: string, columns: number): string[] {
  const [, margin = '', command = '', comment = ''] = /^(\s*)(.*?)(?:\s{2,}(\S.*))?$/.exec(line) ?? [];
  const indent = margin.length + (margin === '' ? 0 : 4);
  const parts = [`${margin}${command}`, ...(comment === '' ? [] : [`${' '.repeat(indent)}${comment}`])];
  return parts.map((part) => wrapped(part, columns, indent));
}

/** Broken between words; a word that is wider than the terminal is left to it. */
function wrapped(text: string, columns: number, indent = 0): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? word : `${' '.repeat(indent)}${word}`);
  }
  return lines.join('\n');
}
