/** Tickets: how a page in a browser opens a session without sending its key along. */
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { errorOf, type TestServer } from '../../testkit/server.js';
import { Refused, StreamClient, startStreamServer, VOICE } from './client.js';

describe('stream tickets', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startStreamServer({ settings: { failedKeysPerMinute: 50 } });
  });
  afterAll(() => server.close());
  const open: WebSocket[] = [];
  afterEach(() => {
    for (const socket of open.splice(0)) socket.terminate();
  });

  const ask = (body: unknown, key = server.partner.key): Promise<Response> =>
    fetch(`${server.baseUrl}/v1/stream-tickets`, {
      method: 'POST',
      headers: { ...(key && { authorization: `Bearer ${key}` }), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const ticketFor = async (body: unknown, key?: string) =>
    ((await (await ask(body, key)).json()) as { ticket: string }).ticket;
  const QUERY = { model_id: 'base-tts-fast', sync_alignment: true };

  /** As a browser does: subprotocols, and no header of its own. */
  const connect = (ticket: string, { query = QUERY as object, voice = VOICE } = {}) =>
    new Promise<WebSocket>((resolve, reject) => {
      const search = new URLSearchParams(
        Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]),
      );
      const url = `ws://127.0.0.1:${server.port}/v1/text-to-speech/${voice}/stream-input?${search}`;
      const socket = new WebSocket(url, ['tts.v1', `tts.ticket.${ticket}`]);
      open.push(socket);
      socket.once('open', () => resolve(socket));
      socket.once('unexpected-response', (_request, response) => reject(new Error(String(response.statusCode))));
      socket.once('error', reject);
    });

  it('open the session they were made for, in the name of their key, and speak tts.v1', async () => {
    const response = await ask({ voice: VOICE, query: QUERY });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const { ticket, expires_at } = (await response.json()) as { ticket: string; expires_at: string };
    const leftMs = Date.parse(expires_at) - Date.now();
    expect(leftMs).toBeGreaterThan(10_000);
    expect(leftMs).toBeLessThanOrEqual(30_000);
    const socket = await connect(ticket);
    expect(socket.protocol).toBe('tts.v1');
    const final = new Promise((resolve) => {
      socket.on('message', (data) => {
        const message = JSON.parse(String(data));
        if (message.isFinal) resolve(message);
      });
    });
    for (const text of [' ', 'Hello there.', '']) socket.send(JSON.stringify({ text }));
    await final;
    await new Promise((resolve) => socket.once('close', resolve));
    const rows = await server.ledger(server.partner.id);
    expect(rows.at(-1)).toMatchObject({ outcome: 'completed', characters: 12, model: 'base-tts-fast', voice: VOICE });
  });

  it('are good once', async () => {
    const ticket = await ticketFor({ voice: VOICE, query: QUERY });
    await connect(ticket);
    await expect(connect(ticket)).rejects.toThrow('401');
  });

  it('are good for the voice and the parameters they were made for, and used up by a wrong try', async () => {
    const ticket = await ticketFor({ voice: VOICE, query: QUERY });
    await expect(connect(ticket, { query: { ...QUERY, seed: 7 } })).rejects.toThrow('401');
    await expect(connect(ticket)).rejects.toThrow('401');
    const another = await ticketFor({ voice: VOICE, query: QUERY });
    await expect(connect(another, { voice: 'english_female_articulate' })).rejects.toThrow('401');
    // Defaults written out mean the same session.
    await connect(await ticketFor({ voice: VOICE, query: { seed: 0 } }), { query: { model_id: 'base-tts' } });
  });

  it('die with their key', async () => {
    const key = await server.key();
    const ticket = await ticketFor({ voice: VOICE, query: QUERY }, key.key);
    await server.keyring.revoke(key.id);
    await expect(connect(ticket)).rejects.toThrow('401');
  });

  it('die with a key that expired since they were made', async () => {
    const key = await server.key({ expiresAt: new Date(Date.now() + 60_000) });
    const [early, late] = [
      await ticketFor({ voice: VOICE, query: QUERY }, key.key),
      await ticketFor({ voice: VOICE, query: QUERY }, key.key),
    ];
    await connect(early);
    await server.expire(key.id);
    await expect(connect(late)).rejects.toThrow('401');
    const counted = await server.metrics.text();
    expect(counted).toMatch(/tts_failed_keys_total\{[^}]*expired_api_key[^}]*\} 1/);
  });

  it('are refused where the session would be, so that a page can say why', async () => {
    const code = async (body: unknown, key?: string) => {
      const { status, code } = await errorOf(await ask(body, key));
      return [status, code];
    };
    expect(await code({}, '')).toEqual([401, 'missing_api_key']);
    expect(await code({}, 'tts_wrong')).toEqual([401, 'invalid_api_key']);
    expect(await code({}, server.free.key)).toEqual([403, 'early_access_required']);
    expect(await code({}, (await server.key({ credits: 0 })).key)).toEqual([402, 'insufficient_credits']);
    expect(await code({ voice: 'nobody' })).toEqual([400, 'voice_not_found']);
    expect(await code({ query: { seed: -1 } })).toEqual([400, 'invalid_value']);
    expect(await code({ query: { model_id: 'x' } })).toEqual([400, 'model_not_found']);
    expect(await code({ query: 5 })).toEqual([400, 'invalid_type']);
  });

  it('leave the header as it was: whoever sends a key needs no ticket, and a wrong key is not saved by one', async () => {
    const ticket = await ticketFor({ voice: VOICE });
    const headers = { authorization: 'Bearer tts_wrong', 'sec-websocket-protocol': `tts.v1, tts.ticket.${ticket}` };
    await expect(StreamClient.connect(server, { headers })).rejects.toBeInstanceOf(Refused);
    const client = await StreamClient.open(server);
    expect(client.socket.protocol).toBe('');
    await client.finish();
  });

  it('count as failed keys where they are guessed, and never reach the log', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const strict = await startStreamServer({ settings: { failedKeysPerMinute: 2 }, log });
    const statuses = [];
    for (let i = 0; i < 3; i++) {
      const headers = { 'sec-websocket-protocol': `tts.v1, tts.ticket.guess-number-${i}` };
      const refused = await StreamClient.connect(strict, { headers }).catch((error: Refused) => error.status);
      statuses.push(refused);
    }
    expect(statuses).toEqual([401, 401, 429]);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join('')).not.toContain('guess-number');
    await strict.close();
  });
});
