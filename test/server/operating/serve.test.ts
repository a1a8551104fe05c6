/** `tts serve`, the process: settings, lock, runtime file, TLS, signals. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseRuntimeRecord, runtimeFile } from '../../../src/protocol/runtime.js';
import { freePort } from '../../../testkit/nats.js';
import { until } from '../../../testkit/server.js';
import { createKey, ready } from '../../support/browser/pages.js';
import {
  adminSecretOf,
  type Home,
  makeHome,
  type ServeProcess,
  startServe,
} from '../../support/processes/serve-process.js';

const homes: Home[] = [];
const running: ServeProcess[] = [];
const home = (env?: NodeJS.ProcessEnv): Home => {
  const made = makeHome(env);
  homes.push(made);
  return made;
};
const serve = async (at: Home, ...args: string[]): Promise<ServeProcess> => {
  const server = await startServe(at, args);
  running.push(server);
  return server;
};
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.kill('SIGKILL')));
  for (const one of homes.splice(0)) one.remove();
});

/** A key made through the server: a command takes a core as long as twenty of these. */
const keyOf = ({ baseUrl }: ServeProcess, at: Home): Promise<string> =>
  createKey(baseUrl, adminSecretOf(at), { tier: 'partner', credits: 1000 });
const speak = (baseUrl: string, key: string, body: object = {}) =>
  fetch(`${baseUrl}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'base-tts', input: 'Good evening, all of you.', ...body }),
  });

describe('tts serve without options', () => {
  const at = makeHome();
  let server: ServeProcess;
  beforeAll(async () => {
    server = await startServe(at);
  });
  afterAll(async () => {
    await server.kill('SIGKILL');
    at.remove();
  });

  const record = () => path.join(at.runtimeDir, runtimeFile(server.child.pid!));

  it('leaves its address and a key without a balance for commands on this machine', async () => {
    expect(statSync(record()).mode & 0o777).toBe(0o600);
    expect(statSync(at.runtimeDir).mode & 0o777).toBe(0o700);
    const { baseUrl, pid, apiKey } = parseRuntimeRecord(readFileSync(record(), 'utf8'))!;
    expect([baseUrl, pid]).toEqual([server.baseUrl, server.child.pid]);
    const response = await speak(baseUrl, apiKey);
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    expect(JSON.parse((await at.run('keys', 'list', '--json')).stdout)).toEqual([]);
  });

  it('refuses a data folder that another server uses, and names it', async () => {
    const { code, stderr } = await at.run('serve', '--port', '0');
    expect(code).toBe(1);
    expect(stderr).toContain(at.dataDir);
    expect(stderr).toContain(String(server.child.pid));
    expect(stderr).toContain(server.baseUrl);
  });

  it('says so when its port is taken', async () => {
    const { port } = new URL(server.baseUrl);
    const { code, stderr } = await home().run('serve', '--port', port);
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`port ${port} is taken.*--port`));
  });

  it('says where it is and how to make a key, and serves the key made beside it at once', async () => {
    expect(server.output.stdout).toMatch(/^tts is listening on http:\/\/127\.0\.0\.1:\d+ /);
    expect(server.output.stdout).toContain(`tts keys create --tier partner --credits 100000 --data-dir ${at.dataDir}`);
    const { stdout } = await at.run('keys', 'create', '--tier', 'partner', '--credits', '1000', '--json');
    const { key, id } = JSON.parse(stdout);
    const response = await speak(server.baseUrl, key);
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    const list = JSON.parse((await at.run('keys', 'list', '--json')).stdout);
    expect(list.find((row: { id: string }) => row.id === id).credits).toBe(1000 - 25);
    await at.run('keys', 'revoke', id);
    expect((await speak(server.baseUrl, key)).status).toBe(401);
  });

  it('takes its address away when it stops', async () => {
    expect(existsSync(record())).toBe(true);
    expect(await server.kill('SIGTERM')).toBe(0);
    expect(existsSync(record())).toBe(false);
  });
});

describe('tts serve', () => {
  it('exits 0 where it is told to stop before it listens', async () => {
    // Signals itself as soon as somebody listens for that.
    const early = `process.on('newListener', (name) => name === 'SIGTERM' && setImmediate(() => process.kill(process.pid, 'SIGTERM')))`;
    const started = startServe(home(), [], ['--import', `data:text/javascript,${encodeURIComponent(early)}`]);
    await expect(started).rejects.toThrow(/ended with 0:/);
  });

  it('shows every option with its default in its help', async () => {
    const { stdout, code } = await home().run('serve', '--help');
    expect(code).toBe(0);
    const options = stdout.split(/\n {2}(?=-)/).map((row) => row.replace(/\s+/g, ' '));
    for (const [option, shown] of [
      ['--port', '8787'],
      ['--host', '127.0.0.1'],
      ['--data-dir', '$XDG_DATA_HOME/tts'],
      ['--free-concurrency', '2'],
      ['--free-daily', '200'],
      ['--partner-concurrency', '8'],
      ['--device', 'auto'],
      ['--workers', 'auto'],
      ['--threads', 'auto'],
      ['--log-level', 'info'],
      ['--queue-limit', '256'],
      ['--max-connections', '4096'],
      ['--max-held-mb', '44'],
      ['--max-held-disk-mb', '400'],
      ['--tls-cert', 'none'],
      ['--cors-origin', 'none'],
      ['--metrics-port', '0'],
    ] as const) {
      expect(
        options.find((row) => row.startsWith(`${option} <`)),
        option,
      ).toContain(`default: ${shown}`);
    }
    expect(stdout).toContain('Examples:');
  });

  it('refuses a setting that cannot be, with exit code 2', async () => {
    const at = home();
    for (const args of [
      ['--port', '99999'],
      ['--device', 'toaster'],
      ['--tls-cert', 'only-one.pem'],
      ['--tls-cert', 'none.pem', '--tls-key', 'none.pem'],
      ['--nonsense'],
    ]) {
      const { code, stderr } = await at.run('serve', ...args);
      expect(code).toBe(2);
      expect(stderr).toMatch(/./);
    }
  });

  it('says what is wrong with a voice or pronunciation file before it serves', async () => {
    const at = home();
    const bad = path.join(at.dir, 'bad.json');
    writeFileSync(bad, '{"id": 7}');
    const voices = await at.run('serve', '--port', '0', '--voices-dir', at.dir);
    expect(voices.code).toBe(6);
    expect(voices.stderr).toContain(bad);
    const lexicon = await at.run('serve', '--port', '0', '--lexicon', path.join(at.dir, 'missing.txt'));
    expect(lexicon.code).not.toBe(0);
    expect(lexicon.stderr).toContain('missing.txt');
  });

  it('speaks TLS, and does not warn where it listens beyond this machine with it', async () => {
    const at = home();
    // Made for this test, for 127.0.0.1, valid for a hundred years: a fresh machine has no tool to
    // make one.
    const [cert, key] = ['cert', 'key'].map((name) =>
      path.join(import.meta.dirname, `../../support/tls/test-only-${name}.pem`),
    ) as [string, string];
    const server = await serve(at, '--host', '0.0.0.0', '--tls-cert', cert, '--tls-key', key);
    expect(server.baseUrl).toMatch(/^https:/);
    const ask = (headers: Record<string, string>) =>
      new Promise<{ status: number | undefined; hsts: unknown }>((resolve, reject) => {
        const url = `${server.baseUrl}/healthz`;
        httpsRequest(url, { ca: readFileSync(cert), headers, agent: false }, (response) => {
          response.resume();
          resolve({ status: response.statusCode, hsts: response.headers['strict-transport-security'] });
        })
          .on('error', reject)
          .end();
      });
    expect(await ask({})).toMatchObject({ status: 200, hsts: expect.stringContaining('max-age') });
    expect(await ask({ connection: 'upgrade', upgrade: 'websocket' })).toMatchObject({ status: 200 });
    expect(server.output.stderr).not.toContain('without TLS');
    const { stdout } = await at.run('doctor', '--json', '--port', '0');
    const local = (JSON.parse(stdout) as { what: string; found: string }[]).find(({ what }) => what === 'Local server');
    expect(local?.found).toContain(server.baseUrl);
    for (const command of [
      ['voices', '--json'],
      ['speak', 'Hello there.', '-o', path.join(at.dir, 'a.wav')],
    ]) {
      expect(await at.run(...command)).toMatchObject({ code: 0 });
    }
    const spoken = (await at.run('usage', '--json', '--key', 'local')).stdout;
    expect(JSON.parse(spoken)).toMatchObject([{ outcome: 'completed', characters: 12 }]);
    const streamed = await at.run('speak', '--seed', '7', 'Hello again.', '-o', path.join(at.dir, 'b.wav'));
    expect(streamed).toMatchObject({ code: 0 });
    expect(JSON.parse((await at.run('usage', '--json', '--key', 'local')).stdout)).toHaveLength(2);
  });
});

describe('tts serve with settings of its own', () => {
  const at = makeHome({ TTS_FREE_DAILY: '2', TTS_FREE_CONCURRENCY: '5' });
  let metricsPort: string;
  let server: ServeProcess;
  beforeAll(async () => {
    const file = path.join(at.dir, 'config.json');
    writeFileSync(file, JSON.stringify({ freeDaily: 9, freeConcurrency: 0, partnerConcurrency: 0 }));
    at.env.TTS_CONFIG = file;
    metricsPort = String(await freePort());
    const limits = ['--free-daily', 'base-tts=1,base-tts-fast=3', '--log-level', 'warn'];
    server = await startServe(at, [...limits, '--host', '0.0.0.0', '--metrics-port', metricsPort]);
  });
  afterAll(async () => {
    await server.kill('SIGKILL');
    at.remove();
  });

  it('takes them from flags, environment and file, in this order, and limits each Free model by itself', async () => {
    const key = await keyOf(server, at);
    const left = async (model: string) => {
      const answer = await speak(server.baseUrl, key, { model });
      await answer.arrayBuffer();
      const header = (name: string) => answer.headers.get(`x-ratelimit-${name}-requests`);
      return [answer.status, header('limit'), header('remaining')];
    };
    // The file alone would let no Free request in, the environment alone two a day.
    expect(await left('base-tts:free')).toEqual([200, '1', '0']);
    expect(await left('base-tts:free')).toEqual([429, '1', '0']);
    expect(await left('base-tts-fast:free')).toEqual([200, '3', '2']);
    expect((await speak(server.baseUrl, key)).status).toBe(429);
    expect(server.output.stderr, 'a line of less than a warning').not.toContain('"level":30');
    const shown = await at.run('config', '--free-daily', 'base-tts=1');
    expect(shown.stdout).toMatch(/freeDaily +base-tts=1,base-tts-fast=200 +--free-daily/);
    expect(shown.stdout).toMatch(/freeConcurrency +5 +TTS_FREE_CONCURRENCY/);
  });

  it('warns where it listens beyond this machine without TLS', async () => {
    await until(() => server.output.stderr.includes('without TLS'), 'the warning');
  });

  it('serves metrics on another port where asked', async () => {
    expect((await fetch(`${server.baseUrl}/metrics`)).status).toBe(404);
    expect(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()).toContain('tts_workers');
    expect(await server.kill('SIGTERM')).toBe(0);
  });
});

describe('stopping', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s finishes what runs, takes nothing new, and exits 0', async (signal) => {
    const at = home({ TTS_SINE_OPTIONS: JSON.stringify({ pace: 0.5 }) });
    const server = await serve(at);
    await ready(server);
    const key = await keyOf(server, at);
    const response = await speak(server.baseUrl, key, { stream: true, response_format: 'pcm' });
    server.child.kill(signal);
    const refused = () =>
      fetch(`${server.baseUrl}/healthz`).then(
        () => false,
        () => true,
      );
    await until(refused, 'refusal of new connections');
    const audio = await response.arrayBuffer();
    expect(audio.byteLength).toBe(21 * 55 * 48);
    expect(await server.exited).toBe(0);
    const list = JSON.parse((await at.run('keys', 'list', '--json')).stdout);
    expect(list[0]).toMatchObject({ credits: 975, reserved: 0 });
  });

  it('a second signal ends it at once, and what ran is not paid for', async () => {
    const at = home({ TTS_SINE_OPTIONS: JSON.stringify({ pace: 0.05 }) });
    const server = await serve(at);
    await ready(server);
    const key = await keyOf(server, at);
    const work = speak(server.baseUrl, key, { stream: true });
    work.catch(() => undefined);
    const metrics = async () => (await fetch(`${server.baseUrl}/metrics`)).text();
    await until(async () => (await metrics()).includes('tts_active_sessions{route="speech"} 1'), 'speech');
    server.child.kill('SIGTERM');
    await until(() => server.output.stderr.includes('stopping'), 'the beginning of the stop');
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(143);
    const again = await serve(at);
    const list = JSON.parse((await at.run('keys', 'list', '--json')).stdout);
    expect(list[0]).toMatchObject({ credits: 1000, reserved: 0 });
    await again.kill('SIGTERM');
  });
});

describe('an engine that dies', () => {
  it('under a request is replaced, and the listener hears one unbroken reading', async () => {
    const at = home({ TTS_SINE_OPTIONS: JSON.stringify({ delayMs: 400 }) });
    const server = await serve(at);
    await ready(server);
    const key = await keyOf(server, at);
    const enginePid = () => Number([...server.output.stderr.matchAll(/"pid":(\d+),"msg":"engine ready"/g)].at(-1)![1]);
    const text = { input: 'One fine day. Two fine days. And a third one.', response_format: 'pcm', stream: true };
    const metrics = async () => (await fetch(`${server.baseUrl}/metrics`)).text();
    const whole = await (await speak(server.baseUrl, key, text)).arrayBuffer();
    const first = enginePid();
    const work = speak(server.baseUrl, key, text);
    await until(async () => (await metrics()).includes('tts_active_sessions{route="speech"} 1'), 'speech');
    process.kill(first, 'SIGKILL');
    const response = await work;
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(whole))).toBe(true);
    expect(enginePid()).not.toBe(first);
    expect(await metrics()).toMatch(/tts_engine_restarts_total 1/);
  });
});
