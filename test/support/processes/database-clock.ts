/** A database whose clock a test sets: its own SQL, with another expression for the time. */
import { type AccountsDatabase, tell } from '../../../src/accounts/database.js';

export interface ClockedDatabase extends AccountsDatabase {
  /** The clock stands at this moment. */
  freezeAt(time: string): Promise<void>;
  /** The clock goes on from this moment. */
  startAt(time: string): Promise<void>;
}

/** An expression for the time that the table shows, or the true one. */
const shown = (nowMs: string): string => `coalesce((SELECT ms + goes * ${nowMs} FROM test_clock), ${nowMs})`;

/** Connections to the same data share one clock, which shows the true time until it is set. */
export async function withClock(database: AccountsDatabase): Promise<ClockedDatabase> {
  const { nowMs, functions } = database.dialect;
  await database.write({ durable: false }, () =>
    tell('CREATE TABLE IF NOT EXISTS test_clock (ms BIGINT NOT NULL, goes BIGINT NOT NULL)'),
  );
  // A database with functions has its clock in one of them, which those that move money call too.
  if (functions) {
    const replaced = `CREATE OR REPLACE FUNCTION tts_now_ms() RETURNS BIGINT LANGUAGE sql VOLATILE AS
      'SELECT ${shown('CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)')}'`;
    await database.write({ durable: false }, () => tell(replaced));
  }
  const set = async (ms: number, goes: 0 | 1) => {
    await database.write({ durable: false }, function* () {
      yield* tell('DELETE FROM test_clock');
      yield* tell('INSERT INTO test_clock (ms, goes) VALUES (?, ?)', ms, goes);
    });
  };
  return {
    dialect: { ...database.dialect, nowMs: functions ? nowMs : shown(nowMs) },
    shared: database.shared,
    read: (sql, ...values) => database.read(sql, ...values),
    write: (options, change) => database.write(options, change),
    writeOne: (options, sql, ...values) => database.writeOne(options, sql, ...values),
    damage: () => database.damage(),
    backup: (file) => database.backup(file),
    snapshot: (use) => database.snapshot(use),
    fill: (use) => database.fill(use),
    close: () => database.close(),
    freezeAt: (time) => set(Date.parse(time), 0),
    startAt: (time) => set(Date.parse(time) - Date.now(), 1),
  };
}
