/** Books in the playground and the dashboard's page of jobs, in a browser. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { epubOf } from '../../../testkit/epub.js';
import { bytesOf, usePages } from '../../support/browser/pages.js';

const pages = usePages();

const paragraphs = (name: string) =>
  Array.from({ length: 6 }, (_, i) => `<p>The ${name} paragraph number ${i} of the book.</p>`).join('');
const LAMP = epubOf({
  title: 'The Lamp',
  author: 'A. Writer',
  documents: { 'a.xhtml': `<h1>Dusk</h1>${paragraphs('first')}`, 'b.xhtml': `<h1>Dawn</h1>${paragraphs('last')}` },
  contents: [
    ['I. Dusk', 'a.xhtml'],
    ['II. Dawn', 'b.xhtml'],
  ],
});

async function openBook(page: Page, name = 'lamp.epub', bytes = LAMP): Promise<void> {
  const file = path.join(pages.home.dir, name);
  writeFileSync(file, bytes);
  await page.goto(pages.baseUrl);
  await page.getByRole('button', { name: 'Open' }).waitFor();
  await page.locator('input[type=file]').first().setInputFiles(file);
}

const SHOTS = process.env.TTS_TEST_SHOTS;
const shot = async (page: Page, name: string) => {
  if (SHOTS) await page.screenshot({ path: path.join(SHOTS, `${name}.png`), fullPage: true });
};

describe('a book in the playground', () => {
  it('is made from an EPUB, also while the page is reloaded, and saved', async () => {
    const page = await pages.newPage({ acceptDownloads: true });
    await openBook(page);
    const panel = page.getByRole('region', { name: 'Book' });
    await panel.getByRole('heading', { name: 'lamp.epub' }).waitFor();
    await shot(page, 'book-opened');
    await panel.getByRole('button', { name: 'Make the audiobook' }).click();
    await panel.getByRole('heading', { name: 'The Lamp' }).waitFor();
    await shot(page, 'book-making');
    await page.reload();
    const save = panel.getByRole('button', { name: 'Save the audiobook' });
    await save.waitFor({ timeout: 60_000 });
    await shot(page, 'book-made');
    const [download] = await Promise.all([page.waitForEvent('download'), save.click()]);
    expect(download.suggestedFilename()).toBe('The Lamp.m4b');
    expect((await bytesOf(download)).subarray(4, 12).toString()).toBe('ftypM4B ');
    await panel.getByRole('button', { name: 'Close the book' }).click();
    await panel.waitFor({ state: 'detached' });
  });

  it('that is broken is told in the page', async () => {
    const page = await pages.newPage();
    await openBook(page, 'broken.epub', Buffer.from('PK and nothing more'));
    await page.getByRole('button', { name: 'Make the audiobook' }).click();
    await page
      .getByRole('region', { name: 'Book' })
      .getByRole('alert')
      .getByText('broken.epub cannot be read')
      .waitFor();
  });
});

describe("the dashboard's page of jobs", () => {
  it('shows all jobs to the operator, and to a key its own, which it cancels and saves', async () => {
    const key = await pages.createKey({ tier: 'partner', credits: 100_000, name: 'reader' });
    const order = (text: string) =>
      fetch(`${pages.baseUrl}/jobs/v1/speech?format=mp3&filename=letter.md`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'text/markdown' },
        body: text,
      });
    await order('# A letter\n\nDear all, good morning.');
    const operator = await pages.newPage();
    await pages.signIn(operator);
    await operator.getByRole('link', { name: 'Jobs' }).click();
    await operator.getByRole('cell', { name: /^A letter/ }).waitFor();
    await operator.getByRole('cell', { name: 'completed' }).first().waitFor({ timeout: 60_000 });
    await shot(operator, 'dashboard-jobs');
    await operator.getByRole('cell', { name: 'reader' }).waitFor();

    const page = await pages.newPage({ acceptDownloads: true, viewport: { width: 390, height: 844 } });
    await pages.signIn(page, key);
    await page.getByRole('link', { name: 'Jobs' }).click();
    await page.getByRole('heading', { name: 'Your jobs' }).waitFor();
    await page.getByText('A letter').waitFor();
    await shot(page, 'dashboard-jobs-phone');
    expect(await page.getByText('The Lamp').count()).toBe(0);
    const link = page.getByRole('link', { name: 'Save A letter' });
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(download.suggestedFilename()).toBe('A letter.mp3');
    await page.getByRole('button', { name: 'Remove A letter' }).click();
    await link.waitFor({ state: 'detached' });
    await order(`# A long letter\n\n${'And so on, and on, and on it goes. '.repeat(2_000)}`);
    await page.getByRole('button', { name: 'Cancel A long letter' }).click();
    await page.getByText('cancelled').waitFor();
  });
});
