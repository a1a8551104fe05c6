/** What an operator keeps for all servers, and sums of comparisons, as every store must keep them. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { AccountStore } from '../../../src/accounts/store.js';
import { AT_ONCE, type StoreFixture, type StoreTools } from './tools.js';

export function keptContract(tools: StoreTools): void {
  let store: AccountStore;
  let fixture: StoreFixture;
  beforeEach(() => {
    ({ store, fixture } = tools);
  });

  describe('what the operator keeps', () => {
    it('is seen by every server, replaced by name, and removed once', async () => {
      const other = await fixture.another();
      expect([await store.kept.changes(), await store.kept.list()]).toEqual([0, []]);
      expect(await store.kept.put({ kind: 'word', name: 'nginx', value: 'engine x' }, 10)).toBe(true);
      expect(await other.kept.put({ kind: 'word', name: 'nginx', value: '/ˈɛndʒɪn ˈɛks/' }, 10)).toBe(true);
      await store.kept.put({ kind: 'voice', name: 'cosy', value: '{}' }, 10);
      expect(await other.kept.list()).toEqual([
        { kind: 'voice', name: 'cosy', value: '{}' },
        { kind: 'word', name: 'nginx', value: '/ˈɛndʒɪn ˈɛks/' },
      ]);
      expect(await other.kept.changes()).toBe(3);
      expect([await other.kept.remove('word', 'nginx'), await store.kept.remove('word', 'nginx')]).toEqual([
        true,
        false,
      ]);
      expect((await store.kept.list()).map(({ name }) => name)).toEqual(['cosy']);
    });

    it('counts every change, also of servers that change at once', async () => {
      const other = await fixture.another();
      const puts = Array.from({ length: AT_ONCE }, (_, n) =>
        (n % 2 === 0 ? store : other).kept.put({ kind: 'word', name: `w${n}`, value: 'x' }, 100),
      );
      await Promise.all(puts);
      expect(await store.kept.changes()).toBe(AT_ONCE);
    });

    it('is bounded, while what is there can still be changed', async () => {
      await store.kept.put({ kind: 'word', name: 'one', value: 'x' }, 1);
      expect(await store.kept.put({ kind: 'word', name: 'two', value: 'x' }, 1)).toBe(false);
      expect(await store.kept.put({ kind: 'voice', name: 'two', value: 'x' }, 1)).toBe(true);
      expect(await store.kept.put({ kind: 'word', name: 'one', value: 'y' }, 1)).toBe(true);
    });
  });

  describe('pronunciation dictionaries', () => {
    it('are those of their key, seen by every server and replaced by id', async () => {
      const other = await fixture.another();
      const row = { keyId: 'one', id: 'a', value: '{}' };
      expect(await store.dictionaries.put(row, 2)).toBe(true);
      expect(await other.dictionaries.put({ ...row, value: '{"x":1}' }, 2)).toBe(true);
      expect(await store.dictionaries.list('one')).toEqual([{ ...row, value: '{"x":1}' }]);
      expect(await other.dictionaries.find('one', 'a')).toEqual({ ...row, value: '{"x":1}' });
      expect(await other.dictionaries.find('two', 'a')).toBeUndefined();
      expect(await other.dictionaries.list('two')).toEqual([]);
    });

    it('are bounded a key, while those that are there can still be changed', async () => {
      const row = { keyId: 'one', id: 'a', value: '{}' };
      await store.dictionaries.put(row, 1);
      expect(await store.dictionaries.put({ ...row, id: 'b' }, 1)).toBe(false);
      expect(await store.dictionaries.put({ ...row, keyId: 'two', id: 'b' }, 1)).toBe(true);
      expect(await store.dictionaries.put({ ...row, value: '[]' }, 1)).toBe(true);
    });
  });

  it('sums comparisons of a pair, whichever of the two is named first', async () => {
    const other = await fixture.another();
    await store.comparisons.add({ a: 'fast x', b: 'base x', aPreferred: 7, bPreferred: 3 });
    await other.comparisons.add({ a: 'base x', b: 'fast x', aPreferred: 4, bPreferred: 6 });
    await store.comparisons.add({ a: 'base x', b: 'base y', aPreferred: 1, bPreferred: 0 });
    expect(await other.comparisons.list()).toEqual([
      { a: 'base x', b: 'fast x', runs: 2, aPreferred: 7, bPreferred: 13 },
      { a: 'base x', b: 'base y', runs: 1, aPreferred: 1, bPreferred: 0 },
    ]);
  });
}
