/**
 * Tickets, sign-ins and the brake on guessing at two servers on one PostgreSQL: good, used up,
 * ended and counted at both.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { hasPostgres } from '../../../testkit/postgres.js';
import { until } from '../../../testkit/server.js';
import { VOICE } from '../../stream-input/client.js';
import { adminSecretOf, makeHome, startServe } from '../../support/processes/serve-process.js';
import { type ServersOnPostgres, serversOnPostgres } from '../../support/processes/servers-on-postgres.js';

const cookieOf = (response: Response) => response.headers.get('set-cookie')!.split(';', 1)[0]!;

/** What a dashboard's page does. */
const admin = (baseUrl: string, path: string, { method = 'GET', cookie = '', secret = '', client = '' } = {}) =>
  fetch(`${baseUrl}/admin/v1${path}`, {
    method,
    headers: {
      origin: baseUrl,
      ...(cookie && { cookie }),
      ...(secret && { 'content-type': 'application/json' }),
      ...(client && { 'x-forwarded-for': client }),
    },
    ...(secret && { body: JSON.stringify({ secret }) }),
  });
const signIn = (baseUrl: string, secret: string, client?: string) =>
  admin(baseUrl, '/session', { method: 'POST', secret, ...(client && { client }) });

if (!hasPostgres()) {
  it('leaves PostgreSQL out: postgresql is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('at two servers on one database', () => {
    let shared: ServersOnPostgres;
    let { postgres, home, servers, keyring, query } = {} as ServersOnPostgres;
    const open: WebSocket[] = [];
    beforeAll(async () => {
      shared = await serversOnPostgres({ args: ['--trust-proxy', '127.0.0.0/8', '--web', 'key'] });
      ({ postgres, home, servers, keyring, query } = shared);
    });
    afterAll(async () => {
      for (const socket of open) socket.terminate();
      await shared.close();
    });

    const partner = () => keyring.create({ tier: 'partner', credits: 10_000, limits: { concurrency: 100 } });
    const ticketAt = async (n: number, key: string): Promise<string> => {
      const response = await fetch(`${servers[n]!.baseUrl}/v1/stream-tickets`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ voice: VOICE }),
      });
      expect(response.status).toBe(200);
      return ((await response.json()) as { ticket: string }).ticket;
    };
    /**
     * Resolves with the status of the handshake; every attempt has a client of its own, so that
     * none is braked.
     */
    let clients = 0;
    const use = (n: number, ticket: string) =>
      new Promise<number>((resolve) => {
        const address = `${servers[n]!.baseUrl.replace('http', 'ws')}/v1/text-to-speech/${VOICE}/stream-input`;
        const headers = { 'x-forwarded-for': `203.0.113.${++clients % 250}` };
        const socket = new WebSocket(address, ['tts.v1', `tts.ticket.${ticket}`], { headers });
        open.push(socket);
        socket.once('open', () => resolve(101));
        socket.once('unexpected-response', (_request, response) => resolve(response.statusCode!));
        socket.on('error', () => undefined);
      });

    it('a ticket of one opens a session at the other', async () => {
      const { key } = await partner();
      expect(await use(1, await ticketAt(0, key))).toBe(101);
      expect(await use(0, await ticketAt(1, key))).toBe(101);
    });

    it('a ticket is good once, though many use it at both at the same time', async () => {
      const { key } = await partner();
      for (let round = 0; round < 5; round++) {
        const ticket = await ticketAt(round % 2, key);
        const statuses = await Promise.all(Array.from({ length: 30 }, (_, n) => use(n % 2, ticket)));
        expect(statuses.filter((status) => status === 101)).toHaveLength(1);
        expect(statuses.filter((status) => status === 401)).toHaveLength(29);
      }
    });

    it('a ticket ends with its key, wherever that is revoked', async () => {
      const { key, id } = await partner();
      const ticket = await ticketAt(0, key);
      await keyring.revoke(id);
      expect(await use(1, ticket)).toBe(401);
    });

    it('nothing that is shown stands in the database', async () => {
      const { key } = await partner();
      const ticket = await ticketAt(0, key);
      const secret = adminSecretOf(home);
      const token = cookieOf(await signIn(servers[0]!.baseUrl, secret)).split('=')[1]!;
      const rows = await query("SELECT encode(hash, 'base64') AS hash, * FROM tickets");
      rows.push(...(await query("SELECT encode(hash, 'base64') AS hash, * FROM sign_ins")));
      expect(rows.length).toBeGreaterThan(1);
      const shown = [ticket, token, secret, key].flatMap((text) => [
        text,
        Buffer.from(text, 'base64url').toString('base64'),
        Buffer.from(text).toString('hex'),
      ]);
      const text = JSON.stringify(rows, (_name, value) =>
        value?.type === 'Buffer' ? `${Buffer.from(value.data)} ${Buffer.from(value.data).toString('hex')}` : value,
      );
      for (const one of shown) expect(text).not.toContain(one);
    });

    it('a sign-in at one is one at the other, and so is the end of it', async () => {
      const [one, two] = servers.map(({ baseUrl }) => baseUrl) as [string, string];
      const { key, id } = await partner();
      const operator = cookieOf(await signIn(one, adminSecretOf(home)));
      const holder = cookieOf(await signIn(two, key));
      const status = async (baseUrl: string, cookie: string) => (await admin(baseUrl, '/session', { cookie })).status;
      for (const at of [one, two]) {
        expect(await status(at, operator)).toBe(200);
        expect(await status(at, holder)).toBe(200);
      }
      expect((await admin(two, '/session', { method: 'DELETE', cookie: operator })).status).toBe(204);
      for (const at of [two, one]) expect(await status(at, operator)).toBe(401);
      await keyring.revoke(id);
      for (const at of [two, one]) expect(await status(at, holder)).toBe(401);
    });

    it('another admin secret ends the sign-ins at both', async () => {
      const cookies = [];
      const before = adminSecretOf(home);
      for (const { baseUrl } of servers) cookies.push(cookieOf(await signIn(baseUrl, before)));
      const { stdout } = await home.run('admin', 'reset', '--json');
      for (const { baseUrl } of servers) {
        for (const cookie of cookies) expect((await admin(baseUrl, '/keys', { cookie })).status).toBe(401);
        expect((await signIn(baseUrl, (JSON.parse(stdout) as { secret: string }).secret)).status).toBe(200);
      }
    });

    it('guesses at a key are counted together, by the address that the proxy says', async () => {
      const guess = async (n: number, client: string) => {
        const headers = { authorization: 'Bearer tts_wrong', 'x-forwarded-for': client };
        return (await fetch(`${servers[n % 2]!.baseUrl}/v1/voices`, { headers })).status;
      };
      const statuses = await Promise.all(Array.from({ length: 40 }, (_, n) => guess(n, '198.51.100.1')));
      expect(statuses.filter((status) => status === 401)).toHaveLength(20);
      expect(statuses.filter((status) => status === 429)).toHaveLength(20);
      for (const n of [0, 1]) {
        expect(await guess(n, '198.51.100.1')).toBe(429);
        expect(await guess(n, '198.51.100.2')).toBe(401);
      }
    });

    it('guesses at the admin secret are counted together, and the right one waits as well', async () => {
      const client = '198.51.100.9';
      const { stdout } = await home.run('admin', 'reset', '--json');
      const right = (JSON.parse(stdout) as { secret: string }).secret;
      const statuses = [];
      for (let n = 0; n < 6; n++) {
        statuses.push((await signIn(servers[n % 2]!.baseUrl, `ttsadmin_${n}`, client)).status);
      }
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
      for (const { baseUrl } of servers) expect((await signIn(baseUrl, right, client)).status).toBe(429);
      expect((await signIn(servers[0]!.baseUrl, right, '198.51.100.10')).status).toBe(200);
    });

    it('while the database is away, guesses are braked by each', async () => {
      await postgres.stop();
      const statuses = [];
      for (let n = 0; n < 22; n++) {
        const headers = { authorization: 'Bearer tts_wrong', 'x-forwarded-for': '198.51.100.20' };
        statuses.push((await fetch(`${servers[0]!.baseUrl}/v1/voices`, { headers })).status);
      }
      await postgres.start();
      expect(statuses).toEqual([...Array(20).fill(401), 429, 429]);
      await until(async () => (await signIn(servers[0]!.baseUrl, 'ttsadmin_wrong', '198.51.100.21')).status === 401);
    });
  });
}

describe('with a data folder', () => {
  it('sign-ins outlive a restart, and end by signing out', async () => {
    const home = makeHome();
    let server = await startServe(home);
    const secret = adminSecretOf(home);
    const cookie = cookieOf(await signIn(server.baseUrl, secret));
    await server.kill('SIGTERM');
    server = await startServe(home);
    expect((await admin(server.baseUrl, '/keys', { cookie })).status).toBe(200);
    expect((await admin(server.baseUrl, '/session', { method: 'DELETE', cookie })).status).toBe(204);
    expect((await admin(server.baseUrl, '/keys', { cookie })).status).toBe(401);
    await server.kill('SIGTERM');
    server = await startServe(home);
    expect((await admin(server.baseUrl, '/keys', { cookie })).status).toBe(401);
    await server.kill('SIGTERM');
    home.remove();
  });
});
