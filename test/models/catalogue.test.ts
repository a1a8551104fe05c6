/** The voices that ship, and those an operator adds. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../src/models/catalogue.js';
import { loadPackManifest, stylesOf } from '../../src/models/manifest.js';
import { mixVoice } from '../../src/models/voice-mix.js';
import { TtsError } from '../../src/protocol/errors.js';

let voicesDir: string;
beforeEach(async () => {
  voicesDir = await mkdtemp(path.join(tmpdir(), 'tts-voices-'));
});
afterEach(() => rm(voicesDir, { recursive: true, force: true }));

const narrator = {
  id: 'narrator',
  display_name: 'Narrator',
  language: 'en',
  gender: 'male',
  description: 'Calm and low.',
  style: { am_michael: 3, bm_george: 1 },
};
const write = (data: unknown, name = 'narrator.json') =>
  writeFile(path.join(voicesDir, name), typeof data === 'string' ? data : JSON.stringify(data));
const load = () => loadCatalogue({ voicesDir });

describe('the catalogue that ships', () => {
  it('has the two voices of the interface, on both models, the professional one first', () => {
    const catalogue = loadCatalogue();
    for (const model of ['base-tts', 'base-tts-fast'] as const) {
      expect(
        catalogue
          .voices(model)
          .map((voice) => voice.id)
          .slice(0, 2),
      ).toEqual(['english_female_professional', 'english_female_articulate']);
    }
    expect(catalogue.get('base-tts', 'english_female_professional').mix).toEqual([{ style: 'af_heart', weight: 1 }]);
    expect(catalogue.get('base-tts', 'english_female_articulate').mix).toEqual([{ style: 'af_bella', weight: 1 }]);
    expect(catalogue.version).toMatch(/^\d{4}-\d{2}-\d+$/);
  });

  it('shows of a voice what the interface names and nothing else', () => {
    for (const voice of loadCatalogue().voices('base-tts')) {
      expect(Object.keys(voice)).toEqual([
        'id',
        'object',
        'display_name',
        'language',
        'locale',
        'gender',
        'description',
        'supports_instructions',
      ]);
      expect(voice).toMatchObject({ object: 'voice', supports_instructions: false });
      expect(voice.locale!.slice(0, 2)).toBe(voice.language);
    }
  });

  it('has all 54 styles and the two of the interface, all of them in both models', () => {
    const { all, voices } = loadCatalogue();
    expect(all).toHaveLength(56);
    expect(new Set(all.map(({ mix }) => mix[0]!.style))).toEqual(new Set(stylesOf(loadPackManifest('kokoro-82m'))));
    expect(voices('base-tts-fast')).toEqual(voices('base-tts'));
    const words = ['spanish', 'french', 'italian', 'portuguese', 'hindi', 'japanese', 'mandarin'];
    for (const { voice, mix, models, gainDb } of all.filter((entry) => entry.voice.language !== 'en')) {
      const [, initial, gender, name] = /^([efhijpz])([fm])_(\w+)$/.exec(mix[0]!.style)!;
      const word = words['efiphjz'.indexOf(initial!)];
      expect(voice.id).toBe(`${word}_${gender === 'f' ? 'female' : 'male'}_${name}`);
      expect(models).toEqual(['base-tts', 'base-tts-fast']);
      expect(Math.abs(gainDb['base-tts'])).toBeLessThan(10);
    }
  });

  it('knows a voice for each language, of the gender where there is one', () => {
    const { fitting } = loadCatalogue();
    expect(fitting('es')?.voice.id).toBe('spanish_female_dora');
    expect(fitting('es-419', { gender: 'male' })?.voice.id).toBe('spanish_male_alex');
    expect(fitting('fr', { gender: 'male' })?.voice.id).toBe('french_female_siwis');
    expect(fitting('en-GB')?.voice.id).toBe('british_female_alice');
    expect(fitting('es', { model: 'base-tts-fast' })?.voice.id).toBe('spanish_female_dora');
  });

  it('has all of the English styles by one pattern of ids, British ones reading so', () => {
    const others = loadCatalogue()
      .all.slice(2)
      .filter(({ voice }) => voice.language === 'en');
    const styles = stylesOf(loadPackManifest('kokoro-82m')).filter((style) => /^[ab]/.test(style));
    expect(others.map(({ mix }) => mix[0]!.style).sort()).toEqual(styles.sort());
    expect(others).toHaveLength(28);
    for (const { voice, mix, language, gainDb } of others) {
      const [, accent, gender, name] = /^([ab])([fm])_(\w+)$/.exec(mix[0]!.style)!;
      expect(voice.id).toBe(`${accent === 'b' ? 'british' : 'american'}_${gender === 'f' ? 'female' : 'male'}_${name}`);
      expect(voice.gender).toBe(gender === 'f' ? 'female' : 'male');
      expect(language).toBe(accent === 'b' ? 'en-GB' : 'en-US');
      expect(Math.abs(gainDb['base-tts'])).toBeLessThan(6);
    }
  });

  it('describes every voice for listeners, each in words of its own', () => {
    const { all } = loadCatalogue();
    for (const { voice, character, uses } of all) {
      expect(voice.description, voice.id).toMatch(/^[A-Z][^\d]{15,90}\.$/);
      expect(voice.description, voice.id).not.toMatch(/grade|pitch|Hz|minute/i);
      expect([character.length, uses.length > 0], voice.id).toEqual([3, true]);
    }
    expect(new Set(all.map(({ voice }) => voice.description)).size).toBe(all.length);
  });

  it('refuses words of a voice file that are none, naming the field', async () => {
    await write({ ...narrator, uses: ['shouting'] });
    expect(load).toThrow(/field "uses" must list some of narration, assistants/);
    await write({ ...narrator, character: 'warm' });
    expect(load).toThrow(/field "character" must list at most 8 words/);
  });

  it('leaves the default voice as loud as its model speaks', () => {
    expect(loadCatalogue().get('base-tts', 'english_female_professional').gainDb).toEqual({
      'base-tts': 0,
      'base-tts-fast': 0,
    });
  });

  it('says which voices there are when asked for one there is not', () => {
    const catalogue = loadCatalogue();
    expect(() => catalogue.get('base-tts', 'nobody')).toThrow(
      expect.objectContaining({
        code: 'voice_not_found',
        message: expect.stringContaining('english_female_articulate'),
      }),
    );
  });
});

describe('a voice of the operator', () => {
  it('joins the catalogue, its weights as shares, and gives the catalogue another version', async () => {
    await write({ ...narrator, preview_url: 'https://example.org/narrator.mp3' });
    const catalogue = load();
    expect(catalogue.voices('base-tts').at(-1)).toEqual({
      id: 'narrator',
      object: 'voice',
      display_name: 'Narrator',
      language: 'en',
      locale: 'en-US',
      gender: 'male',
      description: 'Calm and low.',
      supports_instructions: false,
      preview_url: 'https://example.org/narrator.mp3',
    });
    expect(catalogue.get('base-tts', 'narrator')).toMatchObject({
      mix: [
        { style: 'am_michael', weight: 0.75 },
        { style: 'bm_george', weight: 0.25 },
      ],
      file: path.join(voicesDir, 'narrator.json'),
    });
    const before = catalogue.version;
    expect(before).not.toBe(loadCatalogue().version);
    await write({ ...narrator, style: 'am_michael' });
    expect(load().version).not.toBe(before);
  });

  it('has an accent by its language, of which the contract is told the language alone', async () => {
    for (const [language, tag] of [
      ['en', 'en-US'],
      ['en-GB', 'en-GB'],
    ]) {
      await write({ ...narrator, language });
      expect(load().get('base-tts', 'narrator')).toMatchObject({ language: tag, voice: { language: 'en' } });
    }
  });

  it('reads as most of its styles do where its language leaves the accent open', async () => {
    for (const [style, language] of [
      ['bf_emma', 'en-GB'],
      [{ bm_george: 2, am_michael: 1 }, 'en-GB'],
      [{ bm_george: 1, am_michael: 1 }, 'en-US'],
      ['af_heart', 'en-US'],
    ]) {
      await write({ ...narrator, style });
      expect(load().get('base-tts', 'narrator')).toMatchObject({ language, voice: { language: 'en' } });
      await write({ ...narrator, style, language: 'en-US' });
      expect(load().get('base-tts', 'narrator').language).toBe('en-US');
    }
  });

  it('serves the models it names alone', async () => {
    await write({ ...narrator, models: ['base-tts'] });
    expect(load().get('base-tts', 'narrator').models).toEqual(['base-tts']);
    expect(() => load().get('base-tts-fast', 'narrator')).toThrow(expect.objectContaining({ code: 'voice_not_found' }));
  });

  it('is the example of the voices folder’s README', async () => {
    const readme = await readFile(path.resolve(import.meta.dirname, '../../voices/README.md'), 'utf8');
    await write(/```json\n([\s\S]*?)```/.exec(readme)![1]!);
    const { mix } = load().all.at(-1)!;
    expect(mix.length).toBeGreaterThan(1);
    expect(mix.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1);
  });

  const bad: [field: string, change: Record<string, unknown>, says: RegExp][] = [
    ['id', { id: undefined }, /is missing/],
    ['id', { id: 'Großer Erzähler' }, /a-z, 0-9/],
    ['id', { id: 'english_female_professional' }, /already has/],
    ['display_name', { display_name: ' ' }, /1 to 100 characters/],
    ['language', { language: 'nl' }, /must be one of en, es, .*en-US, en-GB/],
    ['gender', { gender: 'robot' }, /female, male, neutral/],
    ['description', { description: 7 }, /text of 1 to 500/],
    ['supports_instructions', { supports_instructions: true }, /must be false/],
    ['preview_url', { preview_url: 'http://example.org/a.mp3' }, /https/],
    ['style', { style: undefined }, /is missing/],
    ['style', { style: 'af_hart' }, /"af_hart".*af_heart/],
    ['style', { style: [] }, /such as/],
    ['style', { style: {} }, /such as/],
    ['style.af_hart', { style: { af_hart: 1 } }, /no known style/],
    ['style.af_heart', { style: { af_heart: 0 } }, /above 0/],
    ['style.af_heart', { style: { af_heart: '1' } }, /above 0/],
    ['models', { models: ['base-tts:free'] }, /base-tts, base-tts-fast/],
    ['pitch', { pitch: 2 }, /unknown/],
  ];
  for (const [field, change, says] of bad) {
    it(`with a bad ${field} (${JSON.stringify(change)}) is refused, by file and field`, async () => {
      await write({ ...narrator, ...change });
      const message = expect.stringMatching(says);
      expect(load).toThrow(expect.objectContaining({ code: 'catalogue_invalid', message }));
      expect(load).toThrow(path.join(voicesDir, 'narrator.json'));
      expect(load).toThrow(`field "${field}"`);
    });
  }

  it('that is no JSON, no object, or in no folder is refused by name', async () => {
    await write('{"id": ');
    expect(load).toThrow(/narrator\.json is not JSON/);
    await write([]);
    expect(load).toThrow(/narrator\.json must hold one JSON object/);
    const nowhere = path.join(voicesDir, 'nowhere');
    expect(() => loadCatalogue({ voicesDir: nowhere })).toThrow(
      expect.objectContaining({ code: 'catalogue_invalid', message: expect.stringContaining(nowhere) }),
    );
  });

  it('is read from .json files only', async () => {
    await write('notes', 'notes.txt');
    await write('{', '.narrator.json');
    expect(load().version).toBe(loadCatalogue().version);
  });
});

describe('a mix', () => {
  it('is a voice file that a server takes: shares, gender, loudness and accent of what it is made of', async () => {
    const mixed = mixVoice('evening=bm_george:60,american_male_onyx:20, bm_george : 20', loadCatalogue());
    expect(mixed).toMatchObject({
      id: 'evening',
      display_name: 'Evening',
      gender: 'male',
      style: { bm_george: 80, am_onyx: 20 },
    });
    await write(mixed, 'evening.json');
    const voice = load().get('base-tts-fast', 'evening');
    expect(voice.language).toBe('en-GB');
    expect(voice.mix).toEqual([
      { style: 'bm_george', weight: 0.8 },
      { style: 'am_onyx', weight: 0.2 },
    ]);
    const gain = (id: string) => loadCatalogue().get('base-tts', id).gainDb['base-tts'];
    expect(voice.gainDb['base-tts']).toBeCloseTo(
      0.8 * gain('british_male_george') + 0.2 * gain('american_male_onyx'),
      1,
    );
  });

  it.each([
    'evening',
    '=af_heart',
    'x=',
    'x=af_heart:0',
    'x=af_heart:-1',
    'x=nobody',
    'X y=af_heart',
    'english_female_professional=af_sky',
  ])('%s is refused with what is right', (spec) => {
    expect(() => mixVoice(spec, loadCatalogue())).toThrow(TtsError);
  });

  it('is named in a request by voices and shares, for one order', () => {
    const catalogue = loadCatalogue();
    const { mix, language, gainDb } = catalogue.speaker(
      'base-tts',
      'british_male_george(60)+am_onyx(20)+bm_george(20)',
    );
    expect(mix).toEqual([
      { style: 'bm_george', weight: expect.closeTo(0.8) as number },
      { style: 'am_onyx', weight: expect.closeTo(0.2) as number },
    ]);
    expect([language, gainDb['base-tts']]).toEqual(['en-GB', expect.closeTo(-0.7, 1) as number]);
    expect(catalogue.speaker('base-tts', 'ef_dora+em_alex').language).toBe('es-ES');
    expect(catalogue.speaker('base-tts-fast', 'ef_dora+em_alex').language).toBe('es-ES');
    expect(() => catalogue.speaker('base-tts', 'af_heart(1)+nobody(1)')).toThrow(/"nobody" in the mix/);
    expect(() => catalogue.speaker('base-tts', 'af_heart(0)+af_sky(0)')).toThrow(/more than 0/);
    expect(() => catalogue.speaker('base-tts', 'af_heart+af_sky+af_sky+af_sky+af_sky+af_sky')).toThrow(/at most 5/);
    expect(() => catalogue.get('base-tts', 'af_heart+af_sky')).toThrow(/voice/);
  });

  it('may be louder or softer, within reason', async () => {
    await write({ ...narrator, gain_db: { 'base-tts': -3 } });
    expect(load().get('base-tts', 'narrator').gainDb).toEqual({ 'base-tts': -3, 'base-tts-fast': 0 });
    await write({ ...narrator, gain_db: 40 });
    expect(load).toThrow(/gain_db/);
  });
});
