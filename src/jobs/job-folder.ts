/** The files of jobs: a folder for each, with its source, the sentences made, and its result. */
import { randomUUID } from 'node:crypto';
import { createReadStream, type ReadStream } from 'node:fs';
import { open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../folder.js';
import { TtsError } from '../protocol/errors.js';
import type { JobFormat } from '../protocol/jobs/names.js';

const JOB_NAME = /^job_[0-9A-Z]{26}$/;
/** A folder without a job belongs to an upload that broke, once it is this old (ms). */
const ORPHAN_MS = 3_600_000;
/** Tells folders of several machines apart. */
const NAME_FILE = 'folder-id';

export class JobFolder {
  readonly #root: string;
  /** The same for all servers that see this folder, and for no other. */
  readonly name: string;

  private constructor(root: string, name: string) {
    this.#root = root;
    this.name = name;
  }

  static async open(root: string): Promise<JobFolder> {
    try {
      makeFolder(root, 0o700);
      const file = path.join(root, NAME_FILE);
      // Of several servers that start at once one writes it.
      await writeFile(file, randomUUID(), { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
      return new JobFolder(root, (await readFile(file, 'utf8')).trim());
    } catch (cause) {
      const why = (cause as Error).message;
      throw new TtsError(
        'config_invalid',
        `Jobs cannot be kept in ${root}: ${why}. --jobs-dir DIR names another folder.`,
        {
          cause,
        },
      );
    }
  }

  /** Makes the job's folder where there is none; the result is where its source belongs. */
  begin(id: string, source: string): string {
    makeFolder(this.#of(id), 0o700);
    return path.join(this.#of(id), source);
  }

  sourceOf(id: string, source: string): string {
    return path.join(this.#of(id), source);
  }

  sentencesOf(id: string): string {
    return path.join(this.#of(id), 'sentences');
  }

  /** Every epoch writes a file of its own: a server that came back late overwrites nothing. */
  resultOf(id: string, epoch: number, format: JobFormat): { readonly file: string; readonly path: string } {
    const file = `result-${epoch}.${format}`;
    return { file, path: path.join(this.#of(id), file) };
  }

  async sizeOf(id: string, file: string): Promise<number> {
    return (await stat(path.join(this.#of(id), file))).size;
  }

  /** Undefined where there is no such file. The caller ends what it reads. */
  async read(
    id: string,
    file: string,
    range?: { readonly start: number; readonly end: number },
  ): Promise<ReadStream | undefined> {
    const whole = path.join(this.#of(id), file);
    const handle = await open(whole).catch(() => undefined);
    return handle && createReadStream(whole, { fd: handle, ...range });
  }

  async remove(id: string): Promise<void> {
    await rm(this.#of(id), { recursive: true, force: true });
  }

  /** Keeps one file of a job that has ended. */
  async keepOnly(id: string, file: string): Promise<void> {
    for (const name of await readdir(this.#of(id)).catch(() => [])) {
      if (name !== file) await rm(path.join(this.#of(id), name), { recursive: true, force: true });
    }
  }

  /** Ids of folders that have been there for a while. */
  async old(): Promise<string[]> {
    const found: string[] = [];
    for (const name of (await readdir(this.#root)).filter((each) => JOB_NAME.test(each))) {
      const { mtimeMs } = await stat(path.join(this.#root, name)).catch(() => ({ mtimeMs: Date.now() }));
      if (Date.now() - mtimeMs > ORPHAN_MS) found.push(name);
    }
    return found;
  }

  #of(id: string): string {
    if (!JOB_NAME.test(id)) throw new Error('not the id of a job');
    return path.join(this.#root, id);
  }
}
