/** Which chapters of a book are meant: `3`, `3-7`, `1,4-`. */
import { TtsError } from '../../protocol/errors.js';

/** Indices from 0, in order, each once. */
export function chapterIndices(text: string | undefined, count: number): number[] {
  const all = Array.from({ length: count }, (_, index) => index);
  if (text === undefined) return all;
  const wanted = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^\s*(\d+)?\s*(-)?\s*(\d+)?\s*$/.exec(part);
    const [, first, dash, last] = match ?? [];
    const from = Number(first ?? 1);
    const to = Number(last ?? (dash ? count : first));
    if (!match || (first === undefined && last === undefined) || from < 1 || to > count || from > to) {
      const there = count === 1 ? 'there is one chapter' : `there are chapters 1 to ${count}`;
      throw new TtsError('usage', `--chapters ${text}: ${there}. Write 3, 3-7 or 1,4-.`);
    }
    for (let number = from; number <= to; number++) wanted.add(number - 1);
  }
  return all.filter((index) => wanted.has(index));
}
