/**
 * Vulkan on Linux, through which WebGPU reaches a GPU: the loader, the drivers' manifests, and a
 * manifest of ours for NVIDIA's driver. Headless machines and CUDA containers have that driver's
 * libraries but no manifest, so that the loader finds no driver.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { release } from 'node:os';
import path from 'node:path';
import { writeFileAtomic } from '../../atomic-file.js';
import { makeFolder } from '../../folder.js';

const LIBRARY_DIRS = ['/lib', '/usr/lib', '/lib64', '/usr/lib64', '/usr/local/lib', '/usr/local/nvidia/lib64'];
const MANIFEST_DIRS = ['/etc/vulkan/icd.d', '/usr/local/share/vulkan/icd.d', '/usr/share/vulkan/icd.d'];
/** Needs no libraries of X11, unlike the driver's other one (libGLX_nvidia). */
const NVIDIA_LIBRARY = 'libEGL_nvidia.so.0';
const LOADER = 'libvulkan.so.1';
const MANIFEST = {
  file_format_version: '1.0.1',
  ICD: { library_path: NVIDIA_LIBRARY, api_version: '1.4.312' },
};

export interface VulkanFacts {
  /** GPUs in words: "NVIDIA H200 (driver 580.159.04)". */
  readonly adapters: readonly string[];
  readonly loader: boolean;
  /** Manifest files of the system. */
  readonly manifests: readonly string[];
  /** NVIDIA's driver is installed, but no manifest names it. */
  readonly needsManifest: boolean;
}

const namesIn = (dir: string): string[] => {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
};
const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

function hasLibrary(name: string, extraDirs: string): boolean {
  const triplets = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
  const dirs = [
    ...extraDirs.split(':').filter(Boolean),
    ...LIBRARY_DIRS.flatMap((dir) => [dir, path.join(dir, triplets)]),
  ];
  return dirs.some((dir) => existsSync(path.join(dir, name)));
}

function adaptersHere(): string[] {
  const driver = /(\d+\.\d+(?:\.\d+)?)\s+Release/.exec(textOf('/proc/driver/nvidia/version'))?.[1];
  const gpus = '/proc/driver/nvidia/gpus';
  const nvidia = namesIn(gpus).map((bus) => {
    const model = /Model:\s*(.+)/.exec(textOf(path.join(gpus, bus, 'information')))?.[1]?.trim();
    return `${model ?? 'NVIDIA GPU'}${driver ? ` (driver ${driver})` : ''}`;
  });
  const drm = '/sys/class/drm';
  const others = namesIn(drm)
    .filter((name) => /^renderD\d+$/.test(name))
    .map((name) => textOf(path.join(drm, name, 'device/uevent')))
    .map((uevent) => /DRIVER=(.+)/.exec(uevent)?.[1])
    .filter((name) => name !== undefined && name !== 'nvidia')
    .map((name) => `GPU with the driver ${name}`);
  return [...nvidia, ...others];
}

/** `libraryPath`: further folders of libraries (LD_LIBRARY_PATH). */
export function vulkanHere(libraryPath = ''): VulkanFacts {
  const manifests = MANIFEST_DIRS.flatMap((dir) =>
    namesIn(dir)
      .filter((name) => name.endsWith('.json'))
      .map((name) => path.join(dir, name)),
  );
  return {
    adapters: adaptersHere(),
    loader: hasLibrary(LOADER, libraryPath),
    manifests,
    needsManifest: hasLibrary(NVIDIA_LIBRARY, libraryPath) && !manifests.some((file) => /nvidia/i.test(textOf(file))),
  };
}

/** Environment variables for an engine process; none where the drivers are known already. */
export async function vulkanEnvironment(
  dir: string,
  given: Readonly<Record<string, string | undefined>>,
): Promise<Record<string, string>> {
  if (process.platform !== 'linux' || given.VK_DRIVER_FILES || given.VK_ICD_FILENAMES) return {};
  const { needsManifest, manifests } = vulkanHere(given.LD_LIBRARY_PATH);
  if (!needsManifest) return {};
  const own = path.join(dir, 'vulkan-nvidia.json');
  makeFolder(dir);
  await writeFileAtomic(own, `${JSON.stringify(MANIFEST)}\n`);
  const files = [own, ...manifests].join(':');
  // The newer and the older name of the same setting.
  return { VK_DRIVER_FILES: files, VK_ICD_FILENAMES: files };
}

/** Driver and GPUs in words: a verdict on a GPU holds for these. */
export function driverFacts(): string {
  if (process.platform !== 'linux') return `${process.platform} ${release()}`;
  const { adapters, manifests } = vulkanHere();
  return [...adapters, ...manifests.map((file) => path.basename(file))].join(', ') || 'no GPU seen';
}
