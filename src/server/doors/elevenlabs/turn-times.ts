/** Who is heard when in a dialogue, as ElevenLabs' answers tell it. */
import type { GatewayEvent } from '../../../gateway/types.js';
import { samplesToMs } from '../../../protocol/audio.js';
import { countChars } from '../../../protocol/characters.js';

export interface NamedTurn {
  /** The voice's id as the client wrote it. */
  readonly voiceId: string;
  readonly chars: number;
}

interface VoiceSegment {
  readonly voice_id: string;
  readonly start_time_seconds: number;
  end_time_seconds: number;
  readonly character_start_index: number;
  character_end_index: number;
  readonly dialogue_input_index: number;
}

const seconds = (samples: number): number => Math.round(samplesToMs(samples)) / 1000;

/** Collects turns as their segments begin, until a message takes them along. */
export class TurnTimes {
  readonly #turns: readonly NamedTurn[];
  #waiting: VoiceSegment[] = [];
  #samples = 0;
  #chars = 0;

  constructor(turns: readonly NamedTurn[]) {
    this.#turns = turns;
  }

  add(event: GatewayEvent): void {
    if (event.type === 'audio') this.#samples += event.pcm.length;
    if (event.type !== 'segment') return;
    const { startSamples, durationSamples } = event.timings;
    const from = this.#chars;
    this.#chars += countChars(event.segment.text);
    const ends = startSamples.map((start, at) => start + (durationSamples[at] ?? 0));
    const end = seconds(this.#samples + Math.max(0, ...ends));
    const turn = this.#turnAt(from);
    const last = this.#waiting.at(-1);
    if (last?.dialogue_input_index === turn) {
      last.end_time_seconds = end;
      last.character_end_index = this.#chars;
      return;
    }
    this.#waiting.push({
      voice_id: this.#turns[turn]!.voiceId,
      start_time_seconds: seconds(this.#samples + (startSamples[0] ?? 0)),
      end_time_seconds: end,
      character_start_index: from,
      character_end_index: this.#chars,
      dialogue_input_index: turn,
    });
  }

  take(): VoiceSegment[] {
    return this.#waiting.splice(0);
  }

  /** The turn of a character, counted over all of them. */
  #turnAt(char: number): number {
    let end = 0;
    const found = this.#turns.findIndex(({ chars }) => {
      end += chars;
      return char < end;
    });
    return found < 0 ? this.#turns.length - 1 : found;
  }
}
