/** Webhooks: signed, repeated until they are heard, and never sent into this machine's network. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/accounts/sqlite/store.js';
import type { AccountStore } from '../../src/accounts/store.js';
import { systemClock } from '../../src/clock.js';
import { Deliveries } from '../../src/jobs/webhook/deliveries.js';
import { isPublicAddress } from '../../src/jobs/webhook/public-address.js';
import { checkWebhookUrl, drawSecret } from '../../src/jobs/webhook/webhook.js';
import { silentLogger } from '../../src/log.js';

interface Heard {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let receiver: Server;
let store: AccountStore;
const heard: Heard[] = [];
/** What the receiver answers, one after the other; then 204. */
const answers: number[] = [];
const secret = drawSecret();

beforeAll(async () => {
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      heard.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      const status = answers.shift() ?? 204;
      response.writeHead(status, status === 302 ? { location: `${address()}/elsewhere` } : {}).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => receiver.close(resolve)));
beforeEach(async () => {
  store = await openSqliteStore(':memory:');
  heard.length = 0;
  answers.length = 0;
});
afterEach(() => store.close());

const port = () => (receiver.address() as AddressInfo).port;
const address = (host = '127.0.0.1') => `http://${host}:${port()}`;

let jobs = 0;
async function endedJob(url: string): Promise<string> {
  const id = `job_${++jobs}`;
  const order = { speech: '{}', model: 'base-tts', voice: 'v', characters: 1, bytes: 1, folder: 'here' };
  const about = { id, key_id: 'k', reservation_id: id, webhook_url: url, webhook_secret: secret };
  await store.jobs.add({ ...order, ...about }, { jobs: 10, bytes: 1_000, leaseMs: 0 });
  await store.jobs.queue(id);
  const end = { outcome: 'completed', made_characters: 1, audio_ms: 1, result: null, error: null } as const;
  await store.jobs.end(id, end, { leaseMs: 1_000 });
  await store.jobs.settled(id, { credits: 1, bytes: 1, keepMs: 1_000_000 });
  return id;
}

const deliveries = (privateToo: boolean, retriesMs: readonly number[]) =>
  new Deliveries({
    table: store.jobs,
    privateToo,
    retriesMs,
    about: ({ id }) => ({ id }),
    log: silentLogger(),
    clock: systemClock,
  });

async function allAttempts(of: Deliveries): Promise<void> {
  for (let n = 0; n < 10; n++) {
    await of.look(new AbortController().signal);
    await of.settled();
  }
}

describe('a webhook', () => {
  it('is repeated with the same id after a failed try, and signed for its receiver', async () => {
    answers.push(500, 302);
    const id = await endedJob(`${address()}/hook?x=1`);
    await allAttempts(deliveries(true, [0, 0, 0]));
    expect(heard).toHaveLength(3);
    for (const { headers, body } of heard) {
      const { 'webhook-id': message, 'webhook-timestamp': time, 'webhook-signature': signature } = headers;
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      const expected = createHmac('sha256', key).update(`${message}.${time}.${body}`).digest('base64');
      expect(signature).toBe(`v1,${expected}`);
      expect(message).toBe(`msg_${id}`);
      expect(JSON.parse(body)).toMatchObject({ type: 'speech.job.completed', data: { id } });
    }
    expect(await store.jobs.find(id)).toMatchObject({ webhook_state: 'delivered', webhook_attempts: 3 });
  });

  it('is given up after its last try, and at once where the receiver is gone', async () => {
    answers.push(500, 500);
    const id = await endedJob(address());
    await allAttempts(deliveries(true, [0]));
    expect(await store.jobs.find(id)).toMatchObject({
      webhook_state: 'failed',
      webhook_attempts: 2,
      webhook_secret: null,
    });
    answers.push(410);
    const gone = await endedJob(address());
    await allAttempts(deliveries(true, [0, 0, 0]));
    expect(await store.jobs.find(gone)).toMatchObject({ webhook_state: 'failed', webhook_attempts: 1 });
  });

  it('does not reach this machine by an address, a name, or a name that is looked up', async () => {
    for (const url of [address(), address('[::1]'), address('localhost'), address('2130706433')]) {
      const id = await endedJob(url);
      await allAttempts(deliveries(false, []));
      expect(await store.jobs.find(id)).toMatchObject({ webhook_state: 'failed', webhook_attempts: 1 });
      const { webhook_error: error } = (await store.jobs.find(id))!;
      expect(error).toMatch(/not an address of the public internet/);
    }
    expect(heard).toEqual([]);
  });

  it('is refused for addresses that are not public, and for what is no web address', () => {
    const refused = ['ftp://example.com', 'example.com', 'https://user:secret@example.com/', 'http://localhost:1/'];
    const inside = ['http://10.0.0.1/', 'http://[::ffff:127.0.0.1]/', 'http://0x7f000001/', 'http://169.254.169.254/'];
    for (const url of [...refused, ...inside]) {
      expect(() => checkWebhookUrl(url, { privateToo: false }), url).toThrow(/webhook_url/);
    }
    for (const url of inside) checkWebhookUrl(url, { privateToo: true });
    checkWebhookUrl('https://example.com/hook', { privateToo: false });
  });

  it('knows which addresses are public', () => {
    const inside = ['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.1.2.3', '169.254.1.1', '172.31.0.1', '192.168.1.1'];
    const inside6 = ['::', '::1', '::ffff:8.8.8.8', 'fe80::1', 'fd00::1', '64:ff9b::a00:1', '2002:7f00:1::', 'ff02::1'];
    const outside = ['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '2a00:1450::1'];
    expect([...inside, ...inside6].filter(isPublicAddress)).toEqual([]);
    expect(outside.filter((each) => !isPublicAddress(each))).toEqual([]);
    expect(isPublicAddress('example.com')).toBe(false);
  });
});
