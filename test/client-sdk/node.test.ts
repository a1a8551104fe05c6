/** The package's export `./client` as Node and compilers of others see it. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../testkit/server.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

const dir = mkdtempSync(path.join(tmpdir(), 'tts-consumer-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
mkdirSync(path.join(dir, 'node_modules/@types'), { recursive: true });
symlinkSync(ROOT, path.join(dir, 'node_modules/selfhosted-tts'));
symlinkSync(path.join(ROOT, 'node_modules/@types/node'), path.join(dir, 'node_modules/@types/node'));
symlinkSync(path.join(ROOT, 'node_modules/undici-types'), path.join(dir, 'node_modules/undici-types'));
writeFileSync(path.join(dir, 'package.json'), '{"type":"module"}');

describe('in Node', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  async function script(body: string) {
    const file = path.join(dir, 'script.js');
    writeFileSync(
      file,
      `import { createClient } from 'selfhosted-tts/client';
       const [baseUrl, partner, free] = process.argv.slice(2);
       const client = createClient({ baseUrl, apiKey: partner });
       const told = {};
       ${body}
       process.stdout.write(JSON.stringify(told));`,
    );
    const { stdout } = await run(process.execPath, [file, server.baseUrl, server.partner.key, server.free.key]);
    return JSON.parse(stdout);
  }

  it('lists voices, and speaks with the words and their times', async () => {
    const told = await script(`
      told.voices = (await client.voices()).map(({ id }) => id);
      const speech = client.speak("It's 9:45 in Oslo.");
      const heard = [];
      speech.on('word', ({ text }) => heard.push(text));
      const { pcm, words } = await speech.collect();
      Object.assign(told, { samples: pcm.length, words, heard });
    `);
    expect(told.voices).toContain('english_female_professional');
    expect(told.words.map(({ text }: { text: string }) => text)).toEqual(["It's", '9', '45', 'in', 'Oslo']);
    expect(told.heard).toEqual(["It's", '9', '45', 'in', 'Oslo']);
    expect(told.words[3]).toMatchObject({ charIndex: 10, charLength: 2 });
    const starts = told.words.map(({ startMs }: { startMs: number }) => startMs);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    expect(told.words.at(-1).endMs).toBeLessThanOrEqual((told.samples * 1000) / 24_000);
    expect(told.samples).toBeGreaterThan(2_400);
  });

  it('speaks while the text is being written', async () => {
    const told = await script(`
      const speech = client.stream({ voice: 'british_male_george' });
      speech.write('The first sentence is here. ', true);
      const chunks = speech[Symbol.asyncIterator]();
      told.early = (await chunks.next()).value.pcm.length > 0;
      speech.write('And the second.');
      speech.end();
      told.words = [];
      for (let next = await chunks.next(); !next.done; next = await chunks.next())
        told.words.push(...next.value.words.map(({ text }) => text));
      await speech.done;
    `);
    expect(told.early).toBe(true);
    expect(told.words.slice(-3)).toEqual(['And', 'the', 'second']);
  });

  it('goes over HTTP with a Free key', async () => {
    const told = await script(`
      const { pcm, words } = await createClient({ baseUrl: baseUrl + '/v1/', apiKey: () => free }).speak('Hello.').collect();
      Object.assign(told, { samples: pcm.length, words });
    `);
    expect(told.samples).toBeGreaterThan(1_000);
    expect(told.words).toEqual([]);
  });

  it('takes tickets of a backend in place of a key', async () => {
    const told = await script(`
      const ticket = async (body) => {
        const headers = { authorization: 'Bearer ' + partner, 'content-type': 'application/json' };
        const answer = await fetch(baseUrl + '/v1/stream-tickets', { method: 'POST', headers, body: JSON.stringify(body) });
        return (await answer.json()).ticket;
      };
      told.samples = (await createClient({ baseUrl, ticket }).speak('Hello.').collect()).pcm.length;
    `);
    expect(told.samples).toBeGreaterThan(1_000);
  });

  it('tells errors by their codes, and ends when it is cancelled', async () => {
    const told = await script(`
      const codeOf = (promise) => promise.then(() => 'none', ({ code, status }) => [code, status]);
      told.voice = await codeOf(client.speak('Hello.', { voice: 'nobody' }).done);
      told.key = await codeOf(createClient({ baseUrl, apiKey: 'tts_wrong' }).speak('Hello.').done);
      told.server = await codeOf(createClient({ baseUrl: 'http://127.0.0.1:9' }).voices());
      const speech = client.speak('A long sentence that nobody waits for.');
      speech.on('chunk', () => speech.cancel());
      told.cancelled = await codeOf(speech.done);
      const stop = new AbortController();
      stop.abort();
      told.aborted = await codeOf(client.speak('Hello.', { signal: stop.signal }).done);
    `);
    expect(told).toEqual({
      voice: ['voice_not_found', 400],
      key: ['invalid_api_key', 401],
      server: ['unreachable', 0],
      cancelled: ['cancelled', 0],
      aborted: ['cancelled', 0],
    });
  });
});

describe('its types', () => {
  const CONSUMER = `
    import { type ClientOptions, createClient, type SpokenWord, type WritableSpeech } from 'selfhosted-tts/client';
    const options: ClientOptions = { apiKey: 'tts_x' };
    const speech: WritableSpeech = createClient(options).stream({ voice: 'a', rate: 1.5 });
    speech.on('word', (word: SpokenWord) => word.charIndex.toFixed());
    // @ts-expect-error there is no such event
    speech.on('nothing', () => undefined);
    // @ts-expect-error a voice is a string
    createClient().speak('Hello.', { voice: 5 });
    export const samples: Promise<Int16Array> = speech.collect().then(({ pcm }) => pcm);
  `;
  const tsc = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

  it.each([
    [
      'node16, with the types of Node',
      { module: 'node16', moduleResolution: 'node16', lib: ['es2022'], types: ['node'] },
    ],
    [
      'bundler, with those of a browser',
      { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'], types: [] },
    ],
  ])('are found by a compiler: %s', async (_, more) => {
    const compilerOptions = { target: 'es2022', strict: true, skipLibCheck: false, noEmit: true, ...more };
    writeFileSync(path.join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
    writeFileSync(path.join(dir, 'consumer.ts'), CONSUMER);
    const { stdout } = await run(process.execPath, [tsc, '-p', dir]).catch((error) => error);
    expect(stdout).toBe('');
  });
});
