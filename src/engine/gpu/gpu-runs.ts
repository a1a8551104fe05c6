/** What the GPU is given, and one run of it. */
import { Tensor } from 'onnxruntime-node';
import type { GraphThread, Packed, PackedTensor } from '../graphs/graph-threads.js';
import type { Feeds } from '../vocoder/vocoder.js';
import { joinUtterances } from './frames-batch.js';
import { type GpuItem, isLight } from './gpu-item.js';
import { joinWindows } from './light-batch.js';

/** Runs a batch of one kind. Items that are given away are not copied to the GPU's thread. */
export async function runOnGpu(
  thread: GraphThread,
  items: readonly GpuItem[],
  { givesItems = false } = {},
): Promise<Float32Array[]> {
  const { graph } = items[0]!;
  if (isLight(graph)) {
    const { feeds, takeApart } = joinWindows(items.map((item) => item.feeds));
    const { outputs } = await thread.run(graph, feeds, { givesFeeds: true });
    return takeApart(outputs.waveform!.data as Float32Array);
  }
  if (graph === 'frames') {
    const { feeds, takeApart } = joinUtterances(items.map((item) => item.feeds));
    const { outputs } = await thread.run('frames', feeds, { givesFeeds: true });
    return takeApart(outputs);
  }
  const feeds = items.map((item) => item.feeds);
  const { outputs } = await thread.runEach('whole', feeds, { givesFeeds: givesItems });
  return outputs.map(({ waveform }) => waveform!.data as Float32Array);
}

export const packed = (feeds: Feeds): Packed =>
  Object.fromEntries(
    Object.entries(feeds).map(([name, { type, data, dims }]) => [name, { type, data, dims } as PackedTensor]),
  );

export const unpacked = (outputs: Packed): Feeds =>
  Object.fromEntries(
    Object.entries(outputs).map(([name, { type, data, dims }]) => [name, new Tensor(type, data, dims)]),
  );
