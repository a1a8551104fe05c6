/**
 * The pages of one test file: one browser and one `tts serve` with a tone for a voice, shared by
 * all tests of the file. A test pays for a browser context, some 50 ms, not for a start of either.
 */
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContextOptions, Download, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { until } from '../../../testkit/server.js';
import { adminSecretOf, type Home, makeHome, type ServeProcess, startServe } from '../processes/serve-process.js';
import { launchBrowser } from './browser.js';

export class Pages {
  readonly home: Home;
  /** The admin secret; a test that resets it writes the new one here. */
  secret = '';
  #browser: Browser | undefined;
  #server: ServeProcess | undefined;
  readonly #open: Page[] = [];

  constructor(sineOptions: string) {
    this.home = makeHome({ TTS_SINE_OPTIONS: sineOptions });
  }

  get baseUrl(): string {
    return this.#server!.baseUrl;
  }

  async start(): Promise<void> {
    [this.#browser, this.#server] = await Promise.all([launchBrowser(), startServe(this.home)]);
    this.secret = adminSecretOf(this.home);
    await ready(this.#server);
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    await this.#server?.kill(signal);
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
    await this.kill('SIGTERM');
    this.home.remove();
  }

  /** A page in a context of its own, which is closed after the test. */
  async newPage(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser!.newContext(options);
    const page = await context.newPage();
    this.#open.push(page);
    return page;
  }

  async closePages(): Promise<void> {
    for (const page of this.#open.splice(0)) await page.context().close();
  }

  async signIn(page: Page, given = this.secret): Promise<void> {
    await page.goto(`${this.baseUrl}/dashboard`);
    await page.getByLabel('Admin secret or API key').fill(given);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  createKey(body: object): Promise<string> {
    return createKey(this.baseUrl, this.secret, body);
  }
}

/** To be called once in a file, outside of its tests. */
export function usePages(sineOptions = '{"msPerChar":40,"pace":20}'): Pages {
  const pages = new Pages(sineOptions);
  beforeAll(() => pages.start());
  afterEach(() => pages.closePages());
  afterAll(() => pages.stop());
  return pages;
}

export const ready = ({ baseUrl }: ServeProcess): Promise<void> =>
  until(async () => (await fetch(`${baseUrl}/readyz`)).ok, 'an engine');

export async function createKey(baseUrl: string, secret: string, body: object): Promise<string> {
  const response = await fetch(`${baseUrl}/admin/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return ((await response.json()) as { key: string }).key;
}

/** Resolves once the playground has played all of a speech. */
export const spoken = (page: Page): Promise<void> =>
  page.getByRole('status').getByText('Finished').waitFor({ state: 'attached', timeout: 60_000 });

/**
 * Has a page look in each of its frames for a lit word that holds this text: asked from outside, a
 * short speech may be over between two looks. To be called before the speech is asked for; what it
 * gives waits for the word.
 */
export async function watchForLitWord(page: Page, text = ''): Promise<() => Promise<void>> {
  await page.evaluate(`globalThis.litWord = new Promise((seen) => {
    const look = () =>
      document.querySelector('.word.now')?.textContent.includes(${JSON.stringify(text)})
        ? seen()
        : requestAnimationFrame(look);
    look();
  }); undefined`);
  return () => page.evaluate('globalThis.litWord');
}

export const bytesOf = async (download: Download): Promise<Buffer> => readFileSync((await download.path())!);
