/** What a person sees: the commands in a real pseudo-terminal. What is heard is in test/heard. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { until } from '../../testkit/server.js';
import { serverAtHome } from '../support/at-home.js';
import { shellInTerminal, ttsInTerminal } from '../support/processes/tts.js';

const MS_PER_CHAR = 60;
// As slow as a person speaks: there is something to watch, also on a busy machine.
const { home, jobs } = await serverAtHome({ sine: { msPerChar: MS_PER_CHAR, pace: 0.8 } });

const TEXT = 'The quick brown fox jumps over the lazy dog, and then it runs away into the deep green forest.';
const SHOW_CURSOR = '\u001b[?25h';
// biome-ignore lint/complexity/useRegexLiterals: the escape character is clearer by name
const COLOUR = new RegExp('\\u001b\\[(?:[1-9]|[1-9][0-9;]*)m');

describe('a terminal', () => {
  it('shows the text, a meter, the clock and the figures while it works, and what it wrote at the end', async () => {
    const terminal = ttsInTerminal(['speak', TEXT, '-o', home.file('a.wav')], home.env);
    await terminal.until(/The quick brown fox.*\n *[▁▂▃▄▅▆▇█]+ +0:0\d\.\d \/ ~0:0\d\.\d · first sound \d+ ms/);
    await terminal.until(/0:0\d\.\d \/ 0:0\d\.\d · first sound \d+ ms · [\d.]+ × (faster|slower) than real time/);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toMatch(/deep green forest\.\n.*\nwrote .*a\.wav, \d\.\d s\n$/);
    expect(terminal.output()).toMatch(COLOUR);
    expect(terminal.output().lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(terminal.output().lastIndexOf('\u001b[?25l'));
  });

  it('is left without colours under NO_COLOR', async () => {
    const terminal = ttsInTerminal(['speak', TEXT, '-o', home.file('b.wav')], { ...home.env, NO_COLOR: '1' });
    await terminal.until(/first sound/);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.output()).not.toMatch(COLOUR);
  });

  it('stays empty with --quiet and on a build machine', async () => {
    const quiet = ttsInTerminal(['speak', 'Hello.', '--quiet', '-o', home.file('c.wav')], home.env);
    expect(await quiet.ended()).toBe(0);
    const ci = ttsInTerminal(['speak', 'Hello.', '-o', home.file('c.wav')], { ...home.env, CI: 'true' });
    expect(await ci.ended()).toBe(0);
    expect([quiet.output(), ci.output()]).toEqual(['', '']);
  });

  it('is not sent sound, and is asked for a text where there is none', async () => {
    const sound = ttsInTerminal(['speak', 'Hello.', '-o', '-'], home.env);
    expect(await sound.ended()).toBe(2);
    expect(sound.text()).toMatch(/does not belong on a terminal/);
    const nothing = ttsInTerminal(['speak'], home.env);
    expect(await nothing.ended()).toBe(2);
    expect(nothing.text()).toMatch(/Nothing to say.*tts stream/s);
  });

  it('gets its lines back when Ctrl-C stops the command', async () => {
    const terminal = ttsInTerminal(['speak', TEXT.repeat(5), '-o', home.file('d.wav')], home.env);
    await terminal.until(/first sound/);
    terminal.type('\u0003');
    expect(await terminal.ended()).toBe(130);
    expect(terminal.output().lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(terminal.output().lastIndexOf('\u001b[?25l'));
    expect(existsSync(home.file('d.wav'))).toBe(false);
  });

  it('lights up the words of a stream as they are spoken', async () => {
    const line = `printf '%s' "${TEXT}" | $TTS stream --show -o ${home.file('e.wav')}`;
    const terminal = shellInTerminal(line, home.env, 120);
    await terminal.until(/The quick brown fox jumps/);
    expect(await terminal.ended()).toBe(0);
    // Spoken words are bold, the ones to come are faint.
    // biome-ignore lint/complexity/useRegexLiterals: the escape character is clearer by name
    expect(terminal.output()).toMatch(new RegExp('\\u001b\\[1mThe[^\\u001b]*\\u001b\\[22m\\u001b\\[2m[^\\u001b]+'));
    expect(terminal.text()).toMatch(/deep green forest\./);
  });

  it('is a place to type: every line is spoken when Enter is pressed, Ctrl-D ends', async () => {
    const before = jobs().length;
    const terminal = ttsInTerminal(['stream', '--show', '-o', home.file('f.wav')], home.env);
    await terminal.until(/Ctrl-D ends/);
    terminal.type('hello there\r');
    await until(() => jobs().length === before + 1, 'the first line');
    expect(jobs()[before]!.segment.text).toBe('hello there\n');
    terminal.type('once more\r');
    await until(() => jobs().length === before + 2, 'the second line');
    terminal.type('\u0004');
    expect(await terminal.ended()).toBe(0);
    // Typed, and each shown as a line of its own once it was spoken.
    expect(terminal.text()).toMatch(/hello there\n[\s\S]*▸ hello there\n▸ once more\nwrote .*f\.wav, \d\.\d s\n$/);
    expect(readFileSync(home.file('f.wav')).length).toBeGreaterThanOrEqual(44 + 18 * MS_PER_CHAR * 48);
  });

  it('is a place to stop: Ctrl-C ends the typing at once', async () => {
    const terminal = ttsInTerminal(['stream', '-o', home.file('g.wav')], home.env);
    await terminal.until(/Ctrl-C stops/);
    terminal.type('this will not be finished\r');
    await until(() => jobs().at(-1)!.segment.text === 'this will not be finished\n', 'the line');
    terminal.type('\u0003');
    expect(await terminal.ended()).toBe(130);
    expect(existsSync(home.file('g.wav'))).toBe(false);
  });
});
