/**
 * What tools made, kept as files for a while so that agents can read them as resources. Each owner
 * has a bounded share; what is too old or too much is removed, the oldest first.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { isAlive } from '../alive.js';
import type { Clock, Timer } from '../clock.js';

export interface KeptResult {
  /** Unguessable: who knows it may read the result. */
  readonly id: string;
  readonly owner: string;
  /** The name of the file, for people. */
  readonly name: string;
  readonly title: string;
  readonly mimeType: string;
  readonly bytes: number;
  readonly file: string;
  /** Of the clock's `now`. */
  readonly keptAtMs: number;
  /** A file that its owner named: only the result is forgotten, never the file. */
  readonly isOwn: boolean;
}

export interface ResultsOptions {
  /** Where a folder for the files is made. */
  readonly dir: string;
  readonly keepMs: number;
  readonly maxBytes: number;
  readonly maxPerOwner: number;
  readonly clock: Clock;
}

const PREFIX = 'tts-mcp-';
const SWEEP_MS = 30_000;

export class Results {
  readonly #options: ResultsOptions;
  /** In the order in which they were kept. */
  readonly #kept = new Map<string, KeptResult>();
  #folder: Promise<string> | undefined;
  #sweeper: Timer | undefined;

  constructor(options: ResultsOptions) {
    this.#options = options;
  }

  get keepMs(): number {
    return this.#options.keepMs;
  }

  /** A path for a file that is going to be kept. */
  async place(ending: string): Promise<{ readonly id: string; readonly file: string }> {
    this.#folder ??= this.#open();
    const id = randomBytes(18).toString('base64url');
    return { id, file: path.join(await this.#folder, `${id}.${ending}`) };
  }

  /** The file is complete. `id` is that of its place; a file of the owner's own has none. */
  async keep(made: Omit<KeptResult, 'id' | 'bytes' | 'keptAtMs' | 'isOwn'> & { id?: string }): Promise<KeptResult> {
    const { clock } = this.#options;
    const { size } = await stat(made.file);
    const id = made.id ?? randomBytes(18).toString('base64url');
    const result = { ...made, id, bytes: size, keptAtMs: clock.now(), isOwn: made.id === undefined };
    this.#kept.set(id, result);
    this.#sweeper ??= clock.setInterval(() => this.#sweep(), SWEEP_MS).unref();
    this.#sweep();
    return result;
  }

  list(owner: string): KeptResult[] {
    this.#sweep();
    return [...this.#kept.values()].filter((result) => result.owner === owner);
  }

  get(id: string): KeptResult | undefined {
    this.#sweep();
    return this.#kept.get(id);
  }

  async close(): Promise<void> {
    this.#sweeper?.cancel();
    this.#kept.clear();
    if (this.#folder) await rm(await this.#folder, { recursive: true, force: true });
  }

  #sweep(): void {
    const { clock, keepMs, maxBytes, maxPerOwner } = this.#options;
    for (const result of [...this.#kept.values()]) {
      if (clock.now() - result.keptAtMs >= keepMs) this.#forget(result);
    }
    for (const own of this.#byOwner().values()) {
      for (const result of own.slice(0, Math.max(0, own.length - maxPerOwner))) this.#forget(result);
    }
    // Where all have too much, the owner that has most gives first.
    while (this.#kept.size > 1 && bytesOf([...this.#kept.values()]) > maxBytes) {
      const [largest] = [...this.#byOwner().values()].sort((a, b) => bytesOf(b) - bytesOf(a));
      this.#forget(largest![0]!);
    }
  }

  #byOwner(): Map<string, KeptResult[]> {
    const owners = new Map<string, KeptResult[]>();
    for (const result of this.#kept.values()) {
      if (!owners.has(result.owner)) owners.set(result.owner, []);
      owners.get(result.owner)!.push(result);
    }
    return owners;
  }

  #forget({ id, file, isOwn }: KeptResult): void {
    this.#kept.delete(id);
    if (!isOwn) void rm(file, { force: true }).catch(() => undefined);
  }

  /** Also removes what killed processes left. */
  async #open(): Promise<string> {
    const { dir } = this.#options;
    for (const name of await readdir(dir).catch(() => [])) {
      const pid = /^tts-mcp-(\d+)-/.exec(name)?.[1];
      if (pid === undefined || isAlive(Number(pid))) continue;
      await rm(path.join(dir, name), { recursive: true, force: true }).catch(() => undefined);
    }
    return mkdtemp(path.join(dir, `${PREFIX}${process.pid}-`));
  }
}

const bytesOf = (results: readonly KeptResult[]): number =>
  results.reduce((sum, { bytes, isOwn }) => sum + (isOwn ? 0 : bytes), 0);
