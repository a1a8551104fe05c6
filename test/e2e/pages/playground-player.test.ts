/**
 * The playground's player in a real browser: errors where they are seen, pause, speed, the position,
 * files to take along.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../testkit/server.js';
import { modelDirForTests } from '../../../testkit/speech.js';
import {
  complaintsOf,
  expectAccessible,
  hasChromium,
  LISTENED,
  listenTo,
  PHONE_SIZE,
} from '../../support/browser/browser.js';
import { ready, usePages } from '../../support/browser/pages.js';
import { adminSecretOf, makeHome, startServe } from '../../support/processes/serve-process.js';
import { decode, hasFfmpeg } from '../../support/sound/ffmpeg.js';

const RATE = 24_000;
const DESK = { viewport: { width: 1280, height: 800 }, colorScheme: 'light' } as const;
const PHONE = { viewport: PHONE_SIZE, colorScheme: 'dark', hasTouch: true } as const;
const SENTENCE = 'The morning train to the coast leaves at nine from the far platform.';
/** So long that errors below it would be out of sight, on a desk too. */
const LONG = `${SENTENCE} `.repeat(160).trim();
/** Half a minute to make, and few enough words to be looked at quickly. */
const LASTING = `${SENTENCE} `.repeat(40).trim();

if (!hasChromium()) {
  it('leaves the player out: chromium is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('the player', () => {
    // A tone of 60 ms a character, made five times as fast as it is heard.
    const pages = usePages('{"msPerChar":60,"pace":5}');
    const after: (() => Promise<void>)[] = [];
    afterEach(async () => {
      for (const end of after.splice(0)) await end();
    });
    const open = async (options: BrowserContextOptions, baseUrl = pages.baseUrl): Promise<Page> => {
      const page = await pages.newPage(options);
      await page.goto(baseUrl);
      return page;
    };
    const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
    const say = async (page: Page, text: string) => {
      await page.getByLabel('Text to speak').fill(text);
      await button(page, 'Play').click();
    };
    const status = (page: Page, text: string) =>
      page.getByRole('status').getByText(text, { exact: true }).waitFor({ state: 'attached' });
    /** Also where it has ended by itself. */
    const halt = async (page: Page) => {
      await button(page, 'Stop')
        .click({ timeout: 1_000 })
        .catch(() => undefined);
      await button(page, 'Play').waitFor();
    };
    const alert = (page: Page) => page.getByRole('region', { name: 'Player' }).getByRole('alert');
    const inSight = async (page: Page) => {
      const box = (await alert(page).boundingBox())!;
      expect(box.y).toBeGreaterThanOrEqual(0);
      expect(box.y + box.height).toBeLessThanOrEqual(page.viewportSize()!.height);
    };
    const noOverflow = async (page: Page) =>
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    const second = async (page: Page) =>
      Number(await page.getByRole('slider', { name: 'Position' }).getAttribute('aria-valuenow'));

    /** Says another text, so that it is streamed again. */
    const sayAnother = async (page: Page) => {
      await button(page, 'Edit').click();
      await say(page, `${SENTENCE.slice(0, -1)}!`);
      await status(page, 'Speaking');
      await status(page, 'Finished');
    };

    it.each([DESK, PHONE])('tells of a lost server in sight, and keeps what came ($colorScheme)', async (look) => {
      const beside = makeHome({ TTS_SINE_OPTIONS: '{"msPerChar":60,"pace":5}' });
      const dying = await startServe(beside);
      try {
        await ready(dying);
        const page = await open(look, dying.baseUrl);
        await say(page, LONG);
        // Enough to be heard again and saved.
        await until(async () => (await second(page)) >= 2);
        const height = await page.evaluate<number>('document.documentElement.scrollHeight');
        expect(height).toBeLessThan(3_000);
        await dying.kill('SIGKILL');
        await alert(page).getByText('The connection to the server was lost.').waitFor();
        await alert(page).getByText('you can still hear and save it').waitFor();
        await inSight(page);
        await expectAccessible(page);
        await noOverflow(page);

        await page.locator('[data-index="1"]').click();
        const word = "Number(document.querySelector('.word.now')?.dataset.index ?? -1)";
        await until(async () => (await page.evaluate<number>(word)) >= 1);
        await halt(page);
        await button(page, 'Play').click();
        await alert(page).getByText('The server does not answer. Is it still running?').waitFor();
        await inSight(page);
        expect(await page.getByRole('status').textContent()).not.toContain('Finished');
        expect(await page.getByLabel('Text to speak').inputValue()).toBe(LONG);
        const saved = page.waitForEvent('download');
        await page.getByRole('button', { name: /^WAV/ }).click();
        const file = await saved;
        expect(file.suggestedFilename()).toBe('The-morning-train-to-the-coast-leaves-at-nine.wav');
        expect(readFileSync((await file.path())!).length).toBeGreaterThan(RATE);
      } finally {
        await dying.kill('SIGKILL');
        beside.remove();
      }
    });

    it('keeps page and text of a visitor whose key was revoked, and says so', async () => {
      const beside = makeHome({ TTS_SINE_OPTIONS: '{"msPerChar":60,"pace":5}' });
      const strict = await startServe(beside, ['--web', 'key']);
      try {
        await ready(strict);
        const admin = async (method: string, at: string, body?: object) => {
          const response = await fetch(`${strict.baseUrl}/admin/v1/keys${at}`, {
            method,
            headers: {
              authorization: `Bearer ${adminSecretOf(beside)}`,
              ...(body && { 'content-type': 'application/json' }),
            },
            ...(body && { body: JSON.stringify(body) }),
          });
          return (await response.json().catch(() => ({}))) as { id: string; key: string };
        };
        const { id, key } = await admin('POST', '', { tier: 'partner', credits: 100_000 });
        const another = await admin('POST', '', { tier: 'partner', credits: 100_000 });
        const page = await open(PHONE, strict.baseUrl);
        await page.getByLabel('API key').fill(key);
        await button(page, 'Use this key').click();
        await page.getByText('Key in use').waitFor();
        await say(page, LASTING);
        await page.locator('.word.now').first().waitFor();
        await admin('DELETE', `/${id}`);
        await alert(page).getByText('was revoked').waitFor();
        await inSight(page);
        await page.getByText('Key needed').waitFor();
        await page.locator('.word').first().waitFor();
        await expectAccessible(page);
        await halt(page);
        await button(page, 'Use another key').click();
        await page.keyboard.insertText(another.key);
        await page.keyboard.press('Enter');
        await page.getByText('Key in use').waitFor();
        await button(page, 'Edit').click();
        expect(await page.getByLabel('Text to speak').inputValue()).toBe(LASTING);
        await say(page, SENTENCE);
        await status(page, 'Finished');
      } finally {
        await strict.kill('SIGTERM');
        beside.remove();
      }
    });

    it('says of a text without words that nothing can be spoken, as the command does', async () => {
      // The real engine: the one for tests hums every character.
      const modelDir = await modelDirForTests();
      const beside = makeHome({ TTS_ENGINE: 'kokoro', TTS_MODEL_DIR: modelDir });
      const speaking = await startServe(beside);
      after.push(async () => {
        await speaking.kill('SIGTERM');
        beside.remove();
      });
      await ready(speaking);
      const page = await open(DESK, speaking.baseUrl);
      await say(page, '👍 … 👍');
      await alert(page)
        .getByText(/^Nothing of the text can be spoken \(.*emoji.*\): it holds no word/)
        .waitFor();
      expect(await page.locator('[data-fact=rtf]').textContent()).toBe('–');
      expect(await page.getByRole('status').textContent()).toBe('');
      expect(await page.getByLabel('Text to speak').inputValue()).toBe('👍 … 👍');
    });

    it('pauses and goes on, by button and space, and seeks by keys, mouse and touch', async () => {
      const page = await open(PHONE);
      const complaints = complaintsOf(page);
      await say(page, SENTENCE.repeat(6));
      await page.locator('.word.now').first().waitFor();
      await button(page, 'Pause').click();
      await status(page, 'Paused');
      const paused = await page.locator('.word.now').getAttribute('data-index');
      await page.getByRole('button', { name: /^WAV/ }).waitFor();
      const total = Number(await page.getByRole('slider').getAttribute('aria-valuemax'));
      expect(await page.locator('.word.now').getAttribute('data-index')).toBe(paused);

      const slider = page.getByRole('slider', { name: 'Position' });
      await slider.focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await until(async () => (await second(page)) >= 10, 'ten seconds');
      expect(await slider.getAttribute('aria-valuetext')).toMatch(/^0:1[0-4] of 0:2\d$/);
      await status(page, 'Paused');
      await page.keyboard.press('Space');
      await status(page, 'Speaking');
      await page.evaluate('document.activeElement.blur()');
      await page.keyboard.press('Space');
      await status(page, 'Paused');

      const box = (await slider.boundingBox())!;
      const at = (share: number) => [box.x + box.width * share, box.y + box.height / 2] as const;
      await page.mouse.move(...at(0.2));
      await page.mouse.down();
      await page.mouse.move(...at(0.75), { steps: 3 });
      const near = (share: number, seconds: number) => Math.abs(seconds - share * total) <= 1;
      const shown = (await page.locator('[data-time=at]').textContent())!;
      expect([shown.slice(0, 2), near(0.75, Number(shown.slice(2)))]).toEqual(['0:', true]);
      await page.mouse.up();
      await until(async () => near(0.75, await second(page)), 'where the mouse was');
      await page.touchscreen.tap(...at(0.25));
      await until(async () => near(0.25, await second(page)), 'where the finger was');
      await slider.focus();
      await page.keyboard.press('Home');
      await until(async () => (await second(page)) === 0, 'the beginning');
      await page.getByRole('button', { name: 'Play', exact: true }).click();
      await status(page, 'Speaking');
      await slider.focus();
      await page.keyboard.press('End');
      await status(page, 'Finished');
      expect(complaints).toEqual([]);
    });

    it('speaks at twice the speed with the pitch kept, while it streams, and its words follow', async () => {
      const page = await pages.newPage({ ...DESK, ...LISTENED });
      const listener = await listenTo(page);
      await page.goto(pages.baseUrl);
      await say(page, SENTENCE);
      await status(page, 'Finished');
      const first = await listener.heard();
      await page.getByLabel('Speed').selectOption('2');
      await sayAnother(page);
      const { samples, drawn, firstFrame } = await listener.heard();
      const once = voiced(first.samples);
      const twice = voiced(samples.subarray(first.samples.length));
      expect(once.length / twice.length).toBeGreaterThan(1.9);
      expect(once.length / twice.length).toBeLessThan(2.2);
      expect(Math.abs(pitch(twice) / pitch(once) - 1)).toBeLessThan(0.02);
      const last = drawn.filter(({ atS }) => atS * RATE - firstFrame > first.samples.length);
      const count = SENTENCE.split(' ').length;
      // A busy machine draws few frames; that the words go on to the end is seen in those.
      // At first the word is still lit that the reading before ended with.
      const begun = last.findIndex(({ word }) => word !== last[0]!.word);
      const lit = [...new Set(last.slice(begun).map(({ word }) => word))];
      expect(lit).toEqual([...lit].sort((one, other) => one - other));
      expect(lit.length).toBeGreaterThan(count * 0.4);
      expect(lit.at(-1)).toBeGreaterThan(count * 0.7);
    });

    it('saves WAV, MP3, Opus, FLAC, SRT and VTT of what was heard, and asks the server for none', async () => {
      const page = await open(DESK);
      const complaints = complaintsOf(page);
      await say(page, SENTENCE);
      await status(page, 'Finished');
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      const files = new Map<string, Buffer>();
      for (const name of ['WAV', 'MP3', 'Opus', 'FLAC', 'SRT', 'VTT']) {
        const saved = page.waitForEvent('download');
        await page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
        const file = await saved;
        const { name: title, ext } = path.parse(file.suggestedFilename());
        expect([title, ext]).toEqual(['The-morning-train-to-the-coast-leaves-at-nine', `.${name.toLowerCase()}`]);
        files.set(name, readFileSync((await file.path())!));
      }
      expect(asked.filter((at) => !at.startsWith('/assets/'))).toEqual([]);
      const wav = files.get('WAV')!;
      const samples = (wav.length - 44) / 2;
      expect(wav.readUInt32LE(40)).toBe(samples * 2);
      expect(files.get('SRT')!.toString()).toMatch(/^1\n00:00:00,\d{3} --> [\s\S]*morning train/);
      expect(files.get('VTT')!.toString()).toMatch(/^WEBVTT\n\n00:00:00/);
      expect(complaints).toEqual([]);
      if (!hasFfmpeg()) return;
      const flac = decode(files.get('FLAC')!);
      expect(Buffer.from(flac.buffer, flac.byteOffset, flac.byteLength).equals(wav.subarray(44))).toBe(true);
      expect(decode(files.get('Opus')!, { rate: RATE }).length).toBe(samples);
      expect(Math.abs(decode(files.get('MP3')!).length - samples)).toBeLessThan(3_000);
    });
  });
}

/**
 * Without silence, around it or in it: a busy machine lets the sound wait, and that is no part of
 * its length.
 */
function voiced(samples: Float32Array): Float32Array {
  const BLOCK = RATE / 100;
  const blocks = Array.from({ length: Math.ceil(samples.length / BLOCK) }, (_, i) =>
    samples.subarray(i * BLOCK, (i + 1) * BLOCK),
  ).filter((block) => block.some((sample) => Math.abs(sample) > 1e-4));
  const loud = new Float32Array(blocks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const block of blocks) {
    loud.set(block, at);
    at += block.length;
  }
  return loud;
}

/** Waves a second. */
function pitch(samples: Float32Array): number {
  let waves = 0;
  for (let i = 1; i < samples.length; i++) if (samples[i - 1]! < 0 && samples[i]! >= 0) waves++;
  return (waves * RATE) / samples.length;
}
