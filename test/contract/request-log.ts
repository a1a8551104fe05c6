/**
 * What every account store must do as the keeper of the request log, whatever database is behind
 * it.
 */
import { describe, expect, it } from 'vitest';
import type { AccountStore, LoggedRequest, RequestRow } from '../../src/accounts/store.js';

const at = (second: number): string => new Date(Date.UTC(2026, 2, 1, 10, 0, second)).toISOString();

export const requestRow = (n: number, more: Partial<RequestRow> = {}): RequestRow => ({
  time: at(n),
  requestId: `req_${n}`,
  keyId: `key${n % 2}`,
  route: 'speech',
  model: 'base-tts',
  voice: 'v',
  characters: n,
  credits: n,
  audioMs: 10 * n,
  durationMs: 20 * n,
  firstAudioMs: n,
  breaks: 0,
  outcome: 'completed',
  error: null,
  worker: 'here-1',
  traceId: null,
  ...more,
});

/** `store` gives the store of the present test. */
export function requestLogContract(store: () => AccountStore): void {
  describe('its request log', () => {
    const ids = (rows: readonly LoggedRequest[]) => rows.map(({ requestId }) => requestId);

    it('gives rows back as they were, the latest first', async () => {
      const refused = {
        outcome: 'refused',
        error: 'overloaded',
        model: null,
        voice: null,
        firstAudioMs: null,
        worker: null,
        traceId: 'a'.repeat(32),
      } as const;
      const rows = [requestRow(1), requestRow(2, refused)];
      await store().logRequests(rows);
      const found = await store().requestLog({ limit: 10 });
      expect(found.map(({ seq: _seq, ...row }) => row)).toEqual([rows[1], rows[0]]);
    });

    it('is read by pages that meet neither twice nor never, also where many ended at one time', async () => {
      await store().logRequests(Array.from({ length: 25 }, (_, n) => requestRow(n, { time: at(Math.floor(n / 10)) })));
      const pages: LoggedRequest[][] = [];
      do pages.push(await store().requestLog({ limit: 10, before: pages.at(-1)?.at(-1) }));
      while (pages.at(-1)!.length === 10);
      expect(pages.map(({ length }) => length)).toEqual([10, 10, 5]);
      expect(ids(pages.flat())).toEqual(Array.from({ length: 25 }, (_, n) => `req_${24 - n}`));
    });

    it('is filtered by key, outcome, time and request id, one by one and together', async () => {
      await store().logRequests(
        Array.from({ length: 8 }, (_, n) => requestRow(n, { outcome: n % 4 < 2 ? 'completed' : 'failed' })),
      );
      const found = async (filter: object) => ids(await store().requestLog({ limit: 10, ...filter }));
      expect(await found({ keyId: 'key1' })).toEqual(['req_7', 'req_5', 'req_3', 'req_1']);
      expect(await found({ outcome: 'failed' })).toEqual(['req_7', 'req_6', 'req_3', 'req_2']);
      expect(await found({ keyId: 'key1', outcome: 'failed' })).toEqual(['req_7', 'req_3']);
      expect(await found({ keyId: 'key1', outcome: 'failed', since: at(4) })).toEqual(['req_7']);
      expect(await found({ since: at(6) })).toEqual(['req_7', 'req_6']);
      expect(await found({ requestId: 'req_5' })).toEqual(['req_5']);
      expect(await found({ requestId: "req_5' OR ''='" })).toEqual([]);
    });

    it('keeps what is young enough, and the latest of that up to a number', async () => {
      await store().logRequests(Array.from({ length: 1_200 }, (_, n) => requestRow(n)));
      /** What calls until all is done have removed; each removes a bounded number. */
      const trim = async (before: string, rows: number): Promise<number> => {
        const { removed, done } = await store().trimRequestLog({ before, rows });
        expect(removed).toBeLessThanOrEqual(1_000);
        return done ? removed : removed + (await trim(before, rows));
      };
      expect(await trim(at(0), 2_000)).toBe(0);
      expect(await trim(at(700), 2_000)).toBe(700);
      expect(await trim(at(700), 20)).toBe(480);
      const left = await store().requestLog({ limit: 100 });
      expect([left.length, left[0]!.requestId, left.at(-1)!.requestId]).toEqual([20, 'req_1199', 'req_1180']);
      expect(await trim('9999', 0)).toBe(20);
      expect(await store().requestLog({ limit: 1 })).toEqual([]);
    });
  });
}
