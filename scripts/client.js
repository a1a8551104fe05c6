/**
 * Builds the client of pages and of Node (`web/src/client`): `dist/web/client.js`, which a server
 * sends at /client.js, and the package's export `./client` with its types, `dist/sdk`.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const ROOT = path.join(import.meta.dirname, '..');
const SOURCES = path.join(ROOT, 'web/src/client');
const SDK = path.join(ROOT, 'dist/sdk');

async function bundle(name, file, { minify = false } = {}) {
  const build = await rolldown({
    input: path.join(SOURCES, `${name}.ts`),
    cwd: ROOT,
    logLevel: 'warn',
    external: ['ws'],
    transform: { target: 'es2022' },
  });
  await build.write({ file, minify, format: 'esm' });
  await build.close();
}

/** What is public refers to nothing but `types.ts`, so that these two files are all of it. */
function declare() {
  const dir = mkdtempSync(path.join(tmpdir(), 'tts-types-'));
  try {
    const typescript = path.dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
    const config = path.join(ROOT, 'web/tsconfig.client.json');
    const options = ['-p', config, '--outDir', dir, '--rootDir', ROOT];
    execFileSync(process.execPath, [path.join(typescript, 'bin/tsc'), ...options], { stdio: 'inherit' });
    for (const name of ['index.d.ts', 'types.d.ts']) {
      copyFileSync(path.join(dir, 'web/src/client', name), path.join(SDK, name));
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

rmSync(SDK, { recursive: true, force: true });
mkdirSync(SDK, { recursive: true });
const served = path.join(ROOT, 'dist/web/client.js');
await bundle('index', served, { minify: true });
writeFileSync(`${served}.br`, brotliCompressSync(readFileSync(served)));
writeFileSync(`${served}.gz`, gzipSync(readFileSync(served)));
await bundle('index', path.join(SDK, 'client.js'));
await bundle('node', path.join(SDK, 'node.js'));
declare();
