/**
 * Kokoro's generator in 8 bits as it is run on x64. Its convolutions are products of rows, a row a
 * frame (`models/onnx/products.ts`), so all between them is done in rows too; what is added to a
 * product, the norms, the upsampling and the STFT of its source become products or parts of one.
 * Two threads take 0.74 of the time of the graph as it was published (Xeon). It is as far from the
 * generator in floats as before. Sums are made in another order; activations that are rounded to 8
 * bits in every layer make that a difference of 20 dB.
 */
import type { Model, OnnxCodec } from '../../../models/onnx/schema.js';
import { convolvedSource } from '../../../models/onnx/source.js';
import { withFrameNorms } from './frame-norms.js';
import { withFramesFirst } from './frames-first.js';
import { withFusedConvolutions } from './fused-convolutions.js';
import { withUpsamplingProducts } from './upsampling.js';

/** Undefined where the graph is not that generator. */
export function withRowsThroughout(model: Model, codec: OnnxCodec): Model | undefined {
  const has = (opType: string): boolean => model.graph.node.some((each) => each.opType === opType);
  if (!has('STFT') || !has('MatMulInteger')) return undefined;
  const forms = [convolvedSource, withFusedConvolutions, withUpsamplingProducts, withFramesFirst, withFrameNorms];
  return forms.reduce((form, rewrite) => rewrite(form, codec), model);
}
