/** Leases of servers, and the reservations that servers without a lease left open. */
import { type AccountsDatabase, tell } from '../database.js';
import { JOBS_HOLDER } from '../jobs-holder.js';
import type { MoneyMoves } from '../money/moves.js';
import type { AccountStore } from '../store.js';
import { pagesOf } from './pages.js';

/** Reservations returned together: a few connections' worth. */
const RECOVER_PAGE = 16;
/** A lease that ran out a day ago belongs to a server that will not come back (ms). */
const FORGET_LEASE_MS = 86_400_000;

type Leases = Pick<AccountStore, 'renewLease' | 'endLease' | 'recover'>;

export function createLeases(database: AccountsDatabase, { interrupt }: Pick<MoneyMoves, 'interrupt'>): Leases {
  const { nowMs } = database.dialect;
  // A job goes on where its server broke off, and keeps what it reserved.
  const allOpen = `SELECT id, key_id, ${nowMs} AS now_ms FROM reservations WHERE holder <> '${JOBS_HOLDER}'`;
  const lapsed = `SELECT reservations.id, key_id, ${nowMs} AS now_ms FROM reservations
    LEFT JOIN leases ON leases.holder = reservations.holder
    WHERE leases.holder IS NULL OR leases.expires_ms <= ${nowMs}`;
  const renew = `INSERT INTO leases (holder, expires_ms) VALUES (?, ${nowMs} + ?)
    ON CONFLICT (holder) DO UPDATE SET expires_ms = excluded.expires_ms`;
  const forgetLeases = `DELETE FROM leases WHERE expires_ms < ${nowMs} - ${FORGET_LEASE_MS}`;

  return {
    async renewLease(holder, ms) {
      await database.write({ durable: false, lease: true }, function* () {
        yield* tell(renew, holder, ms);
        yield* tell(forgetLeases);
      });
    },

    async endLease(holder) {
      await database.writeOne({ durable: false, lease: true }, 'DELETE FROM leases WHERE holder = ?', holder);
    },

    async recover(whose) {
      const open = await database.read<{ id: string; key_id: string; now_ms: number }>(
        whose === 'all' ? allOpen : lapsed,
      );
      let returned = 0;
      for (const page of pagesOf(open, RECOVER_PAGE)) {
        const ended = await Promise.allSettled(
          page.map(({ id, key_id: keyId, now_ms: now }) =>
            interrupt({ id, keyId }, new Date(now).toISOString(), whose),
          ),
        );
        for (const each of ended) if (each.status === 'fulfilled' && each.value) returned++;
        // A key whose row is locked holds up no other key; a database that is away fails for all of
        // them.
        if (ended.every(({ status }) => status === 'rejected')) throw (ended[0] as PromiseRejectedResult).reason;
      }
      return returned;
    },
  };
}
