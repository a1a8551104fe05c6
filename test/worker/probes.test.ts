/** The health probes of a worker, by the real command. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { freePort, hasNats, startNats } from '../../testkit/nats.js';
import { until } from '../../testkit/server.js';
import { makeHome } from '../support/processes/serve-process.js';

const BIN = path.resolve(import.meta.dirname, '../../bin/tts.js');
const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

if (!hasNats()) {
  it('leaves NATS out: nats-server is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  it('a worker is healthy when it runs, and ready while an engine is up and NATS is there', async () => {
    const nats = await startNats();
    open.push(() => nats.close());
    const home = makeHome({ TTS_NATS: nats.url });
    const port = await freePort();
    const args = ['worker', '--workers', '1', '--probe-port', String(port), '--log-level', 'error'];
    const child = spawn(process.execPath, [BIN, ...args], { env: home.env, stdio: 'ignore' });
    open.push(home.remove, () => child.kill('SIGKILL'));
    const ask = async (page: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${page}`).catch(() => undefined);
      return response && { status: response.status, body: (await response.json()) as { reason?: string } };
    };
    await until(async () => (await ask('/readyz'))?.status === 200, 'a worker that is ready');
    expect((await ask('/healthz'))!.status).toBe(200);
    expect((await ask('/metrics'))!.status).toBe(404);
    await nats.kill();
    await until(async () => (await ask('/readyz'))?.status === 503, 'a worker that is not ready');
    expect((await ask('/readyz'))!.body.reason).toContain('NATS');
    expect((await ask('/healthz'))!.status).toBe(200);
    await nats.start();
    await until(async () => (await ask('/readyz'))?.status === 200, 'a worker that is ready again');
  });
}
