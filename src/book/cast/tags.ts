/** Who a paragraph of English prose says is speaking: tags beside a quotation, and who acts. */
import { type Gender, NAME, ROLE, roleOf, VERB, WHOLE_ROLE } from './names.js';

/** `unknown`: somebody is named as the speaker, and nobody can tell who. */
export type SpeechTag =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'pronoun'; readonly gender: Gender }
  | { readonly kind: 'unknown' };

const UNKNOWN: SpeechTag = { kind: 'unknown' };
const ADVERB = '(?:\\p{Ll}+ly|again|then|back|out|at last|at once|softly|soon|suddenly|now|also|never)';
const SUBJECT = `(?:${NAME}|${ROLE}|[Hh]e|[Ss]he)`;
const NAMED_LAST = `(?:${NAME}|${WHOLE_ROLE}|[Hh]e|[Ss]he)`;
const END = "(?![\\p{L}'’-])";
/** Speech that is told not to be: "Tom said nothing". */
const SILENT = '(?!\\s+(?:nothing|no more|not|no word|little))';

const re = (source: string) => new RegExp(source, 'u');
const BEHIND_INVERTED = re(`^,?\\s*${VERB}(?:\\s+${ADVERB})?\\s+(${NAMED_LAST})${END}(\\s+and\\s+${NAME})?`);
const BEHIND = re(`^,?\\s*(${SUBJECT})(?:\\s+${ADVERB})?\\s+${VERB}${END}${SILENT}`);
/** A tag whose subject is nobody in particular. */
const BEHIND_OTHER = re(`^,?\\s*(?:(?:${VERB}|came)${END}|(?:\\p{Ll}+\\s+){1,4}${VERB}${END})`);
const BEFORE = new RegExp(
  `(?<![\\p{L}'’-])(${SUBJECT})(?:,[^,:]{1,80},)?(?:\\s+${ADVERB})?\\s+${VERB}${END}${SILENT}[^,:]{0,80}[,:]\\s*$`,
  'gu',
);
const LEAD = '(?:(?:Then|But|And|So|Now|Here|At last|Finally|Suddenly|At this|With this),?\\s+)?';
const BEFORE_INVERTED = re(`^${LEAD}(?:[Tt]hen\\s+)?${VERB}\\s+(${SUBJECT})${END}[^,:]{0,40}[,:]\\s*$`);
const BEFORE_CLAUSE = re(
  `^${LEAD}(${SUBJECT})${END}.*[\\s,](?:and|then)\\s+(?:then\\s+)?(?:${ADVERB}\\s+)?${VERB}${END}${SILENT}[^,:]{0,80}[,:]\\s*$`,
);
const BEFORE_COLON = re(`^${LEAD}(${SUBJECT})${END}[^,:]*:\\s*$`);
const ANY_NAME = new RegExp(`(?<![\\p{L}'’-])${NAME}`, 'gu');
const ACTS = re(`^${LEAD}(${SUBJECT})(?:,[^,]{1,80},)?\\s+(?!(?:and|or|nor|with|of)${END})\\p{Ll}`);

const MUTE = /\b(?:said|says|answered|replied|spoke)\s+(?:nothing|not|no|little)\b/;

function tagOf(subject: string): SpeechTag {
  const found = subject.replace(/\s+/g, ' ');
  if (/^(?:he|she)$/i.test(found)) return { kind: 'pronoun', gender: found.toLowerCase() as Gender };
  if (!/^the /i.test(found)) return { kind: 'name', name: found };
  const role = roleOf(found);
  return role === undefined ? UNKNOWN : { kind: 'name', name: role };
}

/** The tag behind a quotation that `gap` follows. */
export function tagBehind(inside: string, gap: string): SpeechTag | undefined {
  // A full stop ends the sentence: what follows is another one.
  if (/\.\s*$/.test(inside) && !/^\s*,/.test(gap)) return undefined;
  const inverted = BEHIND_INVERTED.exec(gap);
  if (inverted) return inverted[2] === undefined ? tagOf(inverted[1]!) : UNKNOWN;
  const direct = BEHIND.exec(gap);
  if (direct) return tagOf(direct[1]!);
  return BEHIND_OTHER.test(gap) ? UNKNOWN : undefined;
}

/** A sentence that leads to a quotation is looked at no further back. */
const MOST_UNITS = 400;

/** The tag in front of a quotation: the sentence that leads to it. */
export function tagBefore(gap: string): SpeechTag | undefined {
  const sentence = sentencesOf(gap.slice(-MOST_UNITS)).at(-1) ?? '';
  if (!/[,:]\s*$/.test(sentence)) return undefined;
  const near = [...sentence.matchAll(BEFORE)].at(-1) ?? BEFORE_INVERTED.exec(sentence) ?? BEFORE_CLAUSE.exec(sentence);
  if (near) return tagOf(near[1]!);
  const colon = BEFORE_COLON.exec(sentence);
  return colon && [...sentence.matchAll(ANY_NAME)].length < 2 ? tagOf(colon[1]!) : undefined;
}

export const sentencesOf = (text: string): string[] =>
  text
    .replace(/(?<=(?:Mr|Mrs|Ms|Dr|St|Capt|Col|Lt|Gen|Prof|Rev)\.)\s+/g, '\u00a0')
    .split(/(?<=[.!?…;])\s+/)
    .map((sentence) => sentence.replaceAll('\u00a0', ' ').trim())
    .filter((sentence) => sentence !== '');

/** Who acts in a sentence, where it begins with a name or a pronoun. */
export function actorOf(sentence: string): SpeechTag | undefined {
  if (MUTE.test(sentence)) return undefined;
  const found = ACTS.exec(sentence);
  return found ? tagOf(found[1]!) : undefined;
}

/** Names that stand in a narrative, each once. */
export const namesIn = (text: string): string[] => [...new Set(Array.from(text.matchAll(ANY_NAME), ([name]) => name))];
