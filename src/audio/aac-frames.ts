/**
 * AAC-LC by libavcodec, compiled to WebAssembly, in a thread of its own: samples in, frames of 1024
 * samples out.
 */
import { registerAacEncoder } from '@mediabunny/aac-encoder';
import { AdtsOutputFormat, AudioSample, AudioSampleSource, NullTarget, Output } from 'mediabunny';
import { SAMPLE_RATE } from '../protocol/audio.js';

export const FRAME_SAMPLES = 1024;
/** Samples that the codec puts before the sound. */
export const PRIMING_SAMPLES = 1024;
/** Bytes of the header before each frame, which has no checksum. */
export const ADTS_HEADER_BYTES = 7;
/** Samples are handed over in pieces, so that silence and speech of any length cost the same. */
const PIECE_SAMPLES = SAMPLE_RATE;

let isRegistered = false;

export class AacFrames {
  readonly #output: Output;
  readonly #source: AudioSampleSource;
  #frames: Uint8Array[] = [];
  #taken = 0;
  #isClosed = false;

  private constructor(kbps: number) {
    const format = new AdtsOutputFormat({ onFrame: (frame) => void this.#frames.push(frame.slice()) });
    this.#output = new Output({ format, target: new NullTarget() });
    this.#source = new AudioSampleSource({ codec: 'aac', bitrate: kbps * 1000 });
    this.#output.addAudioTrack(this.#source);
  }

  static async open(kbps: number): Promise<AacFrames> {
    if (!isRegistered) registerAacEncoder();
    isRegistered = true;
    const frames = new AacFrames(kbps);
    await frames.#output.start();
    return frames;
  }

  /** Frames with their ADTS headers that are complete by now; some may come later. */
  async push(pcm: Int16Array): Promise<Uint8Array[]> {
    for (let at = 0; at < pcm.length; at += PIECE_SAMPLES) await this.#add(pcm.subarray(at, at + PIECE_SAMPLES));
    return this.#take();
  }

  /** The rest. */
  async end(): Promise<Uint8Array[]> {
    // Without a sample the library has no track to write.
    if (this.#taken === 0) await this.#add(new Int16Array(1));
    await this.#output.finalize();
    return this.#take();
  }

  /** Ends the thread. Samples that are being encoded then give no frames. */
  close(): void {
    if (this.#isClosed || this.#output.state === 'finalized') return;
    this.#isClosed = true;
    this.#output.cancel().catch(() => undefined);
  }

  async #add(pcm: Int16Array): Promise<void> {
    const data = new Float32Array(pcm.length);
    for (let i = 0; i < pcm.length; i += 1) data[i] = pcm[i]! / 32_768;
    const timestamp = this.#taken / SAMPLE_RATE;
    const sample = new AudioSample({ data, format: 'f32', numberOfChannels: 1, sampleRate: SAMPLE_RATE, timestamp });
    this.#taken += pcm.length;
    try {
      await this.#source.add(sample);
    } catch (error) {
      if (!this.#isClosed) throw error;
    } finally {
      sample.close();
    }
  }

  #take(): Uint8Array[] {
    const frames = this.#frames;
    this.#frames = [];
    return frames;
  }
}
