/**
 * Voices in a real browser: found by search, chips and keys, kept as favourites, mixed, and compared
 * by ear without knowing which is which.
 */
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testkit/server.js';
import { complaintsOf, expectAccessible, hasChromium, launchBrowser } from '../support/browser.js';
import { adminSecretOf, makeHome, type ServeProcess, startServe } from '../support/serve-process.js';

const DESK = { colorScheme: 'light' } as const;
const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

if (!hasChromium()) {
  it('leaves the voices out: chromium is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('voices in a browser', () => {
    const home = makeHome({ TTS_SINE_OPTIONS: '{"msPerChar":4}' });
    let browser: Browser;
    let server: ServeProcess;
    beforeAll(async () => {
      browser = await launchBrowser();
      server = await startServe(home);
      await until(async () => (await fetch(`${server.baseUrl}/readyz`)).ok, 'an engine');
    });
    afterAll(async () => {
      await browser?.close();
      await server?.kill('SIGTERM');
      home.remove();
    });
    const pages: Page[] = [];
    afterEach(async () => {
      for (const page of pages.splice(0)) await page.context().close();
    });
    const open = async (path = '/', options: BrowserContextOptions = {}): Promise<Page> => {
      const page = await (await browser.newContext(options)).newPage();
      pages.push(page);
      await page.goto(server.baseUrl + path);
      return page;
    };
    const asOperator = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
      const headers = { authorization: `Bearer ${adminSecretOf(home)}`, 'content-type': 'application/json' };
      return (await fetch(`${server.baseUrl}/admin/v1${path}`, { ...init, headers })).json() as Promise<T>;
    };
    const names = (page: Page) => page.locator('.voice .choice strong').allTextContents();
    const overflow = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    const picture = (page: Page, name: string) =>
      process.env.TTS_TEST_PICTURES
        ? page.screenshot({ path: `${process.env.TTS_TEST_PICTURES}-${name}.png`, fullPage: true })
        : undefined;

    describe('the list', () => {
      it('is searched by words: a man is no woman, and where none fits it says so', async () => {
        const page = await open();
        const search = page.getByLabel('Search voices');
        await search.fill('male');
        const men = await names(page);
        expect(men.length).toBeGreaterThan(20);
        expect(men.filter((name) => name.includes('female'))).toEqual([]);
        await search.fill('british male');
        expect(await names(page)).toHaveLength(4);
        await search.fill('français');
        expect(await names(page)).toEqual([expect.stringContaining('Siwis')]);
        await search.fill('a whispering man');
        await page.getByText('No voice matches').waitFor();
        await page.getByRole('button', { name: 'Show all voices' }).click();
        expect(await names(page)).toHaveLength(56);
        expect(await search.inputValue()).toBe('');
      });

      it('is one tab stop: arrows choose, Enter lets hear, F keeps a favourite over a reload', async () => {
        const page = await open();
        const chosen = () =>
          page.locator('.voice input:checked').evaluate((input) => input.closest('.voice')!.textContent);
        await page.getByRole('button', { name: 'Surprise me' }).focus();
        await page.keyboard.press('Tab');
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('ArrowDown');
        expect(await chosen()).toContain('Alloy');
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: 'Stop Alloy' }).waitFor({ state: 'attached' });
        await page.keyboard.press('f');
        await page.keyboard.press('Tab');
        expect(await page.evaluate('document.activeElement.textContent')).toContain('Compare two by ear');
        await page.reload();
        await page.getByText('Favourites (1)').click();
        expect(await names(page)).toEqual([expect.stringContaining('Alloy')]);
      });

      it('is narrowed by chips with the keyboard; a voice brings the model along that has it', async () => {
        const page = await open();
        await page.getByText('Filter', { exact: true }).focus();
        await page.keyboard.press('Enter');
        await page.keyboard.press('Tab');
        for (let press = 0; press < 3; press++) await page.keyboard.press('ArrowRight');
        await page.getByText('1 voice', { exact: true }).waitFor();
        expect(await names(page)).toEqual([expect.stringContaining('Siwis')]);
        await page.locator('.voice input').check({ force: true });
        expect(await page.getByRole('radio', { name: /^Standard/ }).isChecked()).toBe(true);
        await page.getByText('Does not have Siwis').waitFor();
        await page.getByRole('group', { name: 'Language' }).getByText('English').click();
        await page.getByRole('group', { name: 'Accent' }).getByText('British').click();
        await page.getByRole('group', { name: 'Good for' }).getByText('news').click();
        const british = await names(page);
        expect(british.length).toBeGreaterThan(0);
        expect(british.every((name) => name.includes('British'))).toBe(true);
        await page.getByRole('button', { name: 'Surprise me' }).click();
        await page.getByRole('button', { name: /^Stop \w/ }).waitFor();
      });

      it.each([
        ['desk', DESK],
        ['phone', PHONE],
      ] as const)('has nothing in the way on a %s', async (where, options) => {
        const page = await open('/', options);
        const complaints = complaintsOf(page);
        await page.getByText('Filter', { exact: true }).click();
        await expectAccessible(page);
        await picture(page, `list-${where}`);
        expect(await overflow(page)).toBeLessThanOrEqual(0);
        await page.getByLabel('Search voices').fill('nobody at all');
        await expectAccessible(page);
        expect(complaints).toEqual([]);
      });
    });

    describe('a comparison', () => {
      it.each([
        ['desk', DESK],
        ['phone', PHONE],
      ] as const)('is done by keyboard to a result with its doubt, on a %s', async (where, options) => {
        const page = await open('/compare', options);
        const complaints = complaintsOf(page);
        await page.getByRole('button', { name: 'Start 10 rounds' }).waitFor();
        await expectAccessible(page);
        await picture(page, `compare-setup-${where}`);
        const before = await asOperator<Sums>('/comparisons');
        await page.getByRole('button', { name: 'Start 10 rounds' }).press('Enter');
        for (let round = 1; round <= 10; round++) {
          await page.getByRole('heading', { name: `Round ${round} of 10` }).waitFor();
          await page.getByText('Hear both, as often as you like.').waitFor();
          await page.keyboard.press('ArrowLeft');
          await page.getByRole('heading', { name: `Round ${round} of 10` }).waitFor();
          await page.keyboard.press('1');
          await page.keyboard.press('2');
          await page.getByText('Choose one, even if you are not sure.').waitFor();
          if (round === 1) await expectAccessible(page);
          if (round === 1) await picture(page, `compare-round-${where}`);
          await page.keyboard.press('ArrowLeft');
        }
        await page.getByText('The counts were added to the sum of this server.').waitFor();
        await expectAccessible(page);
        await picture(page, `compare-result-${where}`);
        expect(await overflow(page)).toBeLessThanOrEqual(0);
        expect(await page.getByText('95 % confidence').count()).toBe(1);

        const saved = page.waitForEvent('download');
        await page.getByRole('button', { name: 'JSON' }).click();
        const told = JSON.parse(readFileSync((await (await saved).path())!, 'utf8')) as Told;
        expect(told.rounds).toHaveLength(10);
        expect(told.result.a_preferred + told.result.b_preferred).toBe(10);
        // The first was always preferred: who that was is the order's doing, which changes.
        expect(told.rounds.every(({ first, preferred }) => first === preferred)).toBe(true);
        expect(new Set(told.rounds.map(({ part }) => part)).size).toBeGreaterThan(1);
        const after = await asOperator<Sums>('/comparisons');
        const rounds = ({ data }: Sums) => data.reduce((sum, each) => sum + each.a_preferred + each.b_preferred, 0);
        expect(rounds(after) - rounds(before)).toBe(10);
        expect(after.data[0]).toMatchObject({ a: { model: 'base-tts' }, b: { model: 'base-tts-fast' } });
        expect(complaints).toEqual([]);
      });

      it('says what is missing before it begins', async () => {
        const page = await open('/');
        await page.getByRole('link', { name: 'Compare two by ear' }).click();
        await page.getByLabel('Model').first().selectOption('base-tts-fast');
        await page.getByText('Choose two that differ').waitFor();
        expect(await page.getByRole('button', { name: 'Start 10 rounds' }).isDisabled()).toBe(true);
      });
    });
  });
}

interface Sums {
  readonly data: readonly {
    readonly a: object;
    readonly b: object;
    readonly a_preferred: number;
    readonly b_preferred: number;
  }[];
}

interface Told {
  readonly result: { readonly a_preferred: number; readonly b_preferred: number };
  readonly rounds: readonly { readonly part: number; readonly first: string; readonly preferred: string }[];
}
