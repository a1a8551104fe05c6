/**
 * The yardstick: kokoro-js on the same weights, installed on demand beside the benchmark and run in
 * its own process.
 */
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { loadConfig } from '../../src/config.js';
import { ensureModel } from '../../src/models/packs.js';

const DIR = path.join(import.meta.dirname, 'kokoro-js');

export interface Spoken {
  readonly firstMs: number;
  readonly wallMs: number;
  /** Of speech that came out. */
  readonly seconds: number;
  readonly rssBytes: number;
}

export interface Peer {
  speak(text: string): Promise<Spoken>;
  /** What it says, as 24 kHz PCM. */
  sound(text: string): Promise<Int16Array>;
  stop(): void;
}

function install(): void {
  if (existsSync(path.join(DIR, 'node_modules', 'kokoro-js'))) return;
  process.stderr.write('installing kokoro-js for the comparison (once, 400 MB)\n');
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: DIR,
    env: { ...process.env, ONNXRUNTIME_NODE_INSTALL_CUDA: 'skip' },
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
}

export async function startPeer(): Promise<Peer> {
  install();
  const { modelDir, offline } = loadConfig().config;
  const { published, tokenizer } = await ensureModel('base-tts', { modelDir, offline });
  const child = fork(path.join(DIR, 'peer.mjs'), [published, tokenizer], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`kokoro-js ended with exit code ${code}`)));
  });
  ended.catch(() => undefined);
  const answer = () => Promise.race([once(child, 'message').then(([message]) => message as unknown), ended]);
  await answer();
  return {
    async speak(text) {
      child.send({ text });
      return (await answer()) as Spoken;
    },
    async sound(text) {
      child.send({ text, sound: true });
      return (await answer()) as Int16Array;
    },
    stop: () => child.disconnect(),
  };
}
