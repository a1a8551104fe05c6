/**
 * `tts mcp` as programs with agents start it: with the client of the protocol's own SDK, and with
 * the command line of its inspector, which wants a newer Node than ours.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer, until } from '../../testkit/server.js';
import { installLocked } from '../support/locked-packages.js';
import { newerNode } from '../support/newer-node.js';
import { makeHome } from '../support/processes/tts.js';

const TTS = path.resolve(import.meta.dirname, '../../bin/tts.js');
const MINUTES = 60_000;
const run = promisify(execFile);

const home = makeHome();
afterAll(() => home.remove());

async function connected(args: readonly string[] = []) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [TTS, 'mcp', ...args],
    env: home.env,
    cwd: home.dir,
    stderr: 'pipe',
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport as never);
  const call = async (name: string, given: Record<string, unknown>, options = {}) => {
    const result = await client.callTool({ name, arguments: given }, undefined, options);
    const content = result.content as { text?: string; uri?: string }[];
    return { isError: result.isError === true, text: content[0]?.text ?? '', uri: content[1]?.uri };
  };
  return { client, call, transport };
}

describe('an agent on this machine', () => {
  let agent: Awaited<ReturnType<typeof connected>>;
  beforeAll(async () => {
    agent = await connected();
  });
  afterAll(() => agent.client.close());

  it('writes files, and replaces none', async () => {
    const file = home.file('hello.wav');
    const { text, uri } = await agent.call('speak', { text: 'Hello there.', file });
    expect(text).toContain(`File: ${file}`);
    expect(readFileSync(file).subarray(0, 4).toString()).toBe('RIFF');
    const { contents } = await agent.client.readResource({ uri: uri! });
    expect(contents).toMatchObject([{ mimeType: 'audio/wav', blob: readFileSync(file).toString('base64') }]);
    const again = await agent.call('speak', { text: 'Hello there.', file });
    expect(again).toMatchObject({ isError: true, text: `${file} exists already. Name another file.` });
    const unknown = await agent.call('speak', { text: 'Hello.', file: home.file('hello.doc') });
    expect(unknown.text).toMatch(/Name it \.wav, \.mp3/);
  });

  it('is told what to do where nothing can play sound', async () => {
    const { isError, text } = await agent.call('speak', { text: 'Hello there.' });
    expect(isError).toBe(true);
    expect(text).toBe('Nothing on this machine can play sound. Name a file, or set "play" to false for a resource.');
  });

  it('lists voices and explains readings', async () => {
    expect((await agent.call('list_voices', { search: 'british male' })).text).toContain('british_male_george | ');
    expect((await agent.call('explain_reading', { text: 'It costs $5.' })).text).toContain('$5 → five dollars');
    const { isError, text } = await agent.call('speak', { text: 'Hi.', voice: 'british_male_gorge', play: false });
    expect(isError).toBe(true);
    expect(text).toMatch(/There is no voice "british_male_gorge"\. Did you mean british_male_george\?/);
  });

  it('makes an audiobook beside the book, with progress', async () => {
    writeFileSync(home.file('story.md'), '# One\n\nIt begins. It goes on.\n\n# Two\n\nIt ends.\n');
    const told: number[] = [];
    const options = { onprogress: ({ progress }: { progress: number }) => told.push(progress) };
    const { text } = await agent.call('make_audiobook', { book: home.file('story.md') }, options);
    expect(text).toContain('Chapters: One · Two');
    expect(text).toContain(`File: ${home.file('story.m4b')}`);
    expect(existsSync(home.file('story.m4b'))).toBe(true);
    expect(told.at(-1)).toBe(5);
    const again = await agent.call('make_audiobook', { book: home.file('story.md') });
    expect(again.text).toMatch(/exists already\. Name another file\. Set "replace" to replace it\.$/);
    expect((await agent.call('make_audiobook', { book: home.file('none.epub') })).text).toMatch(
      /there is no such file/,
    );
  });
});

describe('a command that its agent leaves', () => {
  it('ends, with what it kept', async () => {
    const { client, call, transport } = await connected();
    const { text } = await call('speak', { text: 'Hello there.', play: false });
    const file = /^File: (.+)$/m.exec(text)![1]!;
    expect(existsSync(file)).toBe(true);
    const { pid } = transport;
    await client.close();
    await until(() => !existsSync(path.dirname(file)), 'the removal of what was kept');
    await until(() => {
      try {
        process.kill(pid!, 0);
        return false;
      } catch {
        return true;
      }
    }, 'the end of the process');
  });
});

describe('a server elsewhere', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  it('speaks with the key of a file, and its refusals are told', async () => {
    const keyFile = home.file('key.txt');
    writeFileSync(keyFile, server.partner.key);
    const { client, call } = await connected(['--server', server.baseUrl, '--api-key-file', keyFile]);
    expect((await call('speak', { text: 'Hello there.', play: false })).text).toMatch(/^Made /);
    expect((await server.ledger(server.partner.id)).at(-1)).toMatchObject({ characters: 12 });
    await server.keyring.revoke(server.partner.id);
    expect(await call('speak', { text: 'Hello there.', play: false })).toMatchObject({ isError: true });
    await client.close();
  });
});

describe("the inspector's command line", () => {
  const folder = path.join(import.meta.dirname, 'inspector');
  let server: TestServer;
  let installed = false;
  let node: string;
  const at = (...names: string[]) => path.join(folder, 'node_modules', ...names);

  beforeAll(async () => {
    server = await startTestServer();
    // Without the registry it cannot be tried.
    if (!(await installLocked(folder))) return;
    try {
      node = await newerNode('22');
      installed = true;
    } catch {
      // Said of each test.
    }
  }, 10 * MINUTES);
  afterAll(() => server.close());

  async function inspect(args: readonly string[]) {
    const launcher = at('@modelcontextprotocol/inspector/clients/launcher/build/index.js');
    const env = { PATH: process.env.PATH, HOME: home.dir };
    const { stdout } = await run(node, [launcher, '--cli', ...args], { env, cwd: home.dir });
    return JSON.parse(stdout);
  }

  it('lists and calls the tools of tts mcp', { timeout: 3 * MINUTES }, async ({ skip }) => {
    if (!installed) skip();
    // The inspector hands none of its variables on.
    const engine = ['-e', 'TTS_ENGINE=sine', '-e', `TTS_RUNTIME_DIR=${home.env.TTS_RUNTIME_DIR}`];
    const command = [...engine, process.execPath, TTS, 'mcp'];
    const { tools } = await inspect([...command, '--method', 'tools/list']);
    expect(tools.map(({ name }: { name: string }) => name)).toContain('make_audiobook');
    const speak = ['--method', 'tools/call', '--tool-name', 'speak', '--tool-arg', 'text=Hello.', 'play=false'];
    expect((await inspect([...command, ...speak])).content).toMatchObject([
      { text: expect.stringMatching(/^Made /) },
      { type: 'resource_link', mimeType: 'audio/mpeg' },
    ]);
  });

  it('speaks to /mcp of a server with a key', { timeout: 3 * MINUTES }, async ({ skip }) => {
    if (!installed) skip();
    const header = ['--header', `Authorization: Bearer ${server.partner.key}`];
    const address = [`${server.baseUrl}/mcp`, '--transport', 'http', ...header];
    const speak = ['--method', 'tools/call', '--tool-name', 'speak', '--tool-arg', 'text=Hello there.'];
    const { content } = await inspect([...address, ...speak]);
    expect(content).toMatchObject([
      { text: expect.stringContaining(`Listen: ${server.baseUrl}/mcp/results/`) },
      { type: 'resource_link' },
    ]);
  });
});
