/**
 * Words that a segment itself says how to read: spans with their sounds or other words for them.
 * Every worker reads such a segment in the same way, whatever lexicon it has.
 */
import { TtsError } from '../protocol/errors.js';
import type { Segment, SegmentSpan } from '../protocol/job.js';
import { type Lexicon, parseLexicon } from './lexicon.js';
import { between, positions } from './reading-items.js';
import type { Words } from './thread/text-messages.js';

type TextSpan = Extract<SegmentSpan, { readonly kind: 'text' }>;

/** Throws `invalid_value` with the word that cannot be read so. */
export function parseWords(words: Words): Lexicon {
  try {
    return parseLexicon(JSON.stringify(words), 'of words');
  } catch (error) {
    if (!(error instanceof TtsError)) throw error;
    const problem = error.message.replace(/^The lexicon of words, line \d+: /, '');
    throw new TtsError('invalid_value', `A correction cannot be used: ${problem}`, { param: 'words' });
  }
}

/** The same segment where no word of it is corrected. */
export function corrected(segment: Segment, words: Lexicon): Segment {
  let changed = false;
  const spans = segment.spans.flatMap((span): readonly SegmentSpan[] => {
    const parts = span.kind === 'text' ? correctedSpan(span, words, segment.text) : [span];
    changed ||= parts.length !== 1 || parts[0] !== span;
    return parts;
  });
  return changed ? { ...segment, spans } : segment;
}

function correctedSpan(span: TextSpan, words: Lexicon, whole: string): readonly SegmentSpan[] {
  const matches = words.find(span.text);
  if (matches.length === 0) return [span];
  const seen = positions(span, whole);
  const parts: SegmentSpan[] = [];
  let from = 0;
  let offset = 0;
  const take = (to: number): { readonly text: string; readonly start: number; readonly end: number } => {
    const part = span.text.slice(from, to);
    const chars = [...part].length;
    const range = between(seen, offset, offset + chars);
    from = to;
    offset += chars;
    return { text: part, ...range };
  };
  for (const { index, length, entry } of matches) {
    if (index > from) parts.push({ ...span, ...take(index) });
    const { text, start, end } = take(index + length);
    const { language = span.language } = entry;
    const { prosody } = span;
    const how = { ...(language !== undefined && { language }), ...(prosody !== undefined && { prosody }) };
    const place = { start, end, ...how };
    parts.push(
      entry.kind === 'ipa'
        ? { kind: 'phoneme', ipa: entry.ipa, text, ...place }
        : { kind: 'sub', alias: entry.text, ...place },
    );
  }
  if (from < span.text.length) parts.push({ ...span, ...take(span.text.length) });
  return parts;
}
