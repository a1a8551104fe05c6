/** One SSML tag taken apart and checked: names, attributes, references. */
import { isBlank } from '../../protocol/characters.js';
import { excerpt } from '../../protocol/errors.js';
import { LANGUAGES, type Language, type Prosody, type SayAs } from '../../protocol/job.js';
import { localeOf } from '../../protocol/languages.js';
import { didYouMean } from '../../protocol/suggestion.js';
import { namedCharacter, numberedCharacter } from '../normalize/entities.js';
import { prosodyOf } from './prosody.js';

export interface Tag {
  readonly kind: 'open' | 'close' | 'empty';
  readonly name: string;
  /**
   * The attribute that matters: `ph`, `alias`, `interpret-as`, the locale of `xml:lang`, the id of
   * a voice.
   */
  readonly value: string;
  readonly ms: number;
  /** What an element of delivery asks for. */
  readonly prosody?: Prosody | undefined;
  /** A sentence or a paragraph ends and begins here. */
  readonly parts?: 'sentence' | 'paragraph' | undefined;
  /**
   * The element itself where it is unknown, or what is unknown of its attributes, as messages show
   * them.
   */
  readonly ignored: readonly string[];
}

type Fail = (problem: string) => never;

/** The voices that a text may name, by their ids, each with the language it reads in. */
export type Voices = Readonly<Record<string, Language>>;

const MAX_BREAK_MS = 3000;
const SAY_AS: readonly SayAs[] = ['characters', 'cardinal', 'ordinal', 'date', 'telephone'];
const STRENGTHS: ReadonlyMap<string, number> = new Map([
  ['none', 0],
  ['x-weak', 100],
  ['weak', 250],
  ['medium', 500],
  ['strong', 750],
  ['x-strong', 1000],
]);
/** Elements that part words although they are not spoken. */
export const PARTING = new Set(['p', 's', 'br', 'div', 'li']);
/** Elements at which a rest is made, whatever marks stand there. */
const PARTS: ReadonlyMap<string, 'sentence' | 'paragraph'> = new Map([
  ['p', 'paragraph'],
  ['s', 'sentence'],
]);
/**
 * What each element that is understood may say about itself. A document's own attributes are its
 * own affair.
 */
const UNDERSTOOD: ReadonlyMap<string, readonly string[] | 'any'> = new Map<string, readonly string[] | 'any'>([
  ['speak', 'any'],
  ['break', ['time', 'strength']],
  ['phoneme', ['alphabet', 'ph']],
  ['sub', ['alias']],
  ['say-as', ['interpret-as']],
  ['lang', ['xml:lang', 'onlangfailure']],
  ['voice', ['name']],
  ['prosody', ['rate', 'pitch', 'range', 'volume']],
  ['emphasis', ['level']],
  ['mark', ['name']],
  ...[...PARTING].map((name) => [name, []] as const),
]);
const NOTHING: readonly string[] = [];
const NAME = '[\\p{L}_][\\p{L}\\p{N}_:.-]*';
const TAG = new RegExp(`^<(/?)(${NAME})([\\s\\S]*?)(/?)>$`, 'u');
const ATTRIBUTE = new RegExp(`\\s+(${NAME})\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'uy');
/** The names XML has, and those of marks that are often written so. */
const REFERENCES = new Set('amp lt gt quot apos nbsp ndash mdash hellip lsquo rsquo ldquo rdquo'.split(' '));

/**
 * A name as messages show it: two of them, or one and a piece of text, stay below what may be
 * echoed.
 */
export const nameShown = (name: string): string => excerpt(name, 30);

/** The text of a reference without `&` and `;`, or null if there is none. */
export function decodeEntity(name: string): string | null {
  const number = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(name);
  if (!number) return (REFERENCES.has(name) ? namedCharacter(name) : undefined) ?? null;
  const code = number[1] ? Number.parseInt(number[1], 16) : Number(number[2]);
  return code === 0 ? null : (numberedCharacter(code) ?? null);
}

/** Without `voices`, a voice may have any name. */
export function parseTag(source: string, fail: Fail, voices?: Voices): Tag {
  const match = TAG.exec(source);
  if (!match) return fail(`"${excerpt(source, 40)}" is not a tag; write "<" as &lt;`);
  const name = match[2]!;
  if (match[1] === '/') {
    if (match[3]!.trim() !== '' || match[4] !== '') {
      return fail(`a closing tag is </${nameShown(name)}> and nothing more`);
    }
    return { kind: 'close', name, value: '', ms: 0, parts: PARTS.get(name), ignored: NOTHING };
  }
  const attributes = parseAttributes(name, match[3]!, fail);
  const kind = match[4] === '/' ? 'empty' : 'open';
  return {
    kind,
    name,
    value: name === 'voice' ? voiceOf(attributes, fail, voices) : spokenValue(name, attributes, fail),
    ms: name === 'break' ? breakMs(attributes, fail) : 0,
    prosody: prosodyOf(name, attributes, fail),
    parts: PARTS.get(name),
    ignored: ignoredOf(name, attributes),
  };
}

function ignoredOf(name: string, attributes: ReadonlyMap<string, string>): readonly string[] {
  const understood = UNDERSTOOD.get(name);
  if (understood === undefined) return [`<${nameShown(name)}>`];
  if (understood === 'any' || attributes.size === 0) return NOTHING;
  const unknown = [...attributes.keys()].filter((key) => !understood.includes(key));
  return unknown.map((key) => `${name} ${nameShown(key)}`);
}

function parseAttributes(name: string, text: string, fail: Fail): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  ATTRIBUTE.lastIndex = 0;
  let end = 0;
  for (let match = ATTRIBUTE.exec(text); match; match = ATTRIBUTE.exec(text)) {
    const key = match[1]!;
    if (found.has(key)) return fail(`<${nameShown(name)}> has the attribute ${nameShown(key)} twice`);
    found.set(key, decodeAll(match[2] ?? match[3]!, fail));
    end = ATTRIBUTE.lastIndex;
  }
  const rest = text.slice(end).trim();
  if (rest !== '') {
    return fail(`"${excerpt(rest, 40)}" in <${nameShown(name)}> is not an attribute of the form name="value"`);
  }
  return found;
}

function decodeAll(value: string, fail: Fail): string {
  return value.replace(/&([^;&\s]{0,12});?/g, (whole, name: string) => {
    const text = whole.endsWith(';') ? decodeEntity(name) : null;
    return text ?? fail(`"${excerpt(whole, 20)}" in the value of an attribute is no reference; write "&" as &amp;`);
  });
}

function spokenValue(name: string, attributes: ReadonlyMap<string, string>, fail: Fail): string {
  if (name === 'sub') {
    const alias = attributes.get('alias');
    return alias !== undefined && !isBlank(alias) ? alias : fail('<sub> needs alias="what to say instead"');
  }
  if (name === 'phoneme') {
    const alphabet = attributes.get('alphabet') ?? 'ipa';
    if (alphabet !== 'ipa')
      return fail(`the alphabet "${excerpt(alphabet, 20)}" is not known; <phoneme> takes alphabet="ipa"`);
    const ph = attributes.get('ph');
    return ph !== undefined && !isBlank(ph) ? ph : fail('<phoneme> needs ph="…" with the sounds in IPA');
  }
  if (name === 'say-as') {
    const as = attributes.get('interpret-as') ?? '';
    if (SAY_AS.some((known) => known === as)) return as;
    return fail(`interpret-as="${excerpt(as, 20)}" is not known; allowed are ${SAY_AS.join(', ')}`);
  }
  if (name === 'mark') {
    const mark = attributes.get('name') ?? '';
    return isBlank(mark) ? fail('<mark> needs name="…"') : mark;
  }
  if (name === 'lang') {
    const tag = attributes.get('xml:lang') ?? '';
    return (
      localeOf(tag) ?? fail(`xml:lang="${excerpt(tag, 20)}" is not spoken here; allowed are ${LANGUAGES.join(', ')}`)
    );
  }
  return '';
}

/**
 * The first voice of a list of names that there is; '' where the element names none, and changes
 * nothing.
 */
function voiceOf(attributes: ReadonlyMap<string, string>, fail: Fail, voices: Voices | undefined): string {
  const wanted = attributes.get('name');
  if (wanted === undefined) return '';
  const names = wanted.split(/\s+/).filter((name) => name !== '');
  const found = names.find((name) => voices === undefined || Object.hasOwn(voices, name));
  if (found !== undefined) return found;
  if (names.length === 0) return fail('<voice> needs name="…" with the id of a voice');
  const ids = Object.keys(voices!);
  const near = didYouMean(names[0]!, ids).trim().replace(/\?$/, '');
  const hint = near === '' ? `${ids.slice(0, 3).join(', ')} and ${ids.length - 3} more are there` : near;
  return fail(`there is no voice "${excerpt(names[0]!, 40)}" here; ${hint.replace(/^D/, 'd')}`);
}

function breakMs(attributes: ReadonlyMap<string, string>, fail: Fail): number {
  const time = attributes.get('time');
  if (time === undefined) {
    const strength = attributes.get('strength') ?? 'medium';
    return (
      STRENGTHS.get(strength) ??
      fail(`strength="${excerpt(strength, 20)}" is not known; give a time such as time="500ms"`)
    );
  }
  const match = /^\s*\+?(\d+(?:\.\d+)?|\.\d+)(ms|s)\s*$/.exec(time);
  if (!match) return fail(`time="${excerpt(time, 20)}" is not a time; write time="500ms" or time="1.5s"`);
  const ms = Math.round(Number(match[1]) * (match[2] === 's' ? 1000 : 1));
  return ms <= MAX_BREAK_MS ? ms : fail(`a break of ${excerpt(time.trim(), 20)} is too long; up to 3s are allowed`);
}
