/** What the GPU is given, and one run of it. */
import type { GraphThread } from '../graphs/graph-threads.js';
import type { Packed } from '../graphs/packed.js';
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
