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
