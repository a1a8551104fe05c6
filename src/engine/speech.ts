/** Speaks one segment: its parts in order, trimmed, spaced and timed so that segments join. */
import { msToSamples } from '../protocol/audio.js';
import type { SegmentJob, SpeechEvent } from '../protocol/job.js';
import { type SpeedParts, speedParts } from '../protocol/speed.js';
import type { Reading, ReadingToken } from '../text/types.js';
import { continued } from './delivery/continued.js';
import { delivered, restsOf } from './delivery/delivered.js';
import { hastened, spokenPace } from './delivery/hastened.js';
import { intoned } from './delivery/intonation.js';
import { commonRate, type Loudness, loudnessOf, shaped, tokenProsody } from './delivery/prosody.js';
import type { StepRunner } from './engine.js';
import { FADE_IN, FADE_OUT, fadeIn, fadeOut, findEnd, JOIN_FADE, joined, LEAD_SAMPLES, toPcm } from './finish.js';
import type { LoadedModel } from './graphs/sessions.js';
import { openingOf, startOf } from './opening.js';
import { type Part, partsOf, type SpeechPart } from './parts.js';
import { FRAME_SAMPLES, type MutableTimings, planSpeech, type SpeechPlan, settleTimes, timePart } from './plan.js';
import { stretched } from './speed.js';
import type { SpokenStyle } from './styles.js';
import type { Intone, Melody, SpokenFeatures } from './vocoder/features.js';
import type { Utterance, Window } from './vocoder/vocoder.js';

/**
 * Most samples of one event: flow control works within a long utterance, and what an event costs
 * on its way through two processes and a socket is paid once a second: a fifth less of the gateway
 * than with half a second.
 */
const CHUNK_SAMPLES = msToSamples(1_000);
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

interface Voiced {
  readonly tokens: readonly ReadingToken[];
  readonly plan: SpeechPlan;
  readonly utterance: Utterance;
  readonly loudness: Loudness | undefined;
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
  const { parts, trailing } = partsOf(reading, segment, speed);
  const { lead, behind } = restsOf(job, speed);
  const rest = Math.max(trailing, behind) - LEAD_SAMPLES;

  async function styleOf(tokens: readonly ReadingToken[]): Promise<SpokenStyle> {
    const style = await model.styles.take(mix, tokens.length, seed);
    return { ...style, speed: style.speed * speed.acoustic };
  }

  async function say(tokens: readonly ReadingToken[], intone: Intone): Promise<SpokenFeatures> {
    const style = await styleOf(tokens);
    return steps.run((grant) => model.acousticModel(tokens, style, grant, intone));
  }

  /** As it was said before this segment, where nothing followed. */
  async function saidAlone(tokens: readonly ReadingToken[]): Promise<Melody> {
    const style = await styleOf(tokens);
    return steps.run((grant) => model.melody(tokens, style, grant));
  }

  async function prepare(part: SpeechPart, awaited: boolean): Promise<Voiced> {
    const { tokens: heard, before, ahead, isJoined } = part;
    const tokens = [...before, ...heard, ...ahead];
    const [from, to] = [before.length, before.length + heard.length];
    const told = await say(tokens, (own) => intoned(own, tokens, reading.questions));
    const own = isJoined || from === 0 ? told : continued(told, tokens, from, await saidAlone(before.slice(0, -1)));
    const prosody = tokenProsody(tokens, segment.spans, reading.stressed);
    const asked = delivered(shaped(own, prosody, commonRate(segment.spans)), tokens, job, speed);
    const isHastened = speed.vocoder > speed.acoustic;
    const acoustic = isHastened ? spokenPace(told, tokens, speed.acoustic) : speed.acoustic;
    const features = hastened(asked, tokens, { ...speed, acoustic });
    const plan = planSpeech(tokens, features.durations, speed.vocoder, { from, to, isJoined });
    const toFrame = Math.min(plan.toFrame, features.frames);
    const utterance = model.vocoder.begin(features, plan.fromFrame, toFrame, { pace: speed.stretch, awaited });
    return { tokens: heard, plan, utterance, loudness: loudnessOf(plan, prosody?.slice(from, to)) };
  }

  // Times of the whole segment are due before its first sample, so all acoustic models run first.
  // Nearly always there is one.
  const voiced = new Map<Part, Voiced>();
  for (const part of parts) {
    if (part.kind !== 'speech') continue;
    voiced.set(part, await prepare(part, segment.awaited === true && voiced.size === 0));
    yield { type: 'progress', loading: false };
  }
  const [first] = voiced.values();
  const opening = first && (await openingOf(first.plan, first.utterance, steps));
  const { layout, timings } = layOut(parts, voiced, opening, { lead, chars: [...segment.text].length });
  yield { type: 'begin', timings };
  for (const pcm of silence(lead)) yield { type: 'audio', pcm };

  for (const { part, start, samples } of layout) {
    const speech = voiced.get(part);
    const sound = speech
      ? render(speech, { start, length: samples, rest, gain }, steps, speech === first ? opening : undefined)
      : silence(samples!);
    for await (const pcm of sound) {
      for (let at = 0; at < pcm.length; at += CHUNK_SAMPLES) {
        const chunk = pcm.subarray(at, Math.min(pcm.length, at + CHUNK_SAMPLES));
        yield { type: 'audio', pcm: chunk };
      }
    }
  }
}

interface PlacedPart {
  readonly part: Part;
  /** First sample of the utterance that is heard. */
  readonly start: number;
  /** Undefined for the last part that is spoken: its sound decides. */
  readonly samples: number | undefined;
}

/**
 * Where each part lies in the segment behind `lead` samples of silence, and the times of the
 * segment's `chars` characters.
 */
function layOut(
  parts: readonly Part[],
  voiced: ReadonlyMap<Part, Voiced>,
  opening: Window | undefined,
  { lead, chars }: { readonly lead: number; readonly chars: number },
): { layout: PlacedPart[]; timings: MutableTimings } {
  const timings: MutableTimings = {
    startSamples: new Array<number>(chars).fill(0),
    durationSamples: new Array<number>(chars).fill(0),
  };
  const spoken = [...voiced.values()];
  const layout: PlacedPart[] = [];
  let cursor = lead;
  for (const [i, part] of parts.entries()) {
    if (part.kind === 'silence') {
      // The neighbours bring silence of their own, which is part of it.
      const before = parts[i - 1]?.kind === 'speech' ? RING_SAMPLES : 0;
      const after = parts[i + 1]?.kind === 'speech' ? LEAD_SAMPLES : 0;
      const samples = Math.max(0, part.samples - before - after);
      for (let char = part.start; char < Math.min(chars, part.end); char += 1) timings.startSamples[char] = cursor;
      layout.push({ part, start: 0, samples });
      cursor += samples;
      continue;
    }
    const speech = voiced.get(part)!;
    const { plan } = speech;
    const start = startOf(plan, speech.utterance, speech === spoken[0] ? opening : undefined);
    timePart(timings, speech.tokens, plan, start, cursor);
    const end = plan.edges.goesOnAt ?? (speech === spoken.at(-1) ? undefined : plan.end + RING_SAMPLES);
    const samples = end === undefined ? undefined : Math.max(0, end - start);
    layout.push({ part, start, samples });
    cursor += samples ?? plan.toFrame * FRAME_SAMPLES - start;
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
    if (!begun) fadeIn(samples, plan.edges.goesOnFrom === undefined ? FADE_IN : JOIN_FADE);
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
    if (sent + cut.length === length) fadeOut(cut, plan.edges.goesOnAt === undefined ? FADE_OUT : JOIN_FADE);
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
