/** Plays what the page pushes, at a speed, and tells the page what was heard. */
import { Stretcher } from './stretcher.js';

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
  readonly #stretcher = new Stretcher(CAPACITY);
  #epoch = 0;
  #underruns = 0;
  #speed = 1;
  #running = false;
  #paused = false;
  #ended = false;
  #flowing = false;
  #unreported = 0;
  /** The last block had silence in it. */
  #wasShort = true;

  constructor() {
    super();
    this.port.onmessage = ({ data }) => {
      if (data.type === 'start') this.#start(data.epoch, data.paused);
      else if (data.type === 'speed') this.#speed = this.#stretcher.speed = data.speed;
      else if (data.epoch !== this.#epoch) return;
      else if (data.type === 'push') this.#stretcher.push(data.samples);
      else if (data.type === 'end') this.#end();
      else if (data.type === 'pause') this.#paused = data.paused;
      else if (data.type === 'stop') this.#running = false;
    };
  }

  process(_inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
    const out = outputs[0]![0]!;
    const taken = this.#running && !this.#paused ? this.#take(out) : 0;
    this.#unreported += out.length;
    const isShort = taken < out.length;
    const isDue = this.#unreported >= REPORT_FRAMES || isShort !== this.#wasShort;
    this.#wasShort = isShort;
    if (this.#running && isDue) this.#report(currentFrame + out.length, taken);
    return true;
  }

  #start(epoch: number, paused: boolean): void {
    this.#epoch = epoch;
    this.#stretcher.reset();
    this.#underruns = 0;
    this.#ended = false;
    this.#flowing = false;
    this.#paused = paused;
    this.#running = true;
  }

  #end(): void {
    this.#ended = true;
    this.#stretcher.end();
  }

  #take(out: Float32Array): number {
    const { held } = this.#stretcher;
    if (!this.#flowing) this.#flowing = held >= PRIME || (this.#ended && held > 0);
    if (!this.#flowing) return 0;
    const taken = this.#stretcher.pull(out);
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
      played: this.#stretcher.position,
      frame,
      held: this.#stretcher.held,
      speed: taken > 0 ? this.#speed : 0,
      underruns: this.#underruns,
      done: this.#stretcher.done,
    });
  }
}

registerProcessor('ring', Ring);
