/** What a model can run on, by the names that options and engines share. */

export const DEVICES = ['auto', 'cpu', 'cuda', 'webgpu', 'coreml', 'dml'] as const;
export type Device = (typeof DEVICES)[number];
export type Gpu = Exclude<Device, 'auto' | 'cpu'>;

/** False for `auto`, which is a device only once it was chosen. */
export const isGpu = (device: Device): device is Gpu => device !== 'auto' && device !== 'cpu';

const ONLY_ON: Partial<Record<Gpu, NodeJS.Platform>> = { coreml: 'darwin', dml: 'win32' };

/** A GPU by name that this system can have: for one that it cannot have no graphs are made before the engine says so. */
export const mayBeHere = (device: Device, platform: NodeJS.Platform = process.platform): boolean =>
  isGpu(device) && (ONLY_ON[device] ?? platform) === platform;
