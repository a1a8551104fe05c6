/** What was measured on this machine once: a small file beside the packs that needs no runtime to be read. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

export interface Measurement {
  /** Which of Kokoro's generators is the faster one. */
  readonly generator: 'float' | 'quantised';
  /** Seconds of work for a second of base-tts speech. */
  readonly realTimeFactor: number;
}

const fileOf = (modelDir: string): string => path.join(modelDir, 'measured.json');

type Remembered = Readonly<Record<string, Measurement>>;

async function readAll(modelDir: string): Promise<Remembered> {
  try {
    return JSON.parse(await readFile(fileOf(modelDir), 'utf8')) as Remembered;
  } catch {
    // Absent, or half-written by a machine that lost power: it is measured again.
    return {};
  }
}

export async function readMeasurement(modelDir: string, key: string): Promise<Measurement | undefined> {
  return (await readAll(modelDir))[key];
}

export async function writeMeasurement(modelDir: string, key: string, measured: Measurement): Promise<void> {
  const all = { ...(await readAll(modelDir)), [key]: measured };
  const fresh = `${fileOf(modelDir)}.${process.pid}`;
  await writeFile(fresh, `${JSON.stringify(all, null, 2)}\n`);
  await rename(fresh, fileOf(modelDir));
}
