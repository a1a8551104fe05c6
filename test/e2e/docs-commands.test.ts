/**
 * Runs every command block of the documents, with a tone for a voice. README.md's are typed by
 * `newcomer.test.ts` with the real one; blocks marked `sh other-machine` are parsed by
 * `test/docs.test.ts`.
 */
import { execFile, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testkit/server.js';
import { makeHome, type ServeProcess, startServe } from '../support/processes/serve-process.js';
import { consoleExamples, fencesOf, ROOT } from '../support/readme-examples.js';

const DOCUMENTS = [
  ...readdirSync(path.join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'deploy/README.md',
  'examples/README.md',
  'voices/README.md',
];

const home = makeHome();
const bin = path.join(home.dir, 'bin');
let server: ServeProcess;
const env: NodeJS.ProcessEnv = { ...home.env, PATH: `${bin}${path.delimiter}${process.env.PATH}` };
const at = (text: string): string => text.replaceAll('127.0.0.1:8787', new URL(server.baseUrl).host);

function script(name: string, text: string): void {
  writeFileSync(path.join(bin, name), text);
  chmodSync(path.join(bin, name), 0o755);
}

/** wscat is another project's: this stand-in does the same with the library behind it. */
const WSCAT = `import { createInterface } from 'node:readline';
import WebSocket from ${JSON.stringify(path.join(ROOT, 'node_modules/ws/wrapper.mjs'))};
const [, , , header, , url] = process.argv;
const [name, value] = header.split(': ');
const socket = new WebSocket(url, { headers: { [name]: value } });
socket.on('message', (data) => console.log('< ' + data));
socket.on('close', (code) => process.exit(code === 1000 ? 0 : 1));
socket.on('open', () => createInterface({ input: process.stdin }).on('line', (line) => socket.send(line)));
`;

beforeAll(async () => {
  mkdirSync(bin);
  script('tts', `#!/bin/sh\nexec "${process.execPath}" "${path.join(ROOT, 'bin/tts.js')}" "$@"\n`);
  writeFileSync(path.join(bin, 'wscat.mjs'), WSCAT);
  script('npx', `#!/bin/sh\n[ "$1" = wscat ] && shift && exec "${process.execPath}" "${bin}/wscat.mjs" "$@"\nexit 1\n`);
  server = await startServe(home);
  await until(async () => (await fetch(`${server.baseUrl}/readyz`)).ok, 'an engine');
  const made = await home.run('keys', 'create', '--tier', 'partner', '--credits', '100000');
  env.KEY = made.stdout.trim();
});

afterAll(async () => {
  await server?.kill('SIGTERM');
  home.remove();
});

/** Runs a block in a folder; rejects with what it wrote where a line of it fails. */
async function runBlock(block: string, cwd: string): Promise<void> {
  await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', at(block)], { cwd, env });
}

/**
 * Commands of a server stay in the foreground: each has a home of its own, must listen, and must
 * stop when asked.
 */
async function runServer(block: string): Promise<void> {
  const own = makeHome();
  try {
    const started = await startServe(own, block.split(' ').slice(2));
    expect(await started.kill('SIGTERM')).toBe(0);
  } finally {
    own.remove();
  }
}

describe.each(DOCUMENTS)('%s', (document) => {
  const blocks = fencesOf(document).filter(({ info }) => info === 'sh');
  const work = mkdtempSync(path.join(home.dir, 'work-'));

  for (const { text } of blocks) {
    it(text.split('\n')[0]!, async () => {
      await (text.startsWith('tts serve') ? runServer(text) : runBlock(text, work));
    });
  }

  for (const { command, typed } of consoleExamples(document)) {
    it(command.split('\n')[0]!, async () => {
      const child = spawn('bash', ['-c', at(command)], { cwd: work, env, stdio: ['pipe', 'pipe', 'inherit'] });
      child.stdin.write(typed.map((line) => `${line}\n`).join(''));
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
      const code = await new Promise((resolve) => child.once('close', resolve));
      expect(output).toMatch(/< \{"audio":"[A-Za-z0-9+/]{100}/);
      expect(output).toMatch(/"isFinal":true/);
      expect(code).toBe(0);
    });
  }

  it('marks every command block as one to run or one for another machine', () => {
    const kinds = new Set(fencesOf(document).map(({ info }) => info));
    expect(
      [...kinds].filter(
        (info) => !['sh', 'sh other-machine', 'console', 'json', 'js', 'python', 'yaml', 'ini', 'text'].includes(info),
      ),
    ).toEqual([]);
    expect(readFileSync(path.join(ROOT, document), 'utf8')).not.toMatch(/^```(?:bash|shell)/m);
  });
});
