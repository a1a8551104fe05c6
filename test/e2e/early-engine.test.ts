/** An engine is started ahead of a command that is going to speak by itself, and of no other. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { isAlive } from '../../src/alive.js';
import { makeHome, tts } from '../support/processes/tts.js';

const home = makeHome();
afterAll(() => home.remove());

/**
 * Each engine process creates an empty file named by its process id. Creation is atomic: a process
 * killed meanwhile leaves no part of an id.
 */
const [spy, started] = ['spy.mjs', 'started'].map((name) => home.file(name)) as [string, string];
const env = {
  ...home.env,
  TTS_ENGINE: 'kokoro',
  TTS_OFFLINE: '1',
  NODE_OPTIONS: `--import ${pathToFileURL(spy).href}`,
  STARTED: started,
};
beforeAll(() =>
  writeFileSync(
    spy,
    `import { writeFileSync } from 'node:fs';
     import { isMainThread } from 'node:worker_threads';
     if (isMainThread && process.argv[1]?.endsWith('engine.js')) writeFileSync(process.env.STARTED + '/' + process.pid, '');`,
  ),
);
beforeEach(() => {
  rmSync(started, { recursive: true, force: true });
  mkdirSync(started);
});

const engines = (): number[] => readdirSync(started).map(Number);

/** A process that was killed may take a moment to be gone. */
const noneLeft = () => vi.waitFor(() => expect(engines().filter(isAlive)).toEqual([]), { timeout: 10_000 });

it('ends with a command that cannot speak', async () => {
  // Without its model, and with no network to fetch it.
  const ran = await tts(['speak', 'Hello.', '-o', home.file('a.wav')], { env });
  expect(ran.code).toBe(6);
  await noneLeft();
});

it('does not keep a command whose options are wrong', async () => {
  const ran = await tts(['speak', '--nonsense', 'Hello.'], { env });
  expect(ran.code).toBe(2);
  await noneLeft();
});

it.each([
  ['help', ['speak', '--help']],
  ['a server elsewhere', ['speak', '--server', 'http://127.0.0.1:1', 'Hello.', '-o', '-']],
  ['a command that does not speak', ['voices']],
])('is not started for %s', async (_, args) => {
  await tts(args, { env });
  expect(engines()).toEqual([]);
});

it('is not started beside a server of this machine', async () => {
  home.publish({ baseUrl: 'http://127.0.0.1:1', apiKey: 'tts_x' });
  const ran = await tts(['speak', '--nonsense', 'Hello.'], { env });
  expect(ran.code).toBe(2);
  expect(engines()).toEqual([]);
});
