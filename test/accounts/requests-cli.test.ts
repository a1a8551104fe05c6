/** `tts requests` as an operator calls it, beside a server and after it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountsFile } from '../../src/accounts/data-folder.js';
import { openSqliteStore } from '../../src/accounts/sqlite/store.js';
import type { AccountStore } from '../../src/accounts/store.js';
import { until } from '../../testkit/server.js';
import { requestRow } from '../contract/request-log.js';
import { type Home, makeHome, startServe } from '../support/processes/serve-process.js';

const BIN = path.resolve(import.meta.dirname, '../../bin/tts.js');
const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();

describe('tts requests', () => {
  let home: Home;
  let store: AccountStore;
  beforeEach(async () => {
    home = makeHome();
    store = await openSqliteStore(accountsFile(home.dataDir));
  });
  afterEach(async () => {
    await store.close();
    home.remove();
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at as a script would.
  const json = async (...args: string[]): Promise<any[]> =>
    JSON.parse((await home.run('requests', ...args, '--json')).stdout);
  const ids = (rows: { request_id: string }[]) => rows.map(({ request_id }) => request_id);

  it('shows the latest last, filtered by key, outcome, time and id, as a table and as JSON', async () => {
    await store.logRequests([
      requestRow(1, { time: ago(7_200), keyId: 'local' }),
      requestRow(2, { time: ago(60), keyId: 'local', outcome: 'failed', error: 'synthesis_failed' }),
      requestRow(3, { time: ago(30), keyId: 'other', breaks: 2, firstAudioMs: 140, traceId: 'a'.repeat(32) }),
    ]);
    expect(ids(await json())).toEqual(['req_1', 'req_2', 'req_3']);
    expect(ids(await json('--limit', '1'))).toEqual(['req_3']);
    expect(ids(await json('--since', '1h'))).toEqual(['req_2', 'req_3']);
    expect(ids(await json('--key', 'local', '--status', 'failed'))).toEqual(['req_2']);
    const [third] = await json('req_3');
    expect(third).toMatchObject({ key_id: 'other', breaks: 2, first_audio_ms: 140, trace_id: 'a'.repeat(32) });
    const { stdout } = await home.run('requests');
    expect(stdout).toMatch(
      /^TIME \(UTC\) +REQUEST +KEY +ROUTE .*\n.*req_1.*\n.*failed: synthesis_failed.*\n.*140 ms +2 /,
    );
  });

  it('says why there is nothing to see, and what is wrong with an option', async () => {
    expect((await home.run('requests')).stderr).toContain('No requests of this kind');
    expect((await home.run('requests', '--request-log-days', '0')).stderr).toContain('requestLogDays');
    expect(await home.run('requests', '--key', 'abcdefgh')).toMatchObject({ code: 1 });
    expect(await home.run('requests', '--status', 'lost')).toMatchObject({ code: 2 });
    expect(await home.run('requests', '--limit', '0')).toMatchObject({ code: 2 });
  });

  it('follows what ends from now on, each once, one JSON object a line', async () => {
    await store.logRequests([requestRow(1, { time: ago(5) })]);
    const child = spawn(process.execPath, [BIN, 'requests', '--follow', '--json'], { env: home.env });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    const lines = () =>
      out
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    await until(() => lines().length === 1, 'the first row');
    // Another server's row that comes late, with an earlier time.
    await store.logRequests([requestRow(2, { time: ago(0) }), requestRow(3, { time: ago(8) })]);
    await until(() => lines().length === 3, 'the new rows');
    await store.logRequests([requestRow(4, { time: ago(0) })]);
    await until(() => lines().length === 4, 'the last row');
    expect(ids(lines())).toEqual(['req_1', 'req_3', 'req_2', 'req_4']);
    child.kill('SIGINT');
    await once(child, 'exit');
  });

  it('tells what a real server spoke, and a server with the log off leaves none', async () => {
    const server = await startServe(home);
    const out = path.join(home.dir, 'a.wav');
    expect(await home.run('speak', 'Spoken to be found.', '-m', 'base-tts', '-o', out)).toMatchObject({ code: 0 });
    await until(async () => (await json('--key', 'local')).length === 1, 'the row');
    const [row] = await json('--key', 'local');
    expect(row).toMatchObject({ model: 'base-tts', outcome: 'completed', characters: 19, credits: 0, breaks: 0 });
    expect(row.worker).toMatch(/\S/);
    await server.kill('SIGTERM');
    const off = await startServe(home, ['--request-log-days', '0']);
    await until(async () => (await json()).length === 0, 'an empty log');
    await home.run('speak', 'Spoken to be forgotten.', '-m', 'base-tts', '-o', out);
    await off.kill('SIGTERM');
    expect(await json()).toEqual([]);
  });
});
