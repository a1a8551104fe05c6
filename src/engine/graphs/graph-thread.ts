/** Entry of a thread that runs graphs: it answers requests to open and to run, one by one. */
import { parentPort } from 'node:worker_threads';
import { InferenceSession, type Tensor } from 'onnxruntime-node';
import { graphLoader } from './graph-loader.js';
import type { ThreadReply, ThreadRequest } from './graph-threads.js';
import { largeBuffers, type Packed, packed, unpacked } from './packed.js';
import { providerOf } from './provider.js';

interface OpenGraph {
  readonly session: InferenceSession;
  /** Fetches outputs that were left on the device. */
  readonly copy?: InferenceSession;
}
const graphs = new Map<string, OpenGraph>();

async function open({ graph, file, part, keptDir, device, threads, spins, queues }: ThreadRequest & { type: 'open' }) {
  const provider = providerOf(device, threads, spins);
  const { sessionOptions } = provider;
  await graphs.get(graph)?.session.release();
  if (device === 'cpu') {
    graphs.set(graph, { session: await graphLoader(keptDir, provider)(file, part) });
  } else if (device === 'webgpu' && queues) {
    const session = await InferenceSession.create(file, { ...sessionOptions, preferredOutputLocation: 'gpu-buffer' });
    const { copyGraph } = await import('../../models/onnx/copy.js');
    // The optimiser would remove its only operator.
    const copy = await InferenceSession.create(copyGraph(), { ...sessionOptions, graphOptimizationLevel: 'disabled' });
    graphs.set(graph, { session, copy });
  } else graphs.set(graph, { session: await InferenceSession.create(file, sessionOptions) });
}

async function run({ graph, feeds }: ThreadRequest & { type: 'run' }): Promise<Packed[]> {
  const { session, copy } = graphs.get(graph)!;
  const made: InferenceSession.OnnxValueMapType[] = [];
  for (const each of feeds) {
    made.push(await session.run(unpacked(each)));
  }
  if (copy === undefined) return made.map(packed);
  const fetched: Packed[] = [];
  for (const tensors of made) {
    const here: Record<string, Tensor> = {};
    for (const [name, there] of Object.entries(tensors)) {
      here[name] = (await copy.run({ x: there })).y as Tensor;
      there.dispose();
    }
    fetched.push(packed(here));
  }
  return fetched;
}

async function answer(request: ThreadRequest): Promise<void> {
  const { id } = request;
  const startMs = performance.now();
  try {
    const outputs = request.type === 'open' ? await open(request).then(() => []) : await run(request);
    send({ id, outputs, beganMs: performance.timeOrigin + startMs, runMs: performance.now() - startMs });
  } catch (error) {
    send({ id, error: error instanceof Error ? error.message : String(error) });
  }
}

const send = (reply: ThreadReply): void =>
  parentPort!.postMessage(reply, 'outputs' in reply ? reply.outputs.flatMap(largeBuffers) : []);

/** Requests are answered in order: a run never overtakes the opening of its graph. */
let last: Promise<void> = Promise.resolve();
parentPort!.on('message', (request: ThreadRequest) => {
  last = last.then(() => answer(request));
});
