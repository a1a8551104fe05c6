/** A command without a server loads what it uses, and nothing that takes long to load beside it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { modulesIn } from '../support/bundle.js';
import { makeHome, tts } from '../support/processes/tts.js';

const home = makeHome();
afterAll(() => home.remove());

/** Every file that any thread of the command or its engine imports is written into a list. */
const HOOKS = `
  import { appendFileSync } from 'node:fs';
  export function load(url, context, next) {
    appendFileSync(process.env.LOADED_FILE, url + '\\n');
    return next(url, context);
  }
`;

it('speaks a sentence without TypeBox, the readers of its own process, other dialects of the operator, and GPUs', async () => {
  const [hooks, register, loaded] = ['hooks.mjs', 'register.mjs', 'loaded.txt'].map((name) => home.file(name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(hooks, HOOKS);
  writeFileSync(
    register,
    `import { register } from 'node:module'; register(${JSON.stringify(pathToFileURL(hooks).href)});`,
  );
  const env = { ...home.env, NODE_OPTIONS: `--import ${pathToFileURL(register).href}`, LOADED_FILE: loaded };
  const ran = await tts(['speak', 'Hello there.', '-o', home.file('a.wav')], { env });
  expect(ran).toMatchObject({ code: 0 });
  const files = readFileSync(loaded, 'utf8').split('\n');
  // A command would wait half a millisecond for each of four hundred.
  expect(files.filter((url) => !url.startsWith('node:')).length).toBeLessThan(100);
  const urls = files.flatMap((url) => [url, ...modulesIn(url)]);
  expect(urls.some((url) => url.endsWith('/dist/server/doors/v1/speech-route.js'))).toBe(true);
  const unwanted = [
    '/node_modules/typebox/',
    '/node_modules/espeak-phonemizer/',
    '/node_modules/@nats-io/',
    '/node_modules/prom-client/',
    '/dist/text/reader.js',
    '/dist/text/explain.js',
    '/dist/server/doors/admin/',
    '/dist/server/doors/web/',
    '/dist/server/doors/pages/',
    '/dist/engine/gpu/sessions.js',
  ];
  expect(urls.filter((url) => unwanted.some((part) => url.includes(part)))).toEqual([]);
});
