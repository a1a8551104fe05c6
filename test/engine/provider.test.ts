/** Devices and threads. */
import { describe, expect, it } from 'vitest';
import { chooseThreads } from '../../src/engine/machine.js';
import { chooseProvider } from '../../src/engine/provider.js';
import { TtsError } from '../../src/protocol/errors.js';

describe('devices', () => {
  it('takes the CPU where there is nothing better', () => {
    expect(chooseProvider({ device: 'auto', threads: 2 }, ['cpu'])).toMatchObject({
      device: 'cpu',
      description: 'cpu, 2 threads',
      wantsFloat: false,
    });
  });

  it('takes a GPU where the runtime has one, with graphs that run on it', () => {
    expect(chooseProvider({ device: 'auto', threads: 0 }, ['cpu', 'cuda'])).toMatchObject({
      device: 'cuda',
      wantsFloat: true,
    });
  });

  it('refuses a device that was asked for and is not there, and says how to get it', () => {
    for (const device of ['cuda', 'webgpu', 'coreml', 'dml'] as const) {
      let error: unknown;
      try {
        chooseProvider({ device, threads: 0 }, ['cpu']);
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
});
