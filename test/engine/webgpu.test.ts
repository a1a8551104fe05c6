/** The light generator through the runtime's WebGPU, on a driver that computes on the CPU: the same samples, alone and in a batch. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lightGraph } from '../../src/models/onnx/light-gpu.js';
import { LIGHT_GENERATOR, lightWindows } from '../support/light-utterance.js';

const PROBE = fileURLToPath(new URL('../support/webgpu-probe.mjs', import.meta.url));
const MANIFESTS = '/usr/share/vulkan/icd.d';
/** Mesa's driver in software. Debian: mesa-vulkan-drivers, libvulkan1. The runtime refuses Debian 12's (Mesa 22.3) and takes 13's (25.0). */
const driver = existsSync(MANIFESTS) && readdirSync(MANIFESTS).find((name) => /^lvp_icd\..*json$/.test(name));
/** Where onnxruntime has WebGPU and reaches it through Vulkan. */
const hasWebGpu = process.platform === 'linux' && process.arch === 'x64';

const dir = mkdtempSync(path.join(tmpdir(), 'tts-webgpu-'));
beforeAll(async () => {
  await writeFile(path.join(dir, 'light.onnx'), lightGraph(await readFile(LIGHT_GENERATOR)));
  await writeFile(path.join(dir, 'window'), serialize((await lightWindows())[0]));
});
afterAll(() => rmSync(dir, { recursive: true }));

interface Probed {
  readonly decibels?: readonly number[];
  /** Why there is nothing to compare: no adapter, or one that cannot run this. */
  readonly refused?: string;
}

const probe = (device: 'cpu' | 'webgpu', env: Record<string, string> = {}): Promise<Probed> =>
  new Promise((resolve) => {
    const options = { env: { ...process.env, ...env }, timeout: 240_000 };
    execFile(process.execPath, [PROBE, dir, device], options, (error, stdout, stderr) => {
      if (error === null) resolve(JSON.parse(stdout) as Probed);
      else resolve({ refused: `the process died (${error.signal ?? error.code}): ${stderr.slice(-200)}` });
    });
  });

const expectSameSound = ({ decibels }: Probed) => {
  expect(decibels).toHaveLength(3);
  expect(Math.min(...decibels!)).toBeGreaterThan(25);
};

it('compares a device in a process of its own, here the CPU with itself', async () => {
  expectSameSound(await probe('cpu'));
}, 120_000);

if (!hasWebGpu) it.skip(`WebGPU in software, left out: onnxruntime has none for ${process.platform} ${process.arch}`);
else if (!driver)
  it('leaves WebGPU in software out: mesa-vulkan-drivers is not installed', () =>
    expect(process.env.CI).not.toBe('true'));
else {
  it('hears the same from WebGPU in software', async ({ skip }) => {
    const manifest = path.join(MANIFESTS, driver);
    const probed = await probe('webgpu', { VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest });
    if (probed.refused !== undefined) skip(`no adapter that can run it: ${probed.refused}`);
    expectSameSound(probed);
  }, 300_000);
}
