/** Dictionaries of languages: fetched once, checked, and asked for by name. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ensureLanguage, languageNamed, listLanguages, removeLanguages } from '../../src/models/language-packs.js';
import { type FakeRegistry, startRegistry } from './registry.js';

let registry: FakeRegistry;
let modelDir: string;

beforeAll(async () => {
  registry = await startRegistry();
});
afterAll(() => registry.close());
beforeEach(async () => {
  modelDir = await mkdtemp(path.join(tmpdir(), 'tts-languages-'));
});
afterEach(() => rm(modelDir, { recursive: true }));

const options = () => ({
  modelDir,
  manifestDir: registry.manifestDir,
  download: { npm: { registry: registry.base }, retryDelaysMs: [] },
});

describe('the dictionary of a language', () => {
  it('is fetched at first use, once, also by two at the same time', async () => {
    const before = registry.downloads();
    const [one, other] = await Promise.all([ensureLanguage('ja-JP', options()), ensureLanguage('ja-JP', options())]);
    expect(one).toBe(path.join(modelDir, 'ipadic'));
    expect(other).toBe(one);
    await ensureLanguage('ja-JP', options());
    expect(registry.downloads() - before).toBe(1);
    expect((await readdir(one)).sort()).toEqual(['kokoro-quantized.onnx', 'styles', 'tokenizer.json']);
  });

  it('is repaired where it is not what was published', async () => {
    const folder = await ensureLanguage('zh-CN', options());
    const file = path.join(folder, 'tokenizer.json');
    const published = await readFile(file);
    await writeFile(
      file,
      published.map((byte) => byte ^ 1),
    );
    await ensureLanguage('zh-CN', { ...options(), depth: 'hashes' });
    expect(await readFile(file)).toEqual(published);
  });

  it('that is missing offline names the command that fetches it', async () => {
    const refused = ensureLanguage('ja-JP', { ...options(), offline: true });
    await expect(refused).rejects.toMatchObject({
      code: 'offline',
      message: expect.stringContaining('tts models pull --language ja'),
    });
  });

  it('is listed, and removed with all others', async () => {
    await ensureLanguage('ja-JP', options());
    const states = async () => (await listLanguages(options())).map(({ language, ready }) => [language, ready]);
    expect(await states()).toEqual([
      ['ja-JP', true],
      ['zh-CN', false],
    ]);
    expect(await removeLanguages(options())).toBeGreaterThan(1_000_000);
    expect(await states()).toEqual([
      ['ja-JP', false],
      ['zh-CN', false],
    ]);
  });

  it('does not exist for the others', async () => {
    expect(await ensureLanguage('en-US', options())).toBe('');
    expect(await ensureLanguage('fr-FR', options())).toBe('');
    expect(await readdir(modelDir)).toEqual([]);
  });
});

describe('a language by its name', () => {
  it.each([
    ['ja', 'ja-JP'],
    ['ZH', 'zh-CN'],
    ['en-gb', 'en-GB'],
    ['es', 'es-ES'],
  ])('%s is %s', (name, language) => {
    expect(languageNamed(name)).toBe(language);
  });

  it('that does not exist names those that do', () => {
    expect(() => languageNamed('tlh')).toThrow(/no language "tlh".*en, es, fr, it, pt, hi, ja, zh/);
  });
});
