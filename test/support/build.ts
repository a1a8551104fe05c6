/**
 * Once before all tests: compiles `src/` to `dist/`, bundles it, as commands and engine processes
 * run from there, and makes the pages and their client where they changed.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const DIST = path.join(ROOT, 'dist');

/** The pages and the client, where something they are made of is newer. */
function buildPages(): void {
  // The last file that is made.
  const built = path.join(DIST, 'sdk', 'types.d.ts');
  const sources = [
    'web',
    'docs',
    'src/protocol',
    'src/audio',
    'src/text/chapters.ts',
    'src/text/unspoken.ts',
    'src/client/subtitles.ts',
    'package-lock.json',
  ].flatMap((name) => {
    const file = path.join(ROOT, name);
    if (statSync(file).isFile()) return [file];
    return readdirSync(file, { recursive: true, encoding: 'utf8' }).map((entry) => path.join(file, entry));
  });
  const changed = (file: string) => statSync(file).mtimeMs > statSync(built).mtimeMs;
  if (existsSync(built) && !sources.some(changed)) return;
  execFileSync(process.execPath, [path.join(ROOT, 'node_modules/vite/bin/vite.js'), 'build', 'web'], { cwd: ROOT });
  execFileSync(process.execPath, [path.join(ROOT, 'scripts', 'client.js')], { cwd: ROOT });
}

/**
 * Files move into place one by one and only where they changed, so a process that starts meanwhile
 * never reads half of one.
 */
export default function build(): void {
  buildPages();
  const fresh = mkdtempSync(path.join(ROOT, 'node_modules', '.tts-build-'));
  try {
    const compiler = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    let complaint = '';
    try {
      execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', fresh], { cwd: ROOT });
    } catch (error) {
      // Type errors are the type check's to report; what was emitted still runs.
      complaint = String((error as { stdout?: Buffer }).stdout ?? error);
    }
    if (!existsSync(path.join(fresh, 'worker', 'main.js'))) throw new Error(`The build made nothing.\n${complaint}`);
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
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}
