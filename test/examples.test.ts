/** The files in examples/, run as they stand against a real server. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestServer } from '../testkit/server.js';
import { startStreamServer } from './stream-input/client.js';

const EXAMPLES = path.resolve(import.meta.dirname, '../examples');
const ORIGIN = 'http://127.0.0.1:8000';
const TEXT = 'He said: "Hello there."';
const run = promisify(execFile);

let server: TestServer;
const dir = mkdtempSync(path.join(tmpdir(), 'tts-examples-'));
beforeAll(async () => {
  server = await startStreamServer({ settings: { corsOrigins: [ORIGIN] } });
});
afterAll(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

const file = (name: string) => path.join(dir, name);
const env = (key = server.partner.key) => ({ ...process.env, TTS_BASE_URL: server.baseUrl, TTS_API_KEY: key });
/** Milliseconds of sound, after checking that the file says so itself. */
function wavMs(name: string): number {
  const bytes = readFileSync(file(name));
  expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
  return (bytes.length - 44) / 48;
}
/**
 * What the sine engine makes of a text at the least: 20 ms a character, and signs may be read
 * longer.
 */
const leastMs = (text: string) => text.replace(/\W/g, '').length * 20;

describe('the example', () => {
  it('for a shell', async () => {
    const { stdout } = await run('sh', [path.join(EXAMPLES, 'speak.sh'), TEXT, file('sh.wav')], { env: env() });
    expect(stdout).toBe(`english_female_professional wrote ${file('sh.wav')}\n`);
    expect(wavMs('sh.wav')).toBeGreaterThan(leastMs(TEXT));
  });

  it('for Node', async () => {
    const { stdout, stderr } = await run(process.execPath, [path.join(EXAMPLES, 'stream.mjs'), file('a.pcm')], {
      env: env(),
    });
    expect(stderr).toBe('');
    const ms = readFileSync(file('a.pcm')).length / 48;
    expect(stdout).toBe(`${(ms / 1000).toFixed(1)} s of PCM in ${file('a.pcm')}\n`);
    expect(ms).toBeGreaterThan(leastMs('Once there was a small grey cat. It slept all day.'));
  });

  it('for several replies on one connection', async () => {
    const args = [path.join(EXAMPLES, 'contexts.mjs'), file('one.pcm'), file('two.pcm')];
    const { stdout } = await run(process.execPath, args, { env: env() });
    const said = ['one.pcm', 'two.pcm'].map((name) => {
      const ms = readFileSync(file(name)).length / 48;
      expect(ms).toBeGreaterThan(400);
      return `${(ms / 1000).toFixed(1)} s of PCM in ${file(name)}`;
    });
    expect(stdout.trim().split('\n').sort()).toEqual(said.sort());
  });

  it('for Python', async () => {
    const { stdout } = await run('python3', [path.join(EXAMPLES, 'speak.py'), TEXT, file('py.wav')], { env: env() });
    expect(stdout).toBe(`${(wavMs('py.wav') / 1000).toFixed(1)} s in ${file('py.wav')}\n`);
    expect(wavMs('py.wav')).toBeGreaterThan(leastMs(TEXT));
  });

  it('for Python, refused, gives the reason of the server', async () => {
    const refused = run('python3', [path.join(EXAMPLES, 'speak.py'), TEXT, file('no.wav')], { env: env('wrong') });
    await expect(refused).rejects.toMatchObject({ code: 1, stderr: /key/ });
  });

  it('for a browser, with just enough of one', async () => {
    const page = readFileSync(path.join(EXAMPLES, 'page.html'), 'utf8');
    const script = /<script type="module">([\s\S]*)<\/script>/.exec(page)![1]!;
    const output = { textContent: '' };
    let submit: (event: object) => Promise<void> = async () => undefined;
    const form = {
      elements: { text: { value: TEXT } },
      addEventListener: (_name: string, listener: typeof submit) => {
        submit = listener;
      },
    };
    const played: Blob[] = [];
    class Audio {
      duration = (played[0]!.size - 44) / 48_000;
      play = async () => undefined;
    }
    const browser = createContext({
      document: { querySelector: (name: string) => (name === 'form' ? form : output) },
      location: { hash: `#${server.partner.key}` },
      fetch: asBrowser,
      URL: { createObjectURL: (blob: Blob) => void played.push(blob), revokeObjectURL: () => undefined },
      Audio,
    });
    runInContext(script.replace('http://127.0.0.1:8787', server.baseUrl), browser);
    await submit({ preventDefault: () => undefined });
    expect(output.textContent).toMatch(/^\d\.\d s$/);
    expect(Number.parseFloat(output.textContent) * 1000).toBeGreaterThan(leastMs(TEXT) - 100);
  });

  it('is short enough to be read at a glance', () => {
    for (const name of readdirSync(EXAMPLES)) {
      expect(readFileSync(path.join(EXAMPLES, name), 'utf8').split('\n').length - 1, name).toBeLessThan(40);
    }
  });
});

/**
 * A request across origins, as a browser makes it: asks first whether it may, and takes no answer
 * that does not say so.
 */
async function asBrowser(url: string, { method, headers, body }: RequestInit): Promise<Response> {
  const names = Object.keys(headers as object).join(',');
  const preflight = await fetch(url, {
    method: 'OPTIONS',
    headers: { origin: ORIGIN, 'access-control-request-method': method!, 'access-control-request-headers': names },
  });
  const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase() ?? '';
  for (const name of names.split(',')) expect(allowed).toContain(name);
  const answer = await fetch(url, {
    method: method!,
    headers: { ...(headers as object), origin: ORIGIN },
    body: body!,
  });
  expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  return answer;
}
