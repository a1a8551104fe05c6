/** The playground's state, and the actions that change it. */
import { computed, effect, signal } from '@preact/signals';
import { isBlank } from '../../../src/protocol/characters.js';
import type { PlaygroundSession, PlaygroundVoice, PlaygroundVoices } from '../../../src/protocol/playground.js';
import { sampleOf } from '../../../src/protocol/voice-words.js';
import { Player } from '../audio/player.js';
import { ApiError, call } from '../shared/api.js';
import { sessionWords } from './lexicon/corrections.js';
import { Run } from './run.js';
import { wordsOf } from './words.js';

export type Voice = PlaygroundVoice;

const EXAMPLE =
  'Good morning. Dr. Rivera moved the meeting to 9:45 on March 3rd, and the tickets came to $12.50 each.\n\n' +
  'Press play, watch the words light up, and click any of them to hear it again from there.';

export const server = signal<PlaygroundSession | undefined>(undefined);
/** Kept in this page's memory only. */
export const key = signal('');
export const voices = signal<readonly Voice[]>([]);
export const voice = signal('');
export const model = signal('base-tts-fast');
export const text = signal(EXAMPLE);
/** Text is spoken while it is typed. */
export const live = signal(false);
export const problem = signal<Error | undefined>(undefined);
/** The last run. */
export const run = signal<Run | undefined>(undefined);
/** The transcript is shown instead of the editor. */
export const listening = signal(false);
export const sampling = signal<string | undefined>(undefined);

export const player = new Player();
export const needsKey = computed(
  () => server.value !== undefined && !server.value.keyless && voices.value.length === 0,
);
export const words = computed(() => wordsOf(run.value?.text.value ?? ''));

let sample: Run | undefined;

const credentials = () => (server.value?.keyless ? undefined : key.value || undefined);

export async function begin(): Promise<void> {
  try {
    server.value = await call<PlaygroundSession>('/playground/session');
    voice.value ||= server.value.default_voice;
    if (server.value.keyless) await loadVoices();
  } catch (error) {
    problem.value = error as Error;
  }
}

export async function loadVoices(): Promise<void> {
  const catalog = await call<PlaygroundVoices>('/playground/voices', { key: credentials() });
  voices.value = catalog.data;
  if (!catalog.data.some(({ id }) => id === voice.value)) voice.value = catalog.data[0]?.id ?? '';
}

export async function signIn(given: string): Promise<void> {
  key.value = given.trim();
  try {
    await loadVoices();
    problem.value = undefined;
  } catch (error) {
    key.value = '';
    throw error;
  }
}

function startRun(speaker = voice.value, by = model.value): Run {
  problem.value = undefined;
  const started = new Run({ model: by, voice: speaker, key: credentials(), words: sessionWords.value });
  effect(() => {
    const error = started.error.value;
    if (error === undefined) return;
    problem.value = error;
    if (error instanceof ApiError && error.status === 401) voices.value = [];
  });
  return started;
}

function listenTo(started: Run): void {
  player.onFirstSound = (atMs) => started.heardFirst(atMs);
  void player.play(started.recording);
}

/** Speaks the whole text from its beginning. */
export function speak(): void {
  if (isBlank(text.value)) return;
  void player.open();
  stop();
  const started = startRun();
  run.value = started;
  started.say(text.value);
  started.finish();
  listening.value = true;
  listenTo(started);
}

/** A run whose text is still being typed. */
export function startLive(): Run {
  void player.open();
  stop();
  const started = startRun();
  run.value = started;
  listenTo(started);
  return started;
}

/** Plays the audio of the last run from a sample on. */
export function playFrom(at: number): void {
  const current = run.value;
  if (current === undefined) return;
  endSample();
  void player.play(current.recording, at);
}

export function stop(): void {
  endSample();
  player.stop();
  run.value?.cancel();
}

export function edit(): void {
  stop();
  listening.value = false;
}

/** Speaks something beside the text: text and last run stay. */
export function hearAside(said: string, speaker = voice.value, by = model.value): void {
  void player.open();
  stop();
  const started = startRun(speaker, by);
  sample = started;
  sampling.value = speaker;
  started.say(said);
  started.finish();
  listenTo(started);
}

/** Plays a sample of a voice. */
export const hearSample = (entry: Voice): void =>
  hearAside(sampleOf(entry), entry.id, entry.models.includes(model.value) ? model.value : entry.models[0]!);

function endSample(): void {
  sample?.cancel();
  sample = undefined;
  sampling.value = undefined;
}

effect(() => {
  if (!player.playing.value) sampling.value = undefined;
});
