// Runs windows of the light generator on a device and prints how far they stand above their
// difference to the CPU's. In a process of its own, with a driver chosen by its environment:
// drivers have been seen to end the process that tries them.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { deserialize } from 'node:v8';
import { apartDb } from '../../../dist/engine/gpu/check.js';
import { runOnGpu } from '../../../dist/engine/gpu/gpu-runs.js';
import { GraphThread } from '../../../dist/engine/graphs/graph-threads.js';

const [dir, device] = process.argv.slice(2);
const item = { graph: 'light', feeds: deserialize(readFileSync(path.join(dir, 'window'))) };
const graph = path.join(dir, 'light.onnx');
const [cpu, gpu] = ['cpu', device].map((name) => new GraphThread(name, 2, path.join(dir, 'kept')));
await cpu.open('light', graph);
await gpu.open('light', graph).catch((error) => {
  console.log(JSON.stringify({ refused: error.message }));
  process.exit(0);
});
const heard = async (thread, items) => (await runOnGpu(thread, items)).results.map(({ waveform }) => waveform.data);
const [expected] = await heard(cpu, [item]);
const made = [...(await heard(gpu, [item])), ...(await heard(gpu, [item, item]))];
console.log(
  JSON.stringify({ decibels: made.map((samples) => apartDb(samples, expected)) }, (_key, value) =>
    value === Infinity ? 200 : value,
  ),
);
process.exit(0);
