/**
 * Who says each quotation of a text: by tags, by who acts beside it, and by turns, where that is
 * certain. All else is the narrator's.
 */
import { type Gender, genderOf, mayBeSame, wordsOf } from './names.js';
import { isSpeech, type Quotation, quotationsOf } from './quotations.js';
import { actorOf, namesIn, type SpeechTag, sentencesOf, tagBefore, tagBehind } from './tags.js';

export interface Speech extends Quotation {
  /** Undefined where the narrator reads it. */
  readonly speaker: string | undefined;
}

/** Turns without a tag that are still told apart by counting. */
const MOST_GUESSED = 4;
/** Turns of a conversation that are looked back at. */
const LOOK_BACK_TURNS = 12;

interface Part {
  readonly quotation: Quotation;
  /** The narrative before it, from the quotation before on; and behind it, up to the next. */
  readonly before: string;
  readonly behind: string;
  readonly tag: SpeechTag | undefined;
}

interface Turn {
  readonly speaker: string | undefined;
  /** Where its speech lies, in case it has to be taken back; only for a guess. */
  readonly guessed: Speech[] | undefined;
}

function partsOf(text: string): Part[] {
  const all = quotationsOf(text);
  const parts: Part[] = [];
  for (const [index, quotation] of all.entries()) {
    const before = text.slice(all[index - 1]?.to ?? 0, quotation.from);
    const behind = text.slice(quotation.to, all[index + 1]?.from ?? text.length);
    if (!isSpeech(text, quotation)) continue;
    const tag = tagBehind(quotation.inside, behind) ?? tagBefore(before);
    parts.push({ quotation, before, behind, tag });
  }
  return parts;
}

/** Names that tags of these paragraphs give as speakers, each as often as they do. */
export function taggedNames(paragraphs: Iterable<string>): Map<string, number> {
  const names = new Map<string, number>();
  for (const text of paragraphs)
    for (const { tag } of partsOf(text)) if (tag?.kind === 'name') names.set(tag.name, (names.get(tag.name) ?? 0) + 1);
  return names;
}

/** One scene after another; paragraphs come in order. */
export class Attribution {
  readonly #known: readonly string[];
  /** Names that were looked up, and whether they are known. */
  readonly #asked = new Map<string, boolean>();
  readonly #genders = new Map<string, Gender>();
  /** Of the conversation that is going on. */
  #turns: Turn[] = [];
  /** Who speaks in a quotation that the last paragraph left open. */
  #open: { readonly speaker: string | undefined } | undefined;

  /** `known`: names that are speakers somewhere in the text; no others act. */
  constructor(known: Iterable<string>) {
    this.#known = [...known];
  }

  /** Something stands here that is no paragraph: a heading, a rule. */
  interrupt(): void {
    this.#turns = [];
    this.#open = undefined;
  }

  /** The speech of the next paragraph. A guess in it may be taken back when later ones are read. */
  paragraph(text: string): readonly Speech[] {
    const parts = partsOf(text);
    const open = this.#open;
    this.#open = undefined;
    if (parts.length === 0) {
      if (text.trim() !== '') this.#turns = [];
      return [];
    }
    const goesOn = open !== undefined && parts[0]!.quotation.from === 0;
    const speakers = this.#speakers(text, parts, goesOn ? open.speaker : undefined);
    const isPlain = parts.every(({ tag }) => tag === undefined) && narrative(text, parts).trim() === '';
    const guess = isPlain && !goesOn ? this.#byTurn(parts) : undefined;
    const speeches = parts.map(({ quotation }, index) => ({ ...quotation, speaker: speakers[index] ?? guess }));
    if (!goesOn) this.#turn(speeches, guess !== undefined);
    const last = speeches.at(-1)!;
    if (last.isOpen) this.#open = { speaker: last.speaker };
    return speeches;
  }

  #speakers(text: string, parts: readonly Part[], open: string | undefined): (string | undefined)[] {
    const found = parts.map(({ tag }) => (tag?.kind === 'name' ? tag.name : undefined));
    const actor = this.#actor(text, parts);
    let last = open;
    for (const [index, { tag, quotation }] of parts.entries()) {
      last = found[index] ?? last;
      if (tag?.kind !== 'pronoun') continue;
      const near = last ?? actor.subject;
      const speaker = near ?? this.#byPronoun(tag.gender, quotation);
      if (speaker === undefined || !this.#mayBe(speaker, tag.gender)) continue;
      if (near !== undefined) this.#genders.set(near, tag.gender);
      found[index] = speaker;
      last = speaker;
    }
    const distinct = new Set(found.filter((name) => name !== undefined));
    const isUnsure = parts.some(({ tag }, index) => tag !== undefined && found[index] === undefined);
    const tagged = distinct.size === 1 ? [...distinct][0] : undefined;
    const isActors = tagged === undefined || actor.certain === undefined || same(actor.certain, tagged);
    const whole = isUnsure || distinct.size > 1 ? undefined : (tagged ?? open ?? actor.certain);
    return found.map((name, index) => {
      if (name !== undefined || whole === undefined || !isActors) return name;
      return tagged === undefined && isAddressed(parts[index]!.quotation, whole) ? undefined : whole;
    });
  }

  /** Who acts in the narrative of a paragraph; `certain` where nobody else is named there. */
  #actor(text: string, parts: readonly Part[]): { subject: string | undefined; certain: string | undefined } {
    const gaps = [...parts.map(({ before }) => before), parts.at(-1)!.behind];
    const subjects = new Set<string>();
    let isElse = false;
    for (const [index, gap] of gaps.entries()) {
      const tag = parts[index - 1]?.tag;
      // The rest of the sentence that a tag stands in tells of the same speaker.
      const sentences = sentencesOf(gap).slice(tag === undefined || index === 0 ? 0 : 1);
      for (const sentence of sentences) {
        const acting = actorOf(sentence);
        if (acting?.kind === 'name' && this.#isKnown(acting.name)) subjects.add(acting.name);
        else if (acting?.kind !== 'pronoun') isElse = true;
      }
    }
    const subject = subjects.size === 1 ? [...subjects][0] : undefined;
    const others = namesIn(narrative(text, parts)).filter((name) => this.#isKnown(name) && !same(name, subject ?? ''));
    const isNear = subject !== undefined && !isElse && others.length === 0;
    return { subject, certain: isNear ? subject : undefined };
  }

  #isKnown(name: string): boolean {
    const asked = this.#asked.get(name) ?? this.#known.some((each) => same(each, name));
    this.#asked.set(name, asked);
    return asked;
  }

  #mayBe(name: string, gender: Gender): boolean {
    const own = genderOf(name) ?? this.#genders.get(name);
    return name !== 'I' && (own === undefined || own === gender);
  }

  /** The two who talk, the one whose turn it is first; undefined where there are more or fewer. */
  #pair(): readonly [string, string] | undefined {
    const [before, last] = this.#turns.slice(-2);
    if (before?.speaker === undefined || last?.speaker === undefined || same(before.speaker, last.speaker))
      return undefined;
    const pair = [before.speaker, last.speaker] as const;
    const areTwo = this.#turns.every(({ speaker = '' }) => speaker === '' || pair.some((name) => same(name, speaker)));
    return areTwo ? pair : undefined;
  }

  #byTurn(parts: readonly Part[]): string | undefined {
    const next = this.#pair()?.[0];
    const guessed = this.#turns.length - 1 - this.#turns.findLastIndex((turn) => turn.guessed === undefined);
    if (next === undefined || guessed >= MOST_GUESSED) return undefined;
    return parts.some(({ quotation }) => isAddressed(quotation, next)) ? undefined : next;
  }

  #byPronoun(gender: Gender, quotation: Quotation): string | undefined {
    const pair = this.#pair();
    const able = pair?.filter((name) => this.#mayBe(name, gender)) ?? [];
    const next = able.length === 2 ? pair![0] : able[0];
    return next === undefined || isAddressed(quotation, next) ? undefined : next;
  }

  /** Notes who spoke. Where a speaker is not the one whose turn it was, the guesses before fall. */
  #turn(speeches: Speech[], isGuess: boolean): void {
    const distinct = new Set(speeches.map(({ speaker }) => speaker));
    const speaker = distinct.size === 1 ? speeches[0]!.speaker : undefined;
    const due = this.#pair()?.[0];
    if (!isGuess && speaker !== undefined && due !== undefined && !same(speaker, due)) this.#takeBack();
    this.#turns.push({ speaker, guessed: isGuess ? speeches : undefined });
    if (this.#turns.length > LOOK_BACK_TURNS) this.#turns.shift();
  }

  #takeBack(): void {
    for (const { guessed } of this.#turns.splice(0)) {
      for (const speech of guessed ?? []) (speech as { speaker: string | undefined }).speaker = undefined;
    }
  }
}

const same = (a: string, b: string): boolean => a === b || (a !== '' && b !== '' && mayBeSame(a, b));

/** What stands outside the quotations that are speech. */
function narrative(text: string, parts: readonly Part[]): string {
  let out = '';
  let at = 0;
  for (const { quotation } of parts) {
    out += `${text.slice(at, quotation.from)} `;
    at = quotation.to;
  }
  return out + text.slice(at);
}

/** Whether a quotation calls a person by name, who is then not its speaker. */
function isAddressed({ inside }: Quotation, name: string): boolean {
  const last = wordsOf(name).at(-1)!;
  const words = inside.toLowerCase().replaceAll('’', "'");
  for (let at = words.indexOf(last); at >= 0; at = words.indexOf(last, at + 1)) {
    const before = words.slice(0, at).trimEnd();
    const behind = words.slice(at + last.length).trimStart();
    if (/(?:^|[,.!?…—])$/.test(before) && /^(?:[,.!?…—]|$)/.test(behind)) return true;
  }
  return false;
}
