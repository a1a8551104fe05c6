/**
 * The text of a message: speech-dispatcher sends SSML with a mark behind every sentence, and screen
 * readers add marks of their own. Of the markup the marks count; the rest is text without it.
 */
import { decodeXML } from 'entities';

/** Behind a sentence; where a pause may begin. */
export const OWN_MARK = /^__spd_/;

export interface Mark {
  readonly name: string;
  /** Code points of the text before it. */
  readonly at: number;
}

/** A stretch of text that is spoken in one go, with marks inside it and at its end. */
export interface Utterance {
  readonly text: string;
  readonly inner: readonly Mark[];
  /** Names of the marks that are reached when all of the text was heard. */
  readonly ends: readonly string[];
}

const TAG = /<([^<>]*)>/g;
const MARK = /^mark\s[^>]*?name\s*=\s*(?:"([^"]*)"|'([^']*)')/;

/** Utterances end at the marks of sentences. */
export function utterancesOf(ssml: string): Utterance[] {
  const utterances: Utterance[] = [];
  let text = '';
  let marks: Mark[] = [];
  const close = () => {
    const length = countOf(text);
    const inner = marks.filter(({ at }) => at < length);
    const ends = marks.filter(({ at }) => at >= length).map(({ name }) => name);
    if (text.trim() !== '' || marks.length > 0) utterances.push({ text, inner, ends });
    text = '';
    marks = [];
  };
  let from = 0;
  for (const match of ssml.matchAll(TAG)) {
    text += decodeXML(ssml.slice(from, match.index));
    from = match.index + match[0].length;
    const [, double, single] = MARK.exec(match[1]!) ?? [];
    const name = double ?? single;
    if (name === undefined) continue;
    marks.push({ name: decodeXML(name), at: countOf(text) });
    if (OWN_MARK.test(name)) close();
  }
  text += decodeXML(ssml.slice(from));
  close();
  return utterances;
}

/** The text without its markup. */
export const plainText = (ssml: string): string => decodeXML(ssml.replaceAll(TAG, ''));

const countOf = (text: string): number => [...text].length;
