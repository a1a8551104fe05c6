/** Puts what was said into the history when it has ended, and takes it out again to be heard. */
import { effect, signal } from '@preact/signals';
import { Recording } from '../../audio/recording.js';
import type { Run } from '../speech/run.js';
import type { Said } from '../speech/said.js';
import { WordClock } from '../text/words.js';
import {
  allKept,
  drop,
  dropAll,
  type Kept,
  type KeptSound,
  keep,
  MAX_SOUND_BYTES,
  soundBytes,
  soundOf,
} from './store.js';

export const history = signal<readonly Kept[]>([]);
/** Why nothing is kept: a browser may forbid it, or have no room. */
export const historyProblem = signal<string | undefined>(undefined);

async function refresh(change: () => Promise<void> = async () => {}): Promise<void> {
  try {
    await change();
    history.value = await allKept();
    historyProblem.value = undefined;
  } catch (error) {
    historyProblem.value = `This browser keeps no history: ${(error as Error | null)?.message ?? 'it refuses to'}.`;
  }
}

export const loadHistory = (): Promise<void> => refresh();
export const forget = (id: number): Promise<void> => refresh(() => drop(id));
export const forgetAll = (): Promise<void> => refresh(dropAll);

/** `voiceName`: as the catalogue calls the voice. */
export function remember(run: Run, voiceName: string): void {
  const stop = effect(() => {
    if (!run.recording.finished.value || run.recording.length.peek() === 0) return;
    queueMicrotask(() => stop());
    const { spokenText: text, voice, model, recording, isWhole } = run;
    const entry = { text, voice, voiceName, model, samples: recording.length.peek(), isWhole: isWhole.peek() };
    const fits = soundBytes([{ ...entry, hasSound: true }]) <= MAX_SOUND_BYTES;
    void refresh(() => keep({ ...entry, atMs: Date.now() }, fits ? soundFrom(run) : undefined));
  });
}

function soundFrom({ recording, alignments }: Run): KeptSound {
  return {
    pcm: new Blob(recording.parts()),
    alignments: alignments.map(({ alignment, offset }) => ({
      chars: alignment.chars.join(''),
      startsMs: alignment.charStartTimesMs,
      durationsMs: alignment.charDurationsMs,
      offset,
    })),
  };
}

/** An entry as it was heard, without a server; undefined where its sound is not kept. */
export async function recall(entry: Kept): Promise<Said | undefined> {
  const sound = await soundOf(entry.id);
  if (sound === undefined) return undefined;
  const recording = new Recording();
  recording.add(new Int16Array(await sound.pcm.arrayBuffer()));
  recording.finish();
  const clock = new WordClock();
  const alignments = sound.alignments.map(({ chars, startsMs, durationsMs, offset }) => ({
    alignment: { chars: [...chars], charStartTimesMs: startsMs, charDurationsMs: durationsMs },
    offset,
  }));
  for (const { alignment, offset } of alignments) clock.align(alignment, offset);
  // Sound of a Free key came without times.
  if (alignments.length === 0) clock.spread([...entry.text].length, recording.length.peek());
  return {
    voice: entry.voice,
    model: entry.model,
    text: signal(entry.text),
    recording,
    clock,
    alignments,
    error: signal(undefined),
    isWhole: signal(entry.isWhole),
    firstMs: signal(undefined),
    realTimeFactor: signal(undefined),
    cancel() {},
  };
}
