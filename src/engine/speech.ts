/** Speaks one segment: its parts in order, trimmed, spaced and timed so that segments join. */
import { msToSamples } from '../protocol/audio.js';
import type { PauseKind, SegmentJob, SpeechEvent } from '../protocol/job.js';
import { type SpeedParts, speedParts } from '../protocol/speed.js';
import { MAX_TOKENS, type Reading, type ReadingToken } from '../text/types.js';
import { delivered, restsOf } from './delivery/delivered.js';
import { hastened } from './delivery/hastened.js';
import { intoned } from './delivery/intonation.js';
import { commonRate, type Loudness, loudnessOf, shaped, tokenProsody } from './delivery/prosody.js';
import type { StepRunner } from './engine.js';
import { FADE_OUT, fadeIn, fadeOut, findEnd, joined, LEAD_SAMPLES, toPcm } from './finish.js';
import type { LoadedModel } from './graphs/sessions.js';
import { openingOf, startOf } from './opening.js';
import {
  FRAME_SAMPLES,
  isRest,
  type MutableTimings,
  planSpeech,
  type SpeechPlan,
  settleTimes,
  timePart,
} from './plan.js';
import { stretched } from './speed.js';
import type { Intone } from './vocoder/features.js';
import type { Utterance, Window } from './vocoder/vocoder.js';

/** Most samples of one event, so that flow control works within a long utterance. */
const CHUNK_SAMPLES = msToSamples(500);
/**
 * Kept behind the expected end of a part that is followed by another: its length has to be fixed
 * before its sound is made.
 */
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
  readonly loudness: Loudness | undefined;
}

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

export function closeShort(tokens: readonly ReadingToken[]): readonly ReadingToken[] {
  const last = tokens.at(-1);
  if (!last || tokens.length > SHORT_TOKENS || isRest(last)) return tokens;
  return [...tokens, { ...FULL_STOP, start: last.end, end: last.end }];
}

/** Ends a segment whose sentence goes on in the next: the voice stays up, as before a comma. */
const COMMA = { id: 3, symbol: ',' } as const;

function carry(tokens: readonly ReadingToken[]): readonly ReadingToken[] {
  const last = tokens.at(-1);
  return !last || isRest(last) ? tokens : [...tokens, { ...COMMA, start: last.end, end: last.end }];
}

/**
 * The parts of a reading. Silence at its end is taken off (`trailing`, in samples) and becomes part
 * of the rest after the segment. Silences are longer by `stretch`, so that they are heard as asked.
 */
function piecesOf(reading: Reading, pause: PauseKind, { stretch }: SpeedParts): { pieces: Piece[]; trailing: number } {
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
  const { model, speed: asked, segment: text, delivery } = segment.job;
  const speed = speedParts(model, asked * commonRate(text.spans) * (delivery?.rate ?? 1));
  return stretched(speakUnstretched(segment, speed), speed.stretch);
}

async function* speakUnstretched(
  { job, model, reading, steps }: SegmentReading,
  speed: SpeedParts,
): AsyncGenerator<SpeechEvent> {
  const { segment, mix, seed } = job;
  const gain = 10 ** (job.gainDb / 20);
  const { pieces, trailing } = piecesOf(reading, segment.pause, speed);
  const { lead, behind } = restsOf(job, speed);
  const rest = Math.max(trailing, behind) - LEAD_SAMPLES;

  async function prepare(tokens: readonly ReadingToken[]): Promise<Voiced> {
    const style = await model.styles.take(mix, tokens.length, seed);
    const spoken = { ...style, speed: style.speed * speed.acoustic };
    const intone: Intone = (predicted) => intoned(predicted, tokens, reading.questions);
    const own = await steps.run((grant) => model.acousticModel(tokens, spoken, grant, intone));
    const prosody = tokenProsody(tokens, segment.spans, reading.stressed);
    const asked = delivered(shaped(own, prosody, commonRate(segment.spans)), tokens, job, speed);
    const features = hastened(asked, tokens, speed);
    const plan = planSpeech(tokens, features.durations, speed.vocoder);
    const toFrame = Math.min(plan.toFrame, features.frames);
    const utterance = model.vocoder.begin(features, plan.fromFrame, toFrame, speed.stretch);
    return { tokens, plan, utterance, loudness: loudnessOf(plan, prosody) };
  }

  // Times of the whole segment are due before its first sample, so all acoustic models run first.
  // Nearly always there is one.
  const voiced = new Map<Piece, Voiced>();
  for (const piece of pieces) {
    if (piece.kind !== 'speech') continue;
    voiced.set(piece, await prepare(piece.tokens));
    yield { type: 'progress', loading: false };
  }
  const [first] = voiced.values();
  const opening = first && (await openingOf(first.plan, first.utterance, steps));
  const { layout, timings } = layOut(pieces, voiced, opening, { lead, chars: [...segment.text].length });
  yield { type: 'begin', timings };
  for (const pcm of silence(lead)) yield { type: 'audio', pcm };

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

interface PlacedPiece {
  readonly piece: Piece;
  /** First sample of the utterance that is heard. */
  readonly start: number;
  /** Undefined for the last part that is spoken: its sound decides. */
  readonly samples: number | undefined;
}

/**
 * Where each piece lies in the segment behind `lead` samples of silence, and the times of the
 * segment's `chars` characters.
 */
function layOut(
  pieces: readonly Piece[],
  voiced: ReadonlyMap<Piece, Voiced>,
  opening: Window | undefined,
  { lead, chars }: { readonly lead: number; readonly chars: number },
): { layout: PlacedPiece[]; timings: MutableTimings } {
  const timings: MutableTimings = {
    startSamples: new Array<number>(chars).fill(0),
    durationSamples: new Array<number>(chars).fill(0),
  };
  const spoken = [...voiced.values()];
  const layout: PlacedPiece[] = [];
  let cursor = lead;
  for (const [i, piece] of pieces.entries()) {
    if (piece.kind === 'silence') {
      // The neighbours bring silence of their own, which is part of it.
      const before = pieces[i - 1]?.kind === 'speech' ? RING_SAMPLES : 0;
      const after = pieces[i + 1]?.kind === 'speech' ? LEAD_SAMPLES : 0;
      const samples = Math.max(0, piece.samples - before - after);
      for (let char = piece.start; char < Math.min(chars, piece.end); char += 1) timings.startSamples[char] = cursor;
      layout.push({ piece, start: 0, samples });
      cursor += samples;
      continue;
    }
    const part = voiced.get(piece)!;
    const start = startOf(part.plan, part.utterance, part === spoken[0] ? opening : undefined);
    timePart(timings, part.tokens, part.plan, start, cursor);
    const samples = part === spoken.at(-1) ? undefined : part.plan.end + RING_SAMPLES - start;
    layout.push({ piece, start, samples });
    cursor += samples ?? part.plan.toFrame * FRAME_SAMPLES - start;
  }
  settleTimes(timings, cursor);
  return { layout, timings };
}

interface Cut {
  readonly start: number;
  readonly length: number | undefined;
  readonly rest: number;
  readonly gain: number;
}

/**
 * The samples of a part from `start` on: exactly `length` of them or, without a length, up to the
 * end of the voice and `rest` beyond. The end of a part is held back until it can be finished: with
 * a length the samples that are faded out, which may lie in two windows; without one all that
 * follows the beginning of the last phoneme, until the end of the voice is known.
 */
async function* render(
  { plan, utterance, loudness }: Voiced,
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
      loudness?.(now, at);
      yield toPcm(now, gain);
    }
    if (now.length < samples.length) held.push(samples.subarray(now.length));
  }
  const tail = joined(held);
  // A part of fixed length is faded where it is cut, the other kind at the end of its rest.
  if (length !== undefined) {
    const cut = tail.subarray(0, length - sent);
    if (sent + cut.length === length) fadeOut(cut);
    loudness?.(cut, start + sent);
    if (sent < length) yield toPcm(cut, gain, length - sent);
    return;
  }
  const total = findEnd(tail) + rest;
  const kept = tail.subarray(0, Math.min(tail.length, total));
  fadeOut(kept);
  loudness?.(kept, start + sent);
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

/** Generated as it is consumed: a text may ask for minutes of silence. */
function* silence(samples: number): Generator<Int16Array> {
  for (let left = samples; left > 0; left -= CHUNK_SAMPLES) yield new Int16Array(Math.min(left, CHUNK_SAMPLES));
}
