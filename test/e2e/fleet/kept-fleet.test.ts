/**
 * Words and voices that the operator keeps reach two gateways and two workers while people listen:
 * nobody is refused, and no stream breaks off.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { hasNats, startNats } from '../../../testkit/nats.js';
import { hasPostgres } from '../../../testkit/postgres.js';
import { until } from '../../../testkit/server.js';
import { adminSecretOf, makeHome } from '../../support/processes/serve-process.js';
import { serversOnPostgres } from '../../support/processes/servers-on-postgres.js';

const BIN = path.resolve(import.meta.dirname, '../../../bin/tts.js');
const SENTENCE = 'The four of them asked nginx for the way along the river. ';
const PACE = { TTS_SINE_OPTIONS: JSON.stringify({ pace: 10 }) };
const COSY = {
  display_name: 'Cosy',
  language: 'en-US',
  gender: 'neutral',
  description: 'A mix.',
  style: { af_heart: 60, bm_george: 40 },
};

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

function startWorker(env: NodeJS.ProcessEnv): ChildProcess {
  const home = makeHome({ ...env, ...PACE });
  const child = spawn(process.execPath, [BIN, 'worker', '--workers', '1'], { env: home.env, stdio: 'ignore' });
  open.push(home.remove, () => child.kill('SIGKILL'));
  return child;
}

if (!hasNats() || !hasPostgres()) {
  it('leaves the fleet out: nats-server or PostgreSQL is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  it('what the operator keeps at one gateway counts at all, without a gap', { timeout: 180_000 }, async () => {
    const nats = await startNats();
    open.push(() => nats.close());
    const env = { TTS_NATS: nats.url };
    startWorker(env);
    startWorker(env);
    const fleet = await serversOnPostgres({ args: ['--workers', '0'], env });
    open.push(() => fleet.close());
    const [one, two] = fleet.servers.map(({ baseUrl }) => baseUrl) as [string, string];
    const { key } = await fleet.keyring.create({ tier: 'partner', credits: 10_000_000 });
    const as = (secret: string) => ({ authorization: `Bearer ${secret}`, 'content-type': 'application/json' });
    const asOperator = async (method: string, where: string, body?: object) => {
      const headers = body ? as(adminSecretOf(fleet.home)) : { authorization: `Bearer ${adminSecretOf(fleet.home)}` };
      const response = await fetch(`${one}/admin/v1/${where}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      return response.status;
    };
    const begin = (server: string, voice: string, input = SENTENCE) => {
      const body = JSON.stringify({ model: 'base-tts-fast', voice, input, response_format: 'pcm', stream: true });
      return fetch(`${server}/v1/audio/speech`, { method: 'POST', headers: as(key), body });
    };
    const speak = async (server: string, voice: string) => {
      const response = await begin(server, voice);
      return `${response.status} ${(await response.arrayBuffer()).byteLength}`;
    };
    const said = async (server: string) => {
      const body = JSON.stringify({ text: SENTENCE });
      const response = await fetch(`${server}/playground/explain`, { method: 'POST', headers: as(key), body });
      return JSON.stringify(await response.json());
    };
    for (const server of [one, two]) await until(async () => (await fetch(`${server}/readyz`)).ok, 'both gateways');

    const outcomes = new Map<string, number>();
    let running = true;
    const people = [one, two].map(async (server) => {
      while (running) {
        const outcome = await speak(server, 'english_female_professional');
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    });
    open.push(() => {
      running = false;
      return Promise.all(people);
    });
    const heard = () => [...outcomes.values()].reduce((sum, each) => sum + each, 0);
    const more = async (readings: number) => {
      const from = heard();
      await until(() => heard() >= from + readings, 'more readings');
    };
    await more(4);

    expect(await said(two)).not.toContain('engine x');
    expect(await asOperator('PUT', 'lexicon/nginx', { said: 'engine x' })).toBe(204);
    expect(await said(one)).toContain('engine x');
    await until(async () => (await said(two)).includes('engine x'), 'the other gateway to read so');
    await more(4);

    expect(await speak(two, 'cosy')).toMatch(/^400 /);
    expect(await asOperator('PUT', 'voices/cosy', COSY)).toBe(204);
    await until(async () => (await speak(two, 'cosy')).startsWith('200 '), 'the other gateway to have the voice');
    // Twenty sentences, begun before the voice is removed, are spoken to their end.
    const short = Number((await speak(two, 'cosy')).split(' ')[1]);
    const long = await begin(two, 'cosy', SENTENCE.repeat(20));
    expect(await asOperator('DELETE', 'voices/cosy')).toBe(204);
    expect(await asOperator('DELETE', 'lexicon/nginx')).toBe(204);
    await until(async () => (await speak(two, 'cosy')).startsWith('400 '), 'the other gateway to lack the voice');
    expect(long.status).toBe(200);
    expect((await long.arrayBuffer()).byteLength).toBeGreaterThan(19 * short);
    await until(async () => !(await said(two)).includes('engine x'), 'the other gateway to read as before');
    await more(4);

    running = false;
    await Promise.all(people);
    expect([...outcomes.keys()].filter((outcome) => !outcome.startsWith('200 '))).toEqual([]);
  });
}
