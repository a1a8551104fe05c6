/**
 * A text as it may be shown beside its speech: without its markup, in step with the text as sent.
 */
import { DEFAULT_LANGUAGE } from '../protocol/job.js';
import { frontEnd } from './languages.js';
import { clean } from './normalize/clean.js';
import { seenText } from './ssml/markup.js';

/**
 * What to show for each code point of a text: itself, or nothing where it is a mark of Markdown,
 * HTML or SSML; for a reference ("&amp;") the first one shows the character. Joined, they are the
 * text without its marks.
 */
export function displayText(text: string, options: { readonly ssml?: boolean } = {}): string[] {
  if (!options.ssml) return withoutMarks(text);
  const shown: string[] = Array.from(text, () => '');
  const { chars, starts } = seenText(text);
  for (const [index, char] of withoutMarks(chars.join('')).entries()) shown[starts[index]!] = char;
  return shown;
}

function withoutMarks(text: string): string[] {
  const units = text.split('');
  const onMarkup = (from: number, to: number, shown: string) => {
    for (let at = from; at < to; at++) units[at] = '';
    if (shown !== '') units[from] = shown;
  };
  // Marks are the same in every language.
  clean(text, frontEnd(DEFAULT_LANGUAGE).characters, { onMarkup });
  let at = 0;
  return Array.from(text, (char) => {
    const pair = char.length === 2 ? units[at]! + units[at + 1]! : units[at]!;
    at += char.length;
    return pair;
  });
}
