/** How a machine with a GPU shares out its cores. */
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { GpuSessions } from '../../../src/engine/gpu/sessions.js';
import { chooseThreads } from '../../../src/engine/measure/machine.js';

/** Nothing is opened, on the device or elsewhere. */
async function shares(cores: number, threads?: number) {
  const use = { cores, ...(threads !== undefined && { threads }) };
  const sessions = new GpuSessions({
    modelDir: tmpdir(),
    offline: true,
    device: 'webgpu',
    onLost: () => undefined,
    ...use,
  });
  const { acousticThreads, threadsWhenIdle, capacity } = sessions;
  await sessions.close();
  return { acousticThreads, threadsWhenIdle, capacity };
}

it('leaves two cores to the thread of the GPU and the gateway; an idle server has as many threads as without a GPU', async () => {
  expect(await shares(1)).toMatchObject({ acousticThreads: 1, threadsWhenIdle: 1 });
  expect(await shares(4)).toMatchObject({ acousticThreads: 2, threadsWhenIdle: chooseThreads('auto', 1, 4) });
  expect(chooseThreads('auto', 1, 16)).toBe(8);
});

it('has as many threads when idle as were asked for', async () => {
  expect(await shares(4, 2)).toMatchObject({ acousticThreads: 2, threadsWhenIdle: 2 });
});

it('has more steps in flight the more acoustic threads feed the GPU: 128 with 16 cores', async () => {
  expect((await shares(4)).capacity).toBe(32);
  expect((await shares(16)).capacity).toBe(128);
});
