/**
 * The pages in a real browser: a new user hears a paragraph, the operator runs the server,
 * strangers get nothing.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Download, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRecogniser } from '../../testkit/recogniser.js';
import { until } from '../../testkit/server.js';
import { modelDirForTests } from '../../testkit/speech.js';
import { StreamClient } from '../stream-input/client.js';
import { complaintsOf, expectAccessible, hasChromium, LISTENED, launchBrowser, listenTo } from '../support/browser.js';
import { letterErrors, lettersOf } from '../support/letters.js';
import { adminSecretOf, makeHome, type ServeProcess, startServe } from '../support/serve-process.js';

const RATE = 24_000;
const MAX_TRANSFER_BYTES = 150_000;
const PARAGRAPH =
  'The morning train to the coast leaves at nine. Please bring your own lunch, and a warm coat for the evening.';

if (!hasChromium()) {
  it('leaves the pages out: chromium is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('the pages', () => {
    let browser: Browser;
    const home = makeHome({ TTS_SINE_OPTIONS: '{"msPerChar":40,"pace":20}' });
    let server: ServeProcess;
    let secret: string;
    beforeAll(async () => {
      browser = await launchBrowser();
      server = await startServe(home);
      secret = adminSecretOf(home);
      await ready(server);
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
    const newPage = async (options: BrowserContextOptions = {}): Promise<Page> => {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      pages.push(page);
      return page;
    };
    const ready = ({ baseUrl }: ServeProcess) => until(async () => (await fetch(`${baseUrl}/readyz`)).ok, 'an engine');
    const fact = (page: Page, name: string) => page.locator(`[data-fact=${name}]`).textContent();
    const spoken = (page: Page) =>
      page.getByRole('status').getByText('Finished').waitFor({ state: 'attached', timeout: 60_000 });
    const bytesOf = async (download: Download) => readFileSync((await download.path())!);

    describe('the documentation', () => {
      it.each([
        { width: 1280, colorScheme: 'light' },
        { width: 390, colorScheme: 'dark' },
      ] as const)('is readable and accessible at $width pixels, $colorScheme', async ({ width, colorScheme }) => {
        const page = await newPage({ viewport: { width, height: 900 }, colorScheme });
        const complaints = complaintsOf(page);
        for (const name of ['/docs', '/docs/api', '/docs/reference']) {
          await page.goto(server.baseUrl + name);
          await expectAccessible(page);
          const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
          expect(overflow, name).toBeLessThanOrEqual(0);
        }
        await page.getByRole('link', { name: 'Playground' }).click();
        await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
        expect(complaints).toEqual([]);
      });
    });

    describe('a new user', () => {
      it('pastes a paragraph, hears every word of it, and takes it along', { retry: 2, timeout: 240_000 }, async () => {
        const modelDir = await modelDirForTests();
        const real = makeHome({ TTS_ENGINE: 'kokoro', TTS_MODEL_DIR: modelDir });
        const speaking = await startServe(real);
        try {
          await ready(speaking);
          const page = await newPage(LISTENED);
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

      it('sees each word light up as it is heard, without a gap in the sound', { retry: 3 }, async () => {
        const page = await newPage(LISTENED);
        const listener = await listenTo(page);
        await page.goto(server.baseUrl);
        await page.getByLabel('Text to speak').fill(PARAGRAPH);
        await page.getByRole('button', { name: 'Play', exact: true }).click();
        await spoken(page);
        expect(await fact(page, 'underruns')).toBe('0');
        const { samples, firstFrame, words } = await listener.heard();
        const received = pcmOf(listener.messages);
        const from = samples.findIndex((sample) => sample !== 0) - received.findIndex((sample) => sample !== 0);
        const played = samples.subarray(from, from + received.length);
        expect(
          Buffer.from(Int16Array.from(played, (sample) => sample * 32_768).buffer).equals(Buffer.from(received.buffer)),
        ).toBe(true);

        const starts = startsOf(listener.messages);
        const offsets = wordOffsets(PARAGRAPH);
        const lateMs = words.map(
          ({ index, atS }) => atS * 1000 - ((firstFrame + from + starts[offsets[index]!]!) / RATE) * 1000,
        );
        expect(words.length).toBeGreaterThan(offsets.length * 0.8);
        const sorted = lateMs.map(Math.abs).sort((a, b) => a - b);
        expect(sorted[Math.floor(sorted.length / 2)], `late by ${lateMs.map(Math.round)}`).toBeLessThan(100);
        expect(sorted[Math.floor(sorted.length * 0.9)], `late by ${lateMs.map(Math.round)}`).toBeLessThan(250);
      });

      it('hears it again from a word, by mouse and by keyboard, stops it, and saves it as MP3', async () => {
        const page = await newPage();
        const complaints = complaintsOf(page);
        await page.goto(server.baseUrl);
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
        const page = await newPage(LISTENED);
        const listener = await listenTo(page);
        await page.goto(server.baseUrl);
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
        const page = await newPage({ permissions: ['clipboard-read', 'clipboard-write'] });
        await page.goto(server.baseUrl);
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
        expect(await copied('curl')).toContain(`curl ${server.baseUrl}/v1/audio/speech`);
        expect(await copied('tts speak')).toContain("'It'\\''s $12.50 on 3/4.'");
        expect(await copied('openai')).toContain(`baseURL: '${server.baseUrl}/openai/v1'`);
      });

      it('finds nothing in the way: axe in light and dark, on a desk and on a phone', async () => {
        const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;
        for (const options of [{ colorScheme: 'light' } as const, phone]) {
          const page = await newPage(options);
          await page.goto(server.baseUrl);
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
        const beside = makeHomeBeside();
        const strict = await startServe(beside, ['--web', 'key']);
        try {
          await ready(strict);
          const page = await newPage();
          await page.goto(strict.baseUrl);
          await page.getByLabel('API key').fill('tts_wrong');
          await page.getByRole('button', { name: 'Use this key' }).click();
          await page.getByText('This API key is not known here.').waitFor();
          expect(await page.getByRole('button', { name: 'Play', exact: true }).count()).toBe(0);
          const headers = { authorization: `Bearer ${adminSecretOf(beside)}` };
          for (const tier of ['partner', 'free']) {
            await page.goto(strict.baseUrl);
            await page.getByLabel('API key').fill(await createKey(strict.baseUrl, headers, { tier, credits: 1_000 }));
            await page.getByRole('button', { name: 'Use this key' }).click();
            await page.getByRole('button', { name: 'Play', exact: true }).click();
            await page.locator('.word.now').first().waitFor();
            await spoken(page);
          }
        } finally {
          await strict.kill('SIGTERM');
          for (const each of besides.splice(0)) each.remove();
        }
      });
    });

    describe('the operator', () => {
      const signIn = async (page: Page, given = secret) => {
        await page.goto(`${server.baseUrl}/dashboard`);
        await page.getByLabel('Admin secret or API key').fill(given);
        await page.getByRole('button', { name: 'Sign in' }).click();
      };
      const goTo = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click();
      const speak = (key: string, input = 'Spoken for a key.') =>
        fetch(`${server.baseUrl}/v1/audio/speech`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'base-tts-fast', input }),
        });

      it('signs in, makes a key, sees its use, limits and grants it, and revokes it, which stops it at once', async () => {
        const page = await newPage();
        const complaints = complaintsOf(page);
        await signIn(page, 'ttsadmin_wrong');
        await page.getByText('This is not the admin secret.').waitFor();
        await signIn(page);
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
        expect((await page.request.get(`${server.baseUrl}/admin/v1/keys`)).status()).toBe(401);
      });

      it("sees what the machine's own user spoke, which has no key", async () => {
        const spoken = await home.run(
          'speak',
          'Spoken without a key.',
          '-m',
          'base-tts',
          '-o',
          path.join(home.dir, 'a.wav'),
        );
        expect(spoken).toMatchObject({ code: 0 });
        const page = await newPage();
        await signIn(page);
        await goTo(page, 'Keys');
        await page.getByText(/^On this machine no key is needed: \d+ requests? today, not billed/).waitFor();
        await goTo(page, 'Usage');
        const usage = page.getByRole('region', { name: 'Usage' });
        await usage.getByLabel('Key').selectOption('this machine');
        await usage.getByRole('row', { name: /this machine base-tts \d+ 0 \d+ 0/ }).waitFor();
        await expectAccessible(page);
      });

      it('sees a session live and ends it; its holder sees only their own part', async () => {
        const headers = { authorization: `Bearer ${secret}` };
        const key = await createKey(server.baseUrl, headers, { tier: 'partner', credits: 5_000, name: 'reader' });
        const port = Number(new URL(server.baseUrl).port);
        const client = await StreamClient.open({ port, partner: { key } } as never, {
          query: { inactivity_timeout: 180 },
        });
        const page = await newPage({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
        await signIn(page, key);
        await page.getByRole('heading', { name: 'Your key' }).waitFor();
        const sessions = page.getByRole('region', { name: 'Live sessions' });
        await sessions.getByRole('row', { name: new RegExp(client.requestId!) }).waitFor();
        expect(await page.getByRole('region', { name: 'Keys' }).count()).toBe(0);
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Sign out' }).click();
        await signIn(page);
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
        const headers = { authorization: `Bearer ${secret}` };
        const key = await createKey(server.baseUrl, headers, { tier: 'partner', credits: 50, name: 'log reader' });
        const ok = await speak(key);
        await ok.arrayBuffer();
        const okId = ok.headers.get('x-request-id')!;
        const broke = await speak(key, 'More than the balance of this key has left to pay for.');
        expect(broke.status).toBe(402);
        const brokeId = broke.headers.get('x-request-id')!;

        const page = await newPage({ viewport: { width: look.width, height: 900 }, colorScheme: look.colorScheme });
        const complaints = complaintsOf(page);
        await signIn(page);
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
        await signIn(page, key);
        await goTo(page, 'Requests');
        await done.waitFor();
        expect(await requests.getByRole('columnheader', { name: 'Worker' }).count()).toBe(0);
        expect(complaints).toEqual([]);
      });

      it('is shut out by a new secret, made beside the running server', async () => {
        const page = await newPage();
        await signIn(page);
        await page.getByRole('heading', { name: 'Running now' }).waitFor();
        const { stdout } = await home.run('admin', 'reset');
        await page.getByLabel('Admin secret or API key').waitFor();
        secret = stdout.trim();
        await signIn(page);
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
        const page = await newPage();
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
        }, server.baseUrl);
        expect(tried).toEqual({ asked: 'refused', blind: 'refused', read: 'refused', socket: 'refused' });
      });

      it('under a name that was rebound to this machine get nothing', async () => {
        const page = await newPage();
        const { port } = new URL(server.baseUrl);
        for (const path of ['/', '/dashboard', '/playground/session']) {
          const response = await page.goto(`http://rebound.example:${port}${path}`);
          expect(response!.status(), path).toBe(421);
        }
      });
    });
  });
}

const besides: ReturnType<typeof makeHome>[] = [];
function makeHomeBeside() {
  const made = makeHome({ TTS_SINE_OPTIONS: '{"msPerChar":10}' });
  besides.push(made);
  return made;
}

async function createKey(baseUrl: string, headers: Record<string, string>, body: object): Promise<string> {
  const response = await fetch(`${baseUrl}/admin/v1/keys`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return ((await response.json()) as { key: string }).key;
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
