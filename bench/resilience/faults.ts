/** Faults that begin at random, overlap and end again; what they disturbed, and when. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export interface Fault {
  /** What happens to which kind of part: `gateway frozen`. */
  readonly name: string;
  /** A part has one fault at a time. */
  readonly part: string;
  /** How often it is drawn, against the others. */
  readonly weight: number;
  /** How long it lasts, least and most. */
  readonly ms: readonly [number, number];
  begin(): unknown;
  end(): unknown;
}

const between = ([least, most]: readonly [number, number]) => least + Math.random() * (most - least);
/** Between the beginnings of two faults: while each kind has its first turn, and later. */
const FIRST_PAUSE_MS = [500, 1_500] as const;
const PAUSE_MS = [2_000, 6_000] as const;
/** A part that is back is left alone for so long: what waited for it has the time to end. */
const REST_MS = 10_000;

export interface Begun {
  readonly fault: Fault;
  readonly atMs: number;
  readonly forMs: number;
}

/** Each kind of fault once, in the order given, then by lot. Resolves when the last has ended. */
export async function disturb(faults: readonly Fault[], endMs: number, begun: Begun[]): Promise<void> {
  const disturbed = new Set<string>();
  const ending: Promise<void>[] = [];
  const kinds = [...new Set(faults.map(({ name }) => name))];
  const lot = faults.flatMap((fault) => Array<Fault>(fault.weight).fill(fault));
  const next = (): Fault | undefined => {
    const free = lot.filter(({ part }) => !disturbed.has(part));
    const kind = kinds.find((name) => free.some((fault) => fault.name === name));
    const drawn = kind === undefined ? free : free.filter(({ name }) => name === kind);
    if (kind !== undefined) kinds.splice(kinds.indexOf(kind), 1);
    return drawn[Math.floor(Math.random() * drawn.length)];
  };
  const run = async (fault: Fault) => {
    disturbed.add(fault.part);
    const forMs = between(fault.ms);
    begun.push({ fault, atMs: performance.now(), forMs });
    await fault.begin();
    await sleep(forMs);
    await fault.end();
    setTimeout(() => disturbed.delete(fault.part), REST_MS).unref();
  };
  while (performance.now() < endMs) {
    await sleep(between(kinds.length > 0 ? FIRST_PAUSE_MS : PAUSE_MS));
    const fault = next();
    if (fault !== undefined) ending.push(run(fault));
  }
  await Promise.all(ending);
}

/** Times at which a part was disturbed; its users at those times may have noticed. */
export class Disturbances {
  readonly #spans: { from: number; to: number }[] = [];

  /** Returns what ends it, and lets `afterMs` pass for what is still being put right. */
  begin(afterMs = 0): () => void {
    const span = { from: performance.now(), to: Number.POSITIVE_INFINITY };
    this.#spans.push(span);
    return () => {
      span.to = performance.now() + afterMs;
    };
  }

  /**
   * The first moment from `ms` on after which nothing was disturbed for `quietMs`, in any of them.
   */
  static quietFrom(ms: number, quietMs: number, all: readonly Disturbances[]): number {
    const spans = all.flatMap((each) => each.#spans).sort((a, b) => a.from - b.from);
    let quiet = ms;
    for (const { from, to } of spans) if (to > quiet && from < quiet + quietMs) quiet = to;
    return quiet;
  }

  between(from: number, to: number): boolean {
    return this.#spans.some((span) => span.from <= to && span.to >= from);
  }
}

/**
 * Faults of a key's rows, as operators, long transactions and fail-overs of the database make them.
 */
export function rowFaults(database: string, keyIds: readonly string[], onDeleted: (keyId: string) => void): Fault[] {
  const connected = async () => {
    const client = new pg.Client({ connectionString: database, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const some = () => keyIds[Math.floor(Math.random() * keyIds.length)]!;
  let locker: pg.Client | undefined;

  /** The database may be away itself. */
  const tried = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      process.stdout.write(`  (no fault: ${(error as Error).message})\n`);
      return undefined;
    }
  };

  const lose = async (keyId: string) => {
    const client = await connected();
    try {
      await client.query('BEGIN');
      const { rows } = await client.query('DELETE FROM reservations WHERE key_id = $1 RETURNING credits', [keyId]);
      const credits = rows.reduce((sum, row) => sum + Number(row.credits), 0);
      await client.query('UPDATE keys SET reserved = reserved - $1 WHERE id = $2', [credits, keyId]);
      if (rows.length > 0) onDeleted(keyId);
      await client.query('COMMIT');
    } finally {
      await client.end();
    }
  };

  return [
    {
      name: 'row locked',
      part: 'locked row',
      weight: 2,
      // Longer than a statement may take.
      ms: [6_000, 14_000],
      begin: () =>
        tried(async () => {
          locker = await connected();
          await locker.query('BEGIN');
          await locker.query('SELECT 1 FROM keys WHERE id = $1 FOR UPDATE', [some()]);
        }),
      end: () => tried(async () => locker?.end()),
    },
    {
      name: 'row deleted',
      part: 'deleted row',
      weight: 4,
      ms: [0, 0],
      begin: () => tried(() => lose(some())),
      end: () => undefined,
    },
  ];
}
