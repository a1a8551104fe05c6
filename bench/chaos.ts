/**
 * A whole distributed service on one machine, of which parts are killed, frozen and cut off at random, for longer than a lease
 * as well: gateways (one with a clock that is a day ahead), workers, the broker, the database, rows of keys in it. Afterwards
 * every session that was finished sounded as it does undisturbed, to the byte, the ledger balances to the credit, nothing is
 * stuck, and every key was billed what its clients heard: nothing else, and all of it but for what the contract calls free.
 *
 *   npm run bench -- chaos [--minutes 5] [--sessions 20] [--talkers 24] [--gateways 3] [--workers 4] [--bill-delivered] [--calm]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createKeyring } from '../src/accounts/keyring.js';
import { openPostgresStore } from '../src/accounts/postgres/store.js';
import type { LedgerRow } from '../src/accounts/store.js';
import { type Begun, Disturbances, disturb, rowFaults } from './faults.js';
import { compareHeard, whereOf } from './heard.js';
import { type Fate, ledgerDifferences } from './ledger.js';
import { BENCH_CREDITS } from './serve.js';
import { type Gateway, leftBehind, lostReservations, startService } from './service.js';
import { type Talk, talk } from './talkers.js';
import { learnSounds, type Visit, visit } from './visitors.js';

/** Leases of a killed gateway run out within half a minute; three times that is stuck. */
const SETTLE_MS = 90_000;
/** An end is written that long after its session at most, counted from when nothing kept its gateway from it. */
const UNWRITTEN_MS = 20_000;
/** What a talker waits that was refused. */
const REFUSED_MS = 1_000;
/** Talkers of a key, and the sessions it may have at once: those of gateways that are gone are in the way of new ones. */
const TALKERS_PER_KEY = 4;
/** Reserves ahead; does not; runs out of credits, where that leaves no doubt about who owes what. */
const BALANCES = [10_000_000, 25_000];
const POOR = 3_000;

type Seen = Visit & { readonly fate: Fate | undefined; readonly where: string };

const count = (names: readonly string[]) => {
  const tally: Record<string, number> = {};
  for (const name of names) tally[name] = (tally[name] ?? 0) + 1;
  return JSON.stringify(tally);
};

export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      minutes: { type: 'string', default: '5' },
      sessions: { type: 'string', default: '20' },
      talkers: { type: 'string', default: '24' },
      gateways: { type: 'string', default: '3' },
      workers: { type: 'string', default: '4' },
      'bill-delivered': { type: 'boolean', default: false },
      calm: { type: 'boolean', default: false },
    },
  });
  const billDelivered = values['bill-delivered'];
  const service = await startService({
    gateways: Number(values.gateways),
    workers: Number(values.workers),
    billDelivered,
  });
  const { gateways, outages } = service;
  const store = await openPostgresStore(service.database);
  const keyring = createKeyring(store);
  const visitors = await keyring.create({ tier: 'partner', credits: BENCH_CREDITS });
  const balances = billDelivered ? BALANCES : [...BALANCES, POOR];
  const keys = await Promise.all(
    Array.from({ length: Math.ceil(Number(values.talkers) / TALKERS_PER_KEY) }, (_, i) =>
      keyring.create({
        tier: 'partner',
        credits: balances[i % balances.length]!,
        limits: { concurrency: TALKERS_PER_KEY },
      }),
    ),
  );

  const fateOf = (gateway: Gateway, from: number, to: number): Fate | undefined => {
    const written = Disturbances.quietFrom(to, UNWRITTEN_MS, [gateway.faults, outages]) + UNWRITTEN_MS;
    if (gateway.kills.between(from, written)) return 'killed';
    return gateway.faults.between(from, to) || outages.between(from, to) ? 'out of reach' : undefined;
  };
  const sounds = await learnSounds({ ...gateways[0]!, key: visitors.key });
  const startMs = performance.now();
  const endMs = startMs + Number(values.minutes) * 60_000;
  const visits: (Visit & Pick<Talk, 'gateway' | 'startMs' | 'endMs'>)[] = [];
  const talks: Talk[] = [];
  const faults: Begun[] = [];
  const deleted = new Set<string>();
  const impossible = new Set<string>();

  const again = async (delayMs: number, come: (gateway: Gateway) => Promise<void>) => {
    await sleep(delayMs);
    while (performance.now() < endMs) {
      const up = gateways.filter((gateway) => gateway.up);
      const gateway = up[Math.floor(Math.random() * up.length)];
      if (gateway !== undefined) await come(gateway);
      await sleep(Math.random() * 400);
    }
  };
  const clients = [
    ...Array.from({ length: Number(values.sessions) }, (_, i) =>
      again(i * 50, async (gateway) => {
        const begun = performance.now();
        const seen = await visit({ ...gateway, key: visitors.key }, sounds);
        const ended = performance.now();
        visits.push(...seen.map((each) => ({ ...each, gateway, startMs: begun, endMs: ended })));
      }),
    ),
    ...Array.from({ length: Number(values.talkers) }, (_, i) =>
      again(i * 50, async (gateway) => {
        const ended = await talk(gateway, keys[i % keys.length]!);
        talks.push(ended);
        if (ended.ending === 'refused') await sleep(REFUSED_MS);
      }),
    ),
  ];
  /** What may be at no moment, whatever is disturbed. */
  const watchBalances = async () => {
    while (performance.now() < endMs) {
      await sleep(500);
      const found = await store.listKeys().catch(() => []);
      for (const { id, credits, reserved } of found) {
        if (credits < 0 || reserved < 0 || reserved > credits)
          impossible.add(`key ${id} had ${credits} credits and ${reserved} reserved`);
      }
    }
  };
  const report = async () => {
    while (performance.now() < endMs) {
      await sleep(Math.min(15_000, Math.max(1_000, endMs - performance.now())));
      const done = visits.filter(({ ending }) => ending === 'completed').length;
      const heard = talks.filter(({ ending }) => ending === 'completed').length;
      const seconds = ((performance.now() - startMs) / 1000).toFixed(0);
      process.stdout.write(
        `${seconds} s: ${visits.length} visits, ${done} completed; ${talks.length} talks, ${heard} completed\n`,
      );
    }
  };
  const rows = rowFaults(
    service.database,
    keys.filter(({ credits }) => credits !== POOR).map(({ id }) => id),
    (keyId) => deleted.add(keyId),
  );
  const disturbing = values.calm ? [] : [disturb([...rows, ...service.faults], endMs, faults)];
  await Promise.all([report(), watchBalances(), ...disturbing, ...clients]);

  const seen: Seen[] = visits.map((each) => ({
    ...each,
    fate: fateOf(each.gateway, each.startMs, each.endMs),
    where: whereOf(each),
  }));
  const look = async () => {
    const ledger: LedgerRow[] = [];
    for await (const row of store.usage({})) ledger.push(row);
    const ofVisitors = ledger.filter(({ keyId }) => keyId === visitors.id);
    const key = (await store.findKey(visitors.id))!;
    const byId = new Map<string, LedgerRow[]>();
    for (const row of ledger) byId.set(row.requestId, [...(byId.get(row.requestId) ?? []), row]);
    const compared = compareHeard(talks, byId, {
      billDelivered,
      fateOf: ({ gateway, startMs: from, endMs: to }) => fateOf(gateway, from, to),
      deleted,
    });
    const balances: string[] = [];
    for (const { id, credits: begun } of keys) {
      const { credits, reserved } = (await store.findKey(id))!;
      const { billed = 0 } = compared.keys.get(id) ?? {};
      if (begun - credits !== billed) balances.push(`key ${id}: ${begun - credits} debited, ${billed} in the ledger`);
      if (reserved !== 0) balances.push(`key ${id}: ${reserved} still reserved`);
    }
    let stuck = 0;
    for (const gateway of gateways) stuck += await leftBehind(gateway);
    const wrong = [
      ...ledgerDifferences({ rows: ofVisitors, key }, seen, { billDelivered }),
      ...compared.wrong,
      ...balances,
      ...(await store.check()),
    ];
    return { compared, stuck, wrong };
  };
  const settlingMs = performance.now();
  let found = await look();
  while ((found.stuck > 0 || found.wrong.length > 0) && performance.now() < settlingMs + SETTLE_MS) {
    await sleep(1_000);
    found = await look();
  }
  const { compared, stuck } = found;
  const wrong = [...impossible, ...found.wrong];

  // Its own server was killed or out of reach under it: it may have had no good end.
  const named = seen.map(({ ending, fate }) =>
    fate !== undefined && ending !== 'completed' && ending !== 'other sound' ? `${ending}, ${fate}` : ending,
  );
  const sum = (column: 'heard' | 'billed' | 'free' | 'over' | 'under') =>
    [...compared.keys.values()].reduce((total, key) => total + key[column], 0);
  process.stdout.write(
    `visits ${count(named)}\ntalks ${count(talks.map(({ ending, told }) => (ending === 'ended' || ending === 'refused' ? told : ending)))}\n` +
      `faults ${count(faults.map(({ fault }) => fault.name))}\nlost reservations ${JSON.stringify(await lostReservations(gateways))}\n`,
  );
  for (const [id, { heard, billed, free, over, under }] of compared.keys) {
    process.stdout.write(
      `key ${id}: ${heard} characters heard, ${billed} billed, ${free} free; ${over} over, ${under} under\n`,
    );
  }
  process.stdout.write(
    `${sum('heard')} characters heard by ${compared.keys.size} keys, ${sum('billed')} billed, ${sum('free')} free by the contract, ` +
      `${compared.inFlight} at the end of broken-off sessions not counted\n` +
      `billed and not heard: ${sum('over')}, heard and not billed: ${sum('under')}\n` +
      `left behind: ${stuck}, differences: ${wrong.length}, settled ${((performance.now() - settlingMs) / 1000).toFixed(0)} s after the end\n`,
  );
  for (const line of wrong.slice(0, 20)) process.stdout.write(`  ${line}\n`);
  // What befell whom, and when: a difference is found by its time.
  for (const { fault, atMs, forMs } of wrong.length > 0 ? faults : []) {
    const [at, length] = [atMs / 1000, forMs / 1000].map((s) => s.toFixed(1));
    process.stdout.write(`    ${at} s, for ${length} s: ${fault.part}: ${fault.name}\n`);
  }
  const bad = seen.filter(
    ({ ending, fate }) => ['other sound', 'hung'].includes(ending) || (fate === undefined && ending === 'failed'),
  );
  for (const { requestId, manner, ending, said = '' } of bad.slice(0, 20))
    process.stdout.write(`  ${requestId} ${manner}: ${ending} ${said}\n`);
  await store.close();
  await service.stop();
  if (bad.length + wrong.length + stuck > 0) process.exitCode = 1;
}
