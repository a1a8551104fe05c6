/**
 * How a text will be read, for people: each written form with the words it is said as and their
 * sounds.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { DEFAULT_LANGUAGE, type PauseKind, type Segment } from '../protocol/job.js';
import { Segmenter } from './segment/segment.js';
import type { Reader } from './types.js';

interface ReadForm {
  /** Where it stands in the whole text, in code points. */
  readonly start: number;
  readonly end: number;
  readonly written: string;
  /** The words it is said as. */
  readonly said: string;
  readonly phonemes: string;
}

interface ExplainedSegment {
  readonly text: string;
  readonly offset: number;
  readonly pause: PauseKind;
  readonly forms: readonly ReadForm[];
}

export interface Explanation {
  readonly segments: readonly ExplainedSegment[];
  /** What is not spoken, by kind, in characters. */
  readonly skipped: Readonly<Record<string, number>>;
}

/** In steps, between which others of its thread have their turn. */
const STEP_UNITS = 256;

export async function explainText(
  text: string,
  reader: Reader,
  { ssml = false, language = DEFAULT_LANGUAGE, correct = (segment: Segment): Segment => segment } = {},
): Promise<Explanation> {
  const segmenter = new Segmenter({ countTokens: (part) => reader.countTokens(part), language, ssml });
  const skipped: Record<string, number> = {};
  const segments: ExplainedSegment[] = [];
  for (let at = 0; at <= text.length; at += STEP_UNITS) {
    const cut = segmenter.push(text.slice(at, at + STEP_UNITS));
    if (at + STEP_UNITS > text.length) cut.push(...segmenter.end());
    for (const segment of cut.map(correct)) {
      await turn();
      await reader.prepare(segment);
      segments.push(explainSegment(segment, reader, skipped));
    }
    await turn();
  }
  return { segments, skipped };
}

function explainSegment(segment: Segment, reader: Reader, skipped: Record<string, number>): ExplainedSegment {
  const reading = reader.read(segment);
  for (const [kind, chars] of Object.entries(reading.skipped)) skipped[kind] = (skipped[kind] ?? 0) + chars;
  const tokens = reading.parts.flatMap((part) => (part.kind === 'speech' ? part.tokens : []));
  const points = [...segment.text];
  const forms: { start: number; end: number; said: string[] }[] = [];
  for (const { text: word, start, end } of reading.words) {
    const last = forms.at(-1);
    if (last && last.start === start && last.end === end) last.said.push(word);
    else forms.push({ start, end, said: [word] });
  }
  return {
    text: segment.text,
    offset: segment.offset,
    pause: segment.pause,
    forms: forms.map(({ start, end, said }) => ({
      start: segment.offset + start,
      end: segment.offset + end,
      written: points.slice(start, end).join(''),
      // A row of letters carries dots for the pronouncing engine.
      said: said.map((word) => (/^[A-Z](?:\.[A-Z])+/.test(word) ? word.replaceAll('.', ' ') : word)).join(' '),
      phonemes: tokens
        .filter((token) => token.start === start && token.end === end)
        .map(({ symbol }) => symbol)
        .join('')
        .trim(),
    })),
  };
}

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
