/**
 * The pages in a real browser: the documentation, a new user at the playground, the operator at the
 * dashboard, and strangers, who get nothing. What is heard is in pages-heard.test.ts.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StreamClient } from '../../stream-input/client.js';
import { complaintsOf, expectAccessible, hasChromium } from '../../support/browser/browser.js';
import { bytesOf, createKey, ready, spoken, usePages } from '../../support/browser/pages.js';
import { adminSecretOf, makeHome, startServe } from '../../support/processes/serve-process.js';

if (!hasChromium()) {
  it('leaves the pages out: chromium is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('the pages', () => {
    const pages = usePages();

    it('fit a window of any width', async () => {
      const page = await pages.newPage();
      for (const name of ['/', '/compare', '/docs', '/dashboard']) {
        await page.goto(pages.baseUrl + name);
        await page.getByRole('heading', { level: 1 }).waitFor();
        for (const width of [1280, 901, 761, 700, 640, 621, 320]) {
          await page.setViewportSize({ width, height: 800 });
          const shown = await page.evaluate<number>('document.documentElement.scrollWidth');
          expect(shown, `${name} at ${width}`).toBeLessThanOrEqual(width);
        }
      }
    });

    describe('the documentation', () => {
      it.each([
        { width: 1280, colorScheme: 'light' },
        { width: 390, colorScheme: 'dark' },
      ] as const)('is readable and accessible at $width pixels, $colorScheme', async ({ width, colorScheme }) => {
        const page = await pages.newPage({ viewport: { width, height: 900 }, colorScheme });
        const complaints = complaintsOf(page);
        for (const name of ['/docs', '/docs/api', '/docs/reference']) {
          await page.goto(pages.baseUrl + name);
          await expectAccessible(page);
          const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
          expect(overflow, name).toBeLessThanOrEqual(0);
        }
        await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Playground' }).click();
        await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
        expect(complaints).toEqual([]);
      });
    });

    describe('a new user', () => {
      it('finds nothing in the way: axe in light and dark, on a desk and on a phone', async () => {
        const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;
        for (const options of [{ colorScheme: 'light' } as const, phone]) {
          const page = await pages.newPage(options);
          await page.goto(pages.baseUrl);
          await page.locator('.voice').first().waitFor();
          await expectAccessible(page);
          await page.getByRole('button', { name: 'Play', exact: true }).click();
          await page.getByRole('button', { name: 'Show the reading' }).click();
          await page.locator('.word.heard').first().waitFor();
          await expectAccessible(page);
          const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
          expect(wide).toBeLessThanOrEqual(0);
        }
      });

      it('needs a key where the operator says so, and speaks with one, of either kind', async () => {
        const beside = makeHome({ TTS_SINE_OPTIONS: '{"msPerChar":10}' });
        const strict = await startServe(beside, ['--web', 'key']);
        try {
          await ready(strict);
          const page = await pages.newPage();
          await page.goto(strict.baseUrl);
          await page.getByLabel('API key').fill('tts_wrong');
          await page.getByRole('button', { name: 'Use this key' }).click();
          await page.getByText('This API key is not known here.').waitFor();
          expect(await page.getByRole('button', { name: 'Play', exact: true }).count()).toBe(0);
          for (const tier of ['partner', 'free']) {
            await page.goto(strict.baseUrl);
            await page
              .getByLabel('API key')
              .fill(await createKey(strict.baseUrl, adminSecretOf(beside), { tier, credits: 1_000 }));
            await page.getByRole('button', { name: 'Use this key' }).click();
            await page.getByRole('button', { name: 'Play', exact: true }).click();
            await page.locator('.word.now').first().waitFor();
            await spoken(page);
          }
        } finally {
          await strict.kill('SIGTERM');
          beside.remove();
        }
      });
    });

    describe('the operator', () => {
      const goTo = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click();
      const speak = (key: string, input = 'Spoken for a key.') =>
        fetch(`${pages.baseUrl}/v1/audio/speech`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'base-tts-fast', input }),
        });

      it('signs in, makes a key, sees its use, limits and grants it, and revokes it, which stops it at once', async () => {
        const page = await pages.newPage();
        const complaints = complaintsOf(page);
        await pages.signIn(page, 'ttsadmin_wrong');
        await page.getByText('This is not the admin secret.').waitFor();
        await pages.signIn(page);
        await page.getByRole('heading', { name: 'Running now' }).waitFor();
        await page.locator('.figures').getByText('Ready').waitFor();

        await goTo(page, 'Keys');
        await page.getByRole('button', { name: 'New key' }).click();
        await page.getByLabel('Name', { exact: true }).fill('the kiosk');
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Create' }).click();
        const key = (await page.locator('[data-new-key]').textContent())!.trim();
        await page.getByRole('button', { name: 'Done' }).click();
        await page.getByRole('button', { name: 'Close without it' }).click();
        expect((await speak(key)).status).toBe(200);

        const keys = page.getByRole('region', { name: 'Keys' });
        const row = keys.getByRole('row', { name: /the kiosk/ });
        await row.getByText('99,983').waitFor();
        await goTo(page, 'Usage');
        await page.locator('.chart canvas').first().waitFor();
        await expectAccessible(page);
        await page
          .getByRole('region', { name: 'Usage' })
          .getByRole('row', { name: /the kiosk base-tts-fast 1 0 17 17/ })
          .waitFor();
        const csv = page.waitForEvent('download');
        await page.getByRole('link', { name: 'CSV' }).click();
        expect((await bytesOf(await csv)).toString()).toContain(`${key.slice(4, 12)},base-tts-fast,1,0,17,17,17,`);

        await goTo(page, 'Keys');
        await row.getByRole('button', { name: 'Grant credits' }).click();
        await page.getByLabel('Credits to add').fill('17');
        await page.getByRole('button', { name: 'Grant', exact: true }).click();
        await row.getByText('100,000').waitFor();
        await row.getByRole('button', { name: /^Edit/ }).click();
        await page.getByLabel('Sessions at once').fill('1');
        await page.getByRole('button', { name: 'Save' }).click();
        await row.getByText('1 at once').waitFor();
        await expectAccessible(page);

        await row.getByRole('button', { name: 'Revoke' }).click();
        await page.getByRole('button', { name: 'Revoke', exact: true }).click();
        await row.getByText('revoked').waitFor();
        expect((await speak(key)).status).toBe(401);
        await goTo(page, 'Now');
        await page.getByRole('region', { name: 'Last errors' }).getByText('revoked_api_key').first().waitFor();
        expect(complaints).toEqual([]);
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByLabel('Admin secret or API key').waitFor();
        expect((await page.request.get(`${pages.baseUrl}/admin/v1/keys`)).status()).toBe(401);
      });

      it("sees what the machine's own user spoke, which has no key", async () => {
        const spoken = await pages.home.run(
          'speak',
          'Spoken without a key.',
          '-m',
          'base-tts',
          '-o',
          path.join(pages.home.dir, 'a.wav'),
        );
        expect(spoken).toMatchObject({ code: 0 });
        const page = await pages.newPage();
        await pages.signIn(page);
        await goTo(page, 'Keys');
        await page.getByText(/^On this machine no key is needed: \d+ requests? today, not billed/).waitFor();
        await goTo(page, 'Usage');
        const usage = page.getByRole('region', { name: 'Usage' });
        await usage.getByLabel('Key').selectOption('this machine');
        await usage.getByRole('row', { name: /this machine base-tts \d+ 0 \d+ 0/ }).waitFor();
        await expectAccessible(page);
      });

      it('sees a session live and ends it; its holder sees only their own part', async () => {
        const key = await pages.createKey({ tier: 'partner', credits: 5_000, name: 'reader' });
        const port = Number(new URL(pages.baseUrl).port);
        const client = await StreamClient.open({ port, partner: { key } } as never, {
          query: { inactivity_timeout: 180 },
        });
        const page = await pages.newPage({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
        await pages.signIn(page, key);
        await page.getByRole('heading', { name: 'Your key' }).waitFor();
        const sessions = page.getByRole('region', { name: 'Live sessions' });
        await sessions.getByRole('row', { name: new RegExp(client.requestId!) }).waitFor();
        expect(await page.getByRole('region', { name: 'Keys' }).count()).toBe(0);
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Sign out' }).click();
        await pages.signIn(page);
        await sessions
          .getByRole('row', { name: new RegExp(client.requestId!) })
          .getByRole('button', { name: 'End' })
          .click();
        expect(await client.closed).toBe(1012);
        await sessions.getByText('No live sessions.').waitFor();
        await expectAccessible(page);
      });

      it.each([
        { width: 1280, colorScheme: 'light' },
        { width: 390, colorScheme: 'dark' },
      ] as const)('finds a request in the log at $width pixels, by its id, key and outcome', async (look) => {
        const key = await pages.createKey({ tier: 'partner', credits: 50, name: 'log reader' });
        const ok = await speak(key);
        await ok.arrayBuffer();
        const okId = ok.headers.get('x-request-id')!;
        const broke = await speak(key, 'More than the balance of this key has left to pay for.');
        expect(broke.status).toBe(402);
        const brokeId = broke.headers.get('x-request-id')!;

        const page = await pages.newPage({
          viewport: { width: look.width, height: 900 },
          colorScheme: look.colorScheme,
        });
        const complaints = complaintsOf(page);
        await pages.signIn(page);
        await goTo(page, 'Requests');
        const requests = page.getByRole('region', { name: 'Requests' });
        const done = requests.getByRole('row', { name: new RegExp(okId) });
        const refused = requests.getByRole('row', { name: new RegExp(brokeId) });
        await done.getByText('completed').waitFor();
        await refused.getByText('insufficient_credits').waitFor();
        await requests.getByLabel('Outcome').selectOption('refused');
        await done.waitFor({ state: 'detached' });
        await refused.waitFor();
        await requests.getByLabel('Outcome').selectOption('');
        await requests.getByLabel('Key of requests').selectOption('this machine');
        await refused.waitFor({ state: 'detached' });
        await requests.getByLabel('Key of requests').selectOption('');
        await requests.getByLabel('Request id').fill(okId);
        await page.keyboard.press('Enter');
        await refused.waitFor({ state: 'detached' });
        await done.waitFor();
        await expectAccessible(page);
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect(overflow).toBeLessThanOrEqual(0);
        await requests.getByLabel('Request id').fill('');
        await refused.waitFor();
        await page.getByRole('button', { name: 'Sign out' }).click();
        await pages.signIn(page, key);
        await goTo(page, 'Requests');
        await done.waitFor();
        expect(await requests.getByRole('columnheader', { name: 'Worker' }).count()).toBe(0);
        expect(complaints).toEqual([]);
      });

      it('is shut out by a new secret, made beside the running server', async () => {
        const page = await pages.newPage();
        await pages.signIn(page);
        await page.getByRole('heading', { name: 'Running now' }).waitFor();
        const { stdout } = await pages.home.run('admin', 'reset');
        await page.getByLabel('Admin secret or API key').waitFor();
        pages.secret = stdout.trim();
        await pages.signIn(page);
        await page.getByRole('heading', { name: 'Running now' }).waitFor();
      });
    });

    describe('strangers', () => {
      let other: Server;
      let otherUrl: string;
      beforeAll(async () => {
        other = createServer((_request, response) =>
          response.setHeader('content-type', 'text/html').end('<p>elsewhere'),
        );
        await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
        otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      });
      afterAll(() => other.close());

      it('on a page of another origin can neither ask nor listen', async () => {
        const page = await pages.newPage();
        await page.goto(otherUrl);
        const tried = await page.evaluate(async (base) => {
          const json = { 'content-type': 'application/json' };
          const post = (path: string, init: RequestInit) =>
            fetch(base + path, { method: 'POST', body: '{}', ...init }).then(
              ({ status }) => status,
              () => 'refused',
            );
          const socket = new Promise((resolve) => {
            const opened = new WebSocket(`${base.replace('http', 'ws')}/v1/text-to-speech/x/stream-input`, ['tts.v1']);
            opened.onopen = () => resolve('open');
            opened.onerror = () => resolve('refused');
          });
          return {
            asked: await post('/playground/stream-tickets', { headers: json }),
            blind: await post('/playground/stream-tickets', { mode: 'no-cors' }),
            read: await fetch(`${base}/playground/voices?model=base-tts`).then(
              () => 'read',
              () => 'refused',
            ),
            socket: await socket,
          };
        }, pages.baseUrl);
        expect(tried).toEqual({ asked: 'refused', blind: 'refused', read: 'refused', socket: 'refused' });
      });

      it('under a name that was rebound to this machine get nothing', async () => {
        const page = await pages.newPage();
        const { port } = new URL(pages.baseUrl);
        for (const path of ['/', '/dashboard', '/playground/session']) {
          const response = await page.goto(`http://rebound.example:${port}${path}`);
          expect(response!.status(), path).toBe(421);
        }
      });
    });
  });
}
