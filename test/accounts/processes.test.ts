/** Several processes on one database, and processes that die: no credit is lost or spent twice. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAccounts, DEFAULT_LIMITS } from '../../src/accounts/accounts.js';
import { createKeyring } from '../../src/accounts/keyring.js';
import { openSqliteStore } from '../../src/accounts/sqlite/store.js';
import type { AccountStore, LedgerRow } from '../../src/accounts/store.js';

const DIST = path.resolve(import.meta.dirname, '../../dist/accounts');
const TIME = '2026-03-01T10:00:00.000Z';

describe('accounts under several processes', () => {
  let folder: string;
  let file: string;
  let store: AccountStore;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tts-processes-'));
    file = path.join(folder, 'accounts.db');
    store = await openSqliteStore(file);
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  const run = (body: string): ChildProcess => {
    const script = `import { openSqliteStore } from ${JSON.stringify(`${DIST}/sqlite/store.js`)};
      import { createAccounts } from ${JSON.stringify(`${DIST}/accounts.js`)};
      import { randomUUID } from 'node:crypto';
      const store = await openSqliteStore(${JSON.stringify(file)});
      ${body}`;
    return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  };
  const ledger = async () => {
    const rows: LedgerRow[] = [];
    for await (const row of store.usage({})) rows.push(row);
    return rows;
  };

  it('never lets four processes spend more than there is, nor anything twice', async () => {
    const { id } = await createKeyring(store).create({ tier: 'partner', credits: 1000 });
    const children = Array.from({ length: 4 }, () =>
      run(`
        await Promise.all(Array.from({ length: 8 }, async (_, lane) => {
          for (let i = 0; i < 25; i++) {
            const reservation = { id: randomUUID(), keyId: ${JSON.stringify(id)}, requestId: 'r', model: 'base-tts',
              voice: 'v', characters: 3, credits: 3, charged: true, holder: '' };
            if (!(await store.reserve(reservation)).ok) continue;
            if (!(await store.extend(reservation, 2, 2)).ok) {
              await store.end(reservation, { outcome: 'failed', time: '${TIME}', audioMs: 0, characters: 3, deliveredCharacters: 0, credits: 0 });
              continue;
            }
            const outcome = (i + lane) % 3 === 0 ? 'cancelled' : 'completed';
            const end = { outcome, time: '${TIME}', audioMs: 1, characters: 5, deliveredCharacters: 5, credits: outcome === 'completed' ? 5 : 0 };
            await Promise.all([store.end(reservation, end), store.end(reservation, end)]);
          }
        }));
        await store.close();`),
    );
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
    expect(codes).toEqual([0, 0, 0, 0]);
    const rows = await ledger();
    const spent = rows.reduce((sum, row) => sum + row.credits, 0);
    expect(await store.findKey(id)).toMatchObject({ credits: 1000 - spent, reserved: 0 });
    expect(spent).toBeGreaterThan(900);
    expect(spent).toBeLessThanOrEqual(1000);
    expect(rows.every((row) => row.credits === (row.outcome === 'completed' ? 5 : 0))).toBe(true);
  });

  it('returns at the next start what a killed process had reserved, and keeps what it had settled', async () => {
    const { id } = await createKeyring(store).create({ tier: 'partner', credits: 100_000 });
    let settled = 0;
    for (let round = 0; round < 4; round++) {
      const child = run(`
        const accounts = await createAccounts({ store, limits: { freeConcurrency: 2, freeDaily: 9, partnerConcurrency: 99 } });
        const key = await store.findKey(${JSON.stringify(id)});
        await Promise.all(Array.from({ length: 20 }, async (_, lane) => {
          for (;;) {
            const admission = await accounts.admit({ key, requestId: 'r', model: 'base-tts', voice: 'v', chars: 3 });
            await admission.extend(4);
            await admission.settle({ audioMs: 1 });
            console.log('settled');
          }
        }));`);
      let told = '';
      const enough = new Promise<void>((resolve) => {
        child.stdout!.on('data', (chunk) => {
          told += chunk;
          if (told.length > 1000) resolve();
        });
      });
      await enough;
      child.kill('SIGKILL');
      await once(child, 'close');
      settled += told.split('settled\n').length - 1;
      const accounts = await createAccounts({ store, limits: DEFAULT_LIMITS });
      expect(accounts.active).toBe(0);
      const rows = await ledger();
      const spent = rows.reduce((sum, row) => sum + row.credits, 0);
      expect(await store.findKey(id)).toMatchObject({ credits: 100_000 - spent, reserved: 0 });
      // What the process told us was settled is settled; what it had no time to tell may be.
      expect(rows.filter((row) => row.outcome === 'completed').length).toBeGreaterThanOrEqual(settled);
      expect(rows.every((row) => row.credits === (row.outcome === 'completed' ? 7 : 0))).toBe(true);
    }
  });
});
