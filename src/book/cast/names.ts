/** Names of people as prose writes them beside quoted speech, and verbs of speech, in English. */

/** Past and present of verbs that speech is told with. */
export const VERB = `(?:${[
  'said|says|asked|asks|replied|replies|cried|cries|answered|answers|whispered|whispers|shouted|shouts|exclaimed|exclaims',
  'murmured|murmurs|muttered|mutters|called|calls|added|adds|continued|continues|returned|observed|observes|remarked|remarks',
  'inquired|enquired|demanded|demands|began|begins|went on|goes on|repeated|repeats|responded|responds|sighed|sighs',
  'growled|growls|snapped|snaps|yelled|yells|screamed|screams|gasped|groaned|moaned|sobbed|insisted|insists|agreed|agrees',
  'declared|declares|announced|announces|explained|explains|suggested|suggests|admitted|admits|confessed|protested',
  'interrupted|interposed|ejaculated|told|tells|thought|thinks|put in|broke in|cut in|chimed in|rejoined|retorted|stammered',
  'pleaded|begged|warned|promised|urged|ordered|commanded|roared|bellowed|hissed|breathed|chuckled|laughed|wondered|noted',
  'stated|conceded|objected|offered|persisted|pursued|resumed|concluded|faltered|echoed|corrected|mused|drawled|piped up',
].join('|')})`;

const TITLE =
  '(?:Mr|Mrs|Ms|Miss|Dr|Doctor|Captain|Capt|Colonel|Col|Major|General|Gen|Lieutenant|Lt|Sergeant|Sgt|Professor|Prof|Sir|Lady|Lord|Madame|Madam|Monsieur|Mademoiselle|Father|Mother|Brother|Sister|Aunt|Uncle|Inspector|Judge|King|Queen|Prince|Princess|Count|Countess|Duke|Duchess|Baron|Reverend|Rev|Saint|St|Master|Mistress|Granny|Old|Young|Little|Don|Herr|Frau)';
const WORD = "\\p{Lu}(?:\\p{L}|['’-](?=\\p{L}))*";
/** Capitals at the beginning of a sentence that are no names. */
const NO_NAME =
  "(?:The|A|An|He|She|It|They|We|You|His|Her|Its|Their|Our|Your|My|This|That|These|Those|There|Here|Then|Now|When|While|As|At|In|On|By|For|From|With|Without|After|Before|But|And|Or|So|If|Though|Although|Because|Since|Until|Once|Only|Even|Just|Not|No|Yes|What|Who|Why|Where|How|Which|One|Two|Both|All|Some|Somebody|Someone|Everybody|Everyone|Nobody|Nothing|Something|Another|Again|At|To|Of|Oh|Ah|Well|O|Suddenly|Finally|Meantime|Meanwhile|Perhaps|Soon|Today|Tomorrow|Yesterday|Still|Never|Thus|Hence|Presently|Slowly|Outside|Inside|Over|Under|Behind)(?![\\p{L}'’-])";
export const NAME = `(?:(?!${NO_NAME})(?:${TITLE}\\.?\\s+)?${WORD}(?:\\s+(?:(?:van|von|de|da|di|la|le|del|of)\\s+)?(?!${VERB})${WORD}){0,4})`;
/** "the captain", "the old gardener": words that surely go with the noun. */
const LOOSE =
  '(?:with|in|to|as|and|at|on|from|when|while|who|after|before|again|then|of|for|by|into|over|under|through|without|behind|beside|but|or|that|which|also|too|at|still|now|once|had|was|is|did|would|could|will|shall|has|turned|looked|himself|herself|itself|themselves|[\\p{L}-]+ly|\\p{L}{3,}ing)';
const NOUN = `(?!${LOOSE}(?!\\p{L})|${VERB}(?!\\p{L}))\\p{Ll}[\\p{L}-]*`;
/** "the Manxman" too. */
const LAST_NOUN = `(?:${NOUN}|\\p{Lu}\\p{Ll}[\\p{L}-]*)`;
export const ROLE = `(?:[Tt]he\\s+(?:${NOUN}\\s+){0,2}?${LAST_NOUN})`;
/** The same with all its words, where no verb follows that could be one of them. */
export const WHOLE_ROLE = `(?:[Tt]he\\s+(?:${NOUN}\\s+){0,2}${LAST_NOUN})`;

/** Roles that tell nobody from others. */
const NOBODY =
  /^the (?:.* )?(?:man|men|woman|women|boy|boys|girl|girls|child|children|other|others|voice|voices|crowd|people|rest|first|second|third|last|latter|former|person|stranger|strangers|two|three|pair|group|company|sign|board|letter|note|answer|reply|same|lot|whole|sailors|soldiers|students)$/;

/** A role without its article's capital, or undefined where it could be anybody. */
export function roleOf(found: string): string | undefined {
  const role = found.replace(/\s+/g, ' ').replace(/^The/, 'the');
  return NOBODY.test(role) ? undefined : role;
}

export type Gender = 'he' | 'she';
const MEN =
  /^(?:Mr|Sir|Lord|Father|Brother|Uncle|King|Prince|Count|Duke|Baron|Monsieur|Don|Herr|Master|the (?:.* )?(?:king|father|boy|man|gentleman|prince|monk|priest|waiter))(?![a-z])/;
const WOMEN =
  /^(?:Mrs|Ms|Miss|Lady|Mother|Sister|Aunt|Queen|Princess|Countess|Duchess|Madame|Madam|Mademoiselle|Mistress|Granny|Frau|the (?:.* )?(?:queen|mother|girl|woman|lady|princess|nun|nurse|maid|waitress))(?![a-z])/;

/** What a title or a role says. */
export const genderOf = (name: string): Gender | undefined =>
  WOMEN.test(name) ? 'she' : MEN.test(name) ? 'he' : undefined;

const WOMAN_TITLE = /^(?:mrs|ms|miss|lady|aunt|queen|madame|madam|mother|sister|countess|duchess|princess)$/;
const MAN_TITLE = /^(?:mr|sir|lord|uncle|king|father|brother|count|duke|prince|monsieur)$/;

/** The words of a name in small letters. */
export const wordsOf = (name: string): string[] =>
  name
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll('.', '')
    .split(/\s+/)
    .filter((word) => word !== '');

/** Whether one of two names may be a shorter form of the other: "Ahab", "Captain Ahab". */
export function mayBeSame(a: string, b: string): boolean {
  const [short, long] = [wordsOf(a), wordsOf(b)].sort((x, y) => x.length - y.length) as [string[], string[]];
  const isPart = short.every((word) => long.includes(word));
  const titled = (words: readonly string[], title: RegExp) => words.some((word) => title.test(word));
  // "Mrs. Ahab" is not Ahab; "Mr. Starbuck" is Starbuck.
  const isOther = titled(short, WOMAN_TITLE) !== titled(long, WOMAN_TITLE);
  const onlyTitle = short.every((word) => WOMAN_TITLE.test(word) || MAN_TITLE.test(word));
  return isPart && !isOther && !onlyTitle;
}

/** Whether a speaker may be the person of a name: "Bennet" may be "Mr. Bennet" or "Mrs. Bennet". */
export function mayMean(speaker: string, name: string): boolean {
  const [said, whole] = [wordsOf(speaker), wordsOf(name)];
  return mayBeSame(speaker, name) || (said.length < whole.length && said.every((word) => whole.includes(word)));
}
