/**
 * The dashboard in a real browser: its pages by address and by keyboard, at both sizes and in both
 * themes, with data, without, and with a server that is gone.
 */
import path from 'node:path';
import Libsql from 'libsql';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../testkit/server.js';
import { StreamClient } from '../../stream-input/client.js';
import {
  complaintsOf,
  expectAccessible,
  expectAccessibleInTheDark,
  hasChromium,
} from '../../support/browser/browser.js';
import { usePages } from '../../support/browser/pages.js';

const PAGES = ['Running now', 'Keys', 'Usage', 'Requests', 'Workers', 'Settings'] as const;
const LINKS = ['Now', 'Keys', 'Usage', 'Requests', 'Workers', 'Settings'] as const;
const addressOf = (link: string): string => (link === 'Now' ? '/dashboard' : `/dashboard/${link.toLowerCase()}`);
/** Requests of a year, the later the more. */
const YEAR = (keyId: string) => `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)
  INSERT INTO ledger (reservation_id, time, request_id, key_id, model, voice, characters, credits, audio_ms, outcome)
  SELECT 'y' || i, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-' || (i * i * 3) || ' seconds'), 'q', '${keyId}',
    CASE i % 3 WHEN 0 THEN 'base-tts' ELSE 'base-tts-fast' END, 'v', 10, 10, 900, 'completed' FROM n`;

interface MadeKey {
  readonly id: string;
  readonly key: string;
}

if (!hasChromium()) {
  it('leaves the dashboard out: chromium is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('the dashboard', () => {
    const pages = usePages();

    const api = async <T>(at: string, body?: unknown, method = body === undefined ? 'GET' : 'POST'): Promise<T> => {
      const response = await fetch(`${pages.baseUrl}/admin/v1${at}`, {
        method,
        headers: {
          authorization: `Bearer ${pages.secret}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return (await response.json()) as T;
    };
    const makeKey = (name: string, more: object = {}) =>
      api<MadeKey>('/keys', { tier: 'partner', credits: 1_000, name, ...more });
    const speak = async (key: string) => {
      const response = await fetch(`${pages.baseUrl}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'base-tts-fast', input: 'Spoken for a key.' }),
      });
      await response.arrayBuffer();
      return response.status;
    };
    /** Signed in, at a page. */
    const open = async (link = 'Now', options: BrowserContextOptions = {}): Promise<Page> => {
      const page = await pages.newPage(options);
      await page.goto(pages.baseUrl + addressOf(link));
      await page.getByLabel('Admin secret or API key').fill(pages.secret);
      await page.keyboard.press('Enter');
      await page.getByRole('navigation', { name: 'Dashboard' }).waitFor();
      return page;
    };
    const heading = (page: Page) => page.getByRole('heading', { level: 1 });
    const goTo = (page: Page, link: string) => page.getByRole('link', { name: link, exact: true }).click();

    /** What a person could not reach: buttons and fields outside of the screen or of their card. */
    const unreachable = (page: Page) =>
      page.evaluate<string[]>(`[...document.querySelectorAll('main button, main select, main input')]
        .filter((element) => {
          const box = element.getBoundingClientRect();
          const card = (element.closest('.panel') ?? document.body).getBoundingClientRect();
          return box.width > 0 && (box.left < card.left || box.right > Math.min(card.right, innerWidth));
        })
        .map((element) => element.outerHTML)`);

    describe('of a new server', () => {
      it.each([
        { width: 1440, colorScheme: 'dark' },
        { width: 390, colorScheme: 'light' },
      ] as const)('says what there is not yet, at $width pixels', async ({ width, colorScheme }) => {
        const page = await open('Now', { viewport: { width, height: 900 }, colorScheme });
        const complaints = complaintsOf(page);
        await page.getByText('No live sessions.').waitFor();
        await page.getByText('None since the server started.').waitFor();
        for (const [link, empty] of [
          ['Keys', 'No keys yet. Requests from other machines need one.'],
          ['Usage', 'No speech in this time.'],
          ['Requests', 'No requests match.'],
        ] as const) {
          await goTo(page, link);
          await page.getByText(empty).waitFor();
          await expectAccessible(page);
        }
        expect(complaints).toEqual([]);
      });
    });

    describe('with a year behind it', () => {
      let kiosk: MadeKey;
      beforeAll(async () => {
        kiosk = await makeKey('the kiosk in the entrance hall of the museum', { credits: 100_000, concurrency: 3 });
        const purse = await makeKey('empty purse', { credits: 0 });
        await makeKey('paused', { concurrency: 0 });
        await makeKey('last winter', { expires_at: '2020-01-01T00:00:00Z' });
        const laptop = await makeKey('old laptop');
        await api(`/keys/${laptop.id}`, undefined, 'DELETE');
        const trial = await api<MadeKey>('/keys', {
          tier: 'free',
          name: 'trial',
          free_daily: { 'base-tts': 0, 'base-tts-fast': 0 },
        });
        for (let n = 0; n < 60; n++) await makeKey(`customer ${n}`, { credits: n + 1 });
        for (const { key } of [kiosk, purse, laptop, trial]) await speak(key);
        const database = new Libsql(path.join(pages.home.dataDir, 'accounts.db'));
        database.exec(YEAR(kiosk.id));
        database.close();
      });

      it.each([1440, 390])('has every page in reach at %i pixels, light and dark', async (width) => {
        const port = Number(new URL(pages.baseUrl).port);
        const client = await StreamClient.open({ port, partner: kiosk } as never, {
          query: { inactivity_timeout: 180 },
        });
        const page = await open('Now', { viewport: { width, height: 900 } });
        const complaints = complaintsOf(page);
        await page.getByRole('button', { name: `End ${client.requestId}` }).waitFor();
        await page.getByText('insufficient_credits').first().waitFor();
        for (const [n, link] of LINKS.entries()) {
          await page.emulateMedia({ colorScheme: 'light' });
          await goTo(page, link);
          await page.getByRole('heading', { level: 1, name: PAGES[n]! }).waitFor();
          await page.locator('main table, main canvas').first().waitFor();
          await expectAccessible(page);
          await expectAccessibleInTheDark(page);
          expect(await unreachable(page), link).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth'), link).toBeLessThanOrEqual(width);
        }
        await goTo(page, 'Now');
        await page.getByRole('button', { name: `End ${client.requestId}` }).click();
        expect(await client.closed).toBe(1012);
        expect(complaints).toEqual([]);
      });

      it('has an address, a title and a heading with the focus for each page, by keyboard too', async () => {
        const page = await open();
        await page.getByRole('link', { name: 'Now', exact: true }).focus();
        for (const [n, link] of LINKS.entries()) {
          if (n > 0) {
            await page.getByRole('link', { name: link, exact: true }).focus();
            await page.keyboard.press('Enter');
            await page.waitForURL(pages.baseUrl + addressOf(link));
            await until(async () => (await page.evaluate('document.activeElement.textContent')) === PAGES[n]);
          }
          expect(await page.title()).toBe(`${PAGES[n]} · tts dashboard`);
          const current = page.getByRole('navigation', { name: 'Dashboard' }).locator('[aria-current=page]');
          expect(await current.textContent()).toBe(link);
        }
        await page.goBack();
        await page.getByRole('heading', { level: 1, name: 'Workers' }).waitFor();
        await page.reload();
        await page.getByRole('heading', { level: 1, name: 'Workers' }).waitFor();
        expect(await page.title()).toBe('Workers · tts dashboard');
        await page.goBack();
        await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
        await page.goForward();
        await page.getByRole('heading', { level: 1, name: 'Workers' }).waitFor();
        await page.goto(`${pages.baseUrl}/dashboard/nothing`);
        await page.getByRole('heading', { level: 1, name: 'No such page' }).waitFor();
        await goTo(page, 'Now');
        expect(await heading(page).textContent()).toBe('Running now');
      });

      it('finds and sorts keys, and says what each can do', async () => {
        const page = await open('Keys');
        const rows = page.locator('tbody tr');
        await rows.first().waitFor();
        expect(await rows.count()).toBe(50);
        await page.getByRole('button', { name: 'Show 16 more of 66' }).click();
        expect(await rows.count()).toBe(66);
        const find = page.getByLabel('Find keys');
        for (const [name, state] of [
          ['museum', 'active'],
          ['empty purse', 'out of credits'],
          ['paused', 'blocked'],
          ['last winter', 'expired'],
          ['old laptop', 'revoked'],
          ['trial', 'blocked'],
        ] as const) {
          await find.fill(name);
          await page.getByText('1 of 66 keys').waitFor();
          expect(await rows.first().locator('.tag').textContent(), name).toBe(state);
        }
        await find.fill('museum nobody');
        await page.getByText('No key matches.').waitFor();
        await find.fill('customer');
        await page.getByLabel('Sort keys').selectOption('Credits');
        expect(await rows.first().textContent()).toContain('customer 59');
        const credits = page.getByRole('columnheader', { name: 'Credits' });
        expect(await credits.getAttribute('aria-sort')).toBe('descending');
        await credits.getByRole('button').focus();
        await page.keyboard.press('Enter');
        expect(await credits.getAttribute('aria-sort')).toBe('ascending');
        expect(await rows.first().textContent()).toContain('customer 0');
      });

      it('opens a dialog by keyboard, and gives the focus back', async () => {
        const page = await open('Keys');
        await page.getByLabel('Find keys').fill('museum');
        const edit = page.getByRole('button', { name: /^Edit the kiosk/ });
        await edit.focus();
        await page.keyboard.press('Enter');
        await page.getByLabel('Sessions at once').fill('many');
        await page.keyboard.press('Enter');
        await page.getByRole('dialog').getByRole('alert').waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        expect(await page.evaluate('document.activeElement.textContent')).toBe('Edit');
      });

      it('keeps a new key on the screen until it was copied, or its loss was agreed to', async () => {
        const page = await open('Now', { permissions: ['clipboard-read', 'clipboard-write'] });
        await goTo(page, 'Keys');
        await page.getByRole('button', { name: 'New key' }).click();
        await page.getByLabel('Name', { exact: true }).fill('phone');
        await page.getByRole('button', { name: 'Create' }).click();
        const shown = page.locator('[data-new-key]');
        const key = (await shown.textContent())!;
        const asks = page.getByRole('alert').getByText('The key was not copied');
        for (const leave of [
          () => page.keyboard.press('Escape'),
          () => page.keyboard.press('Escape'),
          () => page.goBack().catch(() => undefined),
        ]) {
          await leave();
          await asks.waitFor();
          expect(await shown.textContent()).toBe(key);
        }
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Copy the key' }).click();
        await page.getByText('Copied').waitFor();
        expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);
        await page.getByRole('button', { name: 'Done' }).click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        expect(await page.evaluate('document.activeElement.textContent')).toBe('New key');
        expect(await speak(key)).toBe(200);
      });

      it('gives a key another secret, the one before with a time or without', async () => {
        const rotated = await makeKey('rotated');
        const page = await open('Keys');
        await page.getByLabel('Find keys').fill('rotated');
        const rotate = async (choice: string) => {
          await page.getByRole('button', { name: 'Rotate rotated' }).click();
          await page.getByLabel('The secret it has now').selectOption(choice);
          await expectAccessible(page);
          await page.getByRole('button', { name: 'Rotate', exact: true }).click();
          const key = (await page.locator('[data-new-key]').textContent())!;
          await page.getByRole('button', { name: 'Done' }).click();
          await page.getByRole('button', { name: 'Close without it' }).click();
          return key;
        };
        const second = await rotate('Works for another hour');
        await page.getByText('old secret until').waitFor();
        expect([await speak(rotated.key), await speak(second)]).toEqual([200, 200]);
        const third = await rotate('Ends at once, with what it is speaking');
        expect([await speak(second), await speak(third)]).toEqual([401, 200]);
        expect(await page.locator('tbody tr').textContent()).toContain(rotated.id);
      });

      it('shows usage of an hour, a day, a week, a month and a year', async () => {
        const page = await open('Usage');
        const row = page.getByRole('row', { name: /museum base-tts-fast/ });
        const requests = async () => Number((await row.getByRole('cell').nth(2).textContent())!.replace(',', ''));
        let before = 0;
        for (const range of ['hour', 'day', 'week', 'month', 'year']) {
          await page.getByLabel('Range').selectOption(`Last ${range}`);
          await page.getByRole('img', { name: new RegExp(`last ${range}: .* in all, most at`) }).waitFor();
          const now = await requests();
          expect(now, range).toBeGreaterThan(before);
          before = now;
        }
        expect(before).toBe(2_001);
        await page.getByLabel('Measure').selectOption('Requests');
        await page.getByRole('img', { name: /^Requests, last year/ }).waitFor();
        await page.getByLabel('Key').selectOption('this machine');
        await page.getByText('No speech in this time.').waitFor();
      });

      it('shows how the server was started and who speaks for it, and no secret', async () => {
        const page = await open('Settings');
        await page.getByRole('row', { name: /^port .* 0 flag --port/ }).waitFor();
        await page.getByRole('row', { name: /^dataDir .* environment TTS_DATA_DIR/ }).waitFor();
        await page.getByRole('row', { name: /^database .* not set default/ }).waitFor();
        await goTo(page, 'Workers');
        await page.getByRole('row', { name: /^engine-1 ready sine .* base-tts, base-tts-fast/ }).waitFor();
        const holder = await open('Now');
        await holder.getByRole('button', { name: 'Sign out' }).click();
        await holder.getByLabel('Admin secret or API key').fill(kiosk.key);
        await holder.keyboard.press('Enter');
        await holder.getByRole('heading', { name: 'Your key' }).waitFor();
        const links = holder.getByRole('navigation', { name: 'Dashboard' }).getByRole('link');
        expect(await links.allTextContents()).toEqual(['Now', 'Usage', 'Requests', 'Jobs']);
        await holder.goto(`${pages.baseUrl}/dashboard/settings`);
        await holder.getByRole('heading', { name: 'No such page' }).waitFor();
      });

      it('says that a sign-in has ended, and that the server is gone', async () => {
        const page = await open('Keys');
        pages.secret = (await pages.home.run('admin', 'reset')).stdout.trim();
        await page.getByRole('alert').getByText('Your sign-in has ended. Sign in again.').waitFor();
        await page.getByLabel('Admin secret or API key').fill(pages.secret);
        await page.keyboard.press('Enter');
        await page.locator('tbody tr').first().waitFor();
        await pages.kill('SIGKILL');
        await page.getByRole('alert').getByText('The server does not answer.').waitFor();
        await page.locator('tbody tr').first().waitFor();
        await expectAccessible(page);
      });
    });
  });
}
