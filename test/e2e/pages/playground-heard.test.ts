/**
 * The playground, heard in a real browser: the words are all there, whenever a busy machine plays
 * them. What has to come in time is in `test/heard`.
 */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { until } from '../../../testkit/server.js';
import { createRecogniser } from '../../../testkit/sound/recogniser.js';
import { modelDirForTests } from '../../../testkit/speech.js';
import { hasChromium, LISTENED, listenTo } from '../../support/browser/browser.js';
import { PARAGRAPH, pcmOf, startsOf, withoutGaps } from '../../support/browser/page-speech.js';
import { bytesOf, ready, spoken, usePages, watchForLitWord } from '../../support/browser/pages.js';
import { letterErrors, lettersOf } from '../../support/letters.js';
import { makeHome, startServe } from '../../support/processes/serve-process.js';

if (!hasChromium()) {
  it('leaves the playground out: chromium is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('a new user', () => {
    const pages = usePages();
    const fact = (page: Page, name: string) => page.locator(`[data-fact=${name}]`).textContent();

    it('pastes a paragraph, hears every word of it, and takes it along', { timeout: 240_000 }, async () => {
      const modelDir = await modelDirForTests();
      const real = makeHome({ TTS_ENGINE: 'kokoro', TTS_MODEL_DIR: modelDir });
      const speaking = await startServe(real);
      try {
        await ready(speaking);
        const page = await pages.newPage(LISTENED);
        const listener = await listenTo(page);
        await page.goto(speaking.baseUrl);
        await page.getByLabel('Text to speak').fill(PARAGRAPH);
        await page.getByRole('button', { name: 'Play', exact: true }).click();
        await spoken(page);
        expect(await fact(page, 'first')).toMatch(/^\d+ ms$/);
        expect(await fact(page, 'rtf')).toMatch(/^\d+\.\d\d$/);

        const { samples } = await listener.heard();
        const recogniser = await createRecogniser(modelDir);
        const heard = await recogniser.transcribe(Int16Array.from(withoutGaps(samples), (sample) => sample * 32_768));
        await recogniser.close();
        expect(letterErrors(PARAGRAPH, heard) / lettersOf(PARAGRAPH).length, heard).toBeLessThan(0.1);

        const download = async (name: string) => {
          const event = page.waitForEvent('download');
          await page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
          return bytesOf(await event);
        };
        const wav = await download('WAV');
        const received = pcmOf(listener.messages);
        expect(wav.readUInt32LE(40)).toBe(received.length * 2);
        expect(wav.subarray(44).equals(Buffer.from(received.buffer))).toBe(true);
        expect((await download('SRT')).toString()).toMatch(/^1\n00:00:00,\d{3} --> [\s\S]*morning train/);
        expect((await download('VTT')).toString()).toMatch(/^WEBVTT\n\n00:00:00/);
      } finally {
        await speaking.kill('SIGTERM');
        real.remove();
      }
    });

    it('types and listens', async () => {
      const page = await pages.newPage(LISTENED);
      const listener = await listenTo(page);
      await page.goto(pages.baseUrl);
      await page.getByText('Type and listen').click();
      const litWord = await watchForLitWord(page);
      await page
        .getByLabel('Text to speak')
        .pressSequentially('This is said while it is typed. And then', { delay: 30 });
      await until(
        () => startsOf(listener.messages).length >= 'This is said while it is typed. And then'.length - 1,
        'all of it',
      );
      const chars = listener.messages.flatMap(({ alignment }) => alignment?.chars ?? []).join('');
      expect(chars.trimEnd()).toBe('This is said while it is typed. And then');
      await litWord();
    });

    it('sees how it is read, hears a sample, and copies the same request as code', async () => {
      const page = await pages.newPage({ permissions: ['clipboard-read', 'clipboard-write'] });
      await page.goto(pages.baseUrl);
      await page.getByLabel('Text to speak').fill("It's $12.50 on 3/4.");
      await page.getByRole('button', { name: 'Show the reading' }).click();
      await page.getByText('twelve dollars and fifty cents').waitFor();
      const voices = await page.getByRole('button', { name: /^Hear / }).all();
      expect(voices.length).toBeGreaterThan(1);
      await voices[1]!.click();
      await page.getByRole('button', { name: /^Stop \w/ }).waitFor();
      const copied = async (name: string) => {
        await page.getByText(name, { exact: true }).click();
        await page.getByRole('button', { name: /^Cop/ }).click();
        return page.evaluate<string>('navigator.clipboard.readText()');
      };
      expect(await copied('curl')).toContain(`curl ${pages.baseUrl}/v1/audio/speech`);
      expect(await copied('tts speak')).toContain("'It'\\''s $12.50 on 3/4.'");
      expect(await copied('openai')).toContain(`baseURL: '${pages.baseUrl}/openai/v1'`);
    });
  });
}
