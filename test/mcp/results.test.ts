/** Results of tools are bounded in number, bytes and time, for each owner. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { Results } from '../../src/mcp/results.js';
import { until } from '../../testkit/server.js';
import { VirtualClock } from '../../testkit/virtual-clock.js';

const dir = mkdtempSync(path.join(tmpdir(), 'tts-results-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

let results: Results | undefined;
afterEach(() => results?.close());

function open(bounds: { maxBytes?: number; maxPerOwner?: number } = {}) {
  const clock = new VirtualClock();
  results = new Results({ dir, keepMs: 1_000_000, maxBytes: 1_000, maxPerOwner: 3, clock, ...bounds });
  const store = results;
  const keep = async (owner: string, bytes = 10) => {
    const { id, file } = await store.place('mp3');
    writeFileSync(file, Buffer.alloc(bytes));
    return store.keep({ id, file, owner, name: 'a.mp3', title: 'A', mimeType: 'audio/mpeg' });
  };
  return { clock, store, keep };
}

describe('results of tools', () => {
  it('are removed with their files when their time is over', async () => {
    const { clock, store, keep } = open();
    const kept = await keep('ann');
    expect(store.get(kept.id)).toMatchObject({ bytes: 10, owner: 'ann' });
    await clock.advance(1_000_000);
    expect(store.get(kept.id)).toBeUndefined();
    await until(() => !existsSync(kept.file), 'the removal of the file');
  });

  it('push out the oldest of the same owner, and of nobody else', async () => {
    const { store, keep } = open();
    const other = await keep('bob');
    const own = [await keep('ann'), await keep('ann'), await keep('ann'), await keep('ann')];
    expect(store.list('ann').map(({ id }) => id)).toEqual(own.slice(1).map(({ id }) => id));
    expect(store.list('bob')).toEqual([other]);
  });

  it('make room where the bytes of all are too many: who has most gives first', async () => {
    const { store, keep } = open();
    const small = await keep('bob', 100);
    const first = await keep('ann', 500);
    const second = await keep('ann', 450);
    expect(store.list('ann')).toEqual([second]);
    expect(store.get(first.id)).toBeUndefined();
    expect(store.list('bob')).toEqual([small]);
  });

  it('leave files alone that their owner named', async () => {
    const { clock, store } = open();
    const file = path.join(dir, 'own.mp3');
    writeFileSync(file, 'sound');
    const kept = await store.keep({ file, owner: 'ann', name: 'own.mp3', title: 'Own', mimeType: 'audio/mpeg' });
    await clock.advance(1_000_000);
    expect(store.get(kept.id)).toBeUndefined();
    expect(existsSync(file)).toBe(true);
  });

  it('leave no folder behind, and remove that of a process which was killed', async () => {
    // No process has this id: it is beyond what Linux gives.
    const orphan = path.join(dir, 'tts-mcp-99999999-abcdef');
    writeFileSync(orphan, '');
    const { store, keep } = open();
    await keep('ann');
    expect(existsSync(orphan)).toBe(false);
    await store.close();
    expect(readdirSync(dir).filter((name) => name.startsWith('tts-mcp-'))).toEqual([]);
  });
});
