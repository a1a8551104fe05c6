/**
 * AAC in MP4 (.m4a, .m4b), written as it comes: the sound first, then the boxes that describe it.
 * Only the sizes of frames are held, two bytes for 43 ms.
 */
import { availableParallelism } from 'node:os';
import { SAMPLE_RATE } from '../../protocol/audio.js';
import { ADTS_HEADER_BYTES } from '../aac-frames.js';
import { AacSections } from '../aac-sections.js';
import type { Codec, EncoderOptions } from '../codec.js';
import { type Chapter, iso639_2 } from '../tags.js';
import { ascii, box, fullBox, longBox, UNITY_MATRIX, u16, u32, u64 } from './boxes.js';
import { cut, userData } from './tags.js';
import { CHAPTER_TRACK, chapterTrack, frameDurations, type Samples, SOUND_TRACK, soundTrack } from './tracks.js';

interface Mp4Spec {
  readonly kbps: number;
  readonly brand: 'M4A ' | 'M4B ';
}

/** Threads beyond which engines on the same machine are slower than the codec. */
const MOST_THREADS = 4;

/** A quarter of the cores: a second of `base-tts-fast` takes four times as long as its AAC. */
const threadsHere = (): number => Math.max(1, Math.min(MOST_THREADS, Math.floor(availableParallelism() / 4)));

export async function createMp4(spec: Mp4Spec, options: EncoderOptions): Promise<Codec> {
  const { threads = threadsHere() } = options;
  return new Mp4Codec(spec, options, await AacSections.open({ kbps: spec.kbps, threads }));
}

class Mp4Codec implements Codec {
  readonly #spec: Mp4Spec;
  readonly #options: EncoderOptions;
  readonly #frames: AacSections;
  #sizes = new Uint16Array(4096);
  #count = 0;
  #samples = 0;
  /** Bytes in `mdat`. */
  #bytes = 0;
  #begun = false;

  constructor(spec: Mp4Spec, options: EncoderOptions, frames: AacSections) {
    this.#spec = spec;
    this.#options = options;
    this.#frames = frames;
  }

  async encode(pcm: Int16Array): Promise<Uint8Array> {
    this.#samples += pcm.length;
    return this.#written(await this.#frames.push(pcm));
  }

  async end(chapters: readonly Chapter[] = []): Promise<Uint8Array> {
    const sound = this.#written(await this.#frames.end());
    const titles = chapters.map(({ title }) => titleSample(title));
    const offset = this.#head().length + this.#bytes;
    const sizes = titles.map(({ length }) => length);
    this.#bytes += sizes.reduce((sum, size) => sum + size, 0);
    const durations = chapters.map(({ startMs, endMs }) => [1, ticks(endMs) - ticks(startMs)] as const);
    return Buffer.concat([sound, ...titles, ...this.#movie(chapters, { sizes, offset, durations })]);
  }

  settledHead(): Uint8Array {
    return this.#head();
  }

  close(): void {
    this.#frames.close();
  }

  #written(frames: readonly Uint8Array[]): Buffer {
    const raw = frames.map((frame) => frame.subarray(ADTS_HEADER_BYTES));
    for (const { length } of raw) {
      if (this.#count === this.#sizes.length) {
        const larger = new Uint16Array(this.#count * 2);
        larger.set(this.#sizes);
        this.#sizes = larger;
      }
      this.#sizes[this.#count++] = length;
      this.#bytes += length;
    }
    const head = this.#begun ? [] : [this.#head()];
    this.#begun = true;
    return Buffer.concat([...head, ...raw]);
  }

  /** Everything before the sound. The size of `mdat` is 0 in it until the end. */
  #head(): Buffer {
    const { brand } = this.#spec;
    const type = box('ftyp', ascii(brand), u32(0), ascii(`${brand}M4A mp42isom`));
    return Buffer.concat([type, u32(1), ascii('mdat'), u64(16 + this.#bytes)]);
  }

  #movie(chapters: readonly Chapter[], titles: Samples): Uint8Array[] {
    const { tags = {} } = this.#options;
    const language = iso639_2(tags.language ?? '');
    const hasChapters = chapters.length > 0;
    const sizes = this.#sizes.subarray(0, this.#count);
    const heardTicks = this.#samples;
    const sound = {
      sizes,
      offset: this.#head().length,
      durations: frameDurations(this.#count, heardTicks),
      heardTicks,
      kbps: this.#spec.kbps,
      language,
      hasChapters,
    };
    const next = hasChapters ? CHAPTER_TRACK + 1 : SOUND_TRACK + 1;
    const header = fullBox(
      'mvhd',
      1,
      0,
      u64(0, 0),
      u32(SAMPLE_RATE),
      u64(heardTicks),
      u32(0x10000),
      u16(0x0100, 0),
      u32(0, 0),
      UNITY_MATRIX,
      u32(0, 0, 0, 0, 0, 0, next),
    );
    const data = userData({ tags, chapters, samples: heardTicks, frames: this.#count });
    return longBox('moov', header, soundTrack(sound), hasChapters ? chapterTrack(titles, language) : [], data);
  }
}

const ticks = (ms: number): number => Math.round((ms * SAMPLE_RATE) / 1000);

/** A title with its length, and the mark that it is UTF-8. */
function titleSample(title: string): Buffer {
  const name = cut(title, 1_000);
  return Buffer.concat([u16(name.length), name, box('encd', u32(0x0000_0100))]);
}
