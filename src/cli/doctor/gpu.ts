/** What `tts doctor` says of a GPU: what there is, what it lacks, whether its samples are right. */
import type { VulkanFacts } from '../../engine/gpu/vulkan.js';
import { type Device, type Gpu, isGpu } from '../../protocol/device.js';
import type { Examine, Finding } from './finding.js';

const what = 'GPU';

/** Tried again each time, whatever is remembered. */
export const gpu: Examine = async ({ modelDir, lexicon, device, threads, offline, engine }, signal) => {
  if (engine === 'sine') return undefined;
  const [{ vulkanHere }, { forgetChecks, readChecks }, { measureMachine }] = await Promise.all([
    import('../../engine/gpu/vulkan.js'),
    import('../../engine/measure/remembered.js'),
    import('../../gateway/workers/measure-machine.js'),
  ]);
  const facts = vulkanHere(process.env.LD_LIBRARY_PATH);
  const early = withoutTrying(facts, device);
  if (early !== undefined) return early;
  await forgetChecks(modelDir);
  const tried: Gpu = isGpu(device) ? device : 'webgpu';
  let reason = '';
  const log = { warn: (fields: { reason: string }) => (reason = fields.reason) } as unknown as Parameters<
    typeof measureMachine
  >[1];
  const options = { modelDir, lexicon, device: tried, threads, offline, preload: [] };
  const measured = await measureMachine(options, log, signal);
  if (measured === undefined) {
    return { what, state: stateOf(device), found: `${seen(facts)}: ${reason || 'it could not be tried'}` };
  }
  const manifest = facts.needsManifest ? ', with a Vulkan manifest of ours for its driver' : '';
  const heard = (await readChecks(modelDir)).map((check) => `${check.model} ${check.heard}`).join('; ');
  const { speedText } = await import('../../client/ui/format.js');
  const found = `${seen(facts)}, ${tried}${manifest}: ${heard}; ${speedText(measured.realTimeFactor)}`;
  return { what, state: 'fine', found };
};

const seen = ({ adapters }: VulkanFacts): string => adapters.join(', ') || 'none seen';
/** One that was asked for has to work; any other would only be welcome. */
const stateOf = (device: Device): 'broken' | 'note' => (isGpu(device) ? 'broken' : 'note');

/** What is clear from the machine alone; undefined where it takes a trial. */
export function withoutTrying(
  facts: VulkanFacts,
  device: Device,
  platform: NodeJS.Platform = process.platform,
): Finding | undefined {
  const { adapters, loader, manifests, needsManifest } = facts;
  if (device === 'cpu') {
    return { what, state: 'fine', found: `${seen(facts)}; the CPU was asked for` };
  }
  // Elsewhere, and with other providers, the system has all that it takes to reach a GPU.
  if (platform !== 'linux' || (isGpu(device) && device !== 'webgpu')) return undefined;
  if (adapters.length === 0) {
    return isGpu(device) ? undefined : { what, state: 'fine', found: 'none seen, and none is needed' };
  }
  if (!loader) {
    const found = `${seen(facts)}, but not the loader of Vulkan (libvulkan.so.1), through which it is reached`;
    return { what, state: stateOf(device), found, advice: 'On Debian and Ubuntu: apt install libvulkan1' };
  }
  if (manifests.length === 0 && !needsManifest) {
    const nvidia = adapters.some((name) => name.includes('NVIDIA'));
    return {
      what,
      state: stateOf(device),
      found: `${seen(facts)}, but no driver of Vulkan for it`,
      advice: nvidia
        ? "It is part of NVIDIA's driver (libEGL_nvidia.so.0); a container gets it with NVIDIA_DRIVER_CAPABILITIES=all."
        : 'On Debian and Ubuntu: apt install mesa-vulkan-drivers',
    };
  }
  return undefined;
}
