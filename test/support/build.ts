/** Once before all tests: compiles `src/` to `dist/`, where engine processes run from. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const DIST = path.join(ROOT, 'dist');

/** Files move into place one by one and only where they changed, so a process that starts meanwhile never reads half of one. */
export default function build(): void {
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
    for (const file of readdirSync(fresh, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const from = path.join(file.parentPath, file.name);
      const to = path.join(DIST, path.relative(fresh, from));
      if (existsSync(to) && readFileSync(to).equals(readFileSync(from))) continue;
      mkdirSync(path.dirname(to), { recursive: true });
      renameSync(from, to);
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}
