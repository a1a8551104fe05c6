/** A database whose clock a test sets: its own SQL, with another expression for the time. */
import { type AccountsDatabase, tell } from '../../src/accounts/database.js';

export interface ClockedDatabase extends AccountsDatabase {
  /** The clock stands at this moment. */
  freezeAt(time: string): Promise<void>;
  /** The clock goes on from this moment. */
  startAt(time: string): Promise<void>;
}

/** Connections to the same data share one clock, which shows the true time until it is set. */
export async function withClock(database: AccountsDatabase): Promise<ClockedDatabase> {
  const { nowMs } = database.dialect;
  await database.write({ durable: false }, () =>
    tell('CREATE TABLE IF NOT EXISTS test_clock (ms BIGINT NOT NULL, goes BIGINT NOT NULL)'),
  );
  const set = async (ms: number, goes: 0 | 1) => {
    await database.write({ durable: false }, function* () {
      yield* tell('DELETE FROM test_clock');
      yield* tell('INSERT INTO test_clock (ms, goes) VALUES (?, ?)', ms, goes);
    });
  };
  return {
    ...database,
    dialect: {
      ...database.dialect,
      nowMs: `coalesce((SELECT ms + goes * ${nowMs} FROM test_clock), ${nowMs})`,
    },
    freezeAt: (time) => set(Date.parse(time), 0),
    startAt: (time) => set(Date.parse(time) - Date.now(), 1),
  };
}
