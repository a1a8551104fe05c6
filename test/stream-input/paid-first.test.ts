/** Speech is made while its reservation is being written, and leaves when that is committed. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Libsql from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/accounts/sqlite/store.js';
import { type TestServer, until } from '../../testkit/server.js';
import { StreamClient, startStreamServer } from './client.js';

const SENTENCES = 'One sentence of some length. '.repeat(20).trim();

describe('a session whose reservation waits for another program', () => {
  let folder: string;
  let server: TestServer;
  let other: Libsql.Database;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tts-paid-first-'));
    const file = path.join(folder, 'accounts.db');
    server = await startStreamServer({ store: await openSqliteStore(file, { busyLimitMs: 2_000 }) });
    other = new Libsql(file);
  });
  afterEach(async () => {
    other.close();
    await server.close();
    await rm(folder, { recursive: true });
  });

  it('sends neither samples nor alignment before the commit, and all of them after it', async () => {
    const key = await server.key({ credits: 1_000 });
    const client = await StreamClient.open(server, { key: key.key, query: { sync_alignment: true } });
    other.exec('BEGIN IMMEDIATE');
    client.send({ text: SENTENCES, flush: true });
    // Made all the same: the engine has spoken the first of it.
    await until(async () => /tts_audio_seconds_total\{[^}]*\} [\d.]*[1-9]/.test(await server.metrics.text()));
    await sleep(300);
    expect(client.messages).toEqual([]);
    other.exec('ROLLBACK');
    expect(await client.finish()).toMatchObject({ code: 1000, final: true });
    expect(client.audioBytes).toBeGreaterThan(10_000);
    expect(await server.balance(key.id)).toEqual({ credits: 1_000 - SENTENCES.length, reserved: 0 });
  });

  it('hears nothing where the balance turns out to be short', async () => {
    const key = await server.key({ credits: 1 });
    const client = await StreamClient.open(server, { key: key.key });
    other.exec('BEGIN IMMEDIATE');
    client.send({ text: SENTENCES, flush: true });
    await sleep(500);
    other.exec('ROLLBACK');
    expect(await client.ended()).toMatchObject({ error: 'insufficient_credits', code: 1008, final: false });
    expect(client.audioBytes).toBe(0);
    await until(async () => (await server.ledger(key.id)).length === 1);
    expect(await server.balance(key.id)).toEqual({ credits: 1, reserved: 0 });
  });

  it('ends with store_unavailable and silence where the store stays locked', async () => {
    const key = await server.key({ credits: 1_000 });
    const client = await StreamClient.open(server, { key: key.key });
    other.exec('BEGIN IMMEDIATE');
    client.send({ text: SENTENCES, flush: true });
    expect(await client.ended()).toMatchObject({ error: 'store_unavailable', code: 1013, final: false });
    expect(client.error?.message).not.toContain(folder);
    expect(client.audioBytes).toBe(0);
    other.exec('ROLLBACK');
    await until(async () => (await server.ledger(key.id)).length === 1);
    expect(await server.balance(key.id)).toEqual({ credits: 1_000, reserved: 0 });
  });
});
