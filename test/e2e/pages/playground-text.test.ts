/**
 * The playground around its player, in a real browser: drafts, files with chapters, long texts, what
 * was said before, themes, and code to copy that runs.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { until } from '../../../testkit/server.js';
import {
  complaintsOf,
  expectAccessible,
  expectAccessibleInTheDark,
  hasChromium,
} from '../../support/browser/browser.js';
import { usePages, watchForLitWord } from '../../support/browser/pages.js';

const run = promisify(execFile);
const DESK = { viewport: { width: 1280, height: 800 }, colorScheme: 'light' } as const;
const SENTENCE = 'The morning train to the coast leaves at nine.';
const BOOK = ['# One', SENTENCE, '# Two', `${SENTENCE} `.repeat(30), '# Three', `The end of it. ${SENTENCE}`].join(
  '\n\n',
);

if (!hasChromium()) {
  it('leaves the playground out: chromium is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('the playground', () => {
    const pages = usePages('{"msPerChar":40,"pace":30}');
    const folder = mkdtempSync(path.join(tmpdir(), 'tts-test-files-'));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    const open = async (options: BrowserContextOptions): Promise<Page> => {
      const page = await pages.newPage(options);
      await page.goto(pages.baseUrl);
      return page;
    };
    const button = (page: Page, name: string | RegExp) =>
      page.getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) });
    const chapter = (page: Page, name: string) => page.locator('.chapters').getByRole('button', { name, exact: true });
    const choose = async (page: Page, name: string, text: string) => {
      const chosen = page.waitForEvent('filechooser');
      await button(page, 'Open').click();
      await (await chosen).setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    };
    const box = (page: Page) => page.getByLabel('Text to speak');
    const finished = (page: Page) => page.getByRole('status').getByText('Finished').waitFor({ state: 'attached' });
    const noOverflow = async (page: Page) =>
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);

    it('keeps a draft over a reload, and speaks with Ctrl and Enter', async () => {
      const page = await open(DESK);
      await box(page).fill('A draft that is not finished.');
      await page.reload();
      expect(await box(page).inputValue()).toBe('A draft that is not finished.');
      await box(page).focus();
      await page.keyboard.press('Control+Enter');
      await page.locator('.word').first().waitFor();
      expect(await page.evaluate('document.activeElement.className')).toBe('play');
      await finished(page);
      // What was heard is played again without the server.
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await page.keyboard.press('Space');
      await page.getByRole('status').getByText('Speaking').waitFor({ state: 'attached' });
      await finished(page);
      expect(asked).toEqual([]);
    });

    it('opens a file with chapters and jumps into one, on a desk and on a phone', async () => {
      const page = await open(DESK);
      const complaints = complaintsOf(page);
      await choose(page, 'book.md', `\ufeff${BOOK.replaceAll('\n', '\r\n')}`);
      await until(async () => (await box(page).inputValue()).startsWith('# One'), 'the file');
      expect(await box(page).inputValue()).toBe(BOOK);
      await page.getByText('3 chapters').click();
      await expectAccessible(page);
      await noOverflow(page);
      await expectAccessibleInTheDark(page, 'phone');
      await noOverflow(page);
      // The text scrolls there over a few frames. All in one look: the last words are soon over.
      const inSight = (from: number, to: number) =>
        until(
          () =>
            page.evaluate<boolean>(`(() => {
              const word = document.querySelector('.word.now');
              const frame = document.querySelector('.transcript')?.getBoundingClientRect();
              if (!word || !frame || word.dataset.index < ${from} || word.dataset.index >= ${to}) return false;
              const { top, bottom } = word.getBoundingClientRect();
              return top >= frame.top && bottom <= frame.bottom;
            })()`),
          'the word in sight',
        );
      await chapter(page, 'Three').click();
      await page.locator('.word.now').first().waitFor();
      await until(async () => (await chapter(page, 'Three').getAttribute('aria-current')) === 'true');
      const end = BOOK.split(/\s+/).length;
      await inSight(end - 20, end);
      await finished(page);
      // It was spoken from there on; an earlier chapter is asked for.
      await page.setViewportSize(DESK.viewport);
      await chapter(page, 'One').click();
      await inSight(0, 12);
      expect(complaints).toEqual([]);
    });

    it('takes a file that is dropped, and refuses what is no text', async () => {
      const page = await open(DESK);
      const drop = (name: string, bytes: readonly number[]) =>
        page.evaluate(
          ([called, content]) => {
            // biome-ignore lint/suspicious/noExplicitAny: a page's own globals.
            const here = globalThis as any;
            const transfer = new here.DataTransfer();
            transfer.items.add(new here.File([new Uint8Array(content)], called));
            const sheet = here.document.querySelector('.sheet');
            for (const type of ['dragover', 'drop']) {
              sheet.dispatchEvent(
                new here.DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }),
              );
            }
          },
          [name, bytes] as const,
        );
      await drop('old.txt', [...Buffer.from('Caf\xe9 at nine.', 'latin1')]);
      await until(async () => (await box(page).inputValue()) === 'Café at nine.', 'the file');
      await drop('picture.png', [0x89, 0x50, 0, 0, 1]);
      await page.getByRole('alert').getByText('“picture.png” is not a text. Open a .txt or .md file.').waitFor();
      expect(await box(page).inputValue()).toBe('Café at nine.');
    });

    it('keeps a text of 200,000 characters in a box that scrolls with its words', async () => {
      const page = await open(DESK);
      const long = `${`${SENTENCE} `.repeat(5).trim()}\n\n`.repeat(860).trim();
      expect(long.length).toBeGreaterThan(200_000);
      await choose(page, 'long.txt', long);
      await until(async () => (await box(page).inputValue()) === long, 'the file');
      await button(page, 'Play').click();
      await page.locator('.word.now').first().waitFor();
      const look = () =>
        page.evaluate(`({
          page: document.documentElement.scrollHeight,
          words: document.querySelectorAll('.word').length,
          scrolled: document.querySelector('.transcript').scrollTop,
          chars: document.querySelector('.transcript').textContent.replace(/\\s/g, '').length,
        })`) as Promise<{ page: number; words: number; scrolled: number; chars: number }>;
      await until(async () => (await look()).scrolled > 0, 'the box follows');
      const { page: height, words, chars } = await look();
      expect(height).toBeLessThan(3_000);
      expect(words).toBeLessThan(5_000);
      expect(chars).toBe(long.replace(/\s/g, '').length);
      await button(page, 'Stop').click();
    });

    it('keeps what was said, to hear without the server, on a desk and on a phone', async () => {
      const page = await open(DESK);
      for (const text of ['The first thing said.', 'The second thing, which is a little longer.']) {
        if (!(await box(page).isVisible())) await button(page, 'Edit').click();
        await box(page).fill(text);
        await button(page, 'Play').click();
        await page.getByRole('status').getByText('Speaking').waitFor({ state: 'attached' });
        await finished(page);
      }
      const history = page.getByRole('region', { name: 'History' });
      await history.getByRole('listitem').nth(1).waitFor();
      await page.reload();
      await history.getByText('The first thing said.').waitFor();
      await history.getByText(/Sound: 0\.\d MB of 200 MB/).waitFor();
      await expectAccessible(page);
      await noOverflow(page);
      await expectAccessibleInTheDark(page, 'phone');
      await noOverflow(page);
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      const litWord = await watchForLitWord(page, 'thing');
      await button(page, 'Hear again: The first thing said.').click();
      await litWord();
      expect(await page.locator('.word').allTextContents()).toEqual(['The', 'first', 'thing', 'said.']);
      await finished(page);
      const saved = page.waitForEvent('download');
      await button(page, 'Download: The first thing said.').click();
      const file = await saved;
      expect(file.suggestedFilename()).toBe('The-first-thing-said.wav');
      expect(statSync((await file.path())!).size).toBeGreaterThan(10_000);
      expect(asked.filter((at) => !at.startsWith('/assets/'))).toEqual([]);
      await button(page, 'Delete: The first thing said.').click();
      await history.getByText('The first thing said.').waitFor({ state: 'detached' });
      await button(page, 'Clear all').click();
      await button(page, 'Delete everything').click();
      await history.getByText('What you hear is kept here, in this browser only.').waitFor();
      await page.reload();
      await page.locator('.voice').first().waitFor();
      expect(await history.getByRole('listitem').count()).toBe(0);
    });

    it('has a theme of its own on every page', async () => {
      const page = await open({ colorScheme: 'light' });
      const paper = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      const light = await paper();
      await page.getByLabel('Theme').selectOption('dark');
      const dark = await paper();
      expect(dark).not.toBe(light);
      await expectAccessible(page);
      for (const at of ['/docs', '/dashboard', '/']) {
        await page.goto(pages.baseUrl + at);
        expect(await paper()).toBe(dark);
        expect(await page.getByLabel('Theme').inputValue()).toBe('dark');
      }
      await page.getByLabel('Theme').selectOption('system');
      expect(await paper()).toBe(light);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await paper()).toBe(dark);
      await page.getByLabel('Theme').selectOption('light');
      expect(await paper()).toBe(light);
    });

    it('copies code that speaks: curl, Python, JavaScript and the WebSocket', async () => {
      const page = await open({ ...DESK, permissions: ['clipboard-read', 'clipboard-write'] });
      await box(page).fill(`It's "nine", \\ and über.`);
      const { stdout } = await pages.home.run('keys', 'create', '--tier', 'partner', '--credits', '10000');
      const env = { ...process.env, TTS_API_KEY: stdout.trim() };
      symlinkSync(path.resolve(import.meta.dirname, '../../../node_modules'), path.join(folder, 'node_modules'));
      const copied = async (name: string) => {
        await page.getByText(name, { exact: true }).click();
        await button(page, /^Cop/).click();
        return page.evaluate<string>('navigator.clipboard.readText()');
      };
      const speaks = async (name: string, ending: string, command: readonly string[], result = 'speech.wav') => {
        writeFileSync(path.join(folder, `code.${ending}`), await copied(name));
        await run(command[0]!, [...command.slice(1), `code.${ending}`], { cwd: folder, env });
        const bytes = readFileSync(path.join(folder, result));
        rmSync(path.join(folder, result));
        return bytes;
      };
      const wav = await speaks('JavaScript', 'mjs', [process.execPath]);
      expect(wav.toString('latin1', 0, 4)).toBe('RIFF');
      const pcm = await speaks('WebSocket', 'mjs', [process.execPath], 'speech.pcm');
      expect(pcm.length).toBeGreaterThan(wav.length / 2);
      expect((await speaks('curl', 'sh', ['sh'])).equals(wav)).toBe(true);
      const hasPython = await run('python3', ['--version']).then(
        () => true,
        () => false,
      );
      if (hasPython) expect((await speaks('Python', 'py', ['python3'])).equals(wav)).toBe(true);
      expect(await copied('ElevenLabs')).toContain(`base_url="${pages.baseUrl}/elevenlabs"`);
    });
  });
}
