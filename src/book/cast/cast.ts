/** A cast: which voice reads whom, in a file that a person edits. */
import { TtsError } from '../../protocol/errors.js';
import { mayBeSame, mayMean, wordsOf } from './names.js';

export interface Cast {
  /** Absent where the file leaves it to the command. */
  readonly narrator?: string;
  readonly characters: readonly Character[];
}

interface Character {
  /** The first is how messages call the character; the others are further forms of the name. */
  readonly names: readonly string[];
  readonly voice: string;
}

const NARRATOR = 'narrator';

/**
 * `NAME, OTHER NAME = VOICE`, one character a line, as in a lexicon; `#` begins a comment. Throws
 * `config_invalid` with the line. `voiceId` returns the id of a voice, or throws.
 */
export function parseCast(text: string, file: string, voiceId: (name: string) => string): Cast {
  let narrator: string | undefined;
  const characters: Character[] = [];
  const taken = new Set<string>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const fail = (problem: string): never => {
      throw new TtsError('config_invalid', `The cast ${file}, line ${index + 1}: ${problem}`);
    };
    const content = line.replace(/(?:^|\s)#.*$/, '').trim();
    if (content === '') continue;
    const at = content.indexOf('=');
    const names = at < 0 ? [] : listed(content.slice(0, at));
    const named = at < 0 ? '' : content.slice(at + 1).trim();
    if (names.length === 0 || named === '')
      fail('a character is written NAME = VOICE, such as Ahab = british_male_george.');
    for (const name of new Set(names.map((each) => wordsOf(each).join(' ')))) {
      if (taken.has(name)) fail(`"${name}" is there twice.`);
      taken.add(name);
    }
    const voice = checked(() => voiceId(named), fail);
    if (names.length === 1 && names[0]!.toLowerCase() === NARRATOR) narrator = voice;
    else characters.push({ names, voice });
  }
  return { characters, ...(narrator !== undefined && { narrator }) };
}

const listed = (names: string): string[] =>
  names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

function checked(voiceId: () => string, fail: (problem: string) => never): string {
  try {
    return voiceId();
  } catch (error) {
    if (!(error instanceof TtsError)) throw error;
    return fail(error.message);
  }
}

/** The character that a speaker is: by the whole name, else by the only one that it may be. */
export function characterOf({ characters }: Cast, speaker: string): Character | undefined {
  const exact = characters.find(({ names }) => names.some((name) => alike(name, speaker)));
  if (exact) return exact;
  const able = characters.filter(({ names }) => names.some((name) => mayMean(speaker, name)));
  return able.length === 1 ? able[0] : undefined;
}

/** But for capitals and full stops. */
const alike = (a: string, b: string): boolean => wordsOf(a).join(' ') === wordsOf(b).join(' ');

export interface Counted {
  /** The longest form first. */
  readonly names: readonly string[];
  readonly times: number;
}

/** Speakers with the shorter forms of their names, the most frequent first. */
export function countedSpeakers(times: ReadonlyMap<string, number>): Counted[] {
  const byWords = [...times.keys()].sort((a, b) => wordsOf(b).length - wordsOf(a).length);
  const groups: string[][] = [];
  for (const name of byWords) {
    const exact = groups.find((group) => group.some((each) => alike(each, name)));
    const able = exact ? [exact] : groups.filter(([whole]) => mayBeSame(whole!, name));
    if (able.length === 1) able[0]!.push(name);
    else groups.push([name]);
  }
  const sum = (names: readonly string[]) => names.reduce((all, name) => all + times.get(name)!, 0);
  return groups
    .map((names) => ({ names, times: sum(names) }))
    .sort((a, b) => b.times - a.times || (a.names[0]! < b.names[0]! ? -1 : 1));
}

export interface DraftOptions {
  readonly title: string;
  readonly narrator: string;
  readonly speakers: readonly Counted[];
  /** Quotations, and those whose speaker was found. */
  readonly quotations: number;
  readonly attributed: number;
  /** Voices to hand out in this order. */
  readonly voices: readonly string[];
}

/** A cast to edit: everybody who speaks at least twice has a voice, the others wait as comments. */
export function castDraft({ title, narrator, speakers, quotations, attributed, voices }: DraftOptions): string {
  const lines = [
    `# Who speaks in "${title}", and with which voice. Edit it, then: tts book FILE --cast THIS`,
    `# ${attributed} of ${quotations} quotations have a speaker; the narrator reads the others.`,
    '# A line is NAME, OTHER NAMES = VOICE (tts voices lists them). A line that is removed is read by the narrator.',
    '',
    `${NARRATOR} = ${narrator}`,
  ];
  let next = 0;
  for (const { names, times } of speakers) {
    // Who tells the story speaks as the narrator.
    const isSelf = names[0] === 'I';
    const voice = isSelf || voices.length === 0 ? narrator : voices[next % voices.length]!;
    const isListed = times > 1 && !isSelf;
    if (isListed) next += 1;
    const count = times === 1 ? 'once' : `${times} times`;
    const forms = names.filter((name, i) => names.findIndex((each) => alike(each, name)) === i);
    lines.push(`${isListed ? '' : '# '}${forms.join(', ')} = ${voice}  # ${count}`);
  }
  return `${lines.join('\n')}\n`;
}
