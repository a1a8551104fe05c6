/**
 * Loads graphs for the CPU. Each is kept on disk as the runtime prepared it, so that starts are
 * short and all engine processes share its weights.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';
import { env, InferenceSession } from 'onnxruntime-node';
import { MAKING, removeLeftovers } from '../../atomic-file.js';
import { RECIPE } from '../../models/manifest.js';
import type { AcousticPart } from '../../models/onnx/acoustic-parts.js';
import { openExact, productsSaturate } from './exact-products.js';
import { asKept, GRAPH } from './kept-form.js';
import type { Provider } from './provider.js';

/** A folder that is older than this and still unfinished was left by a process that died. */
const ABANDONED_MS = 600_000;
/** How often a process looks whether another has prepared the graph, and when it gives that up. */
const LOCK = { pollMs: 50, staleMs: 15_000 };
/** A part of every kept graph's name; another number makes all of them anew. */
const FORM =
  'shapes 2, products 2, narrowed 1, parts 2, transforms 1, norms 2, convolutions 1, head 1, rows 1, aligned 1';

/** Opens a graph as it is run, or one part of an acoustic model, and keeps nothing on disk. */
export async function openUnkept(
  file: string,
  part: AcousticPart | undefined,
  options: InferenceSession.SessionOptions,
): Promise<InferenceSession> {
  const { asRun } = await import('./prepare.js');
  return openExact(await asRun(file, part), options);
}

/** Opens the graph in a file, or one part of an acoustic model. */
export type GraphLoader = (file: string, part?: AcousticPart) => Promise<InferenceSession>;

/**
 * A kept graph is a folder: the graph, and beside it its weights in the layout that the runtime's
 * kernels read. Weights are mapped, not loaded, so that all processes share their pages: 130 MB for
 * each process become 25 (base-tts-fast).
 *
 * The folder's name is a hash of all that a kept graph depends on: the file, the recipe (the files
 * of a package all have one date), the runtime and the processor. In a cloud, processors with and
 * without exact 8-bit products may have the same name; a graph that was rewritten for the latter
 * therefore has a name of its own.
 */
export function graphLoader(dir: string, provider: Provider): GraphLoader {
  const { sessionOptions } = provider;
  async function keptName(file: string, part: AcousticPart | undefined): Promise<string> {
    const { size, mtimeMs } = await stat(file);
    const machine = [FORM, RECIPE, env.versions.node, process.arch, cpus()[0]?.model, provider.device];
    if (await productsSaturate()) machine.push('exact products');
    const facts = JSON.stringify([path.resolve(file), part, size, mtimeMs, ...machine]);
    const hash = createHash('sha256').update(facts).digest('hex').slice(0, 16);
    return path.join(dir, [path.basename(file, '.onnx'), ...(part ? [part] : []), hash].join('-'));
  }

  async function openKept(kept: string): Promise<InferenceSession | undefined> {
    const graph = path.join(kept, GRAPH);
    if (!(await stat(graph).catch(() => undefined))) return undefined;
    try {
      return await InferenceSession.create(graph, asKept(sessionOptions));
    } catch {
      // Damaged on disk. It is only a copy, and is made again.
      await rm(kept, { recursive: true, force: true });
      return undefined;
    }
  }

  /**
   * The folder appears whole under its name. One process prepares it, and the others wait; where
   * two did it nevertheless, the copy of the faster one stays.
   */
  async function keep(file: string, part: AcousticPart | undefined, kept: string): Promise<void> {
    const [{ withLock }, { prepareApart }] = await Promise.all([
      import('../../models/lock.js'),
      import('./prepare-apart.js'),
    ]);
    const make = async () => {
      if (await stat(path.join(kept, GRAPH)).catch(() => undefined)) return;
      await removeLeftovers(dir, ABANDONED_MS);
      const folder = await mkdtemp(path.join(dir, MAKING));
      try {
        const preparation = { file, part, folder, sessionOptions };
        if (!(await prepareApart(preparation))) await (await import('./prepare.js')).prepare(preparation);
        await rename(folder, kept);
      } catch (error) {
        await rm(folder, { recursive: true, force: true });
        if (!['ENOTEMPTY', 'EEXIST'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
      }
    };
    await withLock(`${kept}.lock`, make, LOCK);
  }

  return async (file, part) => {
    if (provider.device !== 'cpu') return InferenceSession.create(file, sessionOptions);
    try {
      const kept = await keptName(file, part);
      const known = await openKept(kept);
      if (known) return known;
      await keep(file, part, kept);
      const made = await openKept(kept);
      if (made) return made;
    } catch {
      // A folder that cannot be written costs time at every start and memory in every process.
    }
    return openUnkept(file, part, sessionOptions);
  };
}
