/** Devices and threads. */
import { describe, expect, it } from 'vitest';
import { gpusToTry } from '../../../src/engine/graphs/provider.js';
import { chooseThreads, maySpin } from '../../../src/engine/measure/machine.js';
import { mayBeHere } from '../../../src/protocol/device.js';
import { TtsError } from '../../../src/protocol/errors.js';

describe('devices', () => {
  it('tries a GPU by itself only for a server that stays, and where the runtime has one', () => {
    expect(gpusToTry({ device: 'auto' }, ['cpu', 'cuda'])).toEqual([]);
    expect(gpusToTry({ device: 'auto', seeksGpu: true }, ['cpu'])).toEqual([]);
    expect(gpusToTry({ device: 'auto', seeksGpu: true }, ['cpu', 'cuda'])).toEqual(['cuda']);
    expect(gpusToTry({ device: 'cpu', seeksGpu: true }, ['cpu', 'cuda'])).toEqual([]);
  });

  it('wants no graphs made for a GPU that this system cannot have', () => {
    expect(mayBeHere('coreml', 'linux')).toBe(false);
    expect(mayBeHere('coreml', 'darwin')).toBe(true);
    expect(mayBeHere('dml', 'darwin')).toBe(false);
    expect(mayBeHere('webgpu', 'linux')).toBe(true);
    expect(mayBeHere('cpu', 'linux')).toBe(false);
  });

  it('has one that was asked for by name, and it alone', () => {
    expect(gpusToTry({ device: 'webgpu' }, ['cpu', 'cuda', 'webgpu'])).toEqual(['webgpu']);
  });

  it('refuses a device that was asked for and is not there, and says how to get it', () => {
    for (const device of ['cuda', 'webgpu', 'coreml', 'dml'] as const) {
      let error: unknown;
      try {
        gpusToTry({ device }, ['cpu']);
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toBeInstanceOf(TtsError);
      expect(error).toMatchObject({ code: 'device_unavailable' });
      expect((error as TtsError).message).toMatch(/It needs .*--device cpu/);
    }
  });
});

describe('threads', () => {
  it('follow the machine and how many processes share it, unless they are set', () => {
    expect(chooseThreads(0, 1, 1)).toBe(1);
    expect(chooseThreads(0, 1, 2)).toBe(2);
    expect(chooseThreads(0, 1, 4)).toBe(4);
    expect(chooseThreads(0, 1, 8)).toBe(4);
    expect(chooseThreads(0, 1, 64)).toBe(8);
    expect(chooseThreads(0, 8, 64)).toBe(4);
    expect(chooseThreads(0, 4, 2)).toBe(1);
    expect(chooseThreads(3, 1, 64)).toBe(3);
  });

  it('wait for each other without sleep only where half of the cores are left over', () => {
    const spins = (cores: number) => maySpin(chooseThreads('auto', 1, cores), cores);
    expect([1, 2, 4, 8, 16, 64].filter(spins)).toEqual([8, 16, 64]);
  });
});
