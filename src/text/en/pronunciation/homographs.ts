/**
 * Words written alike and said differently: which one is meant, told from the words around, where
 * that is reliable.
 */

/** The words of a clause in lower case, and which of them is asked about. */
export interface WordContext {
  readonly words: readonly string[];
  readonly index: number;
  /** The word as written. */
  readonly written: string;
}

import { possessive } from './possessive.js';
import { isPast, isPlural, isThirdPerson, isVerb, verbness } from './tagger.js';

const set = (list: string) => new Set(list.trim().split(/\s+/));

const BE = set('is are was were be been being am get gets got getting');

type Rule = (context: WordContext) => boolean;
type Forms = readonly [fallback: string, ...others: readonly (readonly [phonemes: string, when: Rule])[]];

const at = ({ words, index }: WordContext, by: number) => words[index + by] ?? '';
const before =
  (list: Set<string>): Rule =>
  (context) =>
    list.has(at(context, -1));
const after =
  (list: Set<string>): Rule =>
  (context) =>
    list.has(at(context, 1));
const any =
  (...rules: readonly Rule[]): Rule =>
  (context) =>
    rules.some((rule) => rule(context));
const all =
  (...rules: readonly Rule[]): Rule =>
  (context) =>
    rules.every((rule) => rule(context));
const not =
  (rule: Rule): Rule =>
  (context) =>
    !rule(context);

const asVerb: Rule = isVerb;
const asNoun: Rule = (context) => verbness(context) < 0;
/** For words that are verbs more often. */
const asNounOnly: Rule = (context) => asNoun(context);
const past: Rule = isPast;
/** A plural before it is the subject: "the shops close by six". */
const ofPlural: Rule = (context) => isPlural(at(context, -1));
const has =
  (list: Set<string>): Rule =>
  ({ words }) =>
    words.some((word) => list.has(word.endsWith("'s") ? word.slice(0, -2) : word));
/** A place is named: a capital letter where no sentence begins. */
const named: Rule = ({ written, index }) => index > 0 && /^[A-Z][a-z]/.test(written);
const RECORD_OF = set('high highs low lows level levels number numbers profit profits sales heat temperatures time');
const METALS = set('mercury arsenic zinc copper iron tin asbestos cadmium steel silver gold metal metals');

/** Noun with the stress in front, verb with the stress behind. */
const nounVerb = (noun: string, verb: string): Forms => [noun, [verb, asVerb]];
/** The same pair for a word that is a verb more often. */
const verbNoun = (verb: string, noun: string): Forms => [verb, [noun, asNounOnly]];

const FORMS: Readonly<Record<string, Forms>> = {
  read: [
    'ɹˈid',
    [
      'ɹˈɛd',
      any(
        past,
        all(before(set('widely well most')), not(asVerb)),
        all(before(set('sign gate note letter label poster notice headline caption message')), not(ofPlural)),
      ),
    ],
  ],
  lead: [
    'lˈid',
    [
      'lˈɛd',
      any(
        after(
          set(
            `pipe pipes paint poisoning acid bullet bullets crystal weight weights batteries levels exposure ore dust
             piping solder contamination mine mines content pencil pencils free oxide shot`,
          ),
        ),
        all(
          before(set('of contains contain containing contained with and or molten like from')),
          not(after(set('to the us them by singer guitarist vocals role author developer engineer time actor a into'))),
          not(asVerb),
        ),
        all(has(METALS), not(asVerb), not(before(set('the a his her their its our')))),
        (context) => at(context, -1) === 'as' && at(context, -2) === 'heavy',
        (context) => context.index === 0 && /^(?:is|was|has|can|may)$/.test(at(context, 1)),
      ),
    ],
  ],
  live: [
    'lˈɪv',
    [
      'lˈIv',
      any(
        after(
          set(
            `music show shows stream streams streaming streamed audience performance performances concert concerts broadcast
             event events coverage wire wires chat demo video videos recording session sessions update updates data feed
             feeds version album albums record records recordings band action sports tv television stock animals captions
             production preview system site chickens ammunition rounds bait birds cattle fish oak theater theatre interview
             match blog report reports grenade bullets`,
          ),
        ),
        all(
          before(
            set(
              `go goes went going gone watch watched broadcast streamed performed recorded shown aired seen filmed
               reporting us you sung played`,
            ),
          ),
          not(after(set('in with'))),
        ),
        before(set('broadcast streamed performed recorded shown aired filmed')),
        all(before(set('now join joins joined')), after(set('from at on to'))),
        all(before(BE), after(set('now on at from today again and'))),
        before(set('a the')),
        all((context) => at(context, 1) === '', has(set('watched watch watching aired viewers'))),
      ),
    ],
  ],
  lives: [
    'lˈɪvz',
    [
      'lˈIvz',
      before(
        set(`their our your my his her its human many of save saves saved saving lost the these those people's daily private
             past two three four five nine other some all more most million thousand thousands and women's in for with from`),
      ),
    ],
  ],
  wind: [
    'wˈɪnd',
    [
      'wˈInd',
      any(
        all(
          asVerb,
          not(before(set('not and'))),
          not(after(set('farm farms power energy turbine turbines speed speeds and is was blew has chill'))),
        ),
        all(after(set('up down back around')), not(before(set('the a strong cold')))),
      ),
    ],
  ],
  close: [
    'klˈOz',
    [
      'klˈOs',
      any(
        all(
          before(
            set(`very so too how as quite pretty extremely really get gets getting got stay stayed came come comes coming
                 is was are were be been that this not fairly dangerously incredibly remarkably relatively enough stand stood
                 sit sat keep kept hold remain pay paid a her his their my our your lives live lived`),
          ),
          not(after(set('the it this those your my'))),
          not((context) => at(context, -1) === 'a' && at(context, -2) === 'to'),
        ),
        after(
          set(`friend friends call range relative relatives contact enough together look eye second proximity attention
               behind ties relationship games game race quarters family colleague watch examination`),
        ),
        all(after(set('to by')), not(before(set('to will would please can could should must not the'))), not(ofPlural)),
      ),
    ],
  ],
  closer: ['klˈOsəɹ'],
  closest: ['klˈOsəst'],
  use: [
    'jˈuz',
    [
      'jˈus',
      any(
        all(asNoun, not(before(set('that all these those who people scientists users')))),
        before(
          set(`energy water land drug phone heavy commercial fair full widespread frequent constant continued in-house
               intended actual any little make makes making made proper regular safe effective efficient excessive`),
        ),
      ),
    ],
  ],
  uses: [
    'jˈuzᵻz',
    [
      'jˈusᵻz',
      before(
        set('the many its other these those several different of various practical common some all most new possible'),
      ),
    ],
  ],
  used: [
    'jˈuzd',
    ['jˈust', all(after(set('to')), not(before(set('is are was were be being been commonly often also'))))],
  ],
  record: nounVerb('ɹˈɛkəɹd', 'ɹəkˈɔɹd'),
  insert: verbNoun('ɪnsˈɜɹt', 'ˈɪnsɜɹt'),
  tear: [
    'tˈɛɹ',
    [
      'tˈɪɹ',
      any(
        after(set('gas drop drops duct ducts rolled fell ran trickled stained')),
        before(set('single')),
        all(has(set('eye eyes cheek cheeks wept crying cried shed sheds shedding wipe wiped wiping')), not(asVerb)),
      ),
    ],
  ],
  tears: ['tˈɪɹz', ['tˈɛɹz', after(set('up down apart off through into'))]],
  bow: [
    'bˈO',
    [
      'bˈW',
      any(
        all(asVerb, not(has(set('ribbon violin cello arrow arrows string')))),
        after(set('down twice again deeply politely')),
        all(has(set('ship boat ferry vessel waves deck stern hull')), not(has(set('arrow arrows')))),
        (context) => set('take took takes taking taken').has(at(context, -2)),
      ),
    ],
  ],
  bows: [
    'bˈOz',
    [
      'bˈWz',
      any(
        all(
          (context) => at(context, -1) === 'the' && set('in from over at across off under').has(at(context, -2)),
          not(has(set('arrow arrows ribbon ribbons archers'))),
        ),
        all(asVerb, before(set('he she it who and'))),
      ),
    ],
  ],
  minute: [
    'mˈɪnət',
    [
      'mInˈut',
      any(
        after(
          set(
            `amount amounts detail details quantity quantities particle particles trace traces difference differences
             fraction changes scale dose doses fragments`,
          ),
        ),
        all(
          before(set('is are was were so very too')),
          not(after(set('away long late later ago by before after past'))),
        ),
      ),
    ],
  ],
  winds: ['wˈɪndz', ['wˈIndz', after(set('up down through its around along between past'))]],
  wound: [
    'wˈund',
    [
      'wˈWnd',
      any(
        after(set('up around down through its tightly')),
        all(
          after(set('the a an her his their its it')),
          not(before(set('the a an this that to can will could would'))),
        ),
        all(
          before(set('she he they it i we who had has have river road path was were')),
          after(set('the a an her his their its it round')),
        ),
      ),
    ],
  ],
  dove: [
    'dˈʌv',
    [
      'dˈOv',
      any(
        before(set('he she they i we it who')),
        after(set('into under down off headfirst toward towards in to deep through for beneath below')),
      ),
    ],
  ],
  bass: [
    'bˈAs',
    [
      'bˈæs',
      any(
        after(set('fishing fish boat fillet fillets')),
        before(set('sea largemouth smallmouth striped chilean')),
        all(named, not(after(set('guitar guitars clef drum player line solo')))),
        has(
          set(
            `lake river caught catch fishing fish fisherman fishermen trout pike salmon grilled angler anglers pond
             fillet`,
          ),
        ),
      ),
    ],
  ],
  resume: ['ɹəzˈum', ['ɹˈɛzəmˌA', all(before(set('my your his her their a our updated')), not(asVerb))]],
  polish: [
    'pˈɑlɪʃ',
    [
      'pˈOlɪʃ',
      ({ written, index, words }) =>
        written.startsWith('P') &&
        (index > 0 || /^(?:people|government|language|border|president|army|food)$/.test(words[1] ?? '')),
    ],
  ],
  refuse: [
    'ɹəfjˈuz',
    [
      'ɹˈɛfjus',
      any(
        after(set('collection collectors bin bins dump heap disposal was is')),
        // "Dumped refuse": what was done is done to something.
        all((context) => /[a-z]{2}ed$/.test(at(context, -1)), not(after(set('to')))),
        all(
          before(set('the of household city garden kitchen domestic human toxic industrial burning and')),
          not(after(set('to'))),
        ),
      ),
    ],
  ],
  excuse: ['ɪkskjˈuz', ['ɪkskjˈus', all(asNoun, not(asVerb))]],
  abuse: ['əbjˈus', ['əbjˈuz', asVerb]],
  house: ['hˈWs', ['hˈWz', all(asVerb, not(before(set('please'))), not(after(set('and or in on was is'))))]],
  houses: ['hˈWzᵻz'],
  perfect: ['pˈɜɹfəkt', ['pəɹfˈɛkt', all(before(set('to')), after(set('the my your his her their our it this')))]],
  separate: ['sˈɛpəɹət', ['sˈɛpəɹˌAt', asVerb]],
  estimate: ['ˈɛstəmət', ['ˈɛstəmˌAt', asVerb]],
  estimates: ['ˈɛstəməts', ['ˈɛstəmˌAts', before(set('he she it who'))]],
  graduate: ['ɡɹˈæʤuət', ['ɡɹˈæʤuˌAt', asVerb]],
  duplicate: ['dˈupləkət', ['dˈupləkˌAt', asVerb]],
  delegate: ['dˈɛləɡət', ['dˈɛləɡˌAt', asVerb]],
  moderate: ['mˈɑdəɹət', ['mˈɑdəɹˌAt', asVerb]],
  appropriate: ['əpɹˈOpɹiət', ['əpɹˈOpɹiˌAt', all(asVerb, after(set('the funds money it')))]],
  deliberate: ['dəlˈɪbəɹət', ['dəlˈɪbəɹˌAt', asVerb]],
  alternate: ['ˈɔltəɹnət', ['ˈɔltəɹnˌAt', asVerb]],
  associate: ['əsˈOʃiˌAt', ['əsˈOʃiət', all(asNoun, not(asVerb))]],
  advocate: ['ˈædvəkət', ['ˈædvəkˌAt', asVerb]],
  coordinate: ['kOˈɔɹdənˌAt', ['kOˈɔɹdənət', all(asNoun, not(asVerb))]],
  elaborate: ['əlˈæbəɹət', ['əlˈæbəɹˌAt', any(asVerb, after(set('on')))]],
  approximate: ['əpɹˈɑksəmət', ['əpɹˈɑksəmˌAt', asVerb]],
  articulate: ['ɑɹtˈɪkjələt', ['ɑɹtˈɪkjəlˌAt', asVerb]],
  present: nounVerb('pɹˈɛzᵊnt', 'pɹəzˈɛnt'),
  object: nounVerb('ˈɑbʤɛkt', 'əbʤˈɛkt'),
  nice: ['nˈIs', ['nˈis', all(named, before(set('in to from near at of for and above outside around via')))]],
  mobile: [
    'mˈObᵊl',
    [
      'mObˈil',
      all(
        named,
        any(
          after(set('alabama bay')),
          all(
            before(set('in to from near at of')),
            not(after(set('phone phones app apps devices world gaming banking games'))),
          ),
        ),
      ),
    ],
  ],
  row: [
    'ɹˈO',
    [
      'ɹˈW',
      all(
        before(set('a the bitter diplomatic public political terrible huge furious blazing family big angry')),
        after(set('over about with between')),
      ),
    ],
  ],
  rows: ['ɹˈOz'],
  combine: ['kəmbˈIn', ['kˈɑmbIn', any(before(set('nfl draft scouting the')), all(before(set('a')), asNoun))]],
  sow: ['sˈO', ['sˈW', all(before(set('a the old her')), not(asVerb))]],
  does: [
    'dˈʌz',
    ['dˈOz', all(before(set('the and two three few some')), has(set('deer buck bucks stag stags fawn fawns')))],
  ],
  august: ['ˈɔɡəst', ['ɔɡˈʌst', ({ written }) => written === 'august']],
  content: [
    'kˈɑntɛnt',
    [
      'kəntˈɛnt',
      any(
        all(before(set('a very')), after(set('man woman person child people smile look sigh life'))),
        all(
          before(
            set('is was are were feel feels felt am quite perfectly be seem seems seemed not more very so fully being'),
          ),
          not(after(set('of'))),
        ),
      ),
    ],
  ],
  project: nounVerb('pɹˈɑʤɛkt', 'pɹəʤˈɛkt'),
  produce: verbNoun('pɹədˈus', 'pɹˈOdus'),
  conduct: nounVerb('kˈɑndʌkt', 'kəndˈʌkt'),
  conflict: nounVerb('kˈɑnflɪkt', 'kənflˈɪkt'),
  contract: nounVerb('kˈɑntɹækt', 'kəntɹˈækt'),
  contrast: nounVerb('kˈɑntɹæst', 'kəntɹˈæst'),
  convert: verbNoun('kənvˈɜɹt', 'kˈɑnvɜɹt'),
  convict: nounVerb('kˈɑnvɪkt', 'kənvˈɪkt'),
  increase: verbNoun('ɪnkɹˈis', 'ˈɪnkɹis'),
  decrease: verbNoun('dəkɹˈis', 'dˈikɹis'),
  desert: nounVerb('dˈɛzəɹt', 'dəzˈɜɹt'),
  permit: verbNoun('pəɹmˈɪt', 'pˈɜɹmɪt'),
  progress: nounVerb('pɹˈɑɡɹɛs', 'pɹəɡɹˈɛs'),
  protest: nounVerb('pɹˈOtɛst', 'pɹətˈɛst'),
  rebel: nounVerb('ɹˈɛbᵊl', 'ɹəbˈɛl'),
  refund: nounVerb('ɹˈifʌnd', 'ɹəfˈʌnd'),
  reject: verbNoun('ɹəʤˈɛkt', 'ɹˈiʤɛkt'),
  subject: nounVerb('sˈʌbʤɛkt', 'səbʤˈɛkt'),
  suspect: verbNoun('səspˈɛkt', 'sˈʌspɛkt'),
  transfer: nounVerb('tɹˈænsfəɹ', 'tɹænsfˈɜɹ'),
  transport: nounVerb('tɹˈænspɔɹt', 'tɹænspˈɔɹt'),
  insult: nounVerb('ˈɪnsʌlt', 'ɪnsˈʌlt'),
  import: nounVerb('ˈɪmpɔɹt', 'ɪmpˈɔɹt'),
  export: nounVerb('ˈɛkspɔɹt', 'ɪkspˈɔɹt'),
  extract: verbNoun('ɪkstɹˈækt', 'ˈɛkstɹækt'),
  digest: nounVerb('dˈIʤɛst', 'dIʤˈɛst'),
  compound: nounVerb('kˈɑmpWnd', 'kəmpˈWnd'),
  console: nounVerb('kˈɑnsOl', 'kənsˈOl'),
  attribute: nounVerb('ˈætɹəbjˌut', 'ətɹˈɪbjut'),
  upset: ['ʌpsˈɛt'],
  invalid: [
    'ɪnvˈæləd',
    [
      'ˈɪnvələd',
      any(
        after(set('mother father wife husband sister brother son daughter child aunt uncle soldier soldiers')),
        all(before(set('an the')), after(set('after for since who in all from'))),
      ),
    ],
  ],
};

/** The pairs among the forms, by the bare word. */
const PAIRS: Readonly<Record<string, { readonly noun: string; readonly verb: string; readonly verbal: boolean }>> =
  Object.fromEntries(
    Object.entries(FORMS).flatMap(([word, [fallback, other, ...more]]) => {
      if (more.length > 0 || !other || !(other[1] === asVerb || other[1] === asNounOnly)) return [];
      const verbal = other[1] === asNounOnly;
      return [[word, { noun: verbal ? other[0] : fallback, verb: verbal ? fallback : other[0], verbal }]];
    }),
  );

/** "He objects", "three objects": the pair of stresses with an -s behind it. */
function withEnding(context: WordContext, word: string): string | null {
  const stem = word.endsWith('s') ? word.slice(0, -1) : '';
  const pair = Object.hasOwn(PAIRS, stem) ? PAIRS[stem]! : undefined;
  if (!pair) return null;
  const verb = isThirdPerson(context) || (pair.verbal && !asNoun(context));
  const said = verb ? pair.verb : pair.noun;
  return said + possessive(said);
}

/** The American phonemes of a homograph in its context, or null if the word is none. */
export function homograph(context: WordContext): string | null {
  const word = context.words[context.index]!;
  if (!Object.hasOwn(FORMS, word)) return withEnding(context, word);
  if (word === 'record' && at(context, -1) === 'to' && RECORD_OF.has(at(context, 1))) return FORMS.record![0];
  const [fallback, ...others] = FORMS[word]!;
  for (const [phonemes, when] of others) if (when(context)) return phonemes;
  return fallback;
}
