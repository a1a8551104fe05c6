/** Prepares graphs for this machine: rewritten as they are run, optimised by the runtime. */
import path from 'node:path';
import type { InferenceSession } from 'onnxruntime-node';
import { type AcousticPart, acousticPart } from '../../models/onnx/acoustic-parts.js';
import { createCodec } from '../../models/onnx/schema.js';
import { shippedGraph } from '../../models/onnx/shipped.js';
import { alignWeights } from './aligned-weights.js';
import { withBlockedConvolutions } from './blocked-convolutions.js';
import { openExact } from './exact-products.js';
import { withFoldedTransforms } from './folded-transforms.js';
import { withFusedProducts } from './fused-products.js';
import { withRowsThroughout } from './generator/in-rows.js';
import { withHeadParts } from './head-parts.js';
import { asKept, GRAPH } from './kept-form.js';
import { narrowed } from './narrowed.js';
import { withOpenedNorms } from './opened-norms.js';
import { nameShapes } from './shape-names.js';

const WEIGHTS = 'graph.weights';
/** Smaller weights stay in the graph's file, where they cost less than a mapping. */
const LEAST_WEIGHT_BYTES = '1024';

export interface Preparation {
  readonly file: string;
  /** The part of it that is meant, where it is an acoustic model. */
  readonly part?: AcousticPart | undefined;
  /** An empty folder, for the graph and its weights. */
  readonly folder: string;
  readonly sessionOptions: InferenceSession.SessionOptions;
}

/** The graph in `file` as it is run, or the file itself where nothing in it is rewritten. */
export async function asRun(file: string, part?: AcousticPart): Promise<string | Uint8Array> {
  const codec = createCodec();
  const model = await shippedGraph(file, codec);
  const forms = [narrowed, withFoldedTransforms, withOpenedNorms, withFusedProducts, withHeadParts];
  if (process.arch === 'x64') forms.push(withBlockedConvolutions, withRowsThroughout);
  const taken = part === undefined ? model : acousticPart(model, part, codec);
  const rewritten = forms.reduce((form, rewrite) => rewrite(form, codec) ?? form, taken);
  return rewritten === model ? file : codec.encode(rewritten);
}

/** A process that goes on afterwards keeps 100 MB of what this takes (base-tts-fast). */
export async function prepare({ file, part, folder, sessionOptions }: Preparation): Promise<void> {
  const graph = path.join(folder, GRAPH);
  const { session, ...others } = sessionOptions.extra as { session: object };
  const made = await openExact(await asRun(file, part), {
    ...sessionOptions,
    optimizedModelFilePath: graph,
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
  await alignWeights(graph, path.join(folder, WEIGHTS));
  // Without names it is slower to open, and right.
  await nameShapes(graph, asKept(sessionOptions)).catch(() => undefined);
}
