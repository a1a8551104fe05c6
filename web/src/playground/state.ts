/** The playground's state, and the actions that change it. */
import { computed, effect, signal } from '@preact/signals';
import { isBlank } from '../../../src/protocol/characters.js';
import type {
  PlaygroundSession,
  PlaygroundVoice,
  PlaygroundVoices,
} from '../../../src/protocol/playground/playground.js';
import { sampleOf } from '../../../src/protocol/playground/voice-words.js';
import { Player } from '../audio/player.js';
import { ApiError, call } from '../shared/api.js';
import { remember } from './history/remember.js';
import { sessionWords } from './lexicon/corrections.js';
import { Run } from './speech/run.js';
import type { Said } from './speech/said.js';
import { keepDraft, savedDraft } from './text/draft.js';
import { wordsOf } from './text/words.js';

export type Voice = PlaygroundVoice;

const EXAMPLE =
  'Good morning. Dr. Rivera moved the meeting to 9:45 on March 3rd, and the tickets came to $12.50 each.\n\n' +
  'Press play, watch the words light up, and click any of them to hear it again from there.';
const KEY_CODES: readonly string[] = ['invalid_api_key', 'revoked_api_key', 'expired_api_key'];

export const server = signal<PlaygroundSession | undefined>(undefined);
/** Kept in this page's memory only. */
export const key = signal('');
/** Why a key that was in use is not any more. */
export const keyLost = signal<string | undefined>(undefined);
export const voices = signal<readonly Voice[]>([]);
export const voice = signal('');
export const model = signal('base-tts-fast');
/** The text of the editor. */
export const text = signal(savedDraft() ?? EXAMPLE);
/** Text is spoken while it is typed. */
export const live = signal(false);
export const problem = signal<Error | undefined>(undefined);
/** What was said last, or is being said. */
export const run = signal<Said | undefined>(undefined);
/** The transcript is shown instead of the editor. */
export const listening = signal(false);
export const sampling = signal<string | undefined>(undefined);

export const player = new Player();
export const needsKey = computed(() => server.value !== undefined && !server.value.keyless && key.value === '');
export const words = computed(() => wordsOf(run.value?.text.value ?? ''));
/** The text that is in sight: the editor's, or the transcript's. */
export const shownText = computed(() =>
  listening.value && !live.value && run.value !== undefined ? run.value.text.value : text.value,
);
const choice = computed(() => `${model.value} ${voice.value}`);
/** The choice of model and voice when `run` came to be shown. */
const heardChoice = signal('');
/** All that is in sight was said already, as it would be said again. */
const canReplay = computed(
  () =>
    run.value?.isWhole.value === true && run.value.text.value === shownText.value && heardChoice.value === choice.value,
);

keepDraft(text, EXAMPLE);

let sample: Run | undefined;

const nameOf = (id: string) => voices.peek().find((entry) => entry.id === id)?.display_name ?? id;

/** The key that requests carry; none where the server needs none. */
export const credentials = () => (server.value?.keyless ? undefined : key.value || undefined);

export async function begin(): Promise<void> {
  try {
    server.value = await call<PlaygroundSession>('/playground/session');
    voice.value ||= server.value.default_voice;
    if (server.value.keyless) await loadVoices();
  } catch (error) {
    problem.value = error as Error;
  }
}

export async function loadVoices(given = credentials()): Promise<void> {
  const catalog = await call<PlaygroundVoices>('/playground/voices', { key: given });
  voices.value = catalog.data;
  if (!catalog.data.some(({ id }) => id === voice.value)) voice.value = catalog.data[0]?.id ?? '';
}

export async function signIn(given: string): Promise<void> {
  await loadVoices(given.trim());
  key.value = given.trim();
  keyLost.value = undefined;
  problem.value = undefined;
}

/** `before`: text in front of what is spoken. */
function startRun(speaker = voice.value, { by = model.value, before = '' } = {}): Run {
  problem.value = undefined;
  const options = { model: by, voice: speaker, key: credentials(), before, words: sessionWords.value };
  const started = new Run(options);
  effect(() => {
    const error = started.error.value;
    if (error === undefined) return;
    problem.value = error;
    if (!(error instanceof ApiError) || (error.status !== 401 && !KEY_CODES.includes(error.code))) return;
    key.value = '';
    keyLost.value = error.message;
  });
  return started;
}

function listenTo(started: Run): void {
  player.onFirstSound = (atMs) => started.heardFirst(atMs);
  void player.play(started.recording);
}

/** Puts something said in sight, with its words. */
export function show(said: Said): void {
  run.value = said;
  listening.value = true;
  heardChoice.value = choice.value;
}

/** Speaks the text in sight from a UTF-16 unit on. */
export function speak(from = 0): void {
  const whole = shownText.value;
  if (isBlank(whole.slice(from)) || needsKey.value) return;
  void player.open();
  const last = run.value;
  stop();
  const started = startRun(voice.value, { before: whole.slice(0, from) });
  show(started);
  started.say(whole.slice(from));
  started.finish();
  listenTo(started);
  remember(started, nameOf(started.voice));
  effect(() => {
    if (started.error.value === undefined || started.recording.length.peek() > 0) return;
    // Nothing came: what was heard before stays, and the text can be changed.
    if (run.peek() !== started) return;
    run.value = last;
    listening.value = last !== undefined && last.text.peek() !== text.peek() && last.text.peek() === whole;
  });
}

/** A run whose text is still being typed. */
export function startLive(): Run {
  void player.open();
  stop();
  const started = startRun();
  run.value = started;
  listenTo(started);
  remember(started, nameOf(started.voice));
  return started;
}

/** The one button for playback: begins, pauses and goes on. */
export function toggle(): void {
  if (player.playing.value) player.pause(!player.paused.value);
  else if (live.value) return;
  else if (canReplay.value) {
    listening.value = true;
    playFrom(0);
  } else speak();
}

/** Plays the audio of the last run from a sample on. */
export function playFrom(at: number): void {
  const current = run.value;
  if (current === undefined) return;
  endSample();
  void player.play(current.recording, at);
}

/** Puts the position elsewhere; what was paused stays paused. */
export function seek(at: number): void {
  const current = run.value;
  if (current === undefined) return;
  endSample();
  void player.play(current.recording, at, player.paused.value);
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
  const started = startRun(speaker, { by });
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
