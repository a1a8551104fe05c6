/** Which voices are listed: search, filters and favourites. */
import { computed, signal } from '@preact/signals';
import type { Language } from '../../../../src/protocol/job.js';
import { codeOf, LANGUAGE_CODES, LANGUAGE_NAMES } from '../../../../src/protocol/languages.js';
import { ACCENT_NAMES, matchesSearch, VOICE_USES } from '../../../../src/protocol/playground/voice-words.js';
import { isListOfTexts, keptHere } from '../../shared/kept-here.js';
import { hearSample, model, type Voice, voice, voices } from '../state.js';

/** What a filter is about; '' in a filter lets every voice through. */
export const FACETS = ['language', 'accent', 'gender', 'use'] as const;
export type Facet = (typeof FACETS)[number];

const NONE: Readonly<Record<Facet, string>> = { language: '', accent: '', gender: '', use: '' };

export const search = signal('');
export const filters = signal(NONE);
export const onlyFavourites = signal(false);
/** Ids of voices, kept in this browser. */
export const favourites = keptHere<readonly string[]>('tts.favourites', [], isListOfTexts);

const localeOf = (entry: Voice) => (entry.locale ?? entry.language) as Language;

/** Values of a voice for a filter. */
const VALUES: Readonly<Record<Facet, (entry: Voice) => readonly string[]>> = {
  language: (entry) => [codeOf(localeOf(entry))],
  accent: (entry) => [localeOf(entry)],
  gender: (entry) => [entry.gender],
  use: (entry) => entry.uses,
};

const passes = (entry: Voice, facet: Facet, wanted: string) => wanted === '' || VALUES[facet](entry).includes(wanted);

export const shownVoices = computed(() =>
  voices.value.filter(
    (entry) =>
      FACETS.every((facet) => passes(entry, facet, filters.value[facet])) &&
      (!onlyFavourites.value || favourites.value.includes(entry.id)) &&
      matchesSearch(entry, search.value),
  ),
);

interface Option {
  readonly value: string;
  readonly name: string;
}

const ACCENTS = (Object.keys(ACCENT_NAMES) as Language[]).map((value) => ({ value, name: ACCENT_NAMES[value] }));
const ALL: Readonly<Record<Facet, readonly Option[]>> = {
  language: LANGUAGE_CODES.map((value) => ({ value, name: LANGUAGE_NAMES[value] })),
  accent: ACCENTS,
  gender: ['female', 'male', 'neutral'].map((value) => ({ value, name: value })),
  use: VOICE_USES.map((value) => ({ value, name: value })),
};

/** Choices of a filter that some voice has; accents of languages that have several. */
export const optionsOf = (facet: Facet): readonly Option[] =>
  ALL[facet].filter(({ value }) =>
    voices.value.some((entry) => passes(entry, facet, value) && (facet !== 'accent' || hasOtherAccents(entry))),
  );

const hasOtherAccents = (entry: Voice): boolean =>
  passes(entry, 'language', filters.value.language) &&
  voices.value.some(({ language, locale }) => language === entry.language && locale !== entry.locale);

export function setFilter(facet: Facet, value: string): void {
  // An accent belongs to its language.
  filters.value = { ...filters.value, ...(facet === 'language' && { accent: '' }), [facet]: value };
}

export function clearFilters(): void {
  search.value = '';
  filters.value = NONE;
  onlyFavourites.value = false;
}

export function toggleFavourite(id: string): void {
  const { value } = favourites;
  favourites.value = value.includes(id) ? value.filter((each) => each !== id) : [...value, id];
}

/** A voice that the model lacks brings the model along that has it. */
export function choose(entry: Voice): void {
  voice.value = entry.id;
  if (!entry.models.includes(model.value)) model.value = entry.models[0]!;
}

/** Chooses another of the listed voices at random, and lets it be heard. */
export function surprise(): void {
  const others = shownVoices.value.filter(({ id }) => id !== voice.value);
  const entry = others[Math.floor(Math.random() * others.length)];
  if (entry === undefined) return;
  choose(entry);
  hearSample(entry);
}
