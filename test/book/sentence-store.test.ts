/** Sentences that are kept: what a kill, a damaged disk and the bound leave of them. */
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanSentences, SentenceStore, sentenceKey } from '../../src/book/make/sentence-store.js';

const options = (book = 'a', maxBytes = 1e9) => ({
  root: mkdtempSync(path.join(tmpdir(), 'tts-store-')),
  book,
  maxBytes,
});
const packs = (root: string) =>
  readdirSync(root).flatMap((folder) =>
    readdirSync(path.join(root, folder)).map((name) => path.join(root, folder, name)),
  );
const tone = (samples: number, startsMs: number[] = []) => ({
  pcm: Int16Array.from({ length: samples }, (_, i) => Math.round(32_767 * Math.sin(i * i * 0.001))),
  startsMs,
});

describe('kept sentences', () => {
  it('come back as they were, in another run', async () => {
    const place = options();
    const first = await SentenceStore.open(place);
    const key = sentenceKey('x', 1);
    const loud = { pcm: Int16Array.from([0, 32_767, -32_768, -1, 1]), startsMs: [0, 12, 12, 5, 700, 1_000_000] };
    await first.put(key, loud);
    await first.put(sentenceKey('y'), tone(5_000));
    await first.put(sentenceKey('empty'), tone(0));
    expect(await first.get(key)).toEqual(loud);
    await first.close();
    const second = await SentenceStore.open(place);
    expect(second.has(key)).toBe(true);
    expect(await second.get(key)).toEqual(loud);
    expect(await second.get(sentenceKey('y'))).toEqual(tone(5_000));
    expect(await second.get(sentenceKey('empty'))).toEqual(tone(0));
    expect(await second.get(sentenceKey('x', 2))).toBeUndefined();
    await second.close();
  });

  it('do not need the record that a kill left unfinished, nor one that is damaged', async () => {
    const place = options();
    const store = await SentenceStore.open(place);
    await store.put('a'.repeat(64), tone(1_000));
    await store.put('b'.repeat(64), tone(2_000));
    await store.close();
    const [pack] = packs(place.root);
    const whole = readFileSync(pack!);
    writeFileSync(pack!, whole.subarray(0, -10));
    const cut = await SentenceStore.open(place);
    expect([cut.has('a'.repeat(64)), cut.has('b'.repeat(64))]).toEqual([true, false]);
    await cut.put('b'.repeat(64), tone(2_000));
    expect(await cut.get('b'.repeat(64))).toEqual(tone(2_000));
    await cut.close();
    whole[100]! ^= 0xff;
    writeFileSync(pack!, whole);
    appendFileSync(pack!, 'rubbish that is no record and longer than the head of one, so that it is looked at');
    const damaged = await SentenceStore.open(place);
    expect(await damaged.get('a'.repeat(64))).toBeUndefined();
    expect(await damaged.get('b'.repeat(64))).toEqual(tone(2_000));
    await damaged.close();
  });

  it('need a folder, and the error names it', async () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'tts-store-')), 'file');
    writeFileSync(file, '');
    const opened = SentenceStore.open({ root: file, book: 'a', maxBytes: 1e9 });
    await expect(opened).rejects.toMatchObject({
      code: 'output_failed',
      message: expect.stringContaining('--book-dir'),
    });
  });

  it('give way to newer ones beyond the bound, those of other books first, and are cleaned by book', async () => {
    const place = options('old');
    const old = await SentenceStore.open(place);
    await old.put('a'.repeat(64), tone(100_000));
    await old.close();
    const next = await SentenceStore.open({ ...place, book: 'new', maxBytes: 1 });
    await next.put('b'.repeat(64), tone(1_000));
    expect(packs(place.root)).toHaveLength(1);
    await next.close();
    expect((await SentenceStore.open(place)).has('a'.repeat(64))).toBe(false);
    expect(await cleanSentences(place.root, 'old')).toBe(0);
    expect(packs(place.root)).toHaveLength(1);
    expect(await cleanSentences(place.root)).toBeGreaterThan(1_000);
    expect(packs(place.root)).toEqual([]);
  });
});
