/** Entry of a thread that runs graphs: it opens those it is told to, then answers runs one after the other until it is ended. */
import { parentPort } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { graphLoader } from './graph-loader.js';
import { largeBuffers, type Packed, type PackedTensor, type ThreadReply, type ThreadRequest } from './graph-threads.js';
import { providerOf } from './provider.js';

const graphs = new Map<string, InferenceSession>();

async function open({ graph, file, keptDir, device, threads, spins }: ThreadRequest & { type: 'open' }): Promise<void> {
  const provider = providerOf(device, threads, spins);
  const load =
    device === 'cpu' ? graphLoader(keptDir, provider) : () => InferenceSession.create(file, provider.sessionOptions);
  graphs.set(graph, await load(file));
}

async function run({ graph, feeds }: ThreadRequest & { type: 'run' }): Promise<Packed> {
  const inputs = Object.entries(feeds).map(([name, { type, data, dims }]) => [name, new Tensor(type, data, dims)]);
  const outputs = await graphs.get(graph)!.run(Object.fromEntries(inputs) as Record<string, Tensor>);
  return Object.fromEntries(
    Object.entries(outputs).map(([name, { type, data, dims }]) => [name, { type, data, dims } as PackedTensor]),
  );
}

async function answer(request: ThreadRequest): Promise<void> {
  const { id } = request;
  const startMs = performance.now();
  try {
    const outputs = request.type === 'open' ? await open(request).then(() => ({})) : await run(request);
    send({ id, outputs, runMs: performance.now() - startMs });
  } catch (error) {
    send({ id, error: error instanceof Error ? error.message : String(error) });
  }
}

const send = (reply: ThreadReply): void =>
  parentPort!.postMessage(reply, 'outputs' in reply ? largeBuffers(reply.outputs) : []);

/** The one before the next: what opens a graph is not passed by what runs it. */
let last: Promise<void> = Promise.resolve();
parentPort!.on('message', (request: ThreadRequest) => {
  last = last.then(() => answer(request));
});
