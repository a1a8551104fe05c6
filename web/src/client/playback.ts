/** Plays samples as they come, at a speed with the pitch kept, and knows which one is heard. */
import { SAMPLE_RATE } from '../../../src/protocol/audio.js';
import { Stretcher } from '../audio/stretcher.js';

export interface PlaybackOptions {
  readonly rate: number;
  readonly volume: number;
  readonly onStart: () => void;
  /** Called again and again with the sample that is heard. */
  readonly onPosition: (sample: number) => void;
  /** All was heard. */
  readonly onEnd: () => void;
}

/** Sound held before the first is heard, and again after a gap (s). */
const PREBUFFER_S = 0.12;
/** Most sound that is scheduled ahead (s): enough for a page in the background with slow timers. */
const AHEAD_S = 8;
const PIECE = SAMPLE_RATE / 4;
const LOOK_MS = 20;

/** A stretch of the recording, and when it is heard. */
interface Stretch {
  readonly atS: number;
  readonly endS: number;
  readonly from: number;
  readonly to: number;
}

export class Playback {
  readonly #options: PlaybackOptions;
  readonly #context: AudioContext;
  readonly #gain: GainNode;
  readonly #stretcher = new Stretcher(SAMPLE_RATE * 2);
  readonly #sources = new Set<AudioBufferSourceNode>();
  readonly #timer: ReturnType<typeof setInterval>;
  #waiting: Int16Array[] = [];
  #stretches: Stretch[] = [];
  #nextS = 0;
  #ended = false;
  #started = false;
  #closed = false;

  /** To be made within a click or a key press, before anything is awaited: browsers demand it. */
  constructor(options: PlaybackOptions) {
    this.#options = options;
    this.#context = new AudioContext({ sampleRate: SAMPLE_RATE, latencyHint: 'interactive' });
    this.#gain = this.#context.createGain();
    this.#gain.gain.value = Math.max(0, Math.min(1, options.volume));
    this.#gain.connect(this.#context.destination);
    this.#stretcher.speed = options.rate;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  push(pcm: Int16Array): void {
    this.#waiting.push(pcm);
    this.#look();
  }

  /** No more samples come. */
  end(): void {
    this.#ended = true;
    this.#look();
  }

  pause(): void {
    void this.#context.suspend();
  }

  resume(): void {
    void this.#context.resume();
  }

  /** Silent at once. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#timer);
    for (const source of this.#sources) source.stop();
    void this.#context.close();
  }

  #look(): void {
    if (this.#closed) return;
    this.#schedule();
    const nowS = this.#context.currentTime - (this.#context.outputLatency || this.#context.baseLatency || 0);
    while (this.#stretches.length > 1 && this.#stretches[1]!.atS <= nowS) this.#stretches.shift();
    const [now] = this.#stretches;
    if (now && now.atS <= nowS) {
      if (!this.#started) this.#options.onStart();
      this.#started = true;
      const share = Math.min(1, (nowS - now.atS) / (now.endS - now.atS));
      this.#options.onPosition(now.from + share * (now.to - now.from));
    }
    const isAllScheduled = this.#ended && this.#waiting.length === 0 && this.#stretcher.done;
    if (!isAllScheduled || nowS < this.#nextS) return;
    this.close();
    this.#options.onEnd();
  }

  #schedule(): void {
    const limitS = this.#context.currentTime + AHEAD_S;
    while (this.#nextS < limitS) {
      this.#fill();
      const from = this.#stretcher.position;
      const out = new Float32Array(PIECE);
      const taken = this.#stretcher.pull(out);
      if (taken === 0) return;
      this.#play(out.subarray(0, taken), from, this.#stretcher.position);
    }
  }

  /** Hands on what came, as far as the stretcher takes it. */
  #fill(): void {
    while (this.#waiting.length > 0 && this.#stretcher.held < SAMPLE_RATE) {
      const [pcm] = this.#waiting as [Int16Array];
      const piece = pcm.subarray(0, SAMPLE_RATE / 2);
      if (piece.length < pcm.length) this.#waiting[0] = pcm.subarray(piece.length);
      else this.#waiting.shift();
      this.#stretcher.push(Float32Array.from(piece, (sample) => sample / 32_768));
    }
    if (this.#ended && this.#waiting.length === 0) this.#stretcher.end();
  }

  #play(samples: Float32Array, from: number, to: number): void {
    const { currentTime } = this.#context;
    const atS = this.#nextS <= currentTime ? currentTime + PREBUFFER_S : this.#nextS;
    const buffer = this.#context.createBuffer(1, samples.length, SAMPLE_RATE);
    buffer.getChannelData(0).set(samples);
    const source = this.#context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.#gain);
    source.onended = () => this.#sources.delete(source);
    this.#sources.add(source);
    source.start(atS);
    this.#nextS = atS + samples.length / SAMPLE_RATE;
    this.#stretches.push({ atS, endS: this.#nextS, from, to });
  }
}
