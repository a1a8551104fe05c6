/** What changes in how a text is read: two explanations of it, line by line. */
import type { Explanation } from './explain.js';

/** One stretch of a line that is read in two ways. */
interface ReadingChange {
  readonly written: string;
  readonly before: ReadAs;
  readonly after: ReadAs;
}

interface ReadAs {
  readonly said: string;
  readonly phonemes: string;
}

export interface ChangedLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  readonly changes: readonly ReadingChange[];
}

type Form = Explanation['segments'][number]['forms'][number];

/** The lines of `text` in which `after` differs from `before`, and how. */
export function changedLines(text: string, before: Explanation, after: Explanation): ChangedLine[] {
  const points = [...text];
  const lines = text.split('\n');
  const ends: number[] = [];
  let end = 0;
  for (const line of lines) {
    end += [...line].length + 1;
    ends.push(end);
  }
  const found = new Map<number, ReadingChange[]>();
  for (const { start, end: until, forms } of stretches(formsOf(before), formsOf(after))) {
    const [was, is] = forms.map(readAs) as [ReadAs, ReadAs];
    if (was.said === is.said && was.phonemes === is.phonemes) continue;
    const line = ends.findIndex((behind) => start < behind);
    const changes = found.get(line) ?? [];
    changes.push({ written: points.slice(start, until).join('').trim(), before: was, after: is });
    found.set(line, changes);
  }
  return [...found].map(([line, changes]) => ({ line: line + 1, text: lines[line]!.replace(/\r$/, ''), changes }));
}

const formsOf = ({ segments }: Explanation): readonly Form[] => segments.flatMap(({ forms }) => forms);

const readAs = (forms: readonly Form[]): ReadAs => ({
  said: forms.map(({ said }) => said).join(' '),
  phonemes: forms.map(({ phonemes }) => phonemes).join(' '),
});

interface Stretch {
  readonly start: number;
  readonly end: number;
  /** What is read there, before and after. */
  readonly forms: readonly [readonly Form[], readonly Form[]];
}

/** The text in the smallest stretches that begin and end with a form on both sides. */
function* stretches(before: readonly Form[], after: readonly Form[]): Generator<Stretch> {
  for (let i = 0, j = 0; i < before.length || j < after.length; ) {
    const start = Math.min(before[i]?.start ?? Number.POSITIVE_INFINITY, after[j]?.start ?? Number.POSITIVE_INFINITY);
    const [from, begun] = [i, j];
    // A form without a width still moves on.
    let end = start + 1;
    for (let grew = true; grew; ) {
      grew = false;
      while (i < before.length && before[i]!.start < end) {
        end = Math.max(end, before[i++]!.end);
        grew = true;
      }
      while (j < after.length && after[j]!.start < end) {
        end = Math.max(end, after[j++]!.end);
        grew = true;
      }
    }
    yield { start, end, forms: [before.slice(from, i), after.slice(begun, j)] };
  }
}
