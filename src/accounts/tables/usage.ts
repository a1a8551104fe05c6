/** The ledger as it is read: row by row, in sums by time, key and model, and summed up by day. */
import { loopTurn } from '../../loop-turn.js';
import { type AccountsDatabase, ask, type Change, tell } from '../database.js';
import type { AccountStore, UsageFilter } from '../store.js';
import type { UsageStep } from '../usage-sums.js';
import { ledgerRow, type SumRow, type UsageRow, UsageSums, usageFigures } from './rows.js';

const USAGE_PAGE = 500;
/** Rows added up or read in one statement: SQLite blocks the process meanwhile. */
const SUM_PAGE = 1_000;
/** Pages that one call of `rollUsage` sums up. */
const ROLL_PAGES = 200;
/**
 * Rows that are not summed up yet, beyond which the index of times serves a reader better than the
 * sums.
 */
const MAX_TAIL = 50_000;
/**
 * A row is summed up when it was not the last one for this long (ms): every transaction that took a
 * lower number has ended by then. Statements of a server end within seconds.
 */
const SETTLED_MS = 600_000;
/** Behind the last row of any ledger. */
const LEDGER_END = { time: '9999', seq: Number.MAX_SAFE_INTEGER };
/** Characters of an ISO time that name a step. */
const STEP_CHARS: Readonly<Record<UsageStep, number>> = { minute: 16, hour: 13, day: 10 };

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
const FIGURES = `count(*) AS requests,
    sum(CASE WHEN outcome = 'completed' THEN 0 ELSE 1 END) AS unfinished, sum(characters) AS characters,
    sum(delivered_characters) AS delivered_characters, sum(credits) AS credits, sum(audio_ms) AS audio_ms`;
const sums = (step: UsageStep) => `SELECT substr(time, 1, ${STEP_CHARS[step]}) AS at, key_id, model, ${FIGURES}`;
const GROUPS = 'GROUP BY 1, 2, 3 ORDER BY 1, 2, 3';
const PAGE = `(time, seq) > (?, ?) AND (time, seq) <= (?, ?) ${GROUPS}`;
const NUMBERS = 'seq > ? AND seq <= ?';

const COLUMNS = 'key_id, model, requests, unfinished, characters, delivered_characters, credits, audio_ms';
const SELECT_DAYS = `SELECT day AS at, ${COLUMNS} FROM usage_days
  WHERE (day, key_id, model) > (?, ?, ?) ORDER BY day, key_id, model LIMIT ${SUM_PAGE}`;
const SELECT_DAYS_OF_KEY = `SELECT day AS at, ${COLUMNS} FROM usage_days
  WHERE key_id = ? AND (day, model) > (?, ?) ORDER BY day, model LIMIT ${SUM_PAGE}`;
const SUM_TAIL = `${sums('day')} FROM ledger WHERE ${NUMBERS} AND time >= ?`;
const SUM_LOOSE = `${sums('day')} FROM usage_loose JOIN ledger ON ledger.seq = usage_loose.seq WHERE time >= ?`;
const OF_KEY = 'AND key_id = ?';

const SELECT_ROLLED = `SELECT seq, next_seq, next_ms, (SELECT coalesce(max(seq), 0) FROM ledger) AS last_seq
  FROM usage_rolled`;
const SELECT_LAST = 'SELECT coalesce(max(seq), 0) AS last FROM ledger';
const ROLL_TO = 'UPDATE usage_rolled SET seq = ? WHERE seq = ? RETURNING seq';
const ROLL_NEXT = 'UPDATE usage_rolled SET next_seq = ?, next_ms = ? WHERE next_seq = ? AND next_ms = ?';
// First, so that a row that is put right in between is in one of the two and not in both.
const ADD_LOOSE = `INSERT INTO usage_loose SELECT seq FROM ledger WHERE ${NUMBERS} AND outcome = 'interrupted'`;
const ADD_DAYS = `INSERT INTO usage_days (day, ${COLUMNS})
  SELECT substr(time, 1, 10), key_id, model, ${FIGURES} FROM ledger
    WHERE ${NUMBERS} AND NOT EXISTS (SELECT 1 FROM usage_loose WHERE usage_loose.seq = ledger.seq)
    GROUP BY 1, 2, 3
  ON CONFLICT (day, key_id, model) DO UPDATE SET
    requests = usage_days.requests + excluded.requests, unfinished = usage_days.unfinished + excluded.unfinished,
    characters = usage_days.characters + excluded.characters,
    delivered_characters = usage_days.delivered_characters + excluded.delivered_characters,
    credits = usage_days.credits + excluded.credits, audio_ms = usage_days.audio_ms + excluded.audio_ms`;

interface RolledRow {
  seq: number;
  next_seq: number;
  next_ms: number;
  last_seq: number;
}

type Pages = AsyncGenerator<SumRow[]>;

/**
 * Up to where it summed up; undefined where another server was at it, or no row is left. Never
 * beyond the last row: SQLite gives the number of a last row that was deleted to the next one.
 */
function* rollPage(from: number, most: number): Change<number | undefined> {
  const [{ last } = { last: 0 }] = yield* ask<{ last: number }>(SELECT_LAST);
  const to = Math.min(most, last);
  if (to <= from || (yield* ask(ROLL_TO, to, from)).length === 0) return undefined;
  yield* tell(ADD_LOOSE, from, to);
  yield* tell(ADD_DAYS, from, to);
  return to;
}

class Usage implements Pick<AccountStore, 'usage' | 'usageByDay' | 'usageSeries' | 'rollUsage'> {
  readonly #database: AccountsDatabase;

  constructor(database: AccountsDatabase) {
    this.#database = database;
  }

  readonly usage: AccountStore['usage'] = async function* (this: Usage, { keyId, since }: UsageFilter) {
    let last = { time: since ?? '', seq: -1 };
    for (;;) {
      const rows =
        keyId === undefined
          ? await this.#database.read<UsageRow>(SELECT_USAGE, last.time, last.seq)
          : await this.#database.read<UsageRow>(SELECT_USAGE_OF_KEY, keyId, last.time, last.seq);
      for (const row of rows) yield ledgerRow(row);
      if (rows.length < USAGE_PAGE) return;
      last = rows.at(-1)!;
    }
  }.bind(this);

  readonly usageByDay: AccountStore['usageByDay'] = async ({ keyId, since = '' }) => {
    const [days] = await this.#summed({ keyId, since, step: 'day' }, () => [new UsageSums('at', 'key_id', 'model')]);
    return days!.all().map((row) => ({ day: row.at, keyId: row.key_id, model: row.model, ...usageFigures(row) }));
  };

  readonly usageSeries: AccountStore['usageSeries'] = async (filter) => {
    const [times, keys] = await this.#summed(filter, () => [
      new UsageSums('at', 'model'),
      new UsageSums('key_id', 'model'),
    ]);
    return {
      times: times!.all().map((row) => ({ time: row.at, model: row.model, ...usageFigures(row) })),
      keys: keys!.all().map((row) => ({ keyId: row.key_id, model: row.model, ...usageFigures(row) })),
    };
  };

  readonly rollUsage: AccountStore['rollUsage'] = async () => {
    const { nowMs } = this.#database.dialect;
    const [clock] = await this.#database.read<{ now_ms: number }>(`SELECT ${nowMs} AS now_ms`);
    const rolled = await this.#rolled();
    if (clock!.now_ms - rolled.next_ms < SETTLED_MS) return 0;
    let { seq } = rolled;
    for (let page = 0; page < ROLL_PAGES && seq < rolled.next_seq; page++) {
      const [from, to] = [seq, Math.min(seq + SUM_PAGE, rolled.next_seq)];
      const reached = await this.#database.write({ durable: false }, () => rollPage(from, to));
      if (reached === undefined) break;
      seq = reached;
      await loopTurn();
    }
    if (seq >= Math.min(rolled.next_seq, rolled.last_seq) && rolled.last_seq > seq) {
      const next = [rolled.last_seq, clock!.now_ms, rolled.next_seq, rolled.next_ms];
      await this.#database.writeOne({ durable: false }, ROLL_NEXT, ...next);
    }
    return seq - rolled.seq;
  };

  async #rolled(): Promise<RolledRow> {
    return (await this.#database.read<RolledRow>(SELECT_ROLLED))[0]!;
  }

  /** Again from the beginning where rows were summed up meanwhile: some would be read twice. */
  async #summed(
    filter: { keyId?: string | undefined; since: string; step: UsageStep },
    make: () => UsageSums[],
  ): Promise<UsageSums[]> {
    for (;;) {
      const [made, rolled] = [make(), await this.#rolled()];
      const hasDays = filter.step === 'day' && filter.since.length <= STEP_CHARS.day;
      const isSummed = hasDays && rolled.last_seq - rolled.seq <= MAX_TAIL;
      const pages = isSummed ? this.#summedPages(filter, rolled) : this.#ledgerPages(filter);
      for await (const page of pages) for (const each of made) each.add(page);
      if (!isSummed || (await this.#rolled()).seq === rolled.seq) return made;
    }
  }

  /** From the ledger by its index of times. */
  async *#ledgerPages({ keyId, since, step }: { keyId?: string | undefined; since: string; step: UsageStep }): Pages {
    const whose = keyId === undefined ? [] : [keyId];
    const select = `${sums(step)} FROM ledger WHERE ${keyId === undefined ? '' : 'key_id = ? AND'} ${PAGE}`;
    const pageEnd = keyId === undefined ? SELECT_PAGE_END : SELECT_PAGE_END_OF_KEY;
    let from = { time: since, seq: -1 };
    for (;;) {
      await loopTurn();
      const [end] = await this.#database.read<typeof from>(pageEnd, ...whose, from.time, from.seq);
      const to = end ?? LEDGER_END;
      yield await this.#database.read<SumRow>(select, ...whose, from.time, from.seq, to.time, to.seq);
      if (end === undefined) return;
      from = end;
    }
  }

  /** From the sums by day, and from the rows of the ledger that they leave out. */
  async *#summedPages({ keyId, since }: { keyId?: string | undefined; since: string }, rolled: RolledRow): Pages {
    let last: Pick<SumRow, 'at' | 'key_id' | 'model'> = { at: since, key_id: '', model: '' };
    for (;;) {
      await loopTurn();
      const page =
        keyId === undefined
          ? await this.#database.read<SumRow>(SELECT_DAYS, last.at, last.key_id, last.model)
          : await this.#database.read<SumRow>(SELECT_DAYS_OF_KEY, keyId, last.at, last.model);
      yield page;
      if (page.length < SUM_PAGE) break;
      last = page.at(-1)!;
    }
    const [whose, own] = keyId === undefined ? ['', []] : [OF_KEY, [keyId]];
    yield await this.#database.read<SumRow>(`${SUM_LOOSE} ${whose} ${GROUPS}`, since, ...own);
    for (let from = rolled.seq; from < rolled.last_seq; from += SUM_PAGE) {
      await loopTurn();
      const to = from + SUM_PAGE >= rolled.last_seq ? LEDGER_END.seq : from + SUM_PAGE;
      yield await this.#database.read<SumRow>(`${SUM_TAIL} ${whose} ${GROUPS}`, from, to, since, ...own);
    }
  }
}

export function createUsage(
  database: AccountsDatabase,
): Pick<AccountStore, 'usage' | 'usageByDay' | 'usageSeries' | 'rollUsage'> {
  const { usage, usageByDay, usageSeries, rollUsage } = new Usage(database);
  return { usage, usageByDay, usageSeries, rollUsage };
}
