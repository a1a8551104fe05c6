/**
 * From predicted durations: where the voice can begin and end, and when each character is heard.
 */
import { msToSamples } from '../protocol/audio.js';
import type { ReadingToken } from '../text/types.js';

/** Samples of one step of a predicted duration. */
export const STEP_SAMPLES = 600;
/** Samples of one frame of the vocoder's input: two to a step. */
export const FRAME_SAMPLES = 300;

/** By how much sound precedes the predicted boundaries (measured with both models). */
export const AHEAD = msToSamples(55);
/** The voice never begins earlier than this before the end of the leading pad (measured). */
const EARLIEST_ONSET = msToSamples(160);
/** The voice never lasts longer than this after its last phoneme began (measured). */
const LONGEST_LAST_PHONEME = msToSamples(400);
/** Assumed length of a phoneme before a rest, for the times of characters. */
export const LAST_PHONEME = msToSamples(125);

/** Symbols that are heard as a rest or not at all. */
const REST = /[\s;:,.!?—…"()“”]/u;
export const isRest = ({ symbol }: ReadingToken): boolean => REST.test(symbol);

/** How a stretch of speech meets what other segments say of its sentence, in samples. */
interface SpeechEdges {
  /** Its first sample, where the voice goes on without a rest from the segment before it. */
  readonly goesOnFrom: number | undefined;
  /** One past its last sample, where the voice goes on without a rest in the next segment. */
  readonly goesOnAt: number | undefined;
  /** The end of the segment before it may be heard in its first frames. */
  readonly isLed: boolean;
}

export interface SpeechPlan {
  /** The first frame that can hold voice. */
  readonly fromFrame: number;
  /** One past the last frame that can hold voice. */
  readonly toFrame: number;
  /** Expected first sample of the voice. */
  readonly onset: number;
  /** First sample of the last phoneme; the voice ends behind it. */
  readonly lastPhoneme: number;
  /** Expected end of the voice, for lengths that are due before the sound is made. */
  readonly end: number;
  readonly edges: SpeechEdges;
  /** Begin and end of every token, in samples of the untrimmed utterance. */
  readonly tokenTimes: readonly { readonly start: number; readonly end: number; readonly rest: boolean }[];
}

/** Tokens [`from`, `to`) are heard; those around them are said elsewhere. */
interface Heard {
  readonly from: number;
  readonly to: number;
  /** The voice goes on from the tokens before them without a rest. */
  readonly isJoined: boolean;
}

interface TokenTime {
  readonly start: number;
  end: number;
  readonly rest: boolean;
}

/** `durations` has one number for each token and one for each of the two pads. */
export function planSpeech(
  tokens: readonly ReadingToken[],
  durations: ArrayLike<number>,
  speed = 1,
  { from, to, isJoined }: Heard = { from: 0, to: tokens.length, isJoined: false },
): SpeechPlan {
  const times: TokenTime[] = [];
  const lastPhonemeSamples = Math.round(LAST_PHONEME / speed);
  let at = Math.round(durations[0]! * STEP_SAMPLES);
  for (const [i, token] of tokens.entries()) {
    const samples = Math.round(durations[i + 1]! * STEP_SAMPLES);
    times.push({ start: at, end: at + samples, rest: isRest(token) });
    at += samples;
  }
  const total = at + Math.round(durations[tokens.length + 1]! * STEP_SAMPLES);
  for (const [i, time] of times.entries()) {
    const beforeRest = times[i + 1]?.rest ?? true;
    if (!time.rest && beforeRest) time.end = Math.min(time.end, time.start + lastPhonemeSamples);
  }
  const own = times.slice(from, to);
  const begin = own[0]?.start ?? at;
  const lastPhoneme = own.findLast((time) => !time.rest)?.start ?? begin;
  const toSample = Math.min(total, lastPhoneme + LONGEST_LAST_PHONEME / Math.min(1, speed));
  const onset = Math.max(0, begin - AHEAD);
  const goesOn = times.slice(to).find((time) => !time.rest);
  const joinedAt = goesOn && Math.max(0, goesOn.start - AHEAD);
  return {
    fromFrame: Math.floor(Math.max(0, isJoined ? onset : earliestOnset(times, from, begin)) / FRAME_SAMPLES),
    toFrame: Math.max(1, Math.ceil((joinedAt ?? toSample) / FRAME_SAMPLES)),
    onset,
    lastPhoneme: Math.max(0, lastPhoneme - AHEAD),
    end: Math.min(total, lastPhoneme + lastPhonemeSamples - AHEAD),
    edges: { goesOnFrom: isJoined ? onset : undefined, goesOnAt: joinedAt, isLed: from > 0 },
    tokenTimes: own.map(({ start, end, rest }) => ({ start: start - AHEAD, end: end - AHEAD, rest })),
  };
}

/** Behind tokens that are said elsewhere, the voice begins when their last sound has ended. */
function earliestOnset(times: readonly TokenTime[], from: number, begin: number): number {
  const sound = times.slice(0, from).findLast((time) => !time.rest);
  return Math.max(begin - EARLIEST_ONSET, (sound?.end ?? 0) - AHEAD);
}

export interface MutableTimings {
  readonly startSamples: number[];
  readonly durationSamples: number[];
}

/** Writes the times of one part, whose sample `trimmed` lies at `offset` in the segment. */
export function timePart(
  timings: MutableTimings,
  tokens: readonly ReadingToken[],
  plan: SpeechPlan,
  trimmed: number,
  offset: number,
): void {
  const { startSamples, durationSamples } = timings;
  const inSegment = (sample: number): number => Math.max(offset, Math.round(sample - trimmed + offset));
  for (let i = 0; i < tokens.length; ) {
    const { start, end } = tokens[i]!;
    // The tokens of a word carry the word's characters, which share its time evenly.
    let last = i;
    while (last + 1 < tokens.length && tokens[last + 1]!.start === start && tokens[last + 1]!.end === end) last += 1;
    const times = plan.tokenTimes.slice(i, last + 1);
    const spoken = times.some((time) => !time.rest);
    const from = inSegment(times[0]!.start);
    const to = spoken ? inSegment(times.findLast((time) => !time.rest)!.end) : from;
    const each = (to - from) / Math.max(1, end - start);
    for (let char = start; char < end && char < startSamples.length; char += 1) {
      const charFrom = Math.round(from + (char - start) * each);
      startSamples[char] = Math.max(startSamples[char]!, charFrom);
      durationSamples[char] = Math.max(durationSamples[char]!, Math.round(from + (char - start + 1) * each) - charFrom);
    }
    i = last + 1;
  }
}

/** Unspoken characters begin where the one before them ended; no time precedes an earlier one. */
export function settleTimes({ startSamples, durationSamples }: MutableTimings, end: number): void {
  let reached = 0;
  for (let char = 0; char < startSamples.length; char += 1) {
    if (durationSamples[char]! > 0) {
      const start = Math.min(end, Math.max(reached, startSamples[char]!));
      const stop = Math.min(end, Math.max(start, startSamples[char]! + durationSamples[char]!));
      startSamples[char] = start;
      durationSamples[char] = stop - start;
      reached = stop;
    } else startSamples[char] = reached;
  }
}
