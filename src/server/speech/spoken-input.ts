/** The text of a speech request: trimmed, and within the bound of its door. */
import { countChars, trim } from '../../protocol/characters.js';
import { nothingToSay, TtsError, wrongScript } from '../../protocol/errors.js';
import type { Language } from '../../protocol/job.js';
import { LANGUAGE_NAMES, type LanguageCode } from '../../protocol/languages.js';
import { unreadableLanguage } from '../../text/detect-language.js';
import type { Texts } from '../../text/thread/texts.js';

export interface SpokenInput {
  readonly text: string;
  /** Code points. */
  readonly chars: number;
  /** The name of its field in the door's dialect. */
  readonly param: string;
}

/** The voice that is to speak, and which one fits another language. */
interface SpokenBy {
  readonly voice: string;
  readonly language: Language;
  readonly fitting: (language: LanguageCode) => string | undefined;
}

export function spokenInput(value: string, param: string, maxChars: number): SpokenInput {
  const text = trim(value);
  const chars = countChars(text);
  if (chars === 0) {
    throw new TtsError('empty_input', `The field "${param}" holds nothing but white space.`, { param });
  }
  if (chars > maxChars) {
    throw new TtsError(
      'input_too_long',
      `The field "${param}" is longer than ${maxChars} characters. Split it at sentences into several requests.`,
      { param },
    );
  }
  return { text, chars, param };
}

/** Throws `empty_input` where nothing of the text can be spoken. */
export async function checkSounds(
  { text, param }: SpokenInput,
  texts: Texts,
  { voice, language, fitting }: SpokenBy,
): Promise<void> {
  const other = unreadableLanguage(text, language);
  if (other !== undefined)
    throw wrongScript({ voice, language: LANGUAGE_NAMES[other], fitting: fitting(other) }, param);
  const unspoken = await texts.soundless(text, language);
  if (unspoken !== undefined) throw nothingToSay(unspoken, param);
}
