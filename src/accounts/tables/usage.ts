/** The ledger as it is read: row by row, and in sums by day, key and model. */
import { loopTurn } from '../../loop-turn.js';
import type { AccountsDatabase } from '../database.js';
import type { AccountStore } from '../store.js';
import { ledgerRow, type SumRow, type UsageRow, UsageSums } from './rows.js';

const USAGE_PAGE = 500;
/** Ledger rows added up in one statement: SQLite blocks the process meanwhile. */
const SUM_PAGE = 1_000;
/** Behind the last row of any ledger. */
const LEDGER_END = { time: '9999', seq: Number.MAX_SAFE_INTEGER };

/**
 * By time of ending: with several servers at work, numbers are not given in the order in which rows
 * appear.
 */
const USAGE_TAIL = `(time, seq) > (?, ?) ORDER BY time, seq LIMIT ${USAGE_PAGE}`;
const SELECT_USAGE = `SELECT * FROM ledger WHERE ${USAGE_TAIL}`;
const SELECT_USAGE_OF_KEY = `SELECT * FROM ledger WHERE key_id = ? AND ${USAGE_TAIL}`;
/** Where the next page of sums ends, and the sums from one place in the ledger to another. */
const PAGE_END = `(time, seq) > (?, ?) ORDER BY time, seq LIMIT 1 OFFSET ${SUM_PAGE - 1}`;
const SELECT_PAGE_END = `SELECT time, seq FROM ledger WHERE ${PAGE_END}`;
const SELECT_PAGE_END_OF_KEY = `SELECT time, seq FROM ledger WHERE key_id = ? AND ${PAGE_END}`;
const SUMS = `SELECT substr(time, 1, 10) AS day, key_id, model, count(*) AS requests,
    sum(CASE WHEN outcome = 'completed' THEN 0 ELSE 1 END) AS unfinished, sum(characters) AS characters,
    sum(delivered_characters) AS delivered_characters, sum(credits) AS credits, sum(audio_ms) AS audio_ms
  FROM ledger WHERE`;
const PAGE = '(time, seq) > (?, ?) AND (time, seq) <= (?, ?) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3';
const SUM_USAGE = `${SUMS} ${PAGE}`;
const SUM_USAGE_OF_KEY = `${SUMS} key_id = ? AND ${PAGE}`;

export function createUsage(database: AccountsDatabase): Pick<AccountStore, 'usage' | 'usageByDay'> {
  return {
    async *usage({ keyId, since }) {
      let last = { time: since ?? '', seq: -1 };
      for (;;) {
        const rows =
          keyId === undefined
            ? await database.read<UsageRow>(SELECT_USAGE, last.time, last.seq)
            : await database.read<UsageRow>(SELECT_USAGE_OF_KEY, keyId, last.time, last.seq);
        for (const row of rows) yield ledgerRow(row);
        if (rows.length < USAGE_PAGE) return;
        last = rows.at(-1)!;
      }
    },

    async usageByDay({ keyId, since }) {
      const sums = new UsageSums();
      const whose = keyId === undefined ? [] : [keyId];
      const [pageEnd, sum] =
        keyId === undefined ? [SELECT_PAGE_END, SUM_USAGE] : [SELECT_PAGE_END_OF_KEY, SUM_USAGE_OF_KEY];
      let from = { time: since ?? '', seq: -1 };
      for (;;) {
        await loopTurn();
        const [end] = await database.read<typeof from>(pageEnd, ...whose, from.time, from.seq);
        const to = end ?? LEDGER_END;
        sums.add(await database.read<SumRow>(sum, ...whose, from.time, from.seq, to.time, to.seq));
        if (end === undefined) return sums.all();
        from = end;
      }
    },
  };
}
