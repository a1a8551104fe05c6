/**
 * AAC by several threads: the sound is cut into sections within silence, and each is encoded by
 * itself. Where it is cut depends on the samples alone, so that the frames are the same, whatever
 * the number of threads.
 */
import { SAMPLE_RATE } from '../protocol/audio.js';
import { AacFrames, FRAME_SAMPLES } from './aac-frames.js';

/** Least frames of a section, a minute: starting a codec takes as long as a second of sound. */
const SECTION_FRAMES = Math.ceil((60 * SAMPLE_RATE) / FRAME_SAMPLES);
/** Samples of a section that may wait for its thread: sound without silence is one section. */
const MOST_WAITING = 2 * SECTION_FRAMES * FRAME_SAMPLES;

interface AacSectionsOptions {
  readonly kbps: number;
  /** Sections that are encoded at the same time. */
  readonly threads: number;
  readonly sectionFrames?: number;
}

export class AacSections {
  readonly #kbps: number;
  readonly #threads: number;
  readonly #sectionFrames: number;
  /** In order; the last one takes samples. */
  readonly #sections: Section[] = [];
  /** Samples of a frame that is not complete. */
  readonly #rest = new Int16Array(FRAME_SAMPLES);
  #restSamples = 0;
  #isSilent = false;

  private constructor({ kbps, threads, sectionFrames = SECTION_FRAMES }: AacSectionsOptions) {
    this.#kbps = kbps;
    this.#threads = threads;
    this.#sectionFrames = sectionFrames;
  }

  static async open(options: AacSectionsOptions): Promise<AacSections> {
    const sections = new AacSections(options);
    await sections.#begin();
    return sections;
  }

  /** Frames with their ADTS headers that are complete by now; some may come later. */
  async push(pcm: Int16Array): Promise<Uint8Array[]> {
    // Samples of `pcm` before `from` are in a section, those before `at` were looked at.
    let [from, at] = [0, 0];
    if (this.#restSamples > 0) {
      at = Math.min(pcm.length, FRAME_SAMPLES - this.#restSamples);
      this.#rest.set(pcm.subarray(0, at), this.#restSamples);
      this.#restSamples += at;
      if (this.#restSamples < FRAME_SAMPLES) return this.#take();
      this.#restSamples = 0;
      await this.#look(this.#rest);
      await this.#current.add(this.#rest.slice());
      from = at;
    }
    for (; at + FRAME_SAMPLES <= pcm.length; at += FRAME_SAMPLES) {
      const frame = pcm.subarray(at, at + FRAME_SAMPLES);
      if (!this.#isCut(frame, (at - from) / FRAME_SAMPLES)) continue;
      await this.#current.add(pcm.slice(from, at));
      from = at;
      await this.#begin();
    }
    await this.#current.add(pcm.slice(from, at));
    this.#rest.set(pcm.subarray(at));
    this.#restSamples = pcm.length - at;
    return this.#take();
  }

  /** The rest. */
  async end(): Promise<Uint8Array[]> {
    await this.#current.add(this.#rest.slice(0, this.#restSamples));
    this.#current.end(true);
    const frames: Uint8Array[] = [];
    for (const section of this.#sections) {
      await section.done;
      frames.push(...section.take());
    }
    return frames;
  }

  close(): void {
    for (const section of this.#sections) section.close();
  }

  get #current(): Section {
    return this.#sections.at(-1)!;
  }

  async #look(frame: Int16Array): Promise<void> {
    if (this.#isCut(frame, 0)) await this.#begin();
  }

  /**
   * Whether a section begins with this frame: it and the one before it are silent, so that nothing
   * sounds where two sections overlap. `waiting` frames are to be added to the section before it.
   */
  #isCut(frame: Int16Array, waiting: number): boolean {
    const wasSilent = this.#isSilent;
    this.#isSilent = frame.every((sample) => sample === 0);
    return wasSilent && this.#isSilent && this.#current.frames + waiting >= this.#sectionFrames;
  }

  /** Waits where as many sections as there are threads are being encoded. */
  async #begin(): Promise<void> {
    this.#sections.at(-1)?.end(false);
    const busy = this.#sections.filter((section) => !section.isDone);
    if (busy.length >= this.#threads) await busy[0]!.done;
    this.#sections.push(new Section(await AacFrames.open(this.#kbps), this.#threads > 1));
  }

  #take(): Uint8Array[] {
    const frames: Uint8Array[] = [];
    for (;;) {
      const [first] = this.#sections;
      const isDone = first!.isDone;
      frames.push(...first!.take());
      if (!isDone || this.#sections.length === 1) return frames;
      this.#sections.shift();
    }
  }
}

/** Samples that one codec encodes, whole frames but for the last section. */
class Section {
  /** Rejects where the codec failed. */
  done: Promise<void>;
  isDone = false;
  /** Frames whose samples were added. */
  frames = 0;
  readonly #codec: AacFrames;
  readonly #aside: boolean;
  #encoded: Uint8Array[] = [];
  #taken = 0;
  #waiting = 0;

  /** `aside`: samples are encoded while others are added. */
  constructor(codec: AacFrames, aside: boolean) {
    this.#codec = codec;
    this.#aside = aside;
    this.done = Promise.resolve();
  }

  async add(pcm: Int16Array): Promise<void> {
    if (pcm.length === 0) return;
    this.frames += pcm.length / FRAME_SAMPLES;
    this.#waiting += pcm.length;
    this.#then(async () => {
      const frames = await this.#codec.push(pcm);
      this.#encoded.push(...frames);
      this.#waiting -= pcm.length;
    });
    if (!this.#aside || this.#waiting > MOST_WAITING) await this.done;
  }

  /** Nothing is added any more. The codec pads; the next section has the padded frame itself. */
  end(isLast: boolean): void {
    this.#then(async () => {
      const frames = await this.#codec.end();
      this.#encoded.push(...frames);
      const own = this.frames - this.#taken;
      if (!isLast && this.#encoded.length < own) throw new Error('AAC has fewer frames than its samples fill');
      if (!isLast) this.#encoded.length = own;
      this.isDone = true;
    });
  }

  take(): Uint8Array[] {
    const frames = this.#encoded;
    this.#encoded = [];
    this.#taken += frames.length;
    return frames;
  }

  close(): void {
    this.#codec.close();
  }

  #then(action: () => Promise<void>): void {
    this.done = this.done.then(action);
    // The next caller that waits for it is told of a failure.
    this.done.catch(() => undefined);
  }
}
