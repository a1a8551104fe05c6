/** Speech as Audio messages of 20 to 200 ms, with the characters that begin in each. */
import type { GatewayEvent } from '../../../../gateway/types.js';
import { msToSamples, pcmBytes, samplesToMs } from '../../../../protocol/audio.js';
import type { SegmentTimings } from '../../../../protocol/job.js';
import type { Alignment, AudioMessage } from '../../../../protocol/stream-messages.js';
import type { SpeechCodec } from '../../../sockets/speech-context.js';

const MIN_SAMPLES = msToSamples(20);
const MAX_SAMPLES = msToSamples(200);
const NOTHING = new Int16Array(0);
/** Silent characters that wait to be sent with audio; beyond it they are sent without. */
const MAX_CARRIED_CHARS = 1_000;

const emptyAlignment = (): Alignment => ({ chars: [], charStartTimesMs: [], charDurationsMs: [] });

export class AudioFramer implements SpeechCodec {
  readonly final = { isFinal: true };
  readonly #aligned: boolean;
  /** Fewer samples than a message may hold, waiting for more of their segment. */
  #rest: Int16Array = NOTHING;
  #chars: string[] = [];
  #timings: SegmentTimings = { startSamples: [], durationSamples: [] };
  /** The segment's next character that no message has carried, and its samples that were sent. */
  #nextChar = 0;
  #sentSamples = 0;
  /** Characters of earlier segments that begin where the next audio does. */
  #carried = emptyAlignment();

  constructor({ aligned }: { aligned: boolean }) {
    this.#aligned = aligned;
  }

  *encode(event: GatewayEvent): Generator<AudioMessage> {
    if (event.type === 'segment') {
      this.#chars = this.#aligned ? [...event.segment.text] : [];
      this.#timings = event.timings;
      this.#nextChar = 0;
      this.#sentSamples = 0;
    } else if (event.type === 'audio') {
      yield* this.#cut(this.#joined(event.pcm));
    } else {
      if (this.#rest.length > 0) yield this.#message(this.#rest);
      this.#rest = NOTHING;
      this.#carry(Number.POSITIVE_INFINITY);
      if (this.#carried.chars.length >= MAX_CARRIED_CHARS) yield this.#message(NOTHING);
    }
  }

  /** Characters behind the last audio, which no message has carried. */
  *finish(): Generator<AudioMessage> {
    if (this.#carried.chars.length > 0) yield this.#message(NOTHING);
  }

  #joined(pcm: Int16Array): Int16Array {
    if (this.#rest.length === 0) return pcm;
    const joined = new Int16Array(this.#rest.length + pcm.length);
    joined.set(this.#rest);
    joined.set(pcm, this.#rest.length);
    return joined;
  }

  *#cut(pcm: Int16Array): Generator<AudioMessage> {
    if (pcm.length < MIN_SAMPLES) {
      // A copy: the view may be of memory that its owner reuses.
      this.#rest = pcm.slice();
      return;
    }
    this.#rest = NOTHING;
    // Pieces of one size: no short one is left over.
    const pieces = Math.ceil(pcm.length / MAX_SAMPLES);
    for (let i = 0; i < pieces; i++) {
      const from = Math.floor((pcm.length * i) / pieces);
      yield this.#message(pcm.subarray(from, Math.floor((pcm.length * (i + 1)) / pieces)));
    }
  }

  #message(pcm: Int16Array): AudioMessage {
    const audio = pcmBytes(pcm).toString('base64');
    if (!this.#aligned) return { audio, isFinal: false };
    this.#carry(this.#sentSamples + pcm.length);
    this.#sentSamples += pcm.length;
    const alignment = this.#carried;
    this.#carried = emptyAlignment();
    return { audio, isFinal: false, alignment };
  }

  /** Takes the characters that begin before `untilSample` into the next message, in order. */
  #carry(untilSample: number): void {
    const { startSamples, durationSamples } = this.#timings;
    for (; this.#nextChar < this.#chars.length; this.#nextChar++) {
      const start = startSamples[this.#nextChar] ?? this.#sentSamples;
      if (start >= untilSample) return;
      this.#carried.chars.push(this.#chars[this.#nextChar]!);
      this.#carried.charStartTimesMs.push(Math.max(0, Math.round(samplesToMs(start - this.#sentSamples))));
      this.#carried.charDurationsMs.push(Math.round(samplesToMs(durationSamples[this.#nextChar] ?? 0)));
    }
  }
}
