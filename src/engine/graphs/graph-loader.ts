/**
 * Loads graphs for the CPU. Each is kept on disk as the runtime prepared it, so that starts are
 * short and all engine processes share its weights.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';
import { env, InferenceSession } from 'onnxruntime-node';
import { MAKING, removeLeftovers } from '../../atomic-file.js';
import { makeFolder } from '../../folder.js';
import { RECIPE } from '../../models/manifest.js';
import type { AcousticPart } from '../../models/onnx/acoustic-parts.js';
import { openExact, productsSaturate } from './exact-products.js';
import type { Provider } from './provider.js';

const GRAPH = 'graph.onnx';
const WEIGHTS = 'graph.weights';
/** Smaller weights stay in the graph's file, where they cost less than a mapping. */
const LEAST_WEIGHT_BYTES = '1024';
/** A folder that is older than this and still unfinished was left by a process that died. */
const ABANDONED_MS = 600_000;
/** A part of every kept graph's name; another number makes all of them anew. */
const FORM = 'shapes 2, products 1, narrowed 1, parts 1, transforms 1, norms 1';

/** The graph in `file` as it is run, or the file itself where nothing in it is rewritten. */
async function asRun(file: string, part?: AcousticPart): Promise<string | Uint8Array> {
  const [
    { createCodec },
    { acousticPart },
    { narrowed },
    { withFoldedTransforms },
    { withOpenedNorms },
    { withFusedProducts },
  ] = await Promise.all([
    import('../../models/onnx/schema.js'),
    import('../../models/onnx/acoustic-parts.js'),
    import('./narrowed.js'),
    import('./folded-transforms.js'),
    import('./opened-norms.js'),
    import('./fused-products.js'),
  ]);
  const codec = createCodec();
  const model = codec.decode(await readFile(file));
  const forms = [narrowed, withFoldedTransforms, withOpenedNorms];
  // Measured on arm64 alone: 3 % less for a window of the vocoder.
  if (process.arch === 'arm64') forms.push(withFusedProducts);
  const taken = part === undefined ? model : acousticPart(model, part, codec);
  const rewritten = forms.reduce((form, rewrite) => rewrite(form, codec) ?? form, taken);
  return rewritten === model ? file : codec.encode(rewritten);
}

/** Opens a graph as it is run, or one part of an acoustic model, and keeps nothing on disk. */
export const openUnkept = async (
  file: string,
  part: AcousticPart | undefined,
  options: InferenceSession.SessionOptions,
): Promise<InferenceSession> => openExact(await asRun(file, part), options);

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
  /** A kept graph is as the runtime would make it. */
  const asKept: InferenceSession.SessionOptions = { ...sessionOptions, graphOptimizationLevel: 'disabled' };

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
      return await InferenceSession.create(graph, asKept);
    } catch {
      // Damaged on disk. It is only a copy, and is made again.
      await rm(kept, { recursive: true, force: true });
      return undefined;
    }
  }

  /** The folder appears whole under its name. Where another process was faster, its copy stays. */
  async function keep(file: string, part: AcousticPart | undefined, kept: string): Promise<void> {
    makeFolder(dir);
    await removeLeftovers(dir, ABANDONED_MS);
    const fresh = await mkdtemp(path.join(dir, MAKING));
    try {
      const { session, ...others } = sessionOptions.extra as { session: object };
      const made = await openExact(await asRun(file, part), {
        ...sessionOptions,
        optimizedModelFilePath: path.join(fresh, GRAPH),
        extra: {
          ...others,
          session: {
            ...session,
            optimized_model_external_initializers_file_name: WEIGHTS,
            optimized_model_external_initializers_min_size_in_bytes: LEAST_WEIGHT_BYTES,
            save_external_prepacked_constant_initializers: '1',
          },
        },
      });
      await made.release();
      const { nameShapes } = await import('./shape-names.js');
      // Without names it is slower to open, and right.
      await nameShapes(path.join(fresh, GRAPH), asKept).catch(() => undefined);
      await rename(fresh, kept);
    } catch (error) {
      await rm(fresh, { recursive: true, force: true });
      if (!['ENOTEMPTY', 'EEXIST'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
    }
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
