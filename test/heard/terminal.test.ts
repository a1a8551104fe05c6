/** What a person hears of the commands: a real sound server is behind the terminal. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, until } from '../../testkit/server.js';
import { hasPulse, heardInOnePiece, type SoundCard, startSoundCard } from '../../testkit/sound/pulse.js';
import { startStreamServer } from '../stream-input/client.js';
import { serverAtHome } from '../support/at-home.js';
import { type Home, makeHome, tts, ttsInTerminal } from '../support/processes/tts.js';

// As slow as a person speaks.
const { home } = await serverAtHome({ sine: { msPerChar: 60, pace: 0.8 } });

const TEXT = 'The quick brown fox jumps over the lazy dog, and then it runs away into the deep green forest.';

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
