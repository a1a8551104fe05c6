/** What the README promises a newcomer: two commands, each on one line, each enough on its own. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const readme = readFileSync(path.resolve(import.meta.dirname, '../README.md'), 'utf8');
const fences = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) => match[1]!.trimEnd());

describe('the README', () => {
  it('begins its shell examples with the command that speaks', () => {
    expect(fences[0]).toMatch(/^npm ci && [^\n]*node bin\/tts\.js speak "[^"\n]+" -o hello\.wav$/);
  });

  it('has the command that tests in the second place', () => {
    expect(fences[1]).toMatch(/^npm ci && [^\n]*npm test$/);
  });

  it('has no line that runs a stranger’s program when it is copied outside the clone', () => {
    // `tts` on npm is not this package, and in a clone npx would build it once more.
    const examples = [...readme.matchAll(/^```(?:sh|console)\n([\s\S]*?)^```$/gm)].flatMap((match) =>
      match[1]!.split('\n'),
    );
    expect(examples.length).toBeGreaterThan(10);
    expect(examples.filter((line) => /npx tts\b/.test(line))).toEqual([]);
  });
});
