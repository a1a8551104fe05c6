/** One segment's way through a model: parts in order, trimmed, rested and timed so that segments join as one reading. */

import { msToSamples } from '../protocol/audio.js';
import type { PauseKind, SegmentJob, SpeechEvent } from '../protocol/job.js';
import { MAX_TOKENS, type Reading, type ReadingToken } from '../text/types.js';
import type { StepRunner } from './engine.js';
import { FADE_OUT, fadeIn, fadeOut, findEnd, findOnset, LEAD_SAMPLES, PAUSE_SAMPLES, toPcm } from './finish.js';
import type { LoadedModel } from './graphs/sessions.js';
import { type Pace, paceOf, stretched } from './pace.js';
import {
  FRAME_SAMPLES,
  isRest,
  type MutableTimings,
  planSpeech,
  type SpeechPlan,
  settleTimes,
  timePart,
} from './plan.js';
import type { FrontOutput, Utterance, Window } from './vocoder/vocoder.js';

/** No event holds more than this, so that a listener's pace is felt within a long utterance. */
const CHUNK_SAMPLES = msToSamples(500);
/** A part that another follows has its length before its sound: this much may ring on beyond the expected end. */
const RING_SAMPLES = msToSamples(80);

export interface SegmentReading {
  readonly job: SegmentJob;
  readonly model: LoadedModel;
  readonly reading: Reading;
  readonly steps: StepRunner;
}

type Piece =
  | { readonly kind: 'speech'; readonly tokens: readonly ReadingToken[] }
  | { readonly kind: 'silence'; readonly samples: number; readonly start: number; readonly end: number };

interface Voiced {
  readonly tokens: readonly ReadingToken[];
  readonly plan: SpeechPlan;
  readonly utterance: Utterance;
}

/** Cuts tokens where they exceed what the model takes: after the last space that fits, so that no word is lost or halved. */
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
 * A word or two without an end mark come out of the model unsure of themselves ("No" is heard as "Yeah"): with a full stop
 * they are said as a person says them. Longer text is left as it was written.
 */
const SHORT_TOKENS = 6;
const FULL_STOP = { id: 4, symbol: '.' } as const;

export function closeShort(tokens: readonly ReadingToken[]): readonly ReadingToken[] {
  const last = tokens.at(-1);
  if (!last || tokens.length > SHORT_TOKENS || isRest(last)) return tokens;
  return [...tokens, { ...FULL_STOP, start: last.end, end: last.end }];
}

/** Where the sentence goes on in the next segment the voice stays up, as before a comma; without a mark it would fall as at an end. */
const COMMA = { id: 3, symbol: ',' } as const;

function carry(tokens: readonly ReadingToken[]): readonly ReadingToken[] {
  const last = tokens.at(-1);
  return !last || isRest(last) ? tokens : [...tokens, { ...COMMA, start: last.end, end: last.end }];
}

/** The parts of a reading, rests that were asked for as long as they are to be heard, with the silence at its end taken off, which counts as the segment's rest. */
function piecesOf(reading: Reading, pause: PauseKind, { stretch }: Pace): { pieces: Piece[]; trailing: number } {
  const pieces: Piece[] = reading.parts.flatMap((part): Piece[] =>
    part.kind === 'silence'
      ? [{ kind: 'silence', samples: Math.round(msToSamples(part.ms) * stretch), start: part.start, end: part.end }]
      : splitTokens(part.tokens)
          .filter((tokens) => tokens.some(({ symbol }) => symbol !== ' '))
          .map((tokens) => ({ kind: 'speech', tokens: closeShort(tokens) })),
  );
  let trailing = 0;
  if (!pieces.some((piece) => piece.kind === 'speech')) return { pieces, trailing };
  for (let last = pieces.at(-1)!; last.kind === 'silence'; last = pieces.at(-1)!) {
    trailing += last.samples;
    pieces.pop();
  }
  const last = pieces.at(-1)!;
  if (pause === 'carried' && last.kind === 'speech')
    pieces[pieces.length - 1] = { ...last, tokens: carry(last.tokens) };
  return { pieces, trailing };
}

export function speakReading(segment: SegmentReading): AsyncIterable<SpeechEvent> {
  const pace = paceOf(segment.job.speed);
  return stretched(speakAtPace(segment, pace), pace.stretch);
}

async function* speakAtPace({ job, model, reading, steps }: SegmentReading, pace: Pace): AsyncGenerator<SpeechEvent> {
  const { segment, mix, seed } = job;
  const gain = 10 ** (job.gainDb / 20);
  const chars = [...segment.text].length;
  const timings: MutableTimings = {
    startSamples: new Array<number>(chars).fill(0),
    durationSamples: new Array<number>(chars).fill(0),
  };
  const { pieces, trailing } = piecesOf(reading, segment.pause, pace);
  const rest = Math.max(trailing, Math.round(PAUSE_SAMPLES[segment.pause] / pace.model)) - LEAD_SAMPLES;

  async function prepare(tokens: readonly ReadingToken[]): Promise<Voiced> {
    const style = await model.styles.take(mix, tokens.length, seed);
    const paced = { ...style, speed: style.speed * pace.model };
    const front: FrontOutput = await steps.run((grant) => model.front(tokens, paced, grant));
    const plan = planSpeech(tokens, front.durations, pace.model);
    const utterance = model.vocoder.begin(front, plan.fromFrame, Math.min(plan.toFrame, front.frames));
    return { tokens, plan, utterance };
  }

  // Times are promised for the whole segment before its first sample, so every front comes first (nearly always one).
  const voiced = new Map<Piece, Voiced>();
  for (const piece of pieces) {
    if (piece.kind !== 'speech') continue;
    voiced.set(piece, await prepare(piece.tokens));
    yield { type: 'progress', loading: false };
  }
  const spoken = [...voiced.values()];
  const [first, last] = [spoken[0], spoken.at(-1)];

  // The onset of the segment is looked up in the sound itself; later parts, whose times are due now, go by their plan.
  const opening = first && (await steps.run((grant) => first.utterance.next(grant)));
  const startOf = (part: Voiced): number => {
    const planned = Math.max(0, part.plan.onset - LEAD_SAMPLES);
    if (part !== first) return planned;
    const from = first.plan.fromFrame * FRAME_SAMPLES;
    const base = opening!.from * FRAME_SAMPLES;
    // Not beyond what there always is of it: the times must not depend on how much there was time for.
    const to = first.utterance.openingTo * FRAME_SAMPLES;
    const onset = findOnset(opening!.samples.subarray(from - base, to - base));
    return onset === undefined ? planned : Math.max(from, from + onset - LEAD_SAMPLES);
  };

  const layout: { piece: Piece; start: number; samples: number | undefined }[] = [];
  let cursor = 0;
  for (const [i, piece] of pieces.entries()) {
    if (piece.kind === 'silence') {
      // What the neighbours bring along of silence is part of it.
      const before = pieces[i - 1]?.kind === 'speech' ? RING_SAMPLES : 0;
      const after = pieces[i + 1]?.kind === 'speech' ? LEAD_SAMPLES : 0;
      const samples = Math.max(0, piece.samples - before - after);
      for (let char = piece.start; char < Math.min(chars, piece.end); char += 1) timings.startSamples[char] = cursor;
      layout.push({ piece, start: 0, samples });
      cursor += samples;
      continue;
    }
    const part = voiced.get(piece)!;
    const start = startOf(part);
    timePart(timings, part.tokens, part.plan, start, cursor);
    const samples = part === last ? undefined : part.plan.end + RING_SAMPLES - start;
    layout.push({ piece, start, samples });
    cursor += samples ?? part.plan.toFrame * FRAME_SAMPLES - start;
  }
  settleTimes(timings, cursor);
  yield { type: 'begin', timings };

  for (const { piece, start, samples } of layout) {
    const part = voiced.get(piece);
    const sound = part
      ? render(part, { start, length: samples, rest, gain }, steps, part === first ? opening : undefined)
      : silence(samples!);
    for await (const pcm of sound) {
      for (let at = 0; at < pcm.length; at += CHUNK_SAMPLES) {
        const chunk = pcm.subarray(at, Math.min(pcm.length, at + CHUNK_SAMPLES));
        yield { type: 'audio', pcm: chunk };
      }
    }
  }
}

interface Cut {
  readonly start: number;
  readonly length: number | undefined;
  readonly rest: number;
  readonly gain: number;
}

/**
 * The samples of a part from `start` on: exactly `length` of them, or up to the end of the voice and `rest` beyond. Of the
 * latter, what follows the beginning of the last phoneme is held back until the voice's end is known; of the former, what is
 * faded out, which may lie in two windows.
 */
async function* render(
  { plan, utterance }: Voiced,
  { start, length, rest, gain }: Cut,
  steps: StepRunner,
  opening: Window | undefined,
): AsyncGenerator<Int16Array> {
  const stop = plan.toFrame * FRAME_SAMPLES;
  const free = length === undefined ? plan.lastPhoneme : start + length - FADE_OUT;
  const held: Float32Array[] = [];
  let sent = 0;
  let begun = false;
  for await (const { from, samples: whole } of windowsOf(utterance, steps, opening)) {
    const base = from * FRAME_SAMPLES;
    const samples = whole.subarray(Math.max(0, start - base), Math.max(0, Math.min(whole.length, stop - base)));
    if (samples.length === 0) continue;
    if (!begun) fadeIn(samples);
    begun = true;
    const at = Math.max(start, base);
    const loose = Math.min(samples.length, Math.max(0, free - at));
    const now = samples.subarray(0, held.length > 0 ? 0 : loose);
    if (now.length > 0) {
      sent += now.length;
      yield toPcm(now, gain);
    }
    if (now.length < samples.length) held.push(samples.subarray(now.length));
  }
  const tail = joined(held);
  // A part of fixed length is faded where it is cut; the other kind at the end of its rest.
  if (length !== undefined) {
    const cut = tail.subarray(0, length - sent);
    if (sent + cut.length === length) fadeOut(cut);
    if (sent < length) yield toPcm(cut, gain, length - sent);
    return;
  }
  const total = findEnd(tail) + rest;
  const kept = tail.subarray(0, Math.min(tail.length, total));
  fadeOut(kept);
  const end = Math.min(total, kept.length + CHUNK_SAMPLES);
  if (end > 0) yield toPcm(kept, gain, end);
  if (total > end) yield* silence(total - end);
}

async function* windowsOf(
  utterance: Utterance,
  steps: StepRunner,
  opening: Window | undefined,
): AsyncGenerator<Window> {
  if (opening) yield opening;
  while (!utterance.ended) yield await steps.run((grant) => utterance.next(grant));
}

/** Made as it is taken: a text may ask for minutes of it. */
function* silence(samples: number): Generator<Int16Array> {
  for (let left = samples; left > 0; left -= CHUNK_SAMPLES) yield new Int16Array(Math.min(left, CHUNK_SAMPLES));
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
