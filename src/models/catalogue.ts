/** The voice catalogue: voices that ship with the package, and voice files of the operator. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { TtsError, voiceNotFound } from '../protocol/errors.js';
import type { Voice } from '../protocol/http.js';
import type { BaseModel, Language } from '../protocol/job.js';
import { readingOf, speaks } from '../protocol/languages.js';
import { loadPackManifest, PACKAGE_VOICES_DIR, STYLE_PACK, stylesOf } from './manifest.js';
import { type CatalogueVoice, parseVoice } from './voice-file.js';
import { isMix, mixedSpeaker } from './voice-mix.js';

export interface VoiceCatalogue {
  /** Changes whenever a voice does. */
  readonly version: string;
  readonly all: readonly CatalogueVoice[];
  /** The public entries of one model, in catalogue order. */
  voices(model: BaseModel): readonly Voice[];
  /**
   * Throws `voice_not_found` with the ids that exist; `param` is the field that named the voice.
   */
  get(model: BaseModel, id: string, param?: string): CatalogueVoice;
  /** A voice by its id, or a mix of voices such as `af_heart(60)+bm_george(40)`. */
  speaker(model: BaseModel, id: string, param?: string): CatalogueVoice;
  /** The first voice that speaks a language, of the gender where one does. */
  fitting(wanted: string, options?: FittingOptions): CatalogueVoice | undefined;
}

interface FittingOptions {
  readonly gender?: Voice['gender'] | undefined;
  readonly model?: BaseModel | undefined;
}

export interface CatalogueOptions {
  /** The operator's folder of voice files; empty or absent for none. */
  readonly voicesDir?: string;
  /** The folder of the voices that a user made, which need not exist. */
  readonly userDir?: string;
  /** Voice files that the operator keeps for all servers, by their ids; taken ids are left out. */
  readonly kept?: ReadonlyMap<string, string>;
  /** The package's folder of catalogue and manifests. */
  readonly packageDir?: string;
}

function readJson(file: string): { text: string; data: unknown } {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new TtsError('catalogue_invalid', `The voice file ${file} could not be read: ${(cause as Error).message}.`, {
      cause,
    });
  }
  try {
    return { text, data: JSON.parse(text) };
  } catch (cause) {
    throw new TtsError('catalogue_invalid', `The voice file ${file} is not JSON: ${(cause as Error).message}.`, {
      cause,
    });
  }
}

/** One voice file, checked. Throws `catalogue_invalid` with the file and the field. */
export function readVoiceFile(file: string): { readonly text: string; readonly voice: Voice } {
  const { text, data } = readJson(file);
  const styles = new Set(stylesOf(loadPackManifest(STYLE_PACK)));
  return { text, voice: parseVoice(data, { file, at: '', styles }).voice };
}

function operatorFiles(voicesDir: string): string[] {
  try {
    return readdirSync(voicesDir)
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .sort()
      .map((name) => path.join(voicesDir, name));
  } catch (cause) {
    throw new TtsError(
      'catalogue_invalid',
      `The voices folder ${voicesDir} could not be read: ${(cause as Error).message}. ` +
        'Create it, or correct --voices-dir (TTS_VOICES_DIR).',
      { cause },
    );
  }
}

export function loadCatalogue(options: CatalogueOptions = {}): VoiceCatalogue {
  const { voicesDir = '', userDir = '', kept = new Map(), packageDir = PACKAGE_VOICES_DIR } = options;
  const styles = new Set(stylesOf(loadPackManifest(STYLE_PACK, packageDir)));
  const shipped = path.join(packageDir, 'catalogue.json');
  const { version, voices: entries } = readJson(shipped).data as { version: string; voices: unknown[] };
  const all = entries.map((entry, index) => parseVoice(entry, { file: shipped, at: `voices[${index}].`, styles }));
  const digest = createHash('sha256');
  const own = userDir && existsSync(userDir) && path.resolve(userDir) !== path.resolve(voicesDir) ? userDir : '';
  const files = [voicesDir, own].filter(Boolean).flatMap(operatorFiles);
  for (const file of files) {
    const { text, data } = readJson(file);
    digest.update(text);
    all.push(parseVoice(data, { file, at: '', styles }));
  }
  const seen = new Map<string, string>();
  for (const { voice, file } of all) {
    const first = seen.get(voice.id);
    if (first !== undefined) {
      throw new TtsError(
        'catalogue_invalid',
        `The voice file ${file}: field "id" is "${voice.id}", which ${first} already has. Give it another id.`,
        { param: 'id' },
      );
    }
    seen.set(voice.id, file);
  }
  for (const [id, text] of kept) {
    if (seen.has(id)) continue;
    digest.update(text);
    all.push(parseVoice(JSON.parse(text), { file: id, at: '', styles }));
  }
  return createCatalogue(
    files.length + kept.size > 0 ? `${version}+${digest.digest('hex').slice(0, 8)}` : version,
    all,
  );
}

/**
 * The voice that is this style of Kokoro's and nothing else, by its namesake where there is one.
 */
export function voiceOfStyle(all: readonly CatalogueVoice[], style: string): CatalogueVoice | undefined {
  const pure = all.filter(({ mix }) => mix.length === 1 && mix[0]!.style === style);
  return pure.find(({ voice }) => voice.id.endsWith(style.slice(style.indexOf('_')))) ?? pure[0];
}

/**
 * The voices of a model by their ids, each with the locale it reads in where `language` was asked
 * for.
 */
export function voicesOf(
  all: readonly CatalogueVoice[],
  { model, language }: { readonly model?: BaseModel | undefined; readonly language?: string | undefined },
): Readonly<Record<string, Language>> {
  const able = all.filter(({ models }) => model === undefined || models.includes(model));
  return Object.fromEntries(able.map((entry) => [entry.voice.id, readingOf(entry.language, language)]));
}

function createCatalogue(version: string, all: readonly CatalogueVoice[]): VoiceCatalogue {
  const voices = (model: BaseModel) => all.filter((entry) => entry.models.includes(model)).map((entry) => entry.voice);
  const get: VoiceCatalogue['get'] = (model, id, param) => {
    const found = all.find((entry) => entry.voice.id === id && entry.models.includes(model));
    if (found) return found;
    const elsewhere = all.find((entry) => entry.voice.id === id)?.models;
    throw voiceNotFound(voices(model), param, elsewhere && { id, model, elsewhere });
  };
  return {
    version,
    all,
    voices,
    get,
    speaker: (model, id, param) => (isMix(id) ? mixedSpeaker(id, { model, all, param }) : get(model, id, param)),
    fitting(wanted, { gender, model } = {}) {
      const able = all.filter(
        ({ models, language }) => (model === undefined || models.includes(model)) && speaks(language, wanted),
      );
      return able.find(({ voice }) => voice.gender === gender) ?? able[0];
    },
  };
}
