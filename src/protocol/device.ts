/** What a model can run on, by the names that options and engines share. */

export const DEVICES = ['auto', 'cpu', 'cuda', 'webgpu', 'coreml', 'dml'] as const;
export type Device = (typeof DEVICES)[number];
export type Gpu = Exclude<Device, 'auto' | 'cpu'>;

/** False for `auto`, which is a device only once it was chosen. */
export const isGpu = (device: Device): device is Gpu => device !== 'auto' && device !== 'cpu';
