/** A remark on files that take long with `base-tts` and would take minutes with `base-tts-fast`. */
import type { Config } from '../config.js';
import type { SpeechModel } from '../protocol/contract.js';

/** Characters that are read in a second, on average. */
const CHARS_PER_S = 15;
/** From here on a job is long. */
const LONG_MS = 10 * 60_000;
/** Work of `base-tts-fast` as a share of that of `base-tts` (docs/benchmarks.md). */
const FAST_SHARE = 0.15;

export interface Job {
  readonly model: SpeechModel;
  /** Of the text, as read at the voice's own pace. */
  readonly chars: number;
  readonly speed: number;
}

/** Undefined where it will not take long, or nothing is known of this machine. */
export async function longJobRemark(config: Config, { model, chars, speed }: Job): Promise<string | undefined> {
  if (!/^base-tts(:free)?$/.test(model)) return undefined;
  const { readMeasurement } = await import('../engine/measure/remembered.js');
  const measured = await readMeasurement(config.modelDir, config);
  if (measured === undefined) return undefined;
  const speechMs = (1000 * chars) / CHARS_PER_S / speed;
  const takesMs = speechMs * measured.realTimeFactor;
  const fastMs = speechMs * Math.min(measured.costs?.['base-tts-fast'] ?? 1, measured.realTimeFactor * FAST_SHARE);
  if (takesMs < LONG_MS) return undefined;
  const { durationText } = await import('../client/ui/format.js');
  return (
    `With ${model} this takes about ${durationText(takesMs)} on this machine; ` +
    `-m ${model.replace('base-tts', 'base-tts-fast')} would take about ${durationText(fastMs)}.`
  );
}
