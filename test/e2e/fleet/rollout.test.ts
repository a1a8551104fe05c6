/**
 * A change of how text is read, rolled out over real processes in the order of
 * docs/many-machines.md: nobody is refused.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { hasNats, startNats } from '../../../testkit/nats.js';
import { until } from '../../../testkit/server.js';
import { makeHome, type ServeProcess, startServe } from '../../support/processes/serve-process.js';

const BIN = path.resolve(import.meta.dirname, '../../../bin/tts.js');
const SENTENCE = 'The four of them walked back along the river to the old house. ';
/** A tone that takes a tenth of the time it lasts. */
const PACE = { TTS_SINE_OPTIONS: JSON.stringify({ pace: 10 }) };

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

interface Gateway {
  readonly server: ServeProcess;
  readonly key: string;
}

function startWorker(env: NodeJS.ProcessEnv, args: readonly string[] = []): ChildProcess {
  const home = makeHome({ ...env, ...PACE });
  const child = spawn(process.execPath, [BIN, 'worker', '--workers', '1', ...args], { env: home.env, stdio: 'ignore' });
  open.push(home.remove, () => child.kill('SIGKILL'));
  return child;
}

async function startGateway(env: NodeJS.ProcessEnv, args: readonly string[] = []): Promise<Gateway> {
  const home = makeHome(env);
  const server = await startServe(home, ['--workers', '0', ...args]);
  open.push(home.remove, () => server.kill('SIGKILL'));
  const made = await home.run('keys', 'create', '--tier', 'partner', '--credits', '1000000', '--json');
  return { server, key: JSON.parse(made.stdout).key };
}

async function speak({ server, key }: Gateway, input: string) {
  const response = await fetch(`${server.baseUrl}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'base-tts-fast', input, response_format: 'pcm', stream: true }),
  });
  return { status: response.status, bytes: (await response.arrayBuffer()).byteLength };
}

const answer = async ({ server }: Gateway, page: string) => (await fetch(`${server.baseUrl}${page}`)).text();
const isReady = async ({ server }: Gateway) => (await fetch(`${server.baseUrl}/readyz`)).status === 200;
/** Of a metric, whose line begins so. */
async function metric(gateway: Gateway, begin: RegExp): Promise<number> {
  const line = (await answer(gateway, '/metrics')).split('\n').find((each) => begin.test(each));
  return Number(line?.split(' ').at(-1));
}

/** Listeners who never stop asking, each whichever gateway the balancer names. */
function listeners(count: number, balancer: () => Gateway) {
  const outcomes = new Map<string, number>();
  let running = true;
  const loops = Array.from({ length: count }, async () => {
    while (running) {
      const outcome = await speak(balancer(), SENTENCE).then(
        ({ status, bytes }) => `${status} ${bytes}`,
        (error: Error) => error.message,
      );
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  });
  const heard = () => [...outcomes.values()].reduce((sum, each) => sum + each, 0);
  return {
    outcomes,
    /** Resolves when so many more readings have ended. */
    async more(readings: number) {
      const from = heard();
      await until(() => heard() >= from + readings, 'more readings');
    },
    async stop() {
      running = false;
      await Promise.all(loops);
    },
  };
}

if (!hasNats()) {
  it('leaves NATS out: nats-server is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  it('a new lexicon comes without a gap: workers, gateways, old gateways out, old workers out', {
    timeout: 180_000,
  }, async () => {
    const nats = await startNats();
    open.push(() => nats.close());
    const env = { TTS_NATS: nats.url };
    const home = makeHome();
    open.push(home.remove);
    const lexicon = path.join(home.dir, 'lexicon.txt');
    writeFileSync(lexicon, 'Kubernetes = koobernettees\n');
    const reads = ['--lexicon', lexicon];

    const oldWorker = startWorker(env);
    const old = await startGateway(env);
    await until(() => isReady(old), 'the old gateway');
    let current = old;
    const people = listeners(4, () => current);
    open.push(people.stop);
    await people.more(4);

    // A gateway without workers of its own reading takes no traffic, and keeps nobody waiting.
    const next = await startGateway(env, reads);
    await until(async () => (await metric(next, /^tts_unusable_workers\{reason="text_version"/)) === 1);
    expect(await isReady(next)).toBe(false);
    expect(await answer(next, '/readyz')).toContain('text is read another way');
    expect((await speak(next, SENTENCE)).status).toBe(503);

    startWorker(env, reads);
    await until(() => isReady(next), 'the new gateway');
    expect(await metric(next, /^tts_usable_workers\{model="base-tts-fast"/)).toBe(1);
    expect(await metric(old, /^tts_unusable_workers\{reason="text_version"/)).toBe(1);
    await until(() => old.server.output.stderr.includes('workers cannot be used by this gateway'));
    await people.more(4);

    const long = speak(old, SENTENCE.repeat(20));
    await until(async () => (await metric(old, /^tts_places_taken/)) > 0);
    current = next;
    await people.more(8);
    expect(await old.server.kill('SIGTERM')).toBe(0);
    const { status, bytes } = await long;
    expect(status).toBe(200);
    const gone = new Promise((resolve) => oldWorker.once('exit', resolve));
    oldWorker.kill('SIGTERM');
    expect(await gone).toBe(0);
    await people.more(8);
    await people.stop();
    expect([...people.outcomes.keys()]).toHaveLength(1);
    const [each] = [...people.outcomes.keys()];
    expect(each).toMatch(/^200 \d{5,}$/);
    // The long reading that the old gateway finished is twenty of the short ones.
    expect(bytes).toBeGreaterThan(19 * Number(each!.split(' ')[1]));
    expect(await metric(next, /^tts_unusable_workers\{reason="text_version"/)).toBe(0);
  });
}
