/** The state of a comparison, and the actions that change it. */
import { computed, signal } from '@preact/signals';
import type {
  PlaygroundSession,
  PlaygroundVoice,
  PlaygroundVoices,
} from '../../../src/protocol/playground/playground.js';
import { call } from '../shared/api.js';
import { type Pair, playClip, speakPair, stopClip } from './clips.js';
import {
  countsOf,
  newRounds,
  partsOf,
  ROUNDS,
  type Round,
  type Side,
  type Speaker,
  sideOf,
  type Variant,
} from './trial.js';

const EXAMPLE =
  'The ferry was late again, and nobody on the quay seemed to mind. A boy counted gulls. ' +
  'Somewhere behind the warehouses a radio played a song that everyone pretended not to know. ' +
  '"Will it come before the rain?" she asked. It would not, but he nodded all the same.';
const MODEL_NAMES: Readonly<Record<string, string>> = { 'base-tts': 'Standard', 'base-tts-fast': 'Fast' };

const server = signal<PlaygroundSession | undefined>(undefined);
/** Kept in this page's memory only. */
const key = signal('');
export const voices = signal<readonly PlaygroundVoice[]>([]);
export const problem = signal<string | undefined>(undefined);
export const text = signal(EXAMPLE);
export const chosen = signal<Readonly<Record<Side, Variant>>>({
  a: { model: 'base-tts', voice: '', speed: 1 },
  b: { model: 'base-tts-fast', voice: '', speed: 1 },
});

export const phase = signal<'setup' | 'rounds' | 'result'>('setup');
export const parts = signal<readonly string[]>([]);
export const rounds = signal<readonly Round[]>([]);
/** The round at hand, from 0. */
export const at = signal(0);
/** Clips by part; absent while they are made. */
export const clips = signal<readonly (Pair | undefined)[]>([]);
/** Which of the two were heard in this round. */
export const heard = signal<readonly (0 | 1)[]>([]);
/** Whether the operator's sum has this run. */
export const counted = signal(false);
export const needsKey = computed(() => server.value?.keyless === false && voices.value.length === 0);

let startedMs = 0;
/** Counts comparisons, so that clips of one that was left are not taken for the next one's. */
let epoch = 0;

const credentials = () => (server.value?.keyless ? undefined : key.value || undefined);

export async function begin(): Promise<void> {
  try {
    server.value = await call<PlaygroundSession>('/playground/session');
    if (server.value.keyless) await loadVoices();
  } catch (error) {
    problem.value = (error as Error).message;
  }
}

async function loadVoices(): Promise<void> {
  voices.value = (await call<PlaygroundVoices>('/playground/voices', { key: credentials() })).data;
  const voice = server.value!.default_voice;
  chosen.value = { a: { ...chosen.value.a, voice }, b: { ...chosen.value.b, voice } };
}

export async function signIn(given: string): Promise<void> {
  key.value = given.trim();
  try {
    await loadVoices();
    problem.value = undefined;
  } catch (error) {
    key.value = '';
    problem.value = (error as Error).message;
  }
}

export function choose(side: Side, change: Partial<Variant>): void {
  const next = { ...chosen.value[side], ...change };
  const models = voices.value.find(({ id }) => id === next.voice)?.models ?? [];
  const model = models.includes(next.model) ? next.model : (models[0] ?? next.model);
  chosen.value = { ...chosen.value, [side]: { ...next, model } };
}

export const speakers = computed((): Readonly<Record<Side, Speaker>> => {
  const speakerOf = (side: Side): Speaker => {
    const { model, voice, speed, style } = chosen.value[side];
    const shown = voices.value.find(({ id }) => id === voice)?.display_name ?? voice;
    const manner = [...(speed === 1 ? [] : [`${speed} ×`]), ...(style === undefined ? [] : [style])];
    return { ...chosen.value[side], name: [shown, MODEL_NAMES[model] ?? model, ...manner].join(', ') };
  };
  return { a: speakerOf('a'), b: speakerOf('b') };
});

/** Why a comparison cannot begin; undefined where it can. */
export const obstacle = computed((): string | undefined => {
  const { a, b } = chosen.value;
  if (a.model === b.model && a.voice === b.voice && a.speed === b.speed && a.style === b.style)
    return 'Choose two that differ in voice, model or manner.';
  return partsOf(text.value).length === 0 ? 'Write a text first: a few sentences are best.' : undefined;
});

export function start(): void {
  if (obstacle.value !== undefined) return;
  problem.value = undefined;
  parts.value = partsOf(text.value);
  clips.value = parts.value.map(() => undefined);
  rounds.value = newRounds(parts.value.length);
  at.value = 0;
  phase.value = 'rounds';
  beginRound();
  epoch += 1;
  void prepare(epoch);
}

async function prepare(mine: number): Promise<void> {
  try {
    for (const [index, part] of parts.value.entries()) {
      const pair = await speakPair(speakers.value, part, credentials());
      if (epoch !== mine) return;
      clips.value = clips.value.map((known, place) => (place === index ? pair : known));
    }
  } catch (error) {
    if (epoch !== mine) return;
    leave();
    problem.value = (error as Error).message;
  }
}

function beginRound(): void {
  heard.value = [];
  startedMs = performance.now();
}

/** Plays the first or the second of this round. */
export function hear(place: 0 | 1): void {
  const round = rounds.value[at.value];
  const pair = round && clips.value[round.part];
  if (phase.value !== 'rounds' || round === undefined || pair === undefined) return;
  playClip(pair[sideOf(round, place)], place);
  if (!heard.value.includes(place)) heard.value = [...heard.value, place];
}

/** Prefers the first or the second of this round, once both were heard. */
export function prefer(place: 0 | 1): void {
  if (phase.value !== 'rounds' || heard.value.length < 2) return;
  stopClip();
  const answerMs = performance.now() - startedMs;
  rounds.value = rounds.value.map((round, index) =>
    index === at.value ? { ...round, preferred: sideOf(round, place), answerMs } : round,
  );
  at.value += 1;
  if (at.value < rounds.value.length) beginRound();
  else void finish();
}

async function finish(): Promise<void> {
  phase.value = 'result';
  counted.value = false;
  const { a, b } = chosen.value;
  const { a: aPreferred, b: bPreferred } = countsOf(rounds.value.slice(-ROUNDS));
  const body = { a, b, a_preferred: aPreferred, b_preferred: bPreferred };
  try {
    await call('/playground/comparisons', { body, key: credentials() });
    counted.value = true;
  } catch {
    // The listener has the result; only the operator's sum lacks it.
  }
}

export function goOn(): void {
  rounds.value = [...rounds.value, ...newRounds(parts.value.length, rounds.value.length)];
  phase.value = 'rounds';
  beginRound();
}

/** Back to the choice of text and speakers; the clips are forgotten. */
export function leave(): void {
  epoch += 1;
  stopClip();
  phase.value = 'setup';
}
