/** Loads graphs; a large one is kept as the runtime optimised it, so that later starts do not work it out again. */
import { createHash } from 'node:crypto';
import { mkdir, rm, stat } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';
import { env, InferenceSession } from 'onnxruntime-node';
import { replaceFile } from '../atomic-file.js';
import type { Provider } from './provider.js';

const isFront = (file: string): boolean => path.basename(file).startsWith('front-');

/**
 * The front is the one graph whose optimisation takes long (1,950 operators become 1,300: a quarter of its loading time).
 * What is kept holds for this file, this runtime and this processor, which its name says.
 */
export function graphLoader(dir: string, provider: Provider): (file: string) => Promise<InferenceSession> {
  const { sessionOptions } = provider;

  async function keptName(file: string): Promise<string> {
    const { size, mtimeMs } = await stat(file);
    const facts = [
      path.resolve(file),
      size,
      mtimeMs,
      env.versions.node,
      process.arch,
      cpus()[0]?.model,
      provider.device,
    ];
    const hash = createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
    return path.join(dir, `${path.basename(file, '.onnx')}-${hash}.onnx`);
  }

  async function openKept(kept: string): Promise<InferenceSession | undefined> {
    const found = await stat(kept).catch(() => undefined);
    if (!found) return undefined;
    try {
      return await InferenceSession.create(kept, { ...sessionOptions, graphOptimizationLevel: 'disabled' });
    } catch {
      // Damaged on disk: it is only a copy, and is made again.
      await rm(kept, { force: true });
      return undefined;
    }
  }

  return async (file) => {
    if (provider.device !== 'cpu' || !isFront(file)) {
      return InferenceSession.create(file, sessionOptions);
    }
    const kept = await keptName(file);
    const known = await openKept(kept);
    if (known) return known;
    try {
      await mkdir(dir, { recursive: true });
      return await replaceFile(kept, (fresh) =>
        InferenceSession.create(file, { ...sessionOptions, optimizedModelFilePath: fresh }),
      );
    } catch {
      // No room or no right to write there costs a little time at every start, nothing else.
      return InferenceSession.create(file, sessionOptions);
    }
  };
}
