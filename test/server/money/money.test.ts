/**
 * Money under fire: many requests at once, clients that leave, a server that is killed. The ledger
 * balances all the same.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { accountsFile } from '../../../src/accounts/data-folder.js';
import { createKeyring } from '../../../src/accounts/keyring.js';
import { openPostgresStore } from '../../../src/accounts/postgres/store.js';
import { openSqliteStore } from '../../../src/accounts/sqlite/store.js';
import type { AccountStore, LedgerRow } from '../../../src/accounts/store.js';
import { hasPostgres, type Postgres, startPostgres } from '../../../testkit/postgres.js';
import { until } from '../../../testkit/server.js';
import { type Home, makeHome, type ServeProcess, startServe } from '../../support/processes/serve-process.js';

const ROUNDS = 4;
/** Requests a round; a round on PostgreSQL, where each takes longer, has half as many. */
const REQUESTS = 120;
const LANES = 30;
const CREDITS = 6_000;

/** The same game every time; another seed by the environment, to look for trouble. */
let state = Number(process.env.TTS_TEST_SEED ?? 20_261_115);
const random = (): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};
const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;

interface Seen {
  readonly id: string;
  readonly chars: number;
  readonly keyId: string;
  readonly free: boolean;
  /**
   * `whole`: the client has all of it. `refused`: a status that is no success. `left`: it went
   * away. `broken`: the server did.
   */
  end: 'whole' | 'refused' | 'left' | 'broken';
}

let store: AccountStore;
let servers: ServeProcess[];
let keys: { key: string; id: string }[];

/** A sentence takes 10 ms: little sound, slowly, for the money is the same. */
const sine = { TTS_SINE_OPTIONS: JSON.stringify({ msPerChar: 10, pace: 27, failOn: 'poison', failAtOnceOn: 'venom' }) };
async function start(home: Home): Promise<ServeProcess> {
  const server = await startServe(home, ['--log-level', 'error', '--queue-limit', '40']);
  await until(async () => (await fetch(`${server.baseUrl}/readyz`)).ok);
  return server;
}

const sentence = () =>
  pick(['The train leaves at seven. ', 'Nobody knew why, of course. ', 'A poison, or a remedy? ', 'Venom! ']);

async function request(n: number): Promise<Seen> {
  const { key, id: keyId } = pick(keys);
  const free = random() < 0.15;
  let input = 'Well then. ';
  for (let i = Math.floor(random() * 8); i > 0; i--) input += sentence();
  if (random() < 0.02) input = 'The same old story. '.repeat(100);
  if (random() < 0.05) input += 'venom';
  const seen: Seen = { id: `money-${n}`, chars: input.trim().length, keyId, free, end: 'broken' };
  const controller = new AbortController();
  const leaves = random() < 0.25;
  if (leaves) setTimeout(() => controller.abort(), random() * 150);
  try {
    const response = await fetch(`${pick(servers).baseUrl}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-request-id': seen.id },
      body: JSON.stringify({ model: free ? 'base-tts:free' : 'base-tts', input, stream: random() < 0.5 }),
      signal: controller.signal,
    });
    await response.arrayBuffer();
    seen.end = response.status === 200 ? 'whole' : 'refused';
  } catch {
    seen.end = controller.signal.aborted ? 'left' : 'broken';
  }
  return seen;
}

/** The first of the servers is killed at the end of every round but the last, and started again. */
async function game(home: Home, requests: number, onWait: () => Promise<void> = async () => undefined): Promise<void> {
  const keyring = createKeyring(store);
  keys = [];
  for (let i = 0; i < 6; i++) keys.push(await keyring.create({ tier: 'partner', credits: CREDITS }));
  const seen: Seen[] = [];
  let watching = true;
  const watch = (async () => {
    while (watching) {
      for (const { id } of keys) {
        const { credits, reserved } = (await store.findKey(id))!;
        expect(reserved).toBeGreaterThanOrEqual(0);
        expect(credits - reserved).toBeGreaterThanOrEqual(0);
      }
      await sleep(60);
    }
  })();

  for (let round = 0; round < ROUNDS; round++) {
    const last = round === ROUNDS - 1;
    let next = round * requests;
    const end = next + requests;
    const lanes = Array.from({ length: LANES }, async () => {
      while (next < end) seen.push(await request(next++));
    });
    if (!last) {
      await sleep(300 + random() * 700);
      await servers[0]!.kill('SIGKILL');
    }
    await Promise.all(lanes);
    if (!last) servers[0] = await start(home);
  }
  // On a shared database what the killed one held comes back by lease.
  await until(async () => {
    await onWait();
    return (await Promise.all(keys.map(({ id }) => store.findKey(id)))).every((key) => key?.reserved === 0);
  });
  for (const server of servers) expect(await server.kill('SIGTERM')).toBe(0);
  watching = false;
  await watch;

  const rows = new Map<string, LedgerRow>();
  for await (const row of store.usage({})) {
    expect(rows.has(row.requestId)).toBe(false);
    rows.set(row.requestId, row);
  }
  const spent = new Map(keys.map(({ id }) => [id, 0]));
  for (const row of rows.values()) {
    spent.set(row.keyId, spent.get(row.keyId)! + row.credits);
    const free = row.model.endsWith(':free');
    expect(row.credits).toBe(row.outcome === 'completed' && !free ? row.characters : 0);
  }
  for (const { id } of keys) {
    expect(await store.findKey(id)).toMatchObject({ credits: CREDITS - spent.get(id)!, reserved: 0 });
  }
  for (const { id, end, chars, free } of seen) {
    const row = rows.get(id);
    if (row !== undefined) expect(row.characters).toBe(chars);
    // What the server had not yet written down when it was killed is the one case in favour of the
    // client.
    if (end === 'whole' && row?.outcome !== 'interrupted') expect(row).toMatchObject({ outcome: 'completed' });
    if (end === 'whole' && row?.outcome === 'completed') expect(row.credits).toBe(free ? 0 : chars);
    if (end === 'refused' || end === 'broken') expect(row?.credits ?? 0).toBe(0);
  }
  const ends = (end: Seen['end']) => seen.filter((one) => one.end === end).length;
  expect(seen.length).toBe(ROUNDS * requests);
  for (const end of ['whole', 'refused', 'left', 'broken'] as const) expect(ends(end), end).toBeGreaterThan(0);
  const outcomes = new Set([...rows.values()].map(({ outcome }) => outcome));
  expect([...outcomes].sort()).toEqual(['cancelled', 'completed', 'failed', 'interrupted']);
}

describe('money', () => {
  const homes: Home[] = [];
  let postgres: Postgres | undefined;
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill('SIGKILL')));
    await store.close();
    await postgres?.close();
    for (const home of homes) home.remove();
  });

  it(`balances to the credit over ${ROUNDS * REQUESTS} requests, clients that leave and ${ROUNDS - 1} kills`, async () => {
    const home = makeHome(sine);
    homes.push(home);
    servers = [await start(home)];
    store = await openSqliteStore(accountsFile(home.dataDir));
    await game(home, REQUESTS);
    await store.close();
  }, 180_000);

  if (!hasPostgres()) {
    it('leaves PostgreSQL out: postgresql is not installed', () => {
      expect(process.env.CI).not.toBe('true');
    });
  } else {
    it('balances as well over two servers on PostgreSQL, of which one is killed', async () => {
      postgres = await startPostgres();
      const url = await postgres.create();
      const home = makeHome({ ...sine, TTS_DATABASE: url });
      homes.push(home);
      servers = await Promise.all([start(home), start(home)]);
      store = await openPostgresStore(url);
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      // A server renews its lease of 15 s every three: one that has not for eight is one that was
      // killed, and nobody waits for the rest of its lease.
      const endLeases = `UPDATE leases SET expires_ms = 0 WHERE expires_ms < extract(epoch FROM now()) * 1000 + 7000`;
      await game(home, REQUESTS / 2, async () => void (await client.query(endLeases)));
      await client.end();
      expect(await store.check()).toEqual([]);
    }, 180_000);
  }
});
