/** `tts keys`, `tts usage` and `tts db` as a person or a script calls them. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAccounts, DEFAULT_LIMITS } from '../../src/accounts/accounts.js';
import { openSqliteStore } from '../../src/accounts/sqlite/store.js';
import { parseMoment } from '../../src/cli/moment.js';
import { table } from '../../src/cli/table.js';

const BIN = path.resolve(import.meta.dirname, '../../bin/tts.js');

describe('the account commands', () => {
  let folder: string;
  let dataDir: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tts-keys-'));
    dataDir = path.join(folder, 'data');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const tts = (...args: string[]) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      execFile(process.execPath, [BIN, ...args, '--data-dir', dataDir], (error, out, err) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err });
      });
    });
  const json = async (...args: string[]) => JSON.parse((await tts(...args, '--json')).out);

  it('make keys and list them in order of creation', async () => {
    const partner = await json('keys', 'create', '--tier', 'partner', '--credits', '500', '--name', 'büro');
    expect(Object.keys(partner)).toEqual(['key', 'id', 'tier', 'credits', 'name', 'created_at']);
    expect(partner).toMatchObject({ tier: 'partner', credits: 500, name: 'büro' });
    expect(partner.key).toMatch(/^tts_[A-Za-z0-9][\w-]{42}$/);
    const free = await tts('keys', 'create', '--tier', 'free', '--expires', '30d');
    expect(free.out).toMatch(/^tts_[A-Za-z0-9][\w-]{42}\n$/);
    const { key: _key, ...listed } = partner;
    expect(await json('keys', 'list')).toEqual([
      {
        ...listed,
        expires_at: null,
        revoked: false,
        expired: false,
        reserved: 0,
        concurrency: null,
        free_daily: null,
        rotated_at: null,
        previous_ends_at: null,
        today: {
          free_requests: 0,
          free_requests_by_model: { 'base-tts': 0, 'base-tts-fast': 0 },
          requests: 0,
          characters: 0,
          credits: 0,
        },
      },
      expect.objectContaining({ id: free.out.slice(4, 12), tier: 'free', credits: 0, name: null, revoked: false }),
    ]);
    const shown = await tts('keys', 'list');
    expect(shown.out).toContain('büro');
    expect(shown.out).not.toContain(partner.key);
  });

  it('give a key limits of its own, by Free model as well, and take them back', async () => {
    const byModel = 'base-tts=100,base-tts-fast=400';
    const { id } = await json('keys', 'create', '--tier', 'free', '--concurrency', '1', '--free-daily', byModel);
    const limits = async () => {
      const [{ concurrency, free_daily }] = await json('keys', 'list');
      return [concurrency, free_daily];
    };
    expect(await limits()).toEqual([1, { 'base-tts': 100, 'base-tts-fast': 400 }]);
    const changed = await tts('keys', 'limit', id, '--free-daily', '9');
    expect(changed.out).toBe(`Key ${id}: 1 at once, 9 Free requests a day.\n`);
    expect(await json('keys', 'limit', id, '--concurrency', 'usual')).toMatchObject({
      concurrency: null,
      free_daily: 9,
    });
    expect(await limits()).toEqual([null, 9]);
  });

  it('give a key another secret, with the one before for a time or without it', async () => {
    const { key, id } = await json('keys', 'create', '--tier', 'partner', '--credits', '5', '--name', 'kiosk');
    const rotated = await tts('keys', 'rotate', id, '--grace', '2h');
    expect(rotated.out).toMatch(new RegExp(`^tts_${id}[\\w-]{35}\\n$`));
    expect(rotated.out.trim()).not.toBe(key);
    expect(rotated.err).toMatch(/the one before works until \d{4}-/);
    const again = await json('keys', 'rotate', id);
    expect(again).toMatchObject({ id, name: 'kiosk', credits: 5, previous_ends_at: null });
    expect(await tts('keys', 'rotate', id, '--grace', '1000d')).toMatchObject({ code: 2, out: '' });
    await tts('keys', 'revoke', id);
    expect((await tts('keys', 'rotate', id)).err).toContain('was revoked, which cannot be undone');
  });

  it('take effect at once beside a running server', async () => {
    const { key, id } = await json('keys', 'create', '--tier', 'partner', '--credits', '5');
    const store = await openSqliteStore(path.join(dataDir, 'accounts.db'));
    const accounts = await createAccounts({ store, limits: DEFAULT_LIMITS });
    expect((await tts('keys', 'grant', id, '7')).out).toContain('12 credits');
    const held = await accounts.authenticate(key);
    expect(held.credits).toBe(12);
    const request = { key: held, requestId: 'req_1', model: 'base-tts', voice: 'v', chars: 11 } as const;
    const admission = await accounts.admit(request);
    expect((await json('keys', 'list'))[0]).toMatchObject({ credits: 12, reserved: 11 });
    await admission.settle({ audioMs: 61_000 });
    expect(await json('usage')).toEqual([
      {
        time: expect.any(String),
        request_id: 'req_1',
        key_id: id,
        model: 'base-tts',
        voice: 'v',
        characters: 11,
        credits: 11,
        audio_ms: 61_000,
        outcome: 'completed',
        delivered_characters: 11,
      },
    ]);
    const csv = (await tts('usage', '--csv', '--key', id, '--since', '1h')).out.split('\n');
    expect(csv[0]).toBe('time,request_id,key_id,model,voice,characters,credits,audio_ms,outcome,delivered_characters');
    expect(csv[1]).toMatch(new RegExp(`^\\S+Z,req_1,${id},base-tts,v,11,11,61000,completed,11$`));
    expect((await tts('usage')).out).toMatch(/CHARS +DELIVERED +CREDITS.*\n.* 11 +11 +11 +0:01:01/s);
    await tts('keys', 'revoke', id);
    await expect(accounts.authenticate(key)).rejects.toMatchObject({ code: 'revoked_api_key' });
    const copy = path.join(folder, 'copy.db');
    expect((await tts('db', 'backup', copy)).code).toBe(0);
    expect((await tts('db', 'backup', copy)).err).toContain('--force');
    expect((await tts('db', 'backup', copy, '--force')).code).toBe(0);
    await accounts.close();
    const restored = await openSqliteStore(copy);
    expect(await restored.findKey(id)).toMatchObject({ credits: 1, revoked: true });
    await restored.close();
  });

  it('leave no trace where there are no accounts yet', async () => {
    expect(await json('keys', 'list')).toEqual([]);
    expect(await json('usage')).toEqual([]);
    expect((await tts('db', 'backup', path.join(folder, 'b.db'))).err).toContain('no accounts');
    expect((await tts('keys', 'grant', 'abcdefgh', '5')).err).toContain('tts keys list');
    expect(await readdir(folder)).toEqual([]);
  });

  it('say what is wrong and exit with the code of it', async () => {
    const failures: [string[], number, RegExp][] = [
      [['keys', 'create'], 2, /--tier/],
      [['keys', 'create', '--tier', 'gold'], 2, /free, partner/],
      [['keys', 'create', '--tier', 'free', '--credits', '-3'], 2, /whole number/],
      [['keys', 'create', '--tier', 'free', '--expires', 'soon'], 2, /30d/],
      [['keys', 'create', '--tier', 'free', '--free-daily', 'base-tts=x'], 2, /base-tts=100,base-tts-fast=400/],
      [['keys', 'limit', 'abcdefgh'], 2, /--concurrency, --free-daily/],
      [['keys', 'limit', 'abcdefgh', '--concurrency', '-1'], 2, /whole number/],
      [['keys', 'limit', 'abcdefgh', '--concurrency', '1'], 1, /no key with the id "abcdefgh"/],
      [['keys', 'revoke', 'abcdefgh'], 1, /no key with the id "abcdefgh"/],
      [['keys', 'grant', 'abcdefgh', '0'], 2, /at least 1/],
      [['usage', '--since', 'yesterday'], 2, /7d/],
      [['usage', '--key', 'abcdefgh'], 1, /no key/],
      [['usage', '--json', '--csv'], 2, /cannot be used with/],
      [['keys', 'lst'], 2, /^tts: Unknown command 'lst'/],
    ];
    for (const [args, exit, message] of failures) {
      const { code, err, out } = await tts(...args);
      expect({ args, code, out }).toEqual({ args, code: exit, out: '' });
      expect(err).toMatch(message);
    }
  });
});

describe('a moment', () => {
  const now = new Date('2026-03-01T12:00:00.000Z');
  it('is a duration from now, a day, or a time with or without a zone', () => {
    const iso = (text: string, direction: 'ahead' | 'behind') => parseMoment('--x', text, direction, now).toISOString();
    expect(iso('90s', 'ahead')).toBe('2026-03-01T12:01:30.000Z');
    expect(iso('2d', 'behind')).toBe('2026-02-27T12:00:00.000Z');
    expect(iso('2026-04-05', 'ahead')).toBe('2026-04-05T00:00:00.000Z');
    expect(iso('2026-04-05 06:07', 'ahead')).toBe('2026-04-05T06:07:00.000Z');
    expect(iso('2026-04-05T06:07:08+02:00', 'ahead')).toBe('2026-04-05T04:07:08.000Z');
  });

  it('is nothing else', () => {
    for (const text of ['', 'tomorrow', '5', '5y', '2026-13-45', '2026', '-5d']) {
      expect(() => parseMoment('--since', text, 'behind', now)).toThrow(expect.objectContaining({ code: 'usage' }));
    }
  });
});

describe('a table', () => {
  const columns = [{ title: 'ID' }, { title: 'N', align: 'right' }, { title: 'NAME', shrink: true }] as const;
  it('aligns, keeps to the width by shortening what may be shortened, and shows no control characters', () => {
    const rows = [
      ['abc', '12', 'a long name that goes on'],
      ['d', '3', 'x\u001b[31m\ny'],
    ];
    expect(table(columns, rows, undefined).split('\n')[1]).toBe('abc  12  a long name that goes on');
    const narrow = table(columns, rows, 20).split('\n');
    expect(narrow[1]).toBe('abc  12  a long nam…');
    expect(narrow[2]).toBe('d     3  x [31m y');
    expect(Math.max(...narrow.map((line) => line.length))).toBeLessThanOrEqual(20);
  });
});
