/** What tools answer, in words: agents and people read the same. */
import { TtsError } from '../protocol/errors.js';
import type { Language } from '../protocol/job.js';
import { speaks } from '../protocol/languages.js';
import { matchesSearch } from '../protocol/playground/voice-words.js';
import type { ExplainedReading, ListedVoice, Made } from './host.js';

export function madeInWords(
  { voice, model, audioMs, played, chapters, result, lines: more }: Made,
  minutes: number,
): string {
  const length = `${(audioMs / 1000).toFixed(1)} s of speech by ${voice} (${model})`;
  const lines = [`${played ? 'Played' : 'Made'} ${length}.`];
  if (chapters) lines.push(`Chapters: ${chapters.join(' · ')}`);
  lines.push(...more);
  if (result && !result.isOwn) lines.push(`The resource ${uriOf(result.id)} is kept for ${minutes} minutes.`);
  return lines.join('\n');
}

interface WantedVoices {
  readonly language?: string | undefined;
  readonly gender?: string | undefined;
  readonly search?: string | undefined;
}

export function voicesInWords(voices: readonly ListedVoice[], { language, gender, search }: WantedVoices): string {
  const found = voices.filter(
    (voice) =>
      (gender === undefined || voice.gender === gender) &&
      (language === undefined || speaks(voice.language as Language, language)) &&
      (search === undefined || matchesSearch(voice, search)),
  );
  if (found.length === 0) {
    throw new TtsError(
      'voice_not_found',
      `None of the ${voices.length} voices matches. Leave out some of the filters.`,
    );
  }
  return found
    .map(({ id, display_name: name, language: spoken, gender: sex, description }) =>
      [id, name, spoken, sex, description].join(' | '),
    )
    .join('\n');
}

export function readingInWords({ segments, skipped }: ExplainedReading): string {
  const lines = segments.flatMap(({ text, forms, pause }) => [
    `"${text.trim()}" (${pause} pause after it)`,
    ...forms.map(({ written, said, phonemes }) => `  ${written} → ${said} /${phonemes}/`),
  ]);
  const silent = Object.entries(skipped).map(([kind, chars]) => `${kind} ${chars}`);
  if (silent.length > 0) lines.push(`Not spoken (characters): ${silent.join(', ')}`);
  return lines.join('\n');
}

/** The address of a result as a resource. */
export const uriOf = (id: string): string => `tts://results/${id}`;
