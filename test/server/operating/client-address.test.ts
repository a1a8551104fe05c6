/** Whose address counts where a proxy is in front. */
import type { IncomingMessage } from 'node:http';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { ProxyTrust } from '../../../src/server/access/client-address.js';
import { startTestServer } from '../../../testkit/server.js';

const request = (remoteAddress: string, headers: Record<string, string> = {}) =>
  ({ headers, socket: { remoteAddress } }) as unknown as IncomingMessage;
const said = (remoteAddress: string, forwarded: string) => request(remoteAddress, { 'x-forwarded-for': forwarded });

describe("the client's address", () => {
  const proxies = new ProxyTrust(['10.0.0.0/8', '192.0.2.7', '2001:db8:1::/48']);

  it.each([
    ['nobody in between', request('198.51.100.1'), '198.51.100.1'],
    ['a stranger who says another', said('198.51.100.1', '203.0.113.9'), '198.51.100.1'],
    ['a proxy that says it', said('10.1.2.3', '203.0.113.9'), '203.0.113.9'],
    ['a proxy that says nothing', request('10.1.2.3'), '10.1.2.3'],
    ['a client that wrote more in front', said('10.1.2.3', '1.1.1.1, 203.0.113.9'), '203.0.113.9'],
    ['two proxies', said('10.1.2.3', '203.0.113.9, 192.0.2.7'), '203.0.113.9'],
    ['proxies alone', said('10.1.2.3', '10.9.9.9, 192.0.2.7'), '10.9.9.9'],
    ['a proxy over IPv6', said('2001:db8:1::5', '2001:db8:2::1'), '2001:db8:2::1'],
    ['an IPv4 proxy on an IPv6 socket', said('::ffff:10.1.2.3', '203.0.113.9'), '203.0.113.9'],
    ['a port', said('10.1.2.3', '203.0.113.9:4711'), '203.0.113.9'],
    ['an IPv6 address with a port', said('10.1.2.3', '[2001:db8:2::1]:4711'), '2001:db8:2::1'],
    ['what is no address', said('10.1.2.3', '203.0.113.9, unknown'), '10.1.2.3'],
  ])('with %s', (_what, from, address) => {
    expect(proxies.addressOf(from)).toBe(address);
  });

  it('is the one of the connection where no proxy is trusted', () => {
    expect(new ProxyTrust([]).addressOf(said('127.0.0.1', '203.0.113.9'))).toBe('127.0.0.1');
  });

  it('is behind TLS where a trusted proxy says so', () => {
    const https = { 'x-forwarded-proto': 'https' };
    expect(proxies.isSecure(request('10.1.2.3', https))).toBe(true);
    expect(proxies.isSecure(request('198.51.100.1', https))).toBe(false);
    expect(proxies.isSecure(request('10.1.2.3', { 'x-forwarded-proto': 'http, https' }))).toBe(false);
  });

  it.each(['10.0.0.0/33', 'proxy.example.org', '10.0.0.0/', '::1/129', '*'])('is not asked of "%s"', (network) => {
    expect(() => new ProxyTrust([network])).toThrow(/--trust-proxy: .* is no network/);
  });
});

describe('a server behind a proxy', () => {
  const fail = async (baseUrl: string, client: string) => {
    const headers = { authorization: 'Bearer tts_wrong', 'x-forwarded-for': client };
    return (await fetch(`${baseUrl}/v1/voices`, { headers })).status;
  };

  it('brakes each client of a proxy that is trusted by itself', async () => {
    const server = await startTestServer({ settings: { failedKeysPerMinute: 2, trustProxy: ['127.0.0.1'] } });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push(await fail(server.baseUrl, '203.0.113.1'));
    expect(statuses).toEqual([401, 401, 429]);
    expect(await fail(server.baseUrl, '203.0.113.2')).toBe(401);
    await server.close();
  });

  it('brakes all clients of another as one, and says once in the log which setting changes that', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const server = await startTestServer({ log, settings: { failedKeysPerMinute: 2 } });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push(await fail(server.baseUrl, `203.0.113.${i}`));
    expect(statuses).toEqual([401, 401, 429]);
    expect(lines.filter((line) => line.includes('--trust-proxy'))).toHaveLength(1);
    await server.close();
  });

  it('bounds the connections of others by their address, and not those of the proxy', async () => {
    const server = await startTestServer({ settings: { maxConnectionsPerAddress: 1, trustProxy: ['127.0.0.0/8'] } });
    const answers = await Promise.all(Array.from({ length: 4 }, () => fetch(`${server.baseUrl}/healthz`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await server.close();
  });
});
