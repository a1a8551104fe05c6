/** The live lines, drawn by ink into a terminal of our own. */
import { PassThrough } from 'node:stream';
import { render } from 'ink';
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/client/progress.js';
import { textColumns } from '../../src/client/ui/format.js';
import { Live, type LiveProps, lineCount } from '../../src/client/ui/live.js';

const SPEAKING: Snapshot = {
  phase: 'speaking',
  preparation: undefined,
  speaker: undefined,
  spoken: 'The quick brown fox',
  upcoming: ' jumps over the lazy dog.',
  level: 0.5,
  heardMs: 1_234,
  totalMs: 5_000,
  totalKnown: false,
  leftMs: undefined,
  firstAudioMs: 87.4,
  realTimeFactor: 0.312,
};

function draw(state: Partial<Snapshot>, more: Partial<LiveProps> = {}): string[] {
  const stream = Object.assign(new PassThrough(), { columns: more.columns ?? 80, rows: 24, isTTY: true });
  const props = { columns: 80, color: false, levels: [0, 0.2, 1], spinner: '⠋', show: false, ssml: false, ...more };
  const app = render(<Live state={{ ...SPEAKING, ...state }} {...props} />, {
    stdout: stream as never,
    stderr: stream as never,
    debug: true,
    patchConsole: false,
  });
  // One write a frame; the first is the whole of it.
  const output = String(stream.read() ?? '');
  app.unmount();
  // biome-ignore lint/complexity/useRegexLiterals: the escape character is clearer by name
  const plain = output.replace(new RegExp('\\u001b\\[[0-9;?]*[A-Za-z]', 'g'), '');
  return plain.split('\n').filter((line) => line.trim() !== '');
}

describe('the live lines', () => {
  it('show what was spoken, the meter, the clock and the figures', () => {
    const lines = draw({});
    expect(lines).toContain('The quick brown fox');
    expect(lines.at(-1)).toMatch(/ ▂█ {2}0:01\.2 \/ ~0:05\.0 · first sound 87 ms · 3\.2 × faster than real time$/);
  });

  it('show the words to come with --show, with a mark where there is no colour', () => {
    expect(draw({}, { show: true })).toContain('The quick brown fox▏ jumps over the lazy dog.');
  });

  it('fill the line with --show, also where little of the words to come is known', () => {
    const state = { spoken: 'These words were heard a moment ago. '.repeat(8), upcoming: 'next' };
    const words = draw(state, { show: true, columns: 60 }).find((line) => line.includes('▏')) ?? '';
    expect(words.length).toBeGreaterThan(50);
    expect(words).toMatch(/▏next$/);
  });

  it('show the text without its marks, also of a mark that is not yet over', () => {
    const state = { spoken: '# Two *words* and [a li', upcoming: 'nk](x.md) with **force**.' };
    expect(draw(state)).toContain('Two words and a li');
    expect(draw(state, { show: true })).toContain('Two words and a li▏nk with force.');
    const marked = { spoken: 'One <break time="1s"/> two', upcoming: ' <sub alias="x">three</sub>.' };
    expect(draw(marked, { show: true, ssml: true }).join(' ')).toMatch(/One +two▏ three\./);
  });

  it('are as many as is told', () => {
    const preparation = { model: 'base-tts', stage: 'measure', done: 0, total: 0, detail: '' } as const;
    for (const state of [
      {},
      { phase: 'starting' },
      { phase: 'waiting', speaker: 'anna' },
      { speaker: 'anna' },
      { preparation, speaker: 'anna' },
    ] as const) {
      expect(draw(state)).toHaveLength(lineCount({ ...SPEAKING, ...state }));
    }
  });

  it('show what a first run does before it can speak, stage by stage', () => {
    const at = (stage: 'wait' | 'download' | 'prepare' | 'measure', done = 0, total = 0) =>
      draw({ phase: 'preparing', preparation: { model: 'base-tts-fast', stage, done, total, detail: '' } }).at(-1);
    expect(at('download', 44_500_000, 89_000_000)).toMatch(/^fetching base-tts-fast ━+─+ 50% {2}45 MB of 89 MB$/);
    expect(at('prepare', 3, 4)).toMatch(/^preparing base-tts-fast ━+─+ 75% {2}3 of 4$/);
    expect(at('measure')).toBe('⠋ measuring how fast this machine speaks, once');
    expect(at('wait')).toBe('⠋ waiting for another command that fetches base-tts-fast');
  });

  it('say who speaks, and how much of a long text is left', () => {
    const long = { heardMs: 600_000, totalMs: 5_784_700, leftMs: 1_440_000, speaker: 'base-tts · anna · tts serve' };
    const lines = draw(long, { columns: 80 });
    expect(lines[0]).toBe('base-tts · anna · tts serve');
    expect(lines.at(-1)).toMatch(/10:00\.0 \/ ~1:36:24 · 10 % · 24 min left · first sound 87 ms$/);
  });

  it('show that something is under way before there is any sound', () => {
    expect(draw({ phase: 'starting' }).at(-1)).toBe('⠋ starting the engine');
    expect(draw({ phase: 'waiting' }).at(-1)).toBe('⠋ waiting for the first sound');
  });

  it('never grow wider than the terminal', () => {
    for (const columns of [20, 40, 60]) {
      for (const line of draw({ spoken: 'word '.repeat(80), upcoming: '世界 '.repeat(80) }, { columns, show: true })) {
        expect(textColumns(line)).toBeLessThanOrEqual(columns);
      }
    }
  });
});
