/** Clips of both speakers, equally loud, and how one is played. */
import { signal } from '@preact/signals';
import { SAMPLE_RATE } from '../audio/recording.js';
import { Run } from '../playground/speech/run.js';
import type { Side, Speaker } from './trial.js';

export type Pair = Readonly<Record<Side, Float32Array>>;

/** Quieter than this share of the loudest frame is no speech. */
const GATE = 0.05;
const FRAME = SAMPLE_RATE / 50;

/** The level of the frames that hold speech. */
function levelOf(pcm: Int16Array): number {
  const powers: number[] = [];
  for (let at = 0; at + FRAME <= pcm.length; at += FRAME) {
    let sum = 0;
    for (let i = at; i < at + FRAME; i++) sum += pcm[i]! ** 2;
    powers.push(sum / FRAME);
  }
  const loudest = Math.max(0, ...powers);
  const spoken = powers.filter((power) => power > loudest * GATE ** 2);
  return Math.sqrt(spoken.reduce((sum, power) => sum + power, 0) / Math.max(1, spoken.length));
}

/** The louder one is made as soft as the other, so that nothing clips. */
function equallyLoud(a: Int16Array, b: Int16Array): Pair {
  const levels = { a: levelOf(a), b: levelOf(b) };
  const level = Math.min(levels.a, levels.b);
  const scaled = (pcm: Int16Array, own: number) =>
    Float32Array.from(pcm, (sample) => (sample / 32_768) * (own > 0 ? level / own : 1));
  return { a: scaled(a, levels.a), b: scaled(b, levels.b) };
}

function speak({ name: _, ...speaker }: Speaker, text: string, key: string | undefined): Promise<Int16Array> {
  const run = new Run({ ...speaker, key });
  run.say(text);
  run.finish();
  return new Promise((resolve, reject) => {
    const unsubscribe = run.recording.finished.subscribe((finished) => {
      if (!finished) return;
      queueMicrotask(() => unsubscribe());
      const error = run.error.peek();
      if (error) reject(error);
      else resolve(run.recording.samples().slice());
    });
  });
}

export async function speakPair(speakers: Readonly<Record<Side, Speaker>>, text: string, key: string | undefined) {
  // One after the other: on a small machine two at once would take as long, and be refused.
  const a = await speak(speakers.a, text, key);
  return equallyLoud(a, await speak(speakers.b, text, key));
}

let context: AudioContext | undefined;
let source: AudioBufferSourceNode | undefined;

/** Which of the two is heard now. */
export const playing = signal<0 | 1 | undefined>(undefined);

export function stopClip(): void {
  source?.stop();
  source = undefined;
  playing.value = undefined;
}

/** Has to be called within a click or a key press: browsers demand it. */
export function playClip(samples: Float32Array, place: 0 | 1): void {
  stopClip();
  context ??= new AudioContext({ sampleRate: SAMPLE_RATE });
  void context.resume();
  const buffer = context.createBuffer(1, Math.max(1, samples.length), SAMPLE_RATE);
  buffer.getChannelData(0).set(samples);
  const started = context.createBufferSource();
  started.buffer = buffer;
  started.connect(context.destination);
  started.onended = () => {
    if (source === started) stopClip();
  };
  source = started;
  playing.value = place;
  started.start();
}
