/** Devices a model can run on, by the names of options and engines. */

export const DEVICES = ['auto', 'cpu', 'cuda', 'webgpu', 'coreml', 'dml'] as const;
export type Device = (typeof DEVICES)[number];
export type Gpu = Exclude<Device, 'auto' | 'cpu'>;

/** False for `auto`, before a device was chosen. */
export const isGpu = (device: Device): device is Gpu => device !== 'auto' && device !== 'cpu';

const ONLY_ON: Partial<Record<Gpu, NodeJS.Platform>> = { coreml: 'darwin', dml: 'win32' };

/** Whether a GPU was named that this system can have; for others no graphs are made. */
export const mayBeHere = (device: Device, platform: NodeJS.Platform = process.platform): boolean =>
  isGpu(device) && (ONLY_ON[device] ?? platform) === platform;
