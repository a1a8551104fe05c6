/** Where a model runs, and with how many threads: each device is a set of the runtime's options. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type InferenceSession, listSupportedBackends } from 'onnxruntime-node';
import { type Device, type Gpu, isGpu } from '../../protocol/device.js';
import { TtsError } from '../../protocol/errors.js';
import { vulkanHere } from '../gpu/vulkan.js';
import { chooseThreads, type MachineUse } from '../measure/machine.js';

export interface Provider {
  readonly device: Exclude<Device, 'auto'>;
  readonly threads: number;
  /** For logs and `tts doctor`. */
  readonly description: string;
  readonly sessionOptions: InferenceSession.SessionOptions;
}

const HOW_TO_GET: Record<Gpu, string> = {
  cuda:
    'It needs Linux x64 with an NVIDIA driver, CUDA 12 and cuDNN 9, and the CUDA build of the runtime: ' +
    'run `ONNXRUNTIME_NODE_INSTALL=cuda12 node node_modules/onnxruntime-node/script/install.js` where tts is installed',
  webgpu:
    'It needs a build of onnxruntime-node with WebGPU (Linux x64, macOS and Windows have one) and a working GPU driver',
  coreml: 'It needs macOS',
  dml: 'It needs Windows with a DirectX 12 GPU',
};

/** A runtime may know CUDA without having its library, which is a separate download. */
function hasLibrary(name: string): boolean {
  const runtime = path.dirname(createRequire(import.meta.url).resolve('onnxruntime-node'));
  const folder = path.join(runtime, '..', 'bin', 'napi-v6', process.platform, process.arch);
  return existsSync(path.join(folder, `libonnxruntime_providers_${name}.so`));
}

const usable = (): string[] =>
  listSupportedBackends()
    .filter(({ name, bundled }) => bundled || hasLibrary(name))
    .map(({ name }) => name);

/** A trial takes seconds and large graphs, so it is not made where there is clearly no GPU. */
const mayWork = (gpu: Gpu): boolean =>
  gpu !== 'webgpu' || process.platform !== 'linux' || vulkanHere().adapters.length > 0;

/** GPUs that `auto` tries, in this order. The others run through the same code, if named. */
const SOUGHT: readonly Gpu[] = ['cuda', 'webgpu'];

/**
 * The GPUs to try, in this order. A GPU that was named and is absent is an error that says how to
 * get it. `auto` takes those that the runtime could use, but only for a server (`seeksGpu`): a
 * command that speaks once is done before a GPU is ready.
 */
export function gpusToTry(
  { device, seeksGpu = false }: { device: Device; seeksGpu?: boolean },
  present = usable(),
): Gpu[] {
  if (device === 'auto') return seeksGpu ? SOUGHT.filter((gpu) => present.includes(gpu) && mayWork(gpu)) : [];
  if (!isGpu(device)) return [];
  if (!present.includes(device)) throw unavailable(device);
  return [device];
}

export const cpuProvider = (threads: number, spins = false): Provider => providerOf('cpu', threads, spins);
export const cpuFor = ({ threads, workers }: MachineUse): Provider => cpuProvider(chooseThreads(threads, workers));

const unavailable = (device: Gpu): TtsError =>
  new TtsError(
    'device_unavailable',
    `The device "${device}" cannot be used here. ${HOW_TO_GET[device]}, or use --device cpu.`,
  );

/**
 * Keeps no memory between runs: 45 MB less for base-tts-fast; its longest windows take 3 % more.
 */
export const withoutArena = (provider: Provider): Provider => ({
  ...provider,
  sessionOptions: { ...provider.sessionOptions, enableCpuMemArena: false },
});

export function providerOf(device: Provider['device'], threads: number, spins = false): Provider {
  return {
    device,
    threads,
    description: device === 'cpu' ? `cpu, ${threads} thread${threads === 1 ? '' : 's'}` : device,
    sessionOptions: {
      executionProviders: device === 'cpu' ? ['cpu'] : [device, 'cpu'],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      graphOptimizationLevel: 'all',
      // It would plan memory for every length met. Sentences differ in length, and plans are kept.
      enableMemPattern: false,
      logSeverityLevel: 3,
      extra: {
        session: {
          // Threads that spin between operators take cores from the server, a player, a second
          // worker. Threads that may spin (`maySpin`) sleep once the run has ended.
          intra_op: { allow_spinning: spins ? '1' : '0' },
          force_spinning_stop: '1',
          disable_aot_function_inlining: '1',
        },
      },
    },
  };
}
