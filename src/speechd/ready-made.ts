/**
 * Speech that is ready before it is asked for: one file for each voice and model in the user's
 * cache, and in memory what was said lately.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from '../atomic-file.js';
import { makeFolder } from '../folder.js';
import { pcmBytes, pcmSamples } from '../protocol/audio.js';

/** Samples kept in memory of what was said lately: a minute and a half. */
const MAX_RECENT_SAMPLES = 2_200_000;

export class ReadyMade {
  readonly #file: string;
  readonly #kept = new Map<string, Int16Array>();
  readonly #recent = new Map<string, Int16Array>();
  #recentSamples = 0;

  /** `made` names all that the sound depends on: program, voices, model, voice. */
  constructor(dir: string, made: readonly string[]) {
    this.#file = path.join(dir, `${createHash('sha256').update(made.join('\n')).digest('hex').slice(0, 24)}.pcm`);
  }

  /** A file that is missing or broken is made anew. */
  async load(): Promise<void> {
    const bytes = await readFile(this.#file).catch(() => undefined);
    const end = bytes?.indexOf('\n') ?? -1;
    if (bytes === undefined || end < 0) return;
    try {
      const entries = JSON.parse(bytes.subarray(0, end).toString()) as [name: string, samples: number][];
      let at = end + 1;
      for (const [name, samples] of entries) {
        if (at + samples * 2 > bytes.length) return;
        // A copy: a view would need an even place in the file.
        this.#kept.set(name, pcmSamples(Buffer.from(bytes.subarray(at, at + samples * 2))).slice());
        at += samples * 2;
      }
    } catch {
      this.#kept.clear();
    }
  }

  async save(): Promise<void> {
    const entries = [...this.#kept].map(([name, pcm]) => [name, pcm.length]);
    makeFolder(path.dirname(this.#file));
    const parts = [...this.#kept.values()].map((pcm) => pcmBytes(pcm));
    await writeFileAtomic(this.#file, Buffer.concat([Buffer.from(`${JSON.stringify(entries)}\n`), ...parts]));
  }

  get(name: string): Int16Array | undefined {
    const recent = this.#recent.get(name);
    if (recent) {
      // Said again, it is the last to be forgotten.
      this.#recent.delete(name);
      this.#recent.set(name, recent);
    }
    return this.#kept.get(name) ?? recent;
  }

  has(name: string): boolean {
    return this.#kept.has(name);
  }

  keep(name: string, pcm: Int16Array): void {
    this.#kept.set(name, pcm);
  }

  remember(name: string, pcm: Int16Array): void {
    if (this.#kept.has(name) || this.#recent.has(name)) return;
    this.#recent.set(name, pcm);
    this.#recentSamples += pcm.length;
    for (const [oldest, samples] of this.#recent) {
      if (this.#recentSamples <= MAX_RECENT_SAMPLES) break;
      this.#recent.delete(oldest);
      this.#recentSamples -= samples.length;
    }
  }
}
