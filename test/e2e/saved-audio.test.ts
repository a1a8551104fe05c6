/**
 * Audio that was saved from an answer, in a real browser: what was asked for whole tells how long it
 * is, and can be sought in.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../testkit/server.js';
import { hasChromium, launchBrowser } from '../support/browser/browser.js';

const TEXT = 'Good evening. This is a sentence that lasts for some seconds, so that there is a middle to seek to.';

// Debian: chromium. Left out where it is not installed, but not on the build machine.
if (!hasChromium()) {
  it('leaves saved audio out: chromium is not installed', () => expect(process.env.CI).not.toBe('true'));
}

describe.skipIf(!hasChromium())('saved audio in a browser', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    server = await startTestServer({ sine: { msPerChar: 60 } });
    browser = await launchBrowser();
    page = await browser.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  async function saved(path: string, body: object): Promise<{ type: string; base64: string }> {
    const response = await fetch(`${server.baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.partner.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    const base64 = Buffer.from(await response.arrayBuffer()).toString('base64');
    return { type: response.headers.get('content-type')!, base64 };
  }
  const openai = (format: string, more: object) =>
    saved('/openai/v1/audio/speech', { model: 'tts-1', input: TEXT, response_format: format, ...more });

  /** Length and place after a seek to the middle, in seconds; a length that is not known is null. */
  const opened = (file: { type: string; base64: string }) =>
    page.evaluate(
      `(async ({ type, base64 }) => {
        const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
        const audio = new Audio(URL.createObjectURL(new Blob([bytes], { type })));
        const event = (name) => new Promise((resolve, reject) => {
          audio.addEventListener(name, resolve, { once: true });
          audio.addEventListener('error', () => reject(new Error(audio.error.message)), { once: true });
        });
        await event('loadedmetadata');
        const { duration } = audio;
        if (!Number.isFinite(duration)) return { duration: null, at: null };
        const seeked = event('seeked');
        audio.currentTime = duration / 2;
        await seeked;
        return { duration, at: audio.currentTime };
      })(${JSON.stringify(file)})`,
    ) as Promise<{ duration: number | null; at: number | null }>;

  it.each(['flac', 'mp3', 'wav', 'opus'])(
    'tells the length of a %s that was asked for whole, and seeks in it',
    async (format) => {
      const pcm = await openai('pcm', { stream: false });
      const meant = Buffer.from(pcm.base64, 'base64').length / 48_000;
      const { duration, at } = await opened(await openai(format, { stream: false }));
      // A frame of mp3 more, where a decoder plays what the codec put before the sound.
      expect(Math.abs(duration! - meant)).toBeLessThan(0.08);
      expect(at).toBeCloseTo(duration! / 2, 1);
    },
  );

  it("seeks in an mp3 of ElevenLabs' dialect, whose short speeches come whole", async () => {
    const path = '/elevenlabs/v1/text-to-speech/english_female_professional?output_format=mp3_44100_128';
    const { duration, at } = await opened(await saved(path, { text: TEXT }));
    expect(duration).toBeGreaterThan(3);
    expect(at).toBeCloseTo(duration! / 2, 1);
  });

  it('cannot tell the length of a FLAC that was streamed', async () => {
    expect(await opened(await openai('flac', {}))).toEqual({ duration: null, at: null });
  });
});
