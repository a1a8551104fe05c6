/** Debian's epubcheck: the judge of EPUBs that publishers use. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

const JAR = '/usr/share/java/epubcheck.jar';
/** Java compiles and runs it at once, which Debian's package of the runtime alone can do too. */
const EACH = path.join(import.meta.dirname, 'EpubcheckEach.java');
/** A run is short: compiling it well would take longer than it does. */
const SHORT_RUN = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

/** Debian: epubcheck. */
export const hasEpubcheck = (): boolean =>
  existsSync(JAR) && spawnSync('java', ['-version'], { stdio: 'ignore' }).status === 0;

/**
 * What is wrong with each of these files: errors and warnings, one a line. All are looked at in one
 * process: a first one takes six seconds of a core, a further one half of one.
 */
export function epubProblems(files: readonly string[]): string[][] {
  const args = [...SHORT_RUN, '-cp', JAR, EACH, ...files];
  // In one stream, so that each message stands below its file.
  const { stdout } = spawnSync('sh', ['-c', 'exec java "$@" 2>&1', 'sh', ...args], { encoding: 'utf8' });
  const [, ...told] = stdout.split(/^FILE .*$/m);
  if (told.length !== files.length || !told.every((said) => /^Messages: |^No errors/m.test(said)))
    throw new Error(`epubcheck did not end as it should: ${stdout}`);
  return told.map((said) => said.split('\n').filter((line) => /^(?:FATAL|ERROR|WARNING)/.test(line)));
}
