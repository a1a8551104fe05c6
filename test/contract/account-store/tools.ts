/** What the suites of the account store's contract share. */
import { randomUUID } from 'node:crypto';
import { drawKey } from '../../../src/accounts/api-key.js';
import type { AccountStore, LedgerRow, NewReservation, ReservationEnd } from '../../../src/accounts/store.js';
import type { Tier } from '../../../src/accounts/types.js';
import type { ClockedDatabase } from '../../support/processes/database-clock.js';

export interface StoreFixture {
  /** Under the store. */
  readonly database: ClockedDatabase;
  readonly store: AccountStore;
  /** A second, independent connection to the same data. */
  readonly another: () => Promise<AccountStore>;
  /** Opens a copy that `backup` made. */
  readonly openBackup: (file: string) => Promise<AccountStore>;
  /** Where a backup may be written. */
  readonly backupFile: string;
  readonly dispose: () => Promise<void>;
}

/** The time that the database shows when a test begins. */
export const TIME = '2026-03-01T10:00:00.000Z';
export const DAY = '2026-03-01';
export const FREE = { model: 'base-tts:free', charged: false } as const;
export const NO_LIMITS = { concurrency: null, freeDaily: null };
/** Calls that wait for a store together: few enough for its patience on a machine that is busy. */
export const AT_ONCE = 20;

/** The fixture of the test that runs, and short ways to use it. */
export class StoreTools {
  fixture!: StoreFixture;

  get store(): AccountStore {
    return this.fixture.store;
  }

  /** Resolves with the id. */
  readonly createKey = async (credits = 0, tier: Tier = 'partner'): Promise<string> => {
    const { id, hash } = drawKey();
    await this.store.createKey({ id, hash, tier, name: 'n', credits, createdAt: TIME, expiresAt: null });
    return id;
  };

  readonly reservation = (keyId: string, chars: number, more: Partial<NewReservation> = {}): NewReservation => ({
    id: randomUUID(),
    keyId,
    requestId: 'req_1',
    model: 'base-tts',
    voice: 'v',
    characters: chars,
    credits: chars,
    charged: true,
    holder: 'server',
    ...more,
  });

  readonly completed = (chars: number, time = TIME) =>
    ({
      outcome: 'completed',
      time,
      audioMs: 0,
      characters: chars,
      deliveredCharacters: chars,
      credits: chars,
    }) as const satisfies ReservationEnd;

  readonly balance = async (id: string) => {
    const key = await this.store.findKey(id);
    return { credits: key?.credits, reserved: key?.reserved };
  };

  readonly ledger = async (filter = {}): Promise<LedgerRow[]> => {
    const rows: LedgerRow[] = [];
    for await (const row of this.store.usage(filter)) rows.push(row);
    return rows;
  };
}
