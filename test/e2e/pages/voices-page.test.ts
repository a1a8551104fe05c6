/**
 * Voices in a real browser: found by search, chips and keys, kept as favourites, mixed, and compared
 * by ear without knowing which is which.
 */
import { readFileSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  complaintsOf,
  expectAccessible,
  expectAccessibleInTheDark,
  hasChromium,
  PHONE_SIZE,
} from '../../support/browser/browser.js';
import { usePages } from '../../support/browser/pages.js';

const DESK = { colorScheme: 'light' } as const;
const PHONE = { viewport: PHONE_SIZE, colorScheme: 'dark' } as const;

if (!hasChromium()) {
  it('leaves the voices out: chromium is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('voices in a browser', () => {
    const pages = usePages('{"msPerChar":4}');
    const open = async (path = '/', options: BrowserContextOptions = {}): Promise<Page> => {
      const page = await pages.newPage(options);
      await page.goto(pages.baseUrl + path);
      return page;
    };
    const asOperator = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
      const headers = { authorization: `Bearer ${pages.secret}`, 'content-type': 'application/json' };
      return (await fetch(`${pages.baseUrl}/admin/v1${path}`, { ...init, headers })).json() as Promise<T>;
    };
    /** The operator signs in on the dashboard and comes back. */
    const signIn = async (page: Page) => {
      await page.goto(`${pages.baseUrl}/dashboard`);
      await page.getByLabel('Admin secret').fill(pages.secret);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      await page.goto(pages.baseUrl);
      await page.locator('.voice').first().waitFor();
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
        const chosen = () => page.locator('.voice:has(input:checked)').textContent();
        await page.getByRole('button', { name: 'Surprise me' }).focus();
        await page.keyboard.press('Tab');
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('ArrowDown');
        expect(await chosen()).toContain('Alloy');
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: 'Stop Alloy' }).waitFor({ state: 'attached' });
        await page.keyboard.press('f');
        await page.keyboard.press('Tab');
        expect(await page.evaluate('document.activeElement.textContent')).toContain('Mix your own');
        await page.reload();
        await page.getByText('Favourites (1)').click();
        expect(await names(page)).toEqual([expect.stringContaining('Alloy')]);
      });

      it('is narrowed by chips with the keyboard; a voice of another language keeps the model', async () => {
        const page = await open();
        await page.getByText('Filter', { exact: true }).focus();
        await page.keyboard.press('Enter');
        await page.keyboard.press('Tab');
        for (let press = 0; press < 3; press++) await page.keyboard.press('ArrowRight');
        await page.getByText('1 voice', { exact: true }).waitFor();
        expect(await names(page)).toEqual([expect.stringContaining('Siwis')]);
        await page.locator('.voice input').check({ force: true });
        expect(await page.getByRole('radio', { name: /^Fast/ }).isChecked()).toBe(true);
        expect(await page.getByText('Does not have Siwis').count()).toBe(0);
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

    describe('a mix', () => {
      it('is heard at once, taken along as a file, and kept by the operator, on a desk and on a phone', async () => {
        const page = await open('/', DESK);
        const complaints = complaintsOf(page);
        await page.getByText('Mix your own').click();
        await page.getByLabel('Share of the second voice').fill('20');
        await page.getByRole('button', { name: 'Add a third' }).click();
        await page.getByLabel('The third voice of the mix').selectOption('american_male_onyx');
        const socket = page.waitForEvent('websocket');
        await page.getByRole('button', { name: 'Hear the mix' }).click();
        expect(decodeURIComponent((await socket).url())).toContain(
          'american_female_heart(60)+british_male_george(20)+american_male_onyx(30)',
        );
        await page.getByRole('button', { name: 'Use for the text' }).click();
        await page.getByRole('button', { name: 'Play', exact: true }).click();
        await page.locator('.word.heard').first().waitFor();
        expect(await page.getByRole('alert').allTextContents()).toEqual(['']);
        await page.getByLabel('Its name').fill('Cosy one');
        const saved = page.waitForEvent('download');
        await page.getByRole('button', { name: 'Save as a file' }).click();
        const file = JSON.parse(readFileSync((await (await saved).path())!, 'utf8')) as object;
        expect(file).toMatchObject({ id: 'cosy_one', style: { af_heart: 60, bm_george: 20, am_onyx: 30 } });
        await page.getByText('The operator can keep this').waitFor();
        await expectAccessible(page);
        await picture(page, 'mix-desk');
        await expectAccessibleInTheDark(page, 'phone');
        await picture(page, 'mix-phone');

        await signIn(page);
        await page.getByText('Mix your own').click();
        await page.getByLabel('Its name').fill('cosy one');
        await page.getByRole('button', { name: 'Keep on this server' }).click();
        await page.getByText('speaks on this server from now on').waitFor();
        expect(await page.locator('#about-cosy_one').count()).toBe(1);
        const kept = await asOperator<{ data: { id: string }[] }>('/voices');
        expect(kept.data.map(({ id }) => id)).toContain('cosy_one');
        expect(complaints).toEqual([]);
      });
    });

    describe('a word', () => {
      it('is corrected in place, heard, taken along and kept, on a desk and on a phone', async () => {
        const page = await open('/', DESK);
        const complaints = complaintsOf(page);
        await page.getByLabel('Text to speak').fill('We ask nginxcache for $5.');
        await page.getByRole('button', { name: 'Show the reading' }).click();
        await page.getByText('Every word', { exact: true }).click();
        await page.getByRole('button', { name: 'Correct nginxcache' }).press('Enter');
        await page.getByLabel('Say nginxcache as').fill('/★/');
        await page.keyboard.press('Enter');
        await page.getByText('no IPA symbol the voices know').waitFor();
        await page.getByLabel('Say nginxcache as').fill('engine x');
        const socket = page.waitForEvent('websocket');
        await page.keyboard.press('Enter');
        expect(new URL((await socket).url()).searchParams.get('words')).toBe('{"nginxcache":"engine x"}');
        await page.locator('.said').getByText('engine x').waitFor();
        await expectAccessible(page);
        await picture(page, 'word-desk');
        expect(await overflow(page)).toBeLessThanOrEqual(0);
        await expectAccessibleInTheDark(page, 'phone');
        await picture(page, 'word-phone');
        expect(await overflow(page)).toBeLessThanOrEqual(0);
        const saved = page.waitForEvent('download');
        await page.getByRole('button', { name: 'Save as a lexicon file' }).click();
        expect(readFileSync((await (await saved).path())!, 'utf8')).toBe('nginxcache = engine x\n');

        await signIn(page);
        await page.getByRole('button', { name: 'Keep on this server' }).first().waitFor({ state: 'attached' });
        await page.getByRole('region', { name: 'How is this read?' }).getByText('Keep on this server').click();
        await page.getByText('It is read so for everybody').waitFor();
        const kept = await asOperator<{ data: { word: string }[] }>('/lexicon');
        expect(kept.data).toContainEqual({ word: 'nginxcache', said: 'engine x' });
        await page.getByRole('button', { name: /^Remove the correction/ }).click();
        expect(await page.getByText('Your corrections').count()).toBe(0);
        expect(complaints).toEqual([]);
        await page.goto(`${pages.baseUrl}/dashboard/voices`);
        await page.getByRole('region', { name: 'Kept for all servers' }).getByText('nginxcache').waitFor();
        await expectAccessible(page);
        await picture(page, 'dashboard-phone');
        await page.setViewportSize({ width: 1280, height: 720 });
        await page.emulateMedia({ colorScheme: 'light' });
        await expectAccessible(page);
        await picture(page, 'dashboard-desk');
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
        // A desk compares two models, a phone one voice at two speeds.
        if (where === 'phone') {
          await page.getByLabel('Model').first().selectOption('base-tts-fast');
          await page.getByLabel('Speed').last().selectOption('1.5');
        }
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
        const pairs = after.data.map(({ a, b }) => [a, b]);
        const voice = expect.any(String);
        expect(pairs).toContainEqual(
          where === 'desk'
            ? [
                { model: 'base-tts', voice },
                { model: 'base-tts-fast', voice },
              ]
            : [
                { model: 'base-tts-fast', voice },
                { model: 'base-tts-fast', voice, speed: 1.5 },
              ],
        );
        expect(complaints).toEqual([]);
      });

      it('says what is missing before it begins', async () => {
        const page = await open('/');
        await page.getByRole('link', { name: 'Compare two by ear' }).click();
        await page.getByLabel('Model').first().selectOption('base-tts-fast');
        await page.getByText('Choose two that differ').waitFor();
        expect(await page.getByRole('button', { name: 'Start 10 rounds' }).isDisabled()).toBe(true);
        await page.getByLabel('Speed').last().selectOption('1.25');
        await page.getByText(/, Fast against .*, Fast, 1\.25 ×\./).waitFor();
        expect(await page.getByRole('button', { name: 'Start 10 rounds' }).isEnabled()).toBe(true);
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
