/**
 * The smoke suite: `node scripts/smoke.js` copies this tree into an empty folder and there
 * installs, builds, speaks, serves, streams and opens the pages, all with the Node that runs this
 * script. It needs nothing but Node, npm and git, so it runs on every system; the model comes from
 * the user's cache, or is fetched into it.
 *
 * `node scripts/smoke.js FOLDER` works in that folder and leaves it there. Where packages lie there
 * already, unpacked by another Node, npm checks them against this one and builds anew.
 */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = path.resolve(import.meta.dirname, '..');
const dir = mkdtempSync(path.join(tmpdir(), 'tts-smoke-'));
const [keptFolder] = process.argv.slice(2);
const clone = path.resolve(keptFolder ?? path.join(dir, 'clone'));
const TEXT = 'The smoke suite speaks one sentence, and then it stops.';
/** Less than the shortest reading of TEXT by any voice: one second of 16-bit samples at 24 kHz. */
const LEAST_BYTES = 48_000;
const READY_WITHIN_MS = 120_000;
/**
 * The development tools and the documents' tests are not needed to build, and are most of the tree.
 */
const LEFT_OUT = /^(?:test|bench|voices\/training|examples)\//;

const isWindows = process.platform === 'win32';
const env = {
  ...process.env,
  PATH: [path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
  CI: 'true',
  TTS_DATA_DIR: path.join(dir, 'data'),
  XDG_RUNTIME_DIR: path.join(dir, 'run'),
};
// A server or a model of the caller's settings would be tried in place of this tree.
for (const name of ['TTS_BASE_URL', 'TTS_API_KEY', 'TTS_PORT', 'TTS_ENGINE']) delete env[name];

function check(condition, message) {
  if (!condition) throw new Error(message);
}

function step(name, work) {
  const from = performance.now();
  const done = () => process.stdout.write(`smoke: ${name}: ${((performance.now() - from) / 1_000).toFixed(1)} s\n`);
  const result = work();
  return result instanceof Promise ? result.then(done) : done();
}

const tts = (args, options = {}) =>
  execFileSync(process.execPath, [path.join(clone, 'bin/tts.js'), ...args], {
    cwd: clone,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
    ...options,
  });

function copyTree() {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
  for (const file of files) if (!LEFT_OUT.test(file)) cpSync(path.join(root, file), path.join(clone, file));
}

function checkWav(file) {
  const bytes = readFileSync(file);
  check(bytes.toString('latin1', 0, 4) === 'RIFF', `${file} is not a WAV file`);
  check(bytes.length > LEAST_BYTES, `${file} has ${bytes.length} bytes`);
  check(bytes.readUInt32LE(40) === bytes.length - 44, `${file} does not tell its true length`);
  check(
    bytes.subarray(44).some((byte) => byte > 8 && byte < 248),
    `${file} is silent`,
  );
}

/** Resolves with the address that a starting server prints. */
function listening(server) {
  return new Promise((resolve, reject) => {
    let shown = '';
    const look = (chunk) => {
      shown += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(shown);
      if (found && /listening/i.test(shown)) resolve(found[0]);
    };
    server.stdout.on('data', look);
    server.stderr.on('data', look);
    server.once('exit', (code) => reject(new Error(`tts serve ended with ${code}:\n${shown}`)));
  });
}

/** An engine is ready within seconds; on a machine with much else to do it takes longer. */
async function ready(base) {
  const untilMs = Date.now() + READY_WITHIN_MS;
  for (;;) {
    const { status } = await fetch(`${base}/readyz`);
    if (status === 200) return;
    check(Date.now() < untilMs, `/readyz: ${status} after ${READY_WITHIN_MS / 1000} s`);
    await sleep(500);
  }
}

async function checkServer(base) {
  await ready(base);
  const made = tts(['keys', 'create', '--tier', 'partner', '--credits', '1000', '--json']);
  const { key } = JSON.parse(made.toString());
  const response = await fetch(`${base}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'base-tts-fast', voice: 'english_female_professional', input: TEXT }),
  });
  const body = await response.arrayBuffer();
  check(
    response.status === 200 && body.byteLength > LEAST_BYTES,
    `speech: ${response.status}, ${response.ok ? `${body.byteLength} bytes` : Buffer.from(body)}`,
  );
  tts(['stream', '-m', 'base-tts-fast', '--server', base, '--api-key', key, '-o', 'stream.wav'], { input: TEXT });
  checkWav(path.join(clone, 'stream.wav'));
  for (const page of ['/', '/dashboard', '/docs', '/docs/api', '/healthz', '/readyz']) {
    const { status } = await fetch(base + page);
    check(status === 200, `${page}: ${status}`);
  }
}

async function serve() {
  const args = [path.join(clone, 'bin/tts.js'), 'serve', '--port', '0'];
  const server = spawn(process.execPath, args, { cwd: clone, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => server.once('exit', (code, signal) => resolve(code ?? signal)));
  try {
    await checkServer(await listening(server));
  } finally {
    server.kill('SIGTERM');
  }
  const code = await ended;
  check(isWindows || code === 0, `tts serve ended with ${code}`);
}

try {
  mkdirSync(env.XDG_RUNTIME_DIR, { mode: 0o700 });
  process.stdout.write(`smoke: Node ${process.version}, ${process.platform} ${process.arch}\n`);
  const isInstalled = existsSync(path.join(clone, 'node_modules'));
  if (!existsSync(path.join(clone, 'package.json'))) step('copy', copyTree);
  const command = isInstalled ? 'install' : 'ci';
  step(`npm ${command}, with the build`, () => {
    const args = [command, '--no-audit', '--no-fund', '--prefer-offline'];
    execFileSync('npm', args, { cwd: clone, env, stdio: 'inherit', shell: isWindows });
  });
  step('speak', () => {
    tts(['speak', TEXT, '-m', 'base-tts-fast', '-o', 'speak.wav']);
    checkWav(path.join(clone, 'speak.wav'));
  });
  await step('serve, stream, pages', serve);
  process.stdout.write('smoke: passed\n');
} finally {
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
}
