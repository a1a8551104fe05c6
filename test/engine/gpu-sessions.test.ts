/** How a machine with a GPU shares out its cores. */
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { createGpuSessions } from '../../src/engine/gpu/sessions.js';
import { chooseThreads } from '../../src/engine/measure/machine.js';

/** Nothing is opened, on the device or elsewhere. */
async function shares(cores: number, threads?: number) {
  const use = { cores, ...(threads !== undefined && { threads }) };
  const sessions = createGpuSessions({
    modelDir: tmpdir(),
    offline: true,
    device: 'webgpu',
    onLost: () => undefined,
    ...use,
  });
  const { fronts, loneThreads, capacity } = sessions;
  await sessions.close();
  return { fronts, loneThreads, capacity };
}

it('leaves two cores to the card and the gateway, and gives a lone listener the threads he has without a GPU', async () => {
  expect(await shares(1)).toMatchObject({ fronts: 1, loneThreads: 1 });
  expect(await shares(4)).toMatchObject({ fronts: 2, loneThreads: chooseThreads('auto', 1, 4) });
  expect(chooseThreads('auto', 1, 16)).toBe(8);
});

it('gives him as many as were asked for', async () => {
  expect(await shares(4, 2)).toMatchObject({ fronts: 2, loneThreads: 2 });
});

it('has more steps in flight the more fronts feed the card: 128 with 16 cores', async () => {
  expect((await shares(4)).capacity).toBe(32);
  expect((await shares(16)).capacity).toBe(128);
});
