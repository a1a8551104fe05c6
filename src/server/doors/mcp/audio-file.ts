/** A sound file that is written as its samples come. */
import { type FileHandle, open, rm } from 'node:fs/promises';
import { type AudioEncoder, createEncoder } from '../../../audio/encoder.js';
import type { AudioFormat } from '../../../audio/format.js';
import type { AudioTags, Chapter } from '../../../audio/tags.js';
import { encodeInTurns } from '../../speech/encode-in-turns.js';

export class AudioFile {
  samples = 0;
  readonly #format: AudioFormat;
  readonly #handle: FileHandle;
  readonly #file: string;
  readonly #tags: AudioTags;
  #encoder: AudioEncoder | undefined;

  private constructor(handle: FileHandle, file: string, format: AudioFormat, tags: AudioTags) {
    this.#handle = handle;
    this.#file = file;
    this.#format = format;
    this.#tags = tags;
  }

  static async open(file: string, format: AudioFormat, tags: AudioTags): Promise<AudioFile> {
    return new AudioFile(await open(file, 'wx', 0o600), file, format, tags);
  }

  /** Before the first sample: titles of chapters, whose times `finish` is told. */
  async begin(tags: AudioTags, chapterTitles: readonly string[]): Promise<void> {
    this.#encoder = await createEncoder(this.#format, { tags: { ...this.#tags, ...tags }, chapterTitles });
  }

  get mimeType(): string {
    return this.#encoder!.contentType;
  }

  async write(pcm: Int16Array): Promise<void> {
    if (this.#encoder === undefined) await this.begin({}, []);
    this.samples += pcm.length;
    await this.#handle.appendFile(await encodeInTurns(this.#encoder!, pcm));
  }

  async finish(chapters?: readonly Chapter[]): Promise<void> {
    const encoder = this.#encoder!;
    await this.#handle.appendFile(await encoder.end(chapters));
    const head = encoder.settledHead(chapters);
    if (head) await this.#handle.write(head, 0, undefined, 0);
    await this.#handle.close();
    encoder.close();
  }

  /** Removes what there is of it. */
  async discard(): Promise<void> {
    this.#encoder?.close();
    await this.#handle.close().catch(() => undefined);
    await rm(this.#file, { force: true });
  }
}
