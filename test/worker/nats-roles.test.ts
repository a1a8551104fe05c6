/** The permissions of deploy/nats on a real server: what gateways and workers may hear. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { NatsConnection } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { afterEach, describe, expect, it } from 'vitest';
import { createGateway } from '../../src/gateway/gateway.js';
import { silentLogger } from '../../src/log.js';
import { loadCatalogue } from '../../src/models/catalogue.js';
import { freePort, hasNats, type NatsServer, startNats } from '../../testkit/nats.js';
import { until } from '../support/books/jobs.js';
import { hear, orderOf } from '../support/orders.js';
import { serveSine, watch } from '../support/processes/nats-workers.js';

const FILES = path.resolve(import.meta.dirname, '../../deploy/nats');
const BIN = path.resolve(import.meta.dirname, '../../bin/tts.js');
const PASSWORDS = { gateway: 'of-gateways', worker: 'of-workers', 'worker-2': 'of-other-workers' };
type User = keyof typeof PASSWORDS;
const ENV = {
  NATS_GATEWAY_PASSWORD: PASSWORDS.gateway,
  NATS_WORKER_PASSWORD: PASSWORDS.worker,
  NATS_WORKER_2_PASSWORD: PASSWORDS['worker-2'],
};

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function broker(config = path.join(FILES, 'nats.conf'), more: NodeJS.ProcessEnv = {}): Promise<NatsServer> {
  const nats = await startNats(['-c', config], { ...ENV, ...more });
  open.push(() => nats.close());
  return nats;
}

/** The same files with a second worker added as they say. */
function withSecondWorker(): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'tts-nats-roles-'));
  open.push(() => rmSync(dir, { recursive: true, force: true }));
  for (const file of readdirSync(FILES)) writeFileSync(path.join(dir, file), readFileSync(path.join(FILES, file)));
  const accounts = path.join(dir, 'accounts.conf');
  const text = readFileSync(accounts, 'utf8');
  const role = /^ {2}worker = \{[^}]*\}\n/m.exec(text)![0];
  const user = /^ *\{ user: worker,.*\}\n/m.exec(text)![0];
  const second = (lines: string) =>
    lines
      .replace(/\bworker( =|,|\.\*)/g, 'worker-2$1')
      .replace('$worker', '$worker-2')
      .replace('WORKER_', 'WORKER_2_');
  writeFileSync(accounts, text.replace(role, role + second(role)).replace(user, user + second(user)));
  return path.join(dir, 'nats.conf');
}

const urlOf = (nats: NatsServer, user: User) => `nats://${user}:${PASSWORDS[user]}@127.0.0.1:${nats.port}`;
const busOf = (nats: NatsServer, user: User) => nats.bus({ servers: urlOf(nats, user), prefix: 'tts' });

/** A client of the same user that does as it likes. */
async function stranger(nats: NatsServer, user: User): Promise<NatsConnection> {
  const connection = await connect({ servers: `127.0.0.1:${nats.port}`, user, pass: PASSWORDS[user] });
  open.push(() => connection.close());
  return connection;
}

/** What becomes of a subscription: the server's refusal, or nothing. */
async function refusalOf(connection: NatsConnection, subject: string, heard?: (data: Uint8Array) => void) {
  let refusal: string | undefined;
  connection.subscribe(subject, {
    callback: (error, message) => {
      if (error !== null) refusal = error.message;
      else heard?.(message.data);
    },
  });
  await connection.flush();
  return refusal;
}

async function speak(nats: NatsServer, text: string): Promise<Buffer> {
  const { pool, workers } = watch(await busOf(nats, 'gateway'));
  const gateway = createGateway({ pool, catalogue: loadCatalogue(), log: silentLogger(), queueLimit: 100 });
  await until(() => pool.state === 'ready');
  const heard = await hear(gateway, orderOf(), [text]);
  await gateway.close();
  workers.close();
  return heard;
}

if (!hasNats()) {
  it('leaves NATS out: nats-server is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('a NATS server with the files of deploy/nats', () => {
    it('carries speech between a gateway and a worker that has the name of its user', async () => {
      const nats = await broker();
      open.push(serveSine(await busOf(nats, 'worker'), 'worker~a-1', { msPerChar: 40 }).close);
      expect((await speak(nats, 'Good evening.')).length).toBeGreaterThan(10_000);
    });

    it.each([
      'tts.worker.worker-2.a-1',
      'tts.worker.worker-2.*',
      'tts.worker.*.*',
      'tts.worker.>',
      'tts.gateway.a.b',
      'tts.gateway.*.*',
      'tts.gateway.>',
      'tts.workers',
      'tts.>',
      '>',
      '_INBOX.>',
      '$SYS.>',
    ])('does not let a worker hear %s', async (subject) => {
      const nats = await broker();
      expect(await refusalOf(await stranger(nats, 'worker'), subject)).toMatch(/permissions violation/i);
    });

    it('does not let a worker give work to others, nor in a queue group with them take theirs', async () => {
      const nats = await broker();
      const worker = await stranger(nats, 'worker');
      const heard: Uint8Array[] = [];
      const gateway = await stranger(nats, 'gateway');
      expect(await refusalOf(gateway, 'tts.workers', (data) => heard.push(data))).toBeUndefined();
      worker.publish('tts.worker.worker-2.a-1', 'speak this');
      worker.publish('tts.hello', 'who is there');
      worker.publish('tts.workers', 'here');
      await worker.flush();
      await until(() => heard.length === 1);
      const denied: string[] = [];
      const callback = (error: Error | null) => {
        if (error !== null) denied.push(error.message);
      };
      worker.subscribe('tts.worker.*.*', { queue: 'q', callback });
      await worker.flush();
      expect(denied).toHaveLength(1);
    });

    it('keeps what one worker speaks from another with a name of its own', async () => {
      const nats = await broker(withSecondWorker());
      open.push(serveSine(await busOf(nats, 'worker-2'), 'worker-2~b-1', { msPerChar: 40 }).close);
      const heard: Uint8Array[] = [];
      const spy = await stranger(nats, 'worker');
      for (const subject of ['tts.worker.worker.*', 'tts.hello']) {
        expect(await refusalOf(spy, subject, (data) => heard.push(data))).toBeUndefined();
      }
      for (const subject of ['tts.worker.worker-2.b-1', 'tts.>']) {
        expect(await refusalOf(spy, subject, (data) => heard.push(data))).toMatch(/permissions violation/i);
      }
      expect((await speak(nats, 'A secret of state.')).length).toBeGreaterThan(10_000);
      await spy.flush();
      const text = heard.map((data) => Buffer.from(data).toString()).join('\n');
      expect(text).not.toContain('secret');
      expect(heard.every((data) => data[0] === 0x7b && data.length < 1_000)).toBe(true);
    });

    it('has a worker of the wrong name end at once, with the setting that mends it', async () => {
      const nats = await broker();
      const env = { PATH: process.env.PATH, HOME: tmpdir(), TTS_ENGINE: 'sine', TTS_NATS: urlOf(nats, 'worker') };
      const run = (name: string) => {
        const child = spawn(process.execPath, [BIN, 'worker', '--workers', '1', '--worker-name', name], {
          env,
          stdio: ['ignore', 'ignore', 'pipe'],
        });
        open.push(() => child.kill('SIGKILL'));
        const worker = { child, log: '', exited: new Promise((resolve) => child.once('exit', resolve)) };
        child.stderr.on('data', (chunk) => {
          worker.log += chunk;
        });
        return worker;
      };
      const wrong = run('somebody');
      expect(await wrong.exited).toBe(2);
      expect(wrong.log).toContain('does not let this user subscribe to tts.worker.somebody.');
      expect(wrong.log).toContain('--worker-name');
      const right = run('worker');
      expect((await speak(nats, 'Good evening.')).length).toBeGreaterThan(10_000);
      right.child.kill('SIGTERM');
      expect(await right.exited).toBe(0);
    });

    it('joins others to a cluster that has a password of its own', async () => {
      const ports = await Promise.all([freePort(), freePort(), freePort()]);
      const more: NodeJS.ProcessEnv = { NATS_ROUTE_PASSWORD: 'of-routes' };
      for (const [n, port] of ports.entries()) more[`NATS_ROUTE_${n + 1}`] = `nats://route:of-routes@127.0.0.1:${port}`;
      const config = path.join(FILES, 'cluster.conf');
      const servers = await Promise.all(
        ports.map((port) => startNats(['-c', config, '--cluster', `nats://127.0.0.1:${port}`], { ...ENV, ...more })),
      );
      open.push(() => Promise.all(servers.map((server) => server.close())));
      open.push(serveSine(await busOf(servers[1]!, 'worker'), 'worker~a-1', { msPerChar: 40 }).close);
      expect((await speak(servers[0]!, 'Good evening.')).length).toBeGreaterThan(10_000);
      expect((await speak(servers[2]!, 'Good evening.')).length).toBeGreaterThan(10_000);
    });
  });
}
