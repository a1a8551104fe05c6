/** What kind of question an English sentence is, as far as its melody depends on it. */
import type { Asked } from '../types.js';

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const ASKING = set('what who whom whose which when where why how whatever whoever wherever whichever however');
const AUXILIARY = set(
  'am is are was were do does did have has had can could will would shall should may might must need dare ought ' +
    "ain't isn't aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't can't cannot couldn't won't wouldn't " +
    "shan't shouldn't mightn't mustn't needn't oughtn't",
);
const SUBJECT = set('i you he she it we they there this that these those one');
const DETERMINER = set('the a an my your his her its our their this that these those there some any no every each');
/** Words before the one that tells what is asked. */
const FILLER = set(
  'and but so or then now well oh ah um uh er hey hi hello yes no yeah okay ok please sorry look listen say tell me ' +
    'actually honestly seriously also still anyway just exactly excuse right however though because',
);
const PREPOSITION = set(
  'in on at for from to with by of about under over into onto through since until till after before between behind beside against without during toward towards near',
);
/** Said behind a statement, they ask whether it is so. */
const WORD_TAG = set('right ok okay huh eh hm hmm yes yeah no correct true agreed understood innit');
/** Behind "or" they leave the question open instead of naming a choice. */
const OPEN_END = set(
  'something anything somebody someone anybody anyone somewhere anywhere whatever what not so two three more less later otherwise else even',
);
/** What asks whether there is any of the things named, not which. */
const ANY = set('any anyone anybody anything anywhere ever either');

const isMark = (word: string): boolean => word === ',';
const isAsking = (word: string): boolean => ASKING.has(word.replace(/['’](?:s|d|ll|re|ve|m)$/, ''));

/** `words` are a sentence's up to its question mark; a comma stands for any mark inside it. */
export function askedInEnglish(words: readonly string[]): Asked {
  const clauses = clausesOf(words.map((word) => word.toLowerCase().replaceAll('’', "'")));
  if (clauses.length === 0) return { melody: 'own' };
  const tag = tagOf(clauses);
  if (tag !== undefined) return { melody: tag };
  if (hasQuestionWord(clauses)) return { melody: 'own' };
  const or = choiceOf(words);
  return or === undefined ? { melody: 'rise' } : { melody: 'choice', or };
}

function clausesOf(words: readonly string[]): string[][] {
  const clauses: string[][] = [[]];
  for (const word of words) {
    if (isMark(word)) clauses.push([]);
    else clauses.at(-1)!.push(word);
  }
  return clauses.filter((clause) => clause.length > 0);
}

/**
 * "…, isn't it?" behind what is affirmed wants to be agreed with, and falls as the voice has it;
 * "…, is it?", "…, will you?" and "…, right?" want to be told, and rise.
 */
function tagOf(clauses: readonly (readonly string[])[]): 'rise' | 'own' | undefined {
  const last = clauses.at(-1)!;
  if (clauses.length < 2) return undefined;
  if (last.length === 1 && WORD_TAG.has(last[0]!)) return 'rise';
  if (last.length > 3 || last.length < 2 || !AUXILIARY.has(last[0]!)) return undefined;
  if (!SUBJECT.has(last[1]!) || (last.length === 3 && last[2] !== 'not')) return undefined;
  return last.length === 3 || /n't$/.test(last[0]!) ? 'own' : 'rise';
}

/**
 * Whether the first clause that decides begins with a question word. "When you get home, will you
 * …" decides in its second: its first is a subordinate one.
 */
function hasQuestionWord(clauses: readonly (readonly string[])[]): boolean {
  for (const [index, clause] of clauses.entries()) {
    let at = 0;
    while (at < clause.length && FILLER.has(clause[at]!) && !startsInverted(clause, at)) at += 1;
    if (at >= clause.length) continue;
    if (startsInverted(clause, at)) return false;
    const asks = isAsking(clause[at]!)
      ? at
      : PREPOSITION.has(clause[at]!) && isAsking(clause[at + 1] ?? '')
        ? at + 1
        : -1;
    if (asks < 0) continue;
    const rest = clauses.slice(index + 1);
    const isSubordinate = isPlainOrder(clause, asks) && rest.some((each) => startsInverted(each, fillers(each)));
    if (!isSubordinate) return true;
  }
  return false;
}

const fillers = (clause: readonly string[]): number => {
  const at = clause.findIndex((word) => !FILLER.has(word));
  return at < 0 ? 0 : at;
};

/** "are you", "did the …": a question by its order. */
const startsInverted = (clause: readonly string[], at: number): boolean => AUXILIARY.has(clause[at] ?? '');

/** "when you get", "where there is": a subject right behind the question word. */
const isPlainOrder = (clause: readonly string[], asks: number): boolean => {
  const next = clause[asks + 1] ?? '';
  return SUBJECT.has(next) || DETERMINER.has(next);
};

/** The place of the last "or" that parts the things to choose from. */
function choiceOf(words: readonly string[]): number | undefined {
  const small = words.map((word) => word.toLowerCase());
  const at = small.lastIndexOf('or');
  const next = small.slice(at + 1).find((word) => !isMark(word));
  if (at <= 0 || next === undefined || OPEN_END.has(next)) return undefined;
  if (small.slice(0, at).some((word) => ANY.has(word))) return undefined;
  // "Is there a bank or a post office?"
  const isThere = AUXILIARY.has(small[0]!) && small[1] === 'there';
  return isThere ? undefined : at;
}
