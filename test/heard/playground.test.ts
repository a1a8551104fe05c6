/**
 * The playground as it is heard, in a real browser with ears at the output of its audio graph. Runs
 * without other suites beside it.
 */

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createRecogniser } from '../../testkit/recogniser.js';
import { until } from '../../testkit/server.js';
import { modelDirForTests } from '../../testkit/speech.js';
import { complaintsOf, hasChromium, LISTENED, listenTo } from '../support/browser.js';
import { letterErrors, lettersOf } from '../support/letters.js';
import { bytesOf, ready, spoken, usePages } from '../support/pages.js';
import { makeHome, startServe } from '../support/serve-process.js';

const RATE = 24_000;
/** A word is lit from so long before it is heard, at the earliest, to so long after, at the latest. */
const EARLY_S = 0.03;
const LATE_S = 0.1;
const MAX_TRANSFER_BYTES = 150_000;
const PARAGRAPH =
  'The morning train to the coast leaves at nine. Please bring your own lunch, and a warm coat for the evening.';

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
      await until(async () => Number(await lit()) >= 8);
      expect(Number(await lit())).toBeLessThan(12);
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

    it('types and listens', async () => {
      const page = await pages.newPage(LISTENED);
      const listener = await listenTo(page);
      await page.goto(pages.baseUrl);
      await page.getByText('Type and listen').click();
      await page
        .getByLabel('Text to speak')
        .pressSequentially('This is said while it is typed. And then', { delay: 30 });
      await until(
        () => startsOf(listener.messages).length >= 'This is said while it is typed. And then'.length - 1,
        'all of it',
      );
      const chars = listener.messages.flatMap(({ alignment }) => alignment?.chars ?? []).join('');
      expect(chars.trimEnd()).toBe('This is said while it is typed. And then');
      await page.locator('.word.now').first().waitFor();
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

type Messages = Awaited<ReturnType<typeof listenTo>>['messages'];

function pcmOf(messages: Messages): Int16Array {
  const bytes = Buffer.concat(messages.map(({ audio }) => Buffer.from(audio ?? '', 'base64')));
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** The sample each character begins at. */
function startsOf(messages: Messages): number[] {
  const starts: number[] = [];
  let offset = 0;
  for (const { audio = '', alignment } of messages) {
    for (const ms of alignment?.charStartTimesMs ?? []) starts.push(offset + (ms * RATE) / 1000);
    offset += Buffer.byteLength(audio, 'base64') / 2;
  }
  return starts;
}

const wordOffsets = (text: string): number[] => [...text.matchAll(/\S+/g)].map(({ index }) => index);

/**
 * Without the silence of a sound card that waits: of a machine that is too busy to speak in time.
 */
function withoutGaps(samples: Float32Array): Float32Array {
  const kept: number[] = [];
  for (let at = 0; at < samples.length; at += 128) {
    const block = samples.subarray(at, at + 128);
    if (block.some((sample) => sample !== 0)) kept.push(...block);
  }
  return Float32Array.from(kept);
}

/** Everything the page fetched, as it came over the wire. */
const transferBytes = (page: Page): Promise<number> =>
  page.evaluate<number>(
    `['navigation', 'resource']
      .flatMap((type) => performance.getEntriesByType(type))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
  );
