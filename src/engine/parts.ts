/** The parts of a reading: stretches that one run of the acoustic model says, and silences. */
import { msToSamples } from '../protocol/audio.js';
import type { Segment } from '../protocol/job.js';
import type { SpeedParts } from '../protocol/speed.js';
import { MAX_TOKENS, type Reading, type ReadingToken } from '../text/types.js';
import { isRest } from './plan.js';

/** Tokens that are heard, between others that shape their melody and are heard elsewhere. */
export interface SpeechPart {
  readonly kind: 'speech';
  readonly tokens: readonly ReadingToken[];
  readonly before: readonly ReadingToken[];
  readonly ahead: readonly ReadingToken[];
  /** The voice goes on from `before` without a rest. */
  readonly isJoined: boolean;
}

interface SilentPart {
  readonly kind: 'silence';
  readonly samples: number;
  readonly start: number;
  readonly end: number;
}

export type Part = SpeechPart | SilentPart;

/** Cuts tokens where they exceed the model's limit, after the last space that fits. */
export function splitTokens(tokens: readonly ReadingToken[], limit = MAX_TOKENS): (readonly ReadingToken[])[] {
  const parts: (readonly ReadingToken[])[] = [];
  let from = 0;
  while (tokens.length - from > limit) {
    let to = from + limit;
    while (to > from + limit / 2 && tokens[to - 1]!.symbol !== ' ') to -= 1;
    if (to <= from + limit / 2) to = from + limit;
    parts.push(tokens.slice(from, to));
    from = to;
  }
  if (from < tokens.length) parts.push(tokens.slice(from));
  return parts;
}

/**
 * Texts of at most this many tokens get a full stop where they have no end mark. Without it the
 * model speaks a word or two unclearly ("No" is recognised as "Yeah").
 */
const SHORT_TOKENS = 6;
const FULL_STOP = { id: 4, symbol: '.' } as const;
/** Ends a segment whose sentence goes on in the next: the voice stays up, as before a comma. */
const COMMA = { id: 3, symbol: ',' } as const;
const SPACE = { id: 16, symbol: ' ' } as const;

/** `tokens` with a mark behind them, unless they have one. */
function closed(tokens: readonly ReadingToken[], mark: typeof FULL_STOP | typeof COMMA): readonly ReadingToken[] {
  const last = tokens.at(-1);
  return !last || isRest(last) ? tokens : [...tokens, { ...mark, start: last.end, end: last.end }];
}

export const closeShort = (tokens: readonly ReadingToken[]): readonly ReadingToken[] =>
  tokens.length > SHORT_TOKENS ? tokens : closed(tokens, FULL_STOP);

const SPEECH = { kind: 'speech', before: [], ahead: [], isJoined: false } as const;

/**
 * The parts of a reading. Silence at its end is taken off (`trailing`, in samples) and becomes part
 * of the rest after the segment. Silences are longer by `stretch`, so that they are heard as asked.
 */
export function partsOf(
  reading: Reading,
  { pause, follows }: Pick<Segment, 'pause' | 'follows'>,
  { stretch }: SpeedParts,
): { parts: Part[]; trailing: number } {
  const parts: Part[] = reading.parts.flatMap((part): Part[] =>
    part.kind === 'silence'
      ? [{ kind: 'silence', samples: Math.round(msToSamples(part.ms) * stretch), start: part.start, end: part.end }]
      : splitTokens(part.tokens)
          .filter((tokens) => tokens.some(({ symbol }) => symbol !== ' '))
          .map((tokens) => ({ ...SPEECH, tokens })),
  );
  let trailing = 0;
  if (parts.some((part) => part.kind === 'speech')) {
    for (let last = parts.at(-1)!; last.kind === 'silence'; last = parts.at(-1)!) {
      trailing += last.samples;
      parts.pop();
    }
  }
  const last = parts.length - 1;
  const placed = parts.map((part, index) => {
    if (part.kind === 'silence') return part;
    const isCut = index === last && trailing === 0;
    const led = index === 0 && follows !== undefined ? ledBy(part, reading.before, follows === 'joined') : part;
    if (isCut && pause === 'joined' && reading.ahead.length > 0) return followedBy(led, reading.ahead);
    if (isCut && (pause === 'carried' || pause === 'joined')) return { ...led, tokens: closed(led.tokens, COMMA) };
    return led.before.length > 0 ? led : { ...led, tokens: closeShort(led.tokens) };
  });
  return { parts: placed, trailing };
}

const space = ({ end }: ReadingToken): ReadingToken => ({ ...SPACE, start: end, end });

/** Said as what follows `before`, where the model takes both at once. */
function ledBy(part: SpeechPart, before: readonly ReadingToken[], isJoined: boolean): SpeechPart {
  const last = before.at(-1);
  if (last === undefined) return part;
  const lead = [...(isJoined ? before : closed(before, COMMA)), space(last)];
  return lead.length + part.tokens.length > MAX_TOKENS ? part : { ...part, before: lead, isJoined };
}

/** Said as what goes on to `ahead`, of which as much is taken as the model takes. */
function followedBy(part: SpeechPart, ahead: readonly ReadingToken[]): SpeechPart {
  const room = MAX_TOKENS - part.before.length - part.tokens.length;
  const behind = [space(ahead[0]!), ...ahead].slice(0, room);
  return behind.length > 1 ? { ...part, ahead: behind } : { ...part, tokens: closed(part.tokens, COMMA) };
}
