/**
 * The light generator through the runtime's WebGPU, on a driver that computes on the CPU: the same
 * samples, alone and in a batch.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Packed, PackedTensor } from '../../../src/engine/graphs/packed.js';
import { lightGraph } from '../../../src/models/onnx/light-gpu.js';
import { LIGHT_GENERATOR, lightWindows } from '../../support/sound/light-utterance.js';

const PROBE = fileURLToPath(new URL('../../support/sound/webgpu-probe.mjs', import.meta.url));
const MESA = '/usr/share/vulkan/icd.d';
/**
 * Drivers in software. Mesa's (Debian: mesa-vulkan-drivers, libvulkan1): the runtime refuses Debian
 * 12's (22.3) and takes 13's (25.0). SwiftShader, which comes with Chromium: the runtime takes it,
 * and it is slow.
 */
const drivers = [
  ...(existsSync(MESA) ? readdirSync(MESA) : [])
    .filter((name) => /^lvp_icd\..*json$/.test(name))
    .map((name) => path.join(MESA, name)),
  '/usr/lib/chromium/vk_swiftshader_icd.json',
].filter(existsSync);
/** Few, because every one takes seconds there. */
const FRAMES = 8;
/** Where onnxruntime has WebGPU and reaches it through Vulkan. */
const hasWebGpu = process.platform === 'linux' && process.arch === 'x64';

const dir = mkdtempSync(path.join(tmpdir(), 'tts-webgpu-'));
beforeAll(async () => {
  await writeFile(path.join(dir, 'light.onnx'), lightGraph(await readFile(LIGHT_GENERATOR)));
  await writeFile(path.join(dir, 'window'), serialize(beginningOf((await lightWindows())[0]!)));
});
afterAll(() => rmSync(dir, { recursive: true }));

function beginningOf(window: Packed): Packed {
  const cut = ({ data, dims }: PackedTensor): PackedTensor => {
    const frames = dims.at(-1)!;
    const kept = (data as Float32Array).filter((_, i) => i % frames < FRAMES);
    return { type: 'float32', data: kept, dims: [...dims.slice(0, -1), FRAMES] };
  };
  return { ...window, x: cut(window.x!), f0: cut(window.f0!), phase: cut(window.phase!) };
}

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

const expectSameSound = ({ decibels, refused }: Probed) => {
  expect(decibels, refused).toHaveLength(3);
  expect(Math.min(...decibels!)).toBeGreaterThan(25);
};

it('compares a device in a process of its own, here the CPU with itself', async () => {
  expectSameSound(await probe('cpu'));
}, 120_000);

if (!hasWebGpu) it.skip(`WebGPU in software, left out: onnxruntime has none for ${process.platform} ${process.arch}`);
else if (drivers.length === 0)
  it('leaves WebGPU in software out: neither mesa-vulkan-drivers nor chromium is installed', () =>
    expect(process.env.CI).not.toBe('true'));
else {
  it('hears the same from WebGPU in software', async ({ skip }) => {
    const refused: string[] = [];
    for (const manifest of drivers) {
      const probed = await probe('webgpu', { VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest });
      if (probed.refused === undefined) {
        expectSameSound(probed);
        return;
      }
      refused.push(`${path.basename(manifest)}: ${probed.refused}`);
    }
    skip(`no adapter that can run it: ${refused.join('; ')}`);
  }, 300_000);
}
