/** A ring buffer between the page and the audio output, which counts its underruns. */

declare abstract class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;
declare const currentFrame: number;

const CAPACITY = 24_000 * 12;
/** Samples held before audio begins, and again after a gap; messages are 20 to 200 ms long. */
const PRIME = 2_880;
const REPORT_FRAMES = 512;

class Ring extends AudioWorkletProcessor {
  readonly #ring = new Float32Array(CAPACITY);
  #read = 0;
  #held = 0;
  #epoch = 0;
  #played = 0;
  #underruns = 0;
  #running = false;
  #ended = false;
  #flowing = false;
  #unreported = 0;

  constructor() {
    super();
    this.port.onmessage = ({ data }) => {
      if (data.type === 'start') this.#start(data.epoch);
      else if (data.epoch !== this.#epoch) return;
      else if (data.type === 'push') this.#push(data.samples);
      else if (data.type === 'end') this.#ended = true;
      else if (data.type === 'stop') this.#running = false;
    };
  }

  process(_inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
    const out = outputs[0]![0]!;
    const taken = this.#running ? this.#take(out) : 0;
    this.#unreported += out.length;
    if (this.#unreported >= REPORT_FRAMES || taken < out.length) this.#report(currentFrame + out.length, taken);
    return true;
  }

  #start(epoch: number): void {
    this.#epoch = epoch;
    this.#read = 0;
    this.#held = 0;
    this.#played = 0;
    this.#underruns = 0;
    this.#ended = false;
    this.#flowing = false;
    this.#running = true;
  }

  #push(samples: Float32Array): void {
    for (let i = 0; i < samples.length && this.#held < CAPACITY; i++, this.#held++) {
      this.#ring[(this.#read + this.#held) % CAPACITY] = samples[i]!;
    }
  }

  #take(out: Float32Array): number {
    if (!this.#flowing) this.#flowing = this.#held >= PRIME || (this.#ended && this.#held > 0);
    if (!this.#flowing) return 0;
    const taken = Math.min(out.length, this.#held);
    for (let i = 0; i < taken; i++) out[i] = this.#ring[(this.#read + i) % CAPACITY]!;
    this.#read = (this.#read + taken) % CAPACITY;
    this.#held -= taken;
    this.#played += taken;
    if (taken < out.length && !this.#ended) {
      this.#flowing = false;
      this.#underruns++;
    }
    return taken;
  }

  /** `played` is the number of samples played at `frame`. */
  #report(frame: number, taken: number): void {
    this.#unreported = 0;
    this.port.postMessage({
      epoch: this.#epoch,
      played: this.#played,
      frame,
      held: this.#held,
      moving: taken > 0,
      underruns: this.#underruns,
      done: this.#ended && this.#held === 0,
    });
  }
}

registerProcessor('ring', Ring);
