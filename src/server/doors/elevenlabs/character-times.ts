/** Alignment from the beginning of the speech, in the shapes of ElevenLabs' answers. */
import type { GatewayEvent } from '../../../gateway/types.js';
import { samplesToMs } from '../../../protocol/audio.js';

export interface CharacterTimes {
  readonly chars: string[];
  readonly startMs: number[];
  readonly endMs: number[];
}

const noTimes = (): CharacterTimes => ({ chars: [], startMs: [], endMs: [] });

/** Collects the characters of segments as they begin, until a message takes them along. */
export class CharacterClock {
  #samples = 0;
  #waiting = noTimes();

  add(event: GatewayEvent): void {
    if (event.type === 'audio') this.#samples += event.pcm.length;
    if (event.type !== 'segment') return;
    const { startSamples, durationSamples } = event.timings;
    for (const [at, char] of [...event.segment.text].entries()) {
      const start = this.#samples + (startSamples[at] ?? 0);
      this.#waiting.chars.push(char);
      this.#waiting.startMs.push(Math.round(samplesToMs(start)));
      this.#waiting.endMs.push(Math.round(samplesToMs(start + (durationSamples[at] ?? 0))));
    }
  }

  /** How many characters wait to be taken. */
  get waiting(): number {
    return this.#waiting.chars.length;
  }

  /** The characters that no message took yet; undefined where there are none. */
  take(): CharacterTimes | undefined {
    if (this.#waiting.chars.length === 0) return undefined;
    const times = this.#waiting;
    this.#waiting = noTimes();
    return times;
  }
}

const seconds = (ms: readonly number[]): number[] => ms.map((value) => value / 1000);

/** As `/with-timestamps` writes them. */
export const httpAlignment = ({ chars, startMs, endMs }: CharacterTimes) => ({
  characters: chars,
  character_start_times_seconds: seconds(startMs),
  character_end_times_seconds: seconds(endMs),
});

/** As the sockets write them, from `sinceMs` on. */
export const socketAlignment = ({ chars, startMs, endMs }: CharacterTimes, sinceMs: number) => ({
  chars,
  charStartTimesMs: startMs.map((start) => Math.max(0, start - sinceMs)),
  charDurationsMs: startMs.map((start, at) => endMs[at]! - start),
});
