/** What the GPU is given, and one run of it. */
import { Tensor } from 'onnxruntime-node';
import type { GraphThread, Packed, PackedTensor } from '../graphs/graph-threads.js';
import type { Feeds } from '../vocoder/vocoder.js';
import { joinUtterances } from './frames-batch.js';
import type { DeviceRun } from './gpu-batcher.js';
import { type GpuItem, isLight } from './gpu-item.js';
import { joinWindows } from './light-batch.js';

/**
 * Runs a batch of one kind: a `waveform` of each, or its features. Items that are given away are
 * not copied to the GPU's thread.
 */
export async function runOnGpu(
  thread: GraphThread,
  items: readonly GpuItem[],
  { givesItems = false } = {},
): Promise<DeviceRun<Packed>> {
  const { graph } = items[0]!;
  const feeds = items.map((item) => item.feeds);
  if (graph === 'whole') {
    const { outputs, beganMs, runMs } = await thread.runEach(graph, feeds, { givesFeeds: givesItems });
    return { results: outputs, beganMs, deviceMs: runMs };
  }
  const joined = isLight(graph) ? joinWindows(feeds) : joinUtterances(feeds);
  const { outputs, beganMs, runMs } = await thread.run(graph, joined.feeds, { givesFeeds: true });
  return { results: joined.takeApart(outputs), beganMs, deviceMs: runMs };
}

export const packed = (feeds: Feeds): Packed =>
  Object.fromEntries(
    Object.entries(feeds).map(([name, { type, data, dims }]) => [name, { type, data, dims } as PackedTensor]),
  );

export const unpacked = (outputs: Packed): Feeds =>
  Object.fromEntries(
    Object.entries(outputs).map(([name, { type, data, dims }]) => [name, new Tensor(type, data, dims)]),
  );
