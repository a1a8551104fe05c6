/**
 * Thousands of sessions that do anything at all: each ends in a defined way, nothing leaks, every
 * credit is accounted for.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, until } from '../../testkit/server.js';
import { StreamClient, startStreamServer } from './client.js';
import { type Action, expected, random, type Script, script } from './protocol-model.js';

const SESSIONS = 2_000;
const AT_ONCE = 24;
const SEED = 20_260_301;
const CREDITS = 10_000_000;

function perform(client: StreamClient, one: Action): Promise<void> | undefined {
  const { socket } = client;
  if (one.do === 'wait') return sleep(one.ms);
  if (socket.readyState !== socket.OPEN) return undefined;
  if (one.do === 'send') socket.send(one.data);
  else if (one.do === 'fragments') {
    one.data.forEach((piece, i) => {
      socket.send(piece, { fin: i === one.data.length - 1 });
    });
  } else (socket as unknown as { _socket: NodeJS.WritableStream })._socket.write(one.bytes);
  return undefined;
}

interface Played {
  readonly result: string;
  readonly requestId: string;
  readonly heard: boolean;
}

/** Plays a script and says how it ended, in the words of the model. */
async function play(server: TestServer, { actions, parting }: Script): Promise<Played> {
  // On a busy machine a message may come a second late, which would be the end of a short wait.
  const client = await StreamClient.connect(server, {
    query: { inactivity_timeout: parting === 'idle' ? 2 : 20, sync_alignment: actions.length % 2 === 0 },
  });
  for (const one of actions) await perform(client, one);
  const { socket } = client;
  if (socket.readyState === socket.OPEN) {
    if (parting === 'end') client.send({ text: '' });
    else if (parting === 'terminate') socket.terminate();
    else if (parting === 'close') socket.close();
  }
  const code = await client.closed;
  const requestId = client.requestId!;
  const heard = client.audioBytes > 0;
  if (client.error) {
    expect(client.error.requestId).toBe(requestId);
    expect([1008, 1009, 1011]).toContain(code);
    return { result: client.error.error!, requestId, heard };
  }
  if (client.final) return { result: 'final', requestId, heard };
  return { result: code === 1002 || code === 1007 || code === 1009 ? 'closed' : 'left', requestId, heard };
}

describe('any sequence of messages', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startStreamServer({
      sine: { msPerChar: 1, failAtOnceOn: 'FAIL' },
      limits: { partnerConcurrency: AT_ONCE * 4 },
      gateway: { queueLimit: AT_ONCE * 4 },
    });
  });
  afterAll(() => server.close());

  it(`ends in a defined state, ${SESSIONS} times over, and the ledger balances`, async () => {
    await server.keyring.grantCredits(server.partner.id, CREDITS - 1_000_000);
    let next = 0;
    let billed = 0;
    const seen = new Map<string, number>();
    const outcomes = new Map<string, string>();
    const lane = async () => {
      for (let n = next++; n < SESSIONS; n = next++) {
        const one = script(random(SEED + n));
        const { results, chars } = expected(one);
        const { result, requestId, heard } = await play(server, one);
        // What was not read before the socket broke cannot be told apart from leaving.
        const allowed = results.has(result) || (result === 'left' && results.has('closed'));
        expect({ n, result, allowed, results: [...results] }).toEqual({
          n,
          result,
          allowed: true,
          results: [...results],
        });
        seen.set(result, (seen.get(result) ?? 0) + 1);
        outcomes.set(requestId, result);
        // What made no sound costs nothing.
        if (result === 'final' && heard) billed += chars;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));

    for (const result of ['final', 'left', 'closed', 'not_initialized', 'invalid_json', 'inactivity_timeout']) {
      expect([result, seen.get(result) ?? 0]).not.toEqual([result, 0]);
    }
    await until(async () => (await server.ledger()).length === SESSIONS, 'a row for every session');
    const rows = await server.ledger();
    const spent = rows.reduce((sum, row) => sum + row.credits, 0);
    expect(await server.balance(server.partner.id)).toEqual({ credits: CREDITS - spent, reserved: 0 });
    expect(new Set(rows.map((row) => row.requestId)).size).toBe(SESSIONS);
    // A client that left at the very end may have missed the Final it was billed for; nobody else
    // was.
    const unseen = rows.filter((row) => row.outcome === 'completed' && outcomes.get(row.requestId) !== 'final');
    expect(unseen.every((row) => ['left', 'closed'].includes(outcomes.get(row.requestId)!))).toBe(true);
    expect(spent).toBe(billed + unseen.reduce((sum, row) => sum + row.credits, 0));
    expect(rows.every((row) => row.outcome === 'completed' || row.credits === 0)).toBe(true);

    expect(server.accounts.active).toBe(0);
    expect(server.gateway.stats).toMatchObject({ open: 0, queuedSegments: 0 });
    await until(() => server.gateway.stats.runningSegments === 0 && server.worker.running === 0);
    await until(
      () => new Promise((resolve) => server.app.server.getConnections((_, n) => resolve(n === 0))),
      'no socket',
    );
    const metrics = await server.metrics.text();
    expect(metrics).toMatch(/^tts_active_sessions\{route="stream_input"\} 0$/m);
  }, 300_000);
});
