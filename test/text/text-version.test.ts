/** What tells readers of different releases apart. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { dictionaryDigests } from '../../src/models/language-packs.js';
import { textVersion as versionWith } from '../../src/text/text-version.js';

it('is another one with another dictionary of a language', () => {
  const digests = dictionaryDigests();
  expect(digests.map((each) => each.slice(0, 5))).toEqual(expect.arrayContaining(['ja-JP', 'zh-CN']));
  expect(versionWith('', digests)).toBe(versionWith('', digests));
  const other = digests.map((each) => (each.startsWith('zh-CN') ? each.replace(/.$/, 'x') : each));
  expect(versionWith('', other)).not.toBe(versionWith('', digests));
});

it('names a way of reading: the same every time, another one with other pronunciations', () => {
  const textVersion = (lexicon: string) => versionWith(lexicon, []);
  const dir = mkdtempSync(path.join(tmpdir(), 'tts-text-version-'));
  try {
    const lexicon = path.join(dir, 'lexicon.txt');
    writeFileSync(lexicon, 'gif jif\n');
    const [plain, own] = [textVersion(''), textVersion(lexicon)];
    expect(plain).toMatch(/^[0-9a-f]{16}$/);
    expect(textVersion('')).toBe(plain);
    expect(own).not.toBe(plain);
    expect(textVersion(lexicon)).toBe(own);
    writeFileSync(lexicon, 'gif gif\n');
    expect(textVersion(lexicon)).not.toBe(own);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
