/** Whether "read" and its like tell of the past, by the words around them. */

const set = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

const DETERMINERS = set(`
  a an the this that these those my your his her its our their some any no each every another either neither both all
  many few several much more most less such what which whose one two three four five six seven eight nine ten hundred
  thousand million billion dozen half
`);
const PREPOSITIONS = set(`
  of in for with from on at by as about into over under between through during before after against among without within
  around across behind beyond near despite like upon toward towards per via onto off out until since than above below
  beneath beside besides except inside outside throughout
`);
/** A verb in its base form follows these. */
const MODALS = set(`
  will would can could should may might must shall do does did don't doesn't didn't cannot can't won't wouldn't couldn't
  shouldn't mustn't needn't let let's i'll we'll you'll they'll he'll she'll it'll who'll that'll i'd we'd you'd they'd
  he'd she'd please help helps helped dare gonna wanna
`);
const SUBJECTS = set('i we you they who people everybody everyone nobody somebody someone others');
const SINGLE_SUBJECTS = set('he she it everybody everyone nobody somebody someone who');
const BE = set(
  "is are was were be been being am isn't aren't wasn't weren't it's that's he's she's there's we're they're you're i'm get gets got getting",
);
const HAVE = set(
  "have has had having i've you've we've they've he's she's who've haven't hasn't hadn't he'd they'd we'd",
);
const CONJUNCTIONS = set('and or but nor yet so because if when while although though unless whether where why how');
const ADVERBS = set(
  'not never always also then often usually sometimes still just only ever already now soon again rarely seldom almost even really quite very too strongly',
);
/** Plurals that are no subjects, and words in -s that are no plurals. */
const NO_PLURALS = set(
  'is was has does its this us as yes his thus always perhaps news series species less across plus versus towards besides us gas bus focus campus status process access success business class loss boss pass cross press glass grass mass mess dress guess kiss miss address princess illness witness fitness weakness james charles thomas paris texas',
);

export interface Place {
  readonly words: readonly string[];
  readonly index: number;
}

const wordAt = ({ words, index }: Place, by: number): string => words[index + by] ?? '';

const isAdverb = (word: string): boolean => ADVERBS.has(word) || (word.length > 4 && word.endsWith('ly'));
export const isPlural = (word: string): boolean =>
  word.length > 3 && word.endsWith('s') && !word.endsWith('ss') && !word.includes("'") && !NO_PLURALS.has(word);
const IRREGULAR_PLURALS = set('people men women children police mice geese teeth feet sheep fish cattle scientists');
const OFTEN_BEFORE_NOUNS = set(`
  new old good bad best great big small large long short high low public private personal common general special main
  single whole own same other certain free official current daily annual next previous last first second third early late
  young fresh local strange white black red heavy deep strong real true full open clear hot cold world school track
  household water data video
`);

/** The nearest word to the left that is no adverb, and how far it is away. */
function leftOf(place: Place): readonly [string, number] {
  let by = -1;
  while (by > -3 && isAdverb(wordAt(place, by))) by -= 1;
  return [wordAt(place, by), by];
}

/** Whether what stands here happened: "have read", "was wound", "he dove", "nobody read". */
export function isPast(place: Place): boolean {
  const [left, by] = leftOf(place);
  const before = wordAt(place, by - 1);
  const asks = MODALS.has(before) || before === 'to' || MODALS.has(wordAt(place, by - 2));
  if (DETERMINERS.has(left) || OFTEN_BEFORE_NOUNS.has(left) || PREPOSITIONS.has(left)) return false;
  if (HAVE.has(left) || (BE.has(left) && by >= -2)) return true;
  // "Have you ever read", "has he read"
  if ((SUBJECTS.has(left) || SINGLE_SUBJECTS.has(left)) && HAVE.has(before)) return true;
  if (SINGLE_SUBJECTS.has(left) && !asks) return true;
  if (isSaidOfThePast(place) && !MODALS.has(left) && left !== 'to' && !asks) return true;
  // A single noun as the subject: in the present the verb would end in -s.
  return isSingleNoun(place, left, by) && !asks;
}

const PAST_TIMES = set('yesterday ago earlier previously once');
const PAST_VERBS = set(
  'was were had did said went came took made saw knew got gave found thought told became left felt kept began brought heard wrote stood lost paid met ran sat spoke grew fell sent fell broke bought built fought',
);

/** Another word of the sentence tells of the past: a time, or a verb that stands in it. */
function isSaidOfThePast({ words, index }: Place): boolean {
  return words.some(
    (word, at) =>
      at !== index &&
      (PAST_TIMES.has(word) ||
        PAST_VERBS.has(word) ||
        (word === 'last' &&
          /^(?:night|week|month|year|summer|winter|spring|fall|autumn|time|monday|tuesday|wednesday|thursday|friday|saturday|sunday)$/.test(
            words[at + 1] ?? '',
          ))),
  );
}

/** "The plane dove", "her mother read": a noun with its article, none of them a plural. */
function isSingleNoun(place: Place, left: string, by: number): boolean {
  if (left === '' || isPlural(left) || PREPOSITIONS.has(left) || DETERMINERS.has(left) || MODALS.has(left))
    return false;
  if (CONJUNCTIONS.has(left) || left === 'to' || SUBJECTS.has(left) || IRREGULAR_PLURALS.has(left)) return false;
  const article = wordAt(place, by - 1);
  const earlier = wordAt(place, by - 2);
  return (
    /^(?:a|an|the|my|your|his|her|its|our|their|this|that|each|every)$/.test(article) ||
    /^(?:a|an|the|my|his|her|our|their)$/.test(earlier)
  );
}
