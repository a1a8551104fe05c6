/**
 * A whole distributed service on one machine, of which parts are killed, frozen and cut off at
 * random, for longer than a lease as well: gateways (one with a clock that is a day ahead),
 * workers, the broker, the database, rows of keys in it. Afterwards every session that was finished
 * sounded as it does undisturbed, to the byte, the ledger balances to the credit, nothing is stuck,
 * and every key was billed what its clients heard: nothing else, and all of it but for what the
 * contract calls free.
 *
 *   npm run bench -- chaos [--minutes 5] [--sessions 20] [--talkers 24] [--gateways 3]
 *                          [--workers 4] [--bill-delivered] [--calm]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createKeyring } from '../../src/accounts/keyring.js';
import { openPostgresStore } from '../../src/accounts/postgres/store.js';
import type { AccountStore, LedgerRow } from '../../src/accounts/store.js';
import { BENCH_CREDITS } from '../support/serve.js';
import { type Begun, Disturbances, disturb, rowFaults } from './faults.js';
import { compareHeard, whereOf } from './heard.js';
import { type Fate, ledgerDifferences } from './ledger.js';
import { type Gateway, leftBehind, lostReservations, type Service, startService } from './service.js';
import { type Talk, talk } from './talkers.js';
import type { Visit } from './visit.js';
import { learnSounds, visit } from './visitors.js';

/** Leases of a killed gateway run out within half a minute; three times that is stuck. */
const SETTLE_MS = 90_000;
/**
 * An end is written that long after its session at most, counted from when nothing kept its gateway
 * from it.
 */
const UNWRITTEN_MS = 20_000;
/** What a talker waits that was refused. */
const REFUSED_MS = 1_000;
/**
 * Talkers of a key, and the sessions it may have at once: those of gateways that are gone are in
 * the way of new ones.
 */
const TALKERS_PER_KEY = 4;
/**
 * Reserves ahead; does not; runs out of credits, where that leaves no doubt about who owes what.
 */
const BALANCES = [10_000_000, 25_000];
const POOR = 3_000;

type Timed = Pick<Talk, 'gateway' | 'startMs' | 'endMs'>;
type Seen = Visit & { readonly fate: Fate | undefined; readonly where: string };
type Compared = ReturnType<typeof compareHeard>;

interface Settled {
  readonly compared: Compared;
  readonly stuck: number;
  readonly wrong: readonly string[];
}

interface ChaosOptions {
  readonly minutes: number;
  readonly sessions: number;
  readonly talkers: number;
  readonly billDelivered: boolean;
  readonly calm: boolean;
}

interface Key {
  readonly id: string;
  readonly key: string;
  readonly credits: number;
}

const count = (names: readonly string[]) => {
  const tally: Record<string, number> = {};
  for (const name of names) tally[name] = (tally[name] ?? 0) + 1;
  return JSON.stringify(tally);
};

/** One run: clients and faults for a while, then the accounts against what the clients saw. */
class Chaos {
  readonly #options: ChaosOptions;
  readonly #service: Service;
  readonly #store: AccountStore;
  /** The key of the visitors, and those of the talkers. */
  readonly #visitors: Key;
  readonly #keys: readonly Key[];
  readonly #visits: (Visit & Timed)[] = [];
  readonly #talks: Talk[] = [];
  readonly #faults: Begun[] = [];
  readonly #deleted = new Set<string>();
  readonly #impossible = new Set<string>();
  #endMs = 0;

  constructor(options: ChaosOptions, service: Service, store: AccountStore, [visitors, ...keys]: readonly Key[]) {
    this.#options = options;
    this.#service = service;
    this.#store = store;
    this.#visitors = visitors!;
    this.#keys = keys;
  }

  /** Resolves when every client has gone. */
  async disturb(): Promise<void> {
    const { sessions, talkers, minutes, calm } = this.#options;
    const { gateways, database, faults } = this.#service;
    const { key } = this.#visitors;
    const sounds = await learnSounds({ ...gateways[0]!, key });
    this.#endMs = performance.now() + minutes * 60_000;
    const visiting = Array.from({ length: sessions }, (_, i) =>
      this.#again(i * 50, async (gateway) => {
        const startMs = performance.now();
        const seen = await visit({ ...gateway, key }, sounds);
        const endMs = performance.now();
        this.#visits.push(...seen.map((each) => ({ ...each, gateway, startMs, endMs })));
      }),
    );
    const talking = Array.from({ length: talkers }, (_, i) =>
      this.#again(i * 50, async (gateway) => {
        const ended = await talk(gateway, this.#keys[i % this.#keys.length]!);
        this.#talks.push(ended);
        if (ended.ending === 'refused') await sleep(REFUSED_MS);
      }),
    );
    const rich = this.#keys.filter(({ credits }) => credits !== POOR).map(({ id }) => id);
    const rows = rowFaults(database, rich, (keyId) => this.#deleted.add(keyId));
    const disturbing = calm ? [] : [disturb([...rows, ...faults], this.#endMs, this.#faults)];
    await Promise.all([this.#report(), this.#watchBalances(), ...disturbing, ...visiting, ...talking]);
  }

  async #again(delayMs: number, come: (gateway: Gateway) => Promise<void>): Promise<void> {
    await sleep(delayMs);
    while (performance.now() < this.#endMs) {
      const up = this.#service.gateways.filter((gateway) => gateway.up);
      const gateway = up[Math.floor(Math.random() * up.length)];
      if (gateway !== undefined) await come(gateway);
      await sleep(Math.random() * 400);
    }
  }

  /** Notes balances that are impossible at any moment, whatever is disturbed. */
  async #watchBalances(): Promise<void> {
    while (performance.now() < this.#endMs) {
      await sleep(500);
      const found = await this.#store.listKeys().catch(() => []);
      for (const { id, credits, reserved } of found) {
        if (credits < 0 || reserved < 0 || reserved > credits)
          this.#impossible.add(`key ${id} had ${credits} credits and ${reserved} reserved`);
      }
    }
  }

  async #report(): Promise<void> {
    const startMs = performance.now();
    while (performance.now() < this.#endMs) {
      await sleep(Math.min(15_000, Math.max(1_000, this.#endMs - performance.now())));
      const done = this.#visits.filter(({ ending }) => ending === 'completed').length;
      const heard = this.#talks.filter(({ ending }) => ending === 'completed').length;
      const seconds = ((performance.now() - startMs) / 1000).toFixed(0);
      process.stdout.write(
        `${seconds} s: ${this.#visits.length} visits, ${done} completed; ${this.#talks.length} talks, ${heard} completed\n`,
      );
    }
  }

  #fateOf({ gateway, startMs, endMs }: Timed): Fate | undefined {
    const { outages } = this.#service;
    const written = Disturbances.quietFrom(endMs, UNWRITTEN_MS, [gateway.faults, outages]) + UNWRITTEN_MS;
    if (gateway.kills.between(startMs, written)) return 'killed';
    return gateway.faults.between(startMs, endMs) || outages.between(startMs, endMs) ? 'out of reach' : undefined;
  }

  async #look(seen: readonly Seen[]): Promise<Settled> {
    const { billDelivered } = this.#options;
    const ledger: LedgerRow[] = [];
    for await (const row of this.#store.usage({})) ledger.push(row);
    const rows = ledger.filter(({ keyId }) => keyId === this.#visitors.id);
    const key = (await this.#store.findKey(this.#visitors.id))!;
    const byId = new Map<string, LedgerRow[]>();
    for (const row of ledger) byId.set(row.requestId, [...(byId.get(row.requestId) ?? []), row]);
    const compared = compareHeard(this.#talks, byId, {
      billDelivered,
      fateOf: (one) => this.#fateOf(one),
      deleted: this.#deleted,
    });
    let stuck = 0;
    for (const gateway of this.#service.gateways) stuck += await leftBehind(gateway);
    const wrong = [
      ...ledgerDifferences({ rows, key }, seen, { billDelivered }),
      ...compared.wrong,
      ...(await this.#balances(compared)),
      ...(await this.#store.check()),
    ];
    return { compared, stuck, wrong };
  }

  async #balances(compared: Compared): Promise<string[]> {
    const wrong: string[] = [];
    for (const { id, credits: begun } of this.#keys) {
      const { credits, reserved } = (await this.#store.findKey(id))!;
      const { billed = 0 } = compared.keys.get(id) ?? {};
      if (begun - credits !== billed) wrong.push(`key ${id}: ${begun - credits} debited, ${billed} in the ledger`);
      if (reserved !== 0) wrong.push(`key ${id}: ${reserved} still reserved`);
    }
    return wrong;
  }

  /**
   * Prints what was found once all is settled, and returns whether all of it was as it should be.
   */
  async judge(): Promise<boolean> {
    const seen: Seen[] = this.#visits.map((each) => ({ ...each, fate: this.#fateOf(each), where: whereOf(each) }));
    const settlingMs = performance.now();
    let found = await this.#look(seen);
    while ((found.stuck > 0 || found.wrong.length > 0) && performance.now() < settlingMs + SETTLE_MS) {
      await sleep(1_000);
      found = await this.#look(seen);
    }
    const wrong = [...this.#impossible, ...found.wrong];
    await this.#printCounts(seen);
    printKeys(found.compared);
    process.stdout.write(
      `left behind: ${found.stuck}, differences: ${wrong.length}, settled ${((performance.now() - settlingMs) / 1000).toFixed(0)} s after the end\n`,
    );
    for (const line of wrong.slice(0, 20)) process.stdout.write(`  ${line}\n`);
    // The faults with their times: a difference is found by its time.
    for (const { fault, atMs, forMs } of wrong.length > 0 ? this.#faults : []) {
      const [at, length] = [atMs / 1000, forMs / 1000].map((s) => s.toFixed(1));
      process.stdout.write(`    ${at} s, for ${length} s: ${fault.part}: ${fault.name}\n`);
    }
    const bad = seen.filter(
      ({ ending, fate }) => ['other sound', 'hung'].includes(ending) || (fate === undefined && ending === 'failed'),
    );
    for (const { requestId, manner, ending, said = '' } of bad.slice(0, 20))
      process.stdout.write(`  ${requestId} ${manner}: ${ending} ${said}\n`);
    return bad.length + wrong.length + found.stuck === 0;
  }

  async #printCounts(seen: readonly Seen[]): Promise<void> {
    // A visit whose own server was killed or out of reach may have had no good end.
    const visits = seen.map(({ ending, fate }) =>
      fate !== undefined && ending !== 'completed' && ending !== 'other sound' ? `${ending}, ${fate}` : ending,
    );
    const talks = this.#talks.map(({ ending, told }) => (ending === 'ended' || ending === 'refused' ? told : ending));
    process.stdout.write(
      `visits ${count(visits)}\ntalks ${count(talks)}\nfaults ${count(this.#faults.map(({ fault }) => fault.name))}\n` +
        `lost reservations ${JSON.stringify(await lostReservations(this.#service.gateways))}\n`,
    );
  }
}

function printKeys({ keys, inFlight }: Compared): void {
  const sum = (column: 'heard' | 'billed' | 'free' | 'over' | 'under') =>
    [...keys.values()].reduce((total, key) => total + key[column], 0);
  for (const [id, { heard, billed, free, over, under }] of keys) {
    process.stdout.write(
      `key ${id}: ${heard} characters heard, ${billed} billed, ${free} free; ${over} over, ${under} under\n`,
    );
  }
  process.stdout.write(
    `${sum('heard')} characters heard by ${keys.size} keys, ${sum('billed')} billed, ${sum('free')} free by the contract, ` +
      `${inFlight} at the end of broken-off sessions not counted\n` +
      `billed and not heard: ${sum('over')}, heard and not billed: ${sum('under')}\n`,
  );
}

/** The key of the visitors first, then one for every few talkers. */
async function createKeys(store: AccountStore, { talkers, billDelivered }: ChaosOptions): Promise<Key[]> {
  const keyring = createKeyring(store);
  const visitors = await keyring.create({ tier: 'partner', credits: BENCH_CREDITS });
  const balances = billDelivered ? BALANCES : [...BALANCES, POOR];
  const limits = { concurrency: TALKERS_PER_KEY };
  const keys = await Promise.all(
    Array.from({ length: Math.ceil(talkers / TALKERS_PER_KEY) }, (_, i) =>
      keyring.create({ tier: 'partner', credits: balances[i % balances.length]!, limits }),
    ),
  );
  return [visitors, ...keys];
}

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
  const options = {
    minutes: Number(values.minutes),
    sessions: Number(values.sessions),
    talkers: Number(values.talkers),
    billDelivered: values['bill-delivered'],
    calm: values.calm,
  };
  const service = await startService({
    gateways: Number(values.gateways),
    workers: Number(values.workers),
    billDelivered: options.billDelivered,
  });
  const store = await openPostgresStore(service.database);
  const chaos = new Chaos(options, service, store, await createKeys(store, options));
  await chaos.disturb();
  if (!(await chaos.judge())) process.exitCode = 1;
  await store.close();
  await service.stop();
}
