/**
 * What `tts serve` tells the people around it: on a terminal, in a log, and to readers who leave.
 */
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../testkit/server.js';
import { type Home, makeHome, type ServeProcess, startServe } from '../../support/processes/serve-process.js';
import { type Terminal, ttsInTerminal } from '../../support/processes/tts.js';

let home: Home | undefined;
let server: ServeProcess | undefined;
let terminal: Terminal | undefined;
afterEach(async () => {
  await server?.kill('SIGKILL');
  terminal?.kill();
  home?.remove();
  server = terminal = home = undefined;
});

const speak = async (at: Home, baseUrl: string): Promise<number> => {
  const { stdout: key } = await at.run('keys', 'create', '--tier', 'partner', '--credits', '1000');
  const response = await fetch(`${baseUrl}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.trim()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'base-tts', input: 'Good evening, all of you.' }),
  });
  await response.arrayBuffer();
  return response.status;
};

describe('the readers of a server', () => {
  it('may leave: it goes on without them, and stops as ever', async () => {
    home = makeHome();
    server = await startServe(home, ['--log-level', 'trace']);
    server.child.stderr!.destroy();
    server.child.stdout!.destroy();
    for (let i = 0; i < 3; i++) expect(await speak(home, server.baseUrl)).toBe(200);
    expect(await server.kill('SIGTERM')).toBe(0);
  });
});

describe('the terminal of a server', () => {
  it('shows where it listens once, a line for what happens, and the end', async () => {
    home = makeHome();
    terminal = ttsInTerminal(['serve', '--port', '0'], home.env as Record<string, string>, 400);
    await terminal.until(/make a key with/);
    await terminal.until(/engine ready/);
    const baseUrl = /listening on (\S+)/.exec(terminal.text())![1]!;
    expect(await speak(home, baseUrl)).toBe(200);
    await terminal.until(/speech ended/);
    terminal.type('\u0003');
    expect(await terminal.ended()).toBe(0);
    const lines = terminal.text().trimEnd().split('\n');
    expect(lines.filter((line) => /listening/i.test(line))).toHaveLength(1);
    for (const line of lines)
      expect(line).toMatch(
        /^(\[\d\d:\d\d:\d\d\] (INFO|WARN): \S|tts is listening|\d+ engine process|try it in|the dashboard's|\(another one|make a key|\^C)/,
      );
    // One request, one line.
    expect(lines.filter((line) => line.includes('/v1/audio/speech') || line.includes('req_'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('speech ended'))).toEqual([
      expect.stringMatching(/ outcome=completed .*chars=25 .*requestId=req_\w+$/),
    ]);
    expect(lines.at(-1)).toMatch(/INFO: stopped$/);
  });
});

describe('the log of a server', () => {
  it('names the SSML of a session that had no effect, and nothing where all had', async () => {
    home = makeHome();
    server = await startServe(home);
    const { output } = server;
    const ended = () => output.stderr.split('\n').filter((line) => line.includes('speech ended'));
    for (const text of ['One <break time="10ms"/> two.', '<audio src="x.wav">Three</audio> <b>four</b>.']) {
      await home.run('speak', '--ssml', text, '-o', '-');
    }
    await until(() => ended().length === 2);
    expect(ended().map((line) => JSON.parse(line).ignoredMarkup)).toEqual([undefined, '<audio>, <b>']);
  });
});

describe('a server on every address', () => {
  it('names those that others reach it at, and warns that nothing is encrypted', async () => {
    home = makeHome();
    server = await startServe(home, ['--host', '0.0.0.0']);
    const { port } = new URL(server.baseUrl);
    const outer = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => `http://${address}:${port}`);
    const told = /reached from elsewhere at (.*)/.exec(server.output.stdout)?.[1]?.split(' and ');
    expect(told ?? []).toEqual(outer);
    if (outer.length === 0) return;
    await until(() => server!.output.stderr.includes('without TLS'));
    expect(server.output.stderr).toContain('--tls-cert');
    const { host } = new URL(told![0]!);
    expect((await fetch(`http://${host}/healthz`)).status).toBe(200);
  });
});
