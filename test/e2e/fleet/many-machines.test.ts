/**
 * A gateway that speaks by workers alone, as two operators would run them: what is heard is what
 * one machine would say.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { hasNats, type NatsServer, startNats } from '../../../testkit/nats.js';
import { modelDirForTests } from '../../../testkit/speech.js';
import { makeHome, type ServeProcess, startServe } from '../../support/processes/serve-process.js';

const BIN = path.resolve(import.meta.dirname, '../../../bin/tts.js');
const VOICE = {
  id: 'house_voice',
  display_name: 'House voice',
  language: 'en',
  gender: 'female',
  description: 'Made by the operator of the gateway.',
  style: { af_heart: 0.6, bf_emma: 0.4 },
};

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function broker(): Promise<NatsServer> {
  const nats = await startNats();
  open.push(() => nats.close());
  return nats;
}

function startWorker(env: NodeJS.ProcessEnv): ChildProcess {
  const home = makeHome(env);
  const args = ['worker', '--workers', '1', '--threads', '1', '--models', 'base-tts-fast'];
  const child = spawn(process.execPath, [BIN, ...args], { env: home.env, stdio: 'ignore' });
  open.push(() => child.kill('SIGKILL'), home.remove);
  return child;
}

/** A server with the operator's voice, and what it says. */
async function startGateway(env: NodeJS.ProcessEnv, args: readonly string[]) {
  const home = makeHome(env);
  const voices = path.join(home.dir, 'voices');
  mkdirSync(voices);
  writeFileSync(path.join(voices, 'house.json'), JSON.stringify(VOICE));
  const server = await startServe(home, ['--voices-dir', voices, ...args]);
  open.push(home.remove, () => server.kill('SIGKILL'));
  const { key } = JSON.parse(
    (await home.run('keys', 'create', '--tier', 'partner', '--credits', '10000', '--json')).stdout,
  );
  const speak = async (model = 'base-tts-fast') => {
    const response = await fetch(`${server.baseUrl}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, voice: VOICE.id, input: 'Good evening. It costs $3.50.', response_format: 'pcm' }),
    });
    return { status: response.status, audio: Buffer.from(await response.arrayBuffer()) };
  };
  return { server, speak };
}

const readiness = async ({ baseUrl }: ServeProcess) => (await fetch(`${baseUrl}/readyz`)).status;
async function untilReady(server: ServeProcess): Promise<void> {
  while ((await readiness(server)) !== 200) await sleep(50);
}

if (!hasNats()) {
  it('leaves NATS out: nats-server is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('tts serve --workers 0', () => {
    it('is ready when a worker is there, and not before', async () => {
      const nats = await broker();
      const env = { TTS_NATS: nats.url };
      const { server, speak } = await startGateway(env, ['--workers', '0']);
      expect(await readiness(server)).toBe(503);
      const worker = startWorker(env);
      await untilReady(server);
      expect((await speak()).status).toBe(200);
      const exited = new Promise((resolve) => worker.once('exit', resolve));
      worker.kill('SIGTERM');
      expect(await exited).toBe(0);
      while ((await readiness(server)) === 200) await sleep(50);
    });

    it('speaks a voice that only it knows as an engine of its own would, to the byte', {
      timeout: 180_000,
    }, async () => {
      const nats = await broker();
      const env = {
        TTS_NATS: nats.url,
        TTS_ENGINE: 'kokoro',
        TTS_MODEL_DIR: await modelDirForTests(),
        TTS_OFFLINE: 'true',
      };
      startWorker(env);
      const elsewhere = await startGateway(env, ['--workers', '0']);
      await untilReady(elsewhere.server);
      const heard = await elsewhere.speak();
      await elsewhere.server.kill('SIGTERM');
      const here = await startGateway({ ...env, TTS_NATS: '' }, ['--workers', '1', '--threads', '1']);
      await untilReady(here.server);
      expect(heard.status).toBe(200);
      expect(heard.audio.length).toBeGreaterThan(48_000);
      expect(heard.audio.equals((await here.speak()).audio)).toBe(true);
    });

    it('needs a broker', async () => {
      const home = makeHome();
      open.push(home.remove);
      const { code, stderr } = await home.run('serve', '--workers', '0');
      expect(code).toBe(2);
      expect(stderr).toContain('--nats');
    });
  });
}
