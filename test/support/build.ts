/**
 * Once before all tests: compiles `src/` to `dist/` and bundles it, as commands and engine processes
 * run from there, and makes the pages and their client, each where something changed. It also makes
 * the folder in which suites find what another one has made (`TTS_TEST_FOLDER`), and removes it
 * after the last.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const DIST = path.join(ROOT, 'dist');

/** Whether `built` is newer than all its sources: files, and folders with all that is in them. */
function isUpToDate(built: string, sources: readonly string[]): boolean {
  if (!existsSync(built)) return false;
  const files = sources.flatMap((name) => {
    const file = path.join(ROOT, name);
    if (statSync(file).isFile()) return [file];
    // A folder's own time tells of a file that was removed.
    return [file, ...readdirSync(file, { recursive: true, encoding: 'utf8' }).map((entry) => path.join(file, entry))];
  });
  return files.every((file) => statSync(file).mtimeMs < statSync(built).mtimeMs);
}

function buildPages(): void {
  const sources = [
    'web',
    'docs',
    'src/protocol',
    'src/audio',
    'src/text/chapters.ts',
    'src/text/unspoken.ts',
    'src/client/subtitles.ts',
    'package-lock.json',
  ];
  // The last file that is made.
  if (isUpToDate(path.join(DIST, 'sdk', 'types.d.ts'), sources)) return;
  execFileSync(process.execPath, [path.join(ROOT, 'node_modules/vite/bin/vite.js'), 'build', 'web'], { cwd: ROOT });
  execFileSync(process.execPath, [path.join(ROOT, 'scripts', 'client.js')], { cwd: ROOT });
}

/** A file that `npm run build` writes last of all that runs. */
const BUILT = path.join(DIST, 'bundle', 'tts.js');

/**
 * Files move into place one by one and only where they changed, so a process that starts meanwhile
 * never reads half of one.
 */
function buildProgram(): void {
  if (isUpToDate(BUILT, ['src', 'scripts/bundle.js', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json']))
    return;
  const begun = new Date();
  const fresh = mkdtempSync(path.join(ROOT, 'node_modules', '.tts-build-'));
  try {
    const compiler = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    // Type errors are the type check's to report: the build looks for none.
    execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', fresh], { cwd: ROOT });
    execFileSync(process.execPath, [path.join(ROOT, 'scripts', 'bundle.js'), fresh]);
    const bundled = new Set(readdirSync(path.join(fresh, 'bundle')));
    for (const file of readdirSync(fresh, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const from = path.join(file.parentPath, file.name);
      const to = path.join(DIST, path.relative(fresh, from));
      if (existsSync(to) && readFileSync(to).equals(readFileSync(from))) continue;
      mkdirSync(path.dirname(to), { recursive: true });
      renameSync(from, to);
    }
    // A file of a bundle has a new name where it changed.
    for (const file of readdirSync(path.join(DIST, 'bundle'))) {
      if (!bundled.has(file)) rmSync(path.join(DIST, 'bundle', file));
    }
    utimesSync(BUILT, begun, begun);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

export default function setUp(): () => void {
  buildPages();
  buildProgram();
  const folder = mkdtempSync(path.join(tmpdir(), 'tts-tests-'));
  process.env.TTS_TEST_FOLDER = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
