/** Debian's epubcheck: the judge of EPUBs that publishers use. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const JAR = '/usr/share/java/epubcheck.jar';
/** A run is short: compiling it well would take longer than it does. */
const SHORT_RUN = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

/** Debian: epubcheck. */
export const hasEpubcheck = (): boolean =>
  existsSync(JAR) && spawnSync('java', ['-version'], { stdio: 'ignore' }).status === 0;

/** What is wrong with a file: errors and warnings, one a line. */
export function epubProblems(file: string): string[] {
  const { stdout, stderr } = spawnSync('java', [...SHORT_RUN, '-jar', JAR, file], { encoding: 'utf8' });
  const said = `${stdout}\n${stderr}`;
  if (!/^Messages: |^No errors/m.test(said)) throw new Error(`epubcheck did not end as it should: ${said}`);
  return said.split('\n').filter((line) => /^(?:FATAL|ERROR|WARNING)/.test(line));
}
