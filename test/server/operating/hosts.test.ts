/**
 * Which hosts a request may name, wherever it comes in: routes, handshakes, tunnels and the
 * metrics' own address.
 */
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { buildMetricsServer } from '../../../src/server/metrics/metrics-server.js';
import { rawExchange, startTestServer, type TestServer } from '../../../testkit/server.js';

let server: TestServer;
afterEach(() => server.close());

const UPGRADE = 'upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';
const STREAM = '/v1/text-to-speech/english_female_professional/stream-input';
const BODY = JSON.stringify({ model: 'base-tts', input: 'Hello.' });
const bearer = () => `authorization: Bearer ${server.partner.key}\r\n`;

/** A request in each shape, with `lines` in place of its Host header and `at` before its path. */
const SHAPES: Record<string, (lines: string, at?: string) => string> = {
  'GET /metrics': (lines, at = '') => `GET ${at}/metrics HTTP/1.1\r\n${lines}connection: close\r\n\r\n`,
  'GET /nothing': (lines, at = '') => `GET ${at}/nothing HTTP/1.1\r\n${lines}connection: close\r\n\r\n`,
  'POST speech': (lines, at = '') =>
    `POST ${at}/v1/audio/speech HTTP/1.1\r\n${lines}${bearer()}content-type: application/json\r\ncontent-length: ${BODY.length}\r\nconnection: close\r\n\r\n${BODY}`,
  'a handshake': (lines, at = '') =>
    `GET ${at}${STREAM} HTTP/1.1\r\n${lines}connection: upgrade\r\n${UPGRADE}${bearer()}\r\n`,
  'another upgrade': (lines, at = '') =>
    `GET ${at}/healthz HTTP/1.1\r\n${lines}connection: upgrade\r\nupgrade: h2c\r\n\r\n`,
};
const CONNECT = (lines: string) => `CONNECT elsewhere.example:1 HTTP/1.1\r\n${lines}\r\n`;
const hostLine = (host: string) => `host: ${host}\r\n`;

/** They name another host, as RFC 3986 spells it. */
const FOREIGN = [
  'rebound.example',
  'rebound.example:80',
  'localhost.rebound.example',
  '127.0.0.1.example',
  '127.1',
  '127.0.0.256',
  '0x7f.0.0.1',
  '2130706433',
  'notlocalhost',
  'localhost..',
  '.localhost',
  'a..localhost',
  '-.localhost',
  'rebound.example%2f.localhost',
  'rebound.example%00.localhost',
  'rebound.example,.localhost',
  'rebound.example;.localhost',
  "rebound.example'.localhost",
  'localhost,rebound.example',
  `${'a'.repeat(64)}.localhost`,
  `${'a.'.repeat(130)}localhost`,
  '[::2]',
  '[::ffff:10.0.0.1]',
  '[v1.localhost]',
];
/** They are no host at all. */
const BROKEN = [
  '',
  'rebound.example/.localhost',
  'rebound.example .localhost',
  'rebound.example\t.localhost',
  'rebound.example?.localhost',
  'rebound.example#.localhost',
  'rebound.example\\.localhost',
  'rebound.example@localhost',
  'user:password@localhost',
  'http://localhost',
  '"localhost"',
  '<localhost>',
  'rebound.example%.localhost',
  'rebound.example%zz.localhost',
  'rebound.ex\u00e4mple.localhost',
  'localhost:65536',
  'localhost:99999999999999999999',
  'localhost:-1',
  'localhost:80x',
  'localhost:80:80',
  ':80',
  '::1',
  '[::1',
  '::1]',
  '[::1]rebound.example',
  '[]',
  '[::1%lo]',
  '[127.0.0.1]',
  '[localhost]',
];
const OWN = [
  'localhost',
  'LOCALHOST:9',
  'localhost:',
  'localhost:65535',
  'tts.localhost',
  'my_tts.Deep.localhost:80',
  '127.0.0.1:1',
  '127.8.9.10',
  '[::1]',
  '[::1]:80',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  'localhost.',
  '127.0.0.1.',
];

describe('the Host header', () => {
  it.each([...Object.entries(SHAPES), ['CONNECT', CONNECT] as const])('is checked: %s', async (_name, shape) => {
    server = await startTestServer();
    const ask = (host: string) => rawExchange(server.port, shape(hostLine(host)));
    for (const [hosts, status, code] of [
      [FOREIGN, 421, 'misdirected_request'],
      [BROKEN, 400, 'invalid_value'],
    ] as const) {
      for (const host of hosts) {
        const answer = await ask(host);
        expect(answer.status, host).toBe(status);
        expect(JSON.parse(answer.body).error).toMatchObject({ code, request_id: answer.headers['x-request-id'] });
      }
    }
    const missing = await rawExchange(server.port, shape(''));
    expect([missing.status, JSON.parse(missing.body).error.param]).toEqual([400, 'host']);
    for (const lines of [
      hostLine('localhost') + hostLine('localhost'),
      hostLine('localhost') + hostLine('rebound.example'),
      `Host: localhost\r\nx: y\r\nHOST: localhost\r\n`,
    ]) {
      expect((await rawExchange(server.port, shape(lines))).status, lines).toBe(400);
    }
  });

  it('may be any name and spelling of this machine', async () => {
    server = await startTestServer();
    for (const host of OWN) {
      expect((await rawExchange(server.port, SHAPES['GET /metrics']!(hostLine(host)))).status, host).toBe(200);
      expect((await rawExchange(server.port, CONNECT(hostLine(host)))).status, host).toBe(405);
    }
  });

  it('may be missing in HTTP/1.0 only', async () => {
    server = await startTestServer();
    const ask = (lines: string) => rawExchange(server.port, `GET /healthz HTTP/1.0\r\n${lines}\r\n`);
    expect((await ask('')).status).toBe(200);
    expect((await ask(hostLine('localhost'))).status).toBe(200);
    expect((await ask(hostLine('rebound.example'))).status).toBe(421);
    expect((await ask(hostLine('localhost').repeat(2))).status).toBe(400);
  });

  it('may be one of those that were allowed', async () => {
    const allowedHosts = ['tts.example.org', 'Other.example:8080', 'FE80::0:1', '10.0.0.7'];
    server = await startTestServer({ settings: { allowedHosts } });
    const ask = async (host: string) =>
      (await rawExchange(server.port, SHAPES['GET /metrics']!(hostLine(host)))).status;
    for (const host of [
      'tts.example.org',
      'TTS.example.org.:443',
      'other.example',
      '[fe80::1]',
      '10.0.0.7',
      'localhost',
    ])
      expect(await ask(host), host).toBe(200);
    for (const host of ['example.org', 'a.tts.example.org', '[fe80::2]', '10.0.0.70'])
      expect(await ask(host), host).toBe(421);
  });

  it('that could never match is refused when the server starts, with what is allowed', async () => {
    server = await startTestServer();
    for (const entry of ['tts example.org', 'https://tts.example.org', '*.example.org', 'me@tts.example.org']) {
      expect(() => buildMetricsServer({ text: async () => '', contentType: '' }, [entry])).toThrow(/--allowed-hosts/);
    }
  });
});

describe('a request target with a host', () => {
  it.each(Object.entries(SHAPES))(
    'is answered for that host, whatever the Host header says: %s',
    async (name, shape) => {
      server = await startTestServer();
      const local = hostLine('localhost');
      const status = async (at: string, lines = local) => (await rawExchange(server.port, shape(lines, at))).status;
      for (const at of [
        'http://rebound.example',
        'HTTP://rebound.example:80',
        'https://[::2]',
        'http://localhost.evil',
      ])
        expect(await status(at), at).toBe(421);
      for (const at of [
        'http://',
        'http://user@localhost',
        'http://rebound.example@localhost',
        'http://localhost:65536',
      ])
        expect(await status(at), at).toBe(400);
      expect(await status('http://localhost', local.repeat(2))).toBe(400);
      expect(await status('http://localhost', '')).toBe(400);
      // A handshake that is taken stays open.
      if (name === 'a handshake') return;
      const plain = await status('');
      for (const at of ['http://localhost', 'HTTPS://127.0.0.1:1', 'http://[::1]'])
        expect(await status(at), at).toBe(plain);
      expect(await status('http://localhost', hostLine('rebound.example'))).toBe(plain);
    },
  );

  it('opens a session as one without does', async () => {
    server = await startTestServer();
    const shape = SHAPES['a handshake']!(hostLine('localhost'), 'http://localhost').replace(bearer(), '');
    expect((await rawExchange(server.port, shape)).status).toBe(401);
  });

  it('needs no path', async () => {
    server = await startTestServer();
    const ask = (target: string) =>
      rawExchange(server.port, `GET ${target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
    expect((await ask('http://rebound.example?/healthz')).status).toBe(421);
    expect((await ask('http://localhost?/healthz')).status).not.toBe(200);
    expect((await ask('http://localhost/healthz?a=/b')).status).toBe(200);
  });
});

describe("the metrics' own address", () => {
  it('checks hosts the same way', async () => {
    server = await startTestServer();
    const metrics = buildMetricsServer({ text: async () => 'tts_up 1\n', contentType: 'text/plain' });
    await new Promise<void>((resolve) => metrics.listen(0, '127.0.0.1', resolve));
    const { port } = metrics.address() as AddressInfo;
    const shape = SHAPES['GET /metrics']!;
    try {
      for (const host of FOREIGN) expect((await rawExchange(port, shape(hostLine(host)))).status, host).toBe(421);
      for (const host of BROKEN) expect((await rawExchange(port, shape(hostLine(host)))).status, host).toBe(400);
      for (const host of OWN) expect((await rawExchange(port, shape(hostLine(host)))).status, host).toBe(200);
      const local = hostLine('localhost');
      expect((await rawExchange(port, shape(local, 'http://rebound.example'))).status).toBe(421);
      expect((await rawExchange(port, shape(local, 'http://localhost'))).status).toBe(200);
      const broken = await rawExchange(port, shape(''));
      expect([broken.status, broken.body.includes('"invalid_value"')]).toEqual([400, true]);
      expect((await rawExchange(port, shape(local.repeat(2)))).status).toBe(400);
    } finally {
      metrics.close();
    }
  });
});
