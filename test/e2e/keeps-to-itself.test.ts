/** The real voice on somebody's machine: what it leaves there is what it was asked for. */
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { modelDirForTests } from '../../testkit/speech.js';
import { type Home, makeHome, tts } from '../support/processes/tts.js';

let home: Home;
let modelDir: string;
beforeAll(async () => {
  home = makeHome();
  modelDir = await modelDirForTests();
}, 600_000);
afterAll(() => home.remove());

it('speaks without an account of it kept or sent by the runtime', async () => {
  const { TTS_ENGINE: _sine, ...env } = home.env;
  const ran = await tts(['speak', 'Just between us.', '-m', 'base-tts-fast', '-o', 'a.wav'], {
    env: { ...env, TTS_MODEL_DIR: modelDir },
    cwd: home.dir,
  });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(home.dir).sort()).toEqual(['a.wav', 'run']);
});
