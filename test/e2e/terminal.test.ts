/**
 * What a person sees and hears: the commands in a real pseudo-terminal, with a real sound server
 * behind them.
 */
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPulse, heardInOnePiece, type SoundCard, startSoundCard } from '../../testkit/pulse.js';
import { type TestServer, until } from '../../testkit/server.js';
import { startStreamServer } from '../stream-input/client.js';
import { serverAtHome } from '../support/at-home.js';
import { type Home, makeHome, shellInTerminal, tts, ttsInTerminal } from '../support/tts.js';

// As slow as a person speaks: there is something to watch.
const { home, jobs } = await serverAtHome({ sine: { msPerChar: 60, pace: 0.8 } });

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
    expect(readFileSync(home.file('f.wav')).length).toBeGreaterThanOrEqual(44 + 18 * 60 * 48);
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

if (!hasPulse()) {
  it('leaves the sound out: pulseaudio, pulseaudio-utils, alsa-utils and libasound2-plugins are not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  // A machine that is starved for long enough breaks up any sound: that is heard again, not taken
  // for a fault.
  describe('a room', { retry: 2 }, () => {
    let card: SoundCard;
    let env: Record<string, string>;
    /** Faster than it is heard, as a machine must be that speaks without gaps. */
    let fast: TestServer;
    let own: Home;
    beforeAll(async () => {
      card = await startSoundCard();
      env = { ...home.env, ...card.env };
      fast = await startStreamServer({ sine: { msPerChar: 1 } });
      own = makeHome();
      own.publish({ baseUrl: fast.baseUrl, apiKey: fast.partner.key });
    });
    afterAll(async () => {
      await card.close();
      await fast.close();
      own.remove();
    });

    it('hears what was synthesised, every sample of it, without a gap, from one request to the next', async () => {
      const before = fast.worker.jobs.length;
      // Two requests, the second of which is made while the first is heard.
      const text = `${'A sentence of some length to be read. '.repeat(60)}The end.`;
      const recorder = await card.record();
      const played = await tts(['speak', text], { env: { ...own.env, ...card.env } });
      expect(played).toMatchObject({ code: 0, stderr: '' });
      expect(played.stdout).toHaveLength(0);
      const recorded = await recorder.stop();
      await tts(['speak', text, '-o', own.file('same.pcm')], { env: own.env });
      const bytes = readFileSync(own.file('same.pcm'));
      const samples = new Int16Array(new Uint8Array(bytes).buffer);
      expect(fast.worker.jobs.slice(before).filter(({ segment }) => segment.offset === 0)).toHaveLength(4);
      expect(heardInOnePiece(samples, recorded)).toBe(samples.length);
    });

    it('hears and keeps a file at once, with --play', async () => {
      const recorder = await card.record();
      const file = own.file('h.pcm');
      expect(
        await tts(['speak', `${TEXT} ${TEXT} ${TEXT}`, '--play', '-o', file], { env: { ...own.env, ...card.env } }),
      ).toMatchObject({
        code: 0,
        stderr: '',
      });
      const samples = new Int16Array(new Uint8Array(readFileSync(file)).buffer);
      expect(heardInOnePiece(samples, await recorder.stop())).toBe(samples.length);
    });

    it('falls silent at once on Ctrl-C', async () => {
      const recorder = await card.record();
      const terminal = ttsInTerminal(['speak', TEXT], env);
      await until(() => recorder.firstSoundMs() !== undefined, 'the first sound');
      terminal.type('\u0003');
      expect(await terminal.ended()).toBe(130);
      const recorded = await recorder.stop();
      const whole = TEXT.length * 60 * 24;
      const heard = recorded.findLastIndex((sample) => sample !== 0) - recorded.findIndex((sample) => sample !== 0);
      expect(heard).toBeLessThan(whole * 0.8);
    });

    it('hears the rest of a stream after Ctrl-D', async () => {
      const recorder = await card.record();
      const terminal = ttsInTerminal(['stream'], env);
      await terminal.until(/Ctrl-D ends/);
      terminal.type('a line to be heard to its end\r\u0004');
      expect(await terminal.ended()).toBe(0);
      const recorded = await recorder.stop();
      const heard = recorded.findLastIndex((sample) => sample !== 0) - recorded.findIndex((sample) => sample !== 0);
      expect(heard).toBeGreaterThan(22 * 60 * 24);
    });
  });
}
