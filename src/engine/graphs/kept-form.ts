/** What those who write a kept graph and those who open it agree on. */
import type { InferenceSession } from 'onnxruntime-node';

/** The graph's file in its folder. */
export const GRAPH = 'graph.onnx';

/** It is as the runtime would make it. */
export const asKept = (options: InferenceSession.SessionOptions): InferenceSession.SessionOptions => ({
  ...options,
  graphOptimizationLevel: 'disabled',
});
