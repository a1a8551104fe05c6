/** `tts serve --wyoming` and `tts wyoming` as an operator starts them. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { until } from '../../testkit/server.js';
import { serverAtHome } from '../support/at-home.js';
import { makeHome, type ServeProcess, startServe } from '../support/processes/serve-process.js';
import { WyomingClient } from '../support/wyoming-client.js';

const { server, home, run } = await serverAtHome();
const TTS = path.resolve(import.meta.dirname, '../../bin/tts.js');
const portIn = (text: string): number => Number(/Wyoming at tcp:\/\/\S+?:(\d+)/.exec(text)?.[1] ?? 0);

async function says(port: number): Promise<void> {
  const client = await WyomingClient.connect(port);
  client.send('describe');
  await client.until('info');
  client.send('synthesize', { text: 'Hello from the kitchen.' });
  await client.until('audio-stop');
  expect(client.audio.length).toBeGreaterThan(10_000);
  client.socket.destroy();
}

describe('tts serve --wyoming', () => {
  const own = makeHome();
  let process: ServeProcess | undefined;
  afterAll(async () => {
    await process?.kill('SIGKILL');
    own.remove();
  });

  it('speaks, books it to the key of the file, and stops with the server', async () => {
    const key = await own.run('keys', 'create', '--tier', 'partner', '--credits', '1000', '--name', 'kitchen');
    const file = path.join(own.dir, 'key.txt');
    writeFileSync(file, key.stdout);
    const args = ['--wyoming', '127.0.0.1:0', '--wyoming-key-file', file];
    process = await startServe(own, args);
    await until(() => portIn(process!.output.stdout) > 0, 'the address');
    await says(portIn(process.output.stdout));
    await until(async () => {
      const { stdout } = await own.run('keys', 'list', '--json');
      return (JSON.parse(stdout) as { credits: number }[])[0]!.credits === 1_000 - 23;
    }, 'the debit');
    expect(await process.kill('SIGTERM')).toBe(0);
  });

  it.each([
    [['--wyoming', '0.0.0.0'], /--wyoming-allow/],
    [['--wyoming', '0.0.0.0', '--wyoming-allow', '10.0.0.0/8'], /--wyoming-key-file/],
    [['--wyoming', '0.0.0.0', '--wyoming-allow', 'kitchen'], /kitchen/],
    [['--wyoming', '127.0.0.1:99999'], /no address/],
    [['--wyoming', '10200', '--wyoming-zeroconf', 'tts'], /0\.0\.0\.0:10200/],
    [['--wyoming', '10200', '--wyoming-key-file', '/nowhere'], /nowhere/],
  ])('refuses %j', async (args, why) => {
    const { code, stderr } = await run(['serve', '--port', '0', ...args]);
    expect(stderr).toMatch(why);
    expect(code).toBe(2);
  });
});

describe('tts wyoming', () => {
  it('speaks through a server elsewhere with the key of a file', async () => {
    const { key, id } = await server.key();
    writeFileSync(home.file('key.txt'), key);
    const args = ['wyoming', '127.0.0.1:0', '--server', server.baseUrl, '--api-key-file', home.file('key.txt')];
    args.push('--log-level', 'warn');
    const child = spawn(process.execPath, [TTS, ...args], { env: home.env, stdio: ['ignore', 'pipe', 'inherit'] });
    let stdout = '';
    child.stdout.on('data', (part: Buffer) => {
      stdout += part.toString();
    });
    try {
      await until(() => portIn(stdout) > 0, 'the address');
      expect(stdout).toContain(server.baseUrl);
      await says(portIn(stdout));
      await until(async () => (await server.ledger(id)).length === 1, 'the ledger');
    } finally {
      child.kill('SIGTERM');
    }
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
  });

  it('asks for a key beyond this machine', async () => {
    const { code, stderr } = await run(['wyoming', '0.0.0.0:0', '--wyoming-allow', '10.0.0.0/8']);
    expect(stderr).toMatch(/--api-key-file/);
    expect(code).toBe(2);
  });
});
