/** A sink whose samples leave as `audio-chunk` events between `audio-start` and `audio-stop`. */
import type { AudioSink } from '../client/sinks/sink.js';
import { CHANNELS, msToSamples, pcmBytes, SAMPLE_RATE, samplesToBytes, samplesToMs } from '../protocol/audio.js';
import type { EventData } from './events.js';

const FORMAT = { rate: SAMPLE_RATE, width: samplesToBytes(1), channels: CHANNELS };
/** The longest audio of one event: a satellite plays a chunk when it has all of it. */
const CHUNK_SAMPLES = msToSamples(200);

/** Resolves when the connection can take more. */
export type Send = (type: string, data: EventData, payload?: Buffer) => Promise<void>;

export class EventSink implements AudioSink {
  readonly #send: Send;
  #samples = 0;
  #begun = false;

  constructor(send: Send) {
    this.#send = send;
  }

  get heardSamples(): number {
    return this.#samples;
  }

  async write(pcm: Int16Array, signal: AbortSignal): Promise<void> {
    await this.#begin();
    for (let at = 0; at < pcm.length; at += CHUNK_SAMPLES) {
      signal.throwIfAborted();
      const part = pcm.subarray(at, at + CHUNK_SAMPLES);
      await this.#send('audio-chunk', { ...FORMAT, timestamp: this.#timestamp }, pcmBytes(part));
      this.#samples += part.length;
    }
  }

  /** A text without a sound is an empty stretch of audio. */
  async finish(): Promise<void> {
    await this.#begin();
    await this.#send('audio-stop', { timestamp: this.#timestamp });
  }

  async discard(): Promise<void> {}

  async #begin(): Promise<void> {
    if (this.#begun) return;
    this.#begun = true;
    await this.#send('audio-start', { ...FORMAT, timestamp: 0 });
  }

  /** Milliseconds of audio before this moment. */
  get #timestamp(): number {
    return Math.round(samplesToMs(this.#samples));
  }
}
