/**
 * The playground as it is heard, in a real browser with ears at the output of its audio graph. Runs
 * without other suites beside it.
 */

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { until } from '../../testkit/server.js';
import { complaintsOf, hasChromium, LISTENED, listenTo } from '../support/browser/browser.js';
import { PARAGRAPH, pcmOf, startsOf } from '../support/browser/page-speech.js';
import { bytesOf, spoken, usePages } from '../support/browser/pages.js';

const RATE = 24_000;
/** A word is lit from so long before it is heard, at the earliest, to so long after, at the latest. */
const EARLY_S = 0.03;
const LATE_S = 0.1;
const MAX_TRANSFER_BYTES = 150_000;

if (!hasChromium()) {
  it('leaves the playground out: chromium is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('a new user', () => {
    const pages = usePages();
    const fact = (page: Page, name: string) => page.locator(`[data-fact=${name}]`).textContent();

    it('sees each word light up as it is heard, without a gap in the sound', async () => {
      const page = await pages.newPage(LISTENED);
      const listener = await listenTo(page);
      await page.goto(pages.baseUrl);
      await page.getByLabel('Text to speak').fill(PARAGRAPH);
      await page.getByRole('button', { name: 'Play', exact: true }).click();
      await spoken(page);
      expect(await fact(page, 'underruns')).toBe('0');
      const { samples, firstFrame, drawn } = await listener.heard();
      const received = pcmOf(listener.messages);
      const from = samples.findIndex((sample) => sample !== 0) - received.findIndex((sample) => sample !== 0);
      const played = samples.subarray(from, from + received.length);
      expect(
        Buffer.from(Int16Array.from(played, (sample) => sample * 32_768).buffer).equals(Buffer.from(received.buffer)),
      ).toBe(true);

      // Frame by frame, so that a busy machine, which draws fewer, is no other case.
      const starts = startsOf(listener.messages);
      const beginsAtS = wordOffsets(PARAGRAPH).map((offset) => (firstFrame + from + starts[offset]!) / RATE);
      const endsAtS = (firstFrame + from + received.length) / RATE;
      const isClear = ({ atS }: { atS: number }) =>
        atS > beginsAtS[0]! + LATE_S &&
        atS < endsAtS - EARLY_S &&
        beginsAtS.every((begin) => atS < begin - EARLY_S || atS > begin + LATE_S);
      const clear = drawn.filter(isClear);
      const wrong = clear.filter(({ atS, word }) => word !== beginsAtS.findLastIndex((begin) => begin < atS));
      expect(wrong).toEqual([]);
      expect(new Set(clear.map(({ word }) => word)).size).toBeGreaterThan(5);
    });

    it('hears it again from a word, by mouse and by keyboard, stops it, and saves it as MP3', async () => {
      const page = await pages.newPage();
      const complaints = complaintsOf(page);
      await page.goto(pages.baseUrl);
      await page.getByLabel('Text to speak').fill(PARAGRAPH);
      await page.getByRole('button', { name: 'Play', exact: true }).click();
      await page.locator('.word.now').first().waitFor();
      await page.getByRole('button', { name: 'Stop', exact: true }).click();
      await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Play', exact: true }).click();
      await spoken(page);
      const lit = () => page.locator('.word.now').getAttribute('data-index');
      await page.locator('[data-index="8"]').click();
      let word = 0;
      await until(async () => {
        word = Number(await lit());
        return word >= 8;
      });
      expect(word).toBeLessThan(12);
      expect(await page.locator('[data-index="2"]').getAttribute('class')).toContain('heard');
      await page.getByRole('button', { name: 'Stop', exact: true }).click();
      await page.locator('[data-index="0"]').focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await until(async () => [2, 3, 4, 5].includes(Number(await lit())));
      await page.getByRole('slider', { name: 'Position' }).focus();
      await page.keyboard.press('End');
      await spoken(page);
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: /^MP3/ }).click();
      const mp3 = await bytesOf(await saved);
      expect([mp3.length > 10_000, mp3[0]]).toEqual([true, 0xff]);
      expect(complaints).toEqual([]);
      expect(await transferBytes(page)).toBeLessThan(MAX_TRANSFER_BYTES);
    });
  });
}

const wordOffsets = (text: string): number[] => [...text.matchAll(/\S+/g)].map(({ index }) => index);

/** Everything the page fetched, as it came over the wire. */
const transferBytes = (page: Page): Promise<number> =>
  page.evaluate<number>(
    `['navigation', 'resource']
      .flatMap((type) => performance.getEntriesByType(type))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
  );
