/** Words written alike and said differently: which one is meant, told from the words around, where that is reliable. */

/** The words of a clause in lower case, and which of them is asked about. */
export interface WordContext {
  readonly words: readonly string[];
  readonly index: number;
  /** The word as written. */
  readonly written: string;
}

const set = (list: string) => new Set(list.trim().split(/\s+/));

/** A verb in its base form follows these. */
const BEFORE_VERB = set(`
  to will would can could should may might must shall do does did don't doesn't didn't not cannot can't won't wouldn't
  couldn't shouldn't please i we you they let's i'll we'll you'll they'll he'll she'll i'd we'd you'd they'd who'll never
  always also then help helps helped let
`);
/** A noun or an adjective follows these. */
const BEFORE_NOUN = set(`
  a an the this that these those my your his her its our their some any no each every another one two three many few
  more most much all of in for with from on at by as first second last new old good bad best great big small large long
  short high low public private personal common general special main single whole own same other such certain free
  official current daily annual next previous criminal medical school world track
`);
const HAVE = set(
  `have has had having i've you've we've they've he's she's who've haven't hasn't hadn't he'd they'd we'd`,
);
const BE = set('is are was were be been being am get gets got getting');
const SUBJECT = set('he she it who');
const PRONOUN = set('i we you they');
/** Behind these "to" is no sign of a verb: "due to conflict". */
const TAKES_TO = set(
  `due according subject access related addition upload applied assigned limited prior thanks belongs compared similar
   added adds moved back relative respect connected next close export contributed contributor`,
);
/** The clause ends here. */
const END = new Set(['']);
const AUXILIARY = set('did does do can could will would should must may might let to not make makes made help');
const ADVERB = set('already just never ever not also recently finally always only once been been since');

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

const asVerb: Rule = (context) =>
  BEFORE_VERB.has(at(context, -1)) && !(at(context, -1) === 'to' && TAKES_TO.has(at(context, -2)));
const asNoun = before(BEFORE_NOUN);
const RECORD_OF = set('high highs low lows level levels number numbers profit profits sales heat temperatures time');

/** Past tense or participle: "have already read", "she read", "was read". */
const past: Rule = (context) => {
  const one = at(context, -1);
  const two = at(context, -2);
  if (HAVE.has(one) || BE.has(one)) return true;
  if (ADVERB.has(one) && (HAVE.has(two) || BE.has(two))) return true;
  if (SUBJECT.has(one) && !AUXILIARY.has(two)) return true;
  const since = context.words.slice(context.index + 1).some((word) => word === 'yesterday' || word === 'ago');
  return since && (PRONOUN.has(one) || !BEFORE_VERB.has(one));
};

/** Noun with the stress in front, verb with the stress behind. */
const nounVerb = (noun: string, verb: string): Forms => [noun, [verb, asVerb]];
/** The same pair for a word that is a verb more often. */
const verbNoun = (verb: string, noun: string): Forms => [verb, [noun, all(asNoun, not(asVerb))]];

const FORMS: Readonly<Record<string, Forms>> = {
  read: ['ɹˈid', ['ɹˈɛd', past]],
  lead: [
    'lˈid',
    [
      'lˈɛd',
      any(
        after(
          set('pipe pipes paint poisoning acid bullet bullets crystal weight weights batteries levels exposure ore'),
        ),
        all(
          before(set('of contains contain containing with and or molten')),
          not(after(set('to the us them by singer guitarist vocals role author developer engineer time actor'))),
        ),
        all(before(set('heavy as')), after(END)),
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
             feeds version album albums record records recordings band action sports tv television stock animals captions production preview system site`,
          ),
        ),
        all(
          before(set('go goes went going gone watch broadcast streamed performed recorded')),
          not(after(set('in with'))),
        ),
        all(before(BE), after(set('now on at from today again and'))),
        before(set('a the')),
      ),
    ],
  ],
  lives: [
    'lˈɪvz',
    [
      'lˈIvz',
      before(
        set(`their our your my his her its human many of save saves saved saving lost the these those people's daily private
             past two three four five nine other some all more most million thousand thousands and women's`),
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
          not(before(set('not'))),
          not(after(set('farm farms power energy turbine turbines speed speeds and'))),
        ),
        after(set('up down back around')),
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
                 sit sat keep kept hold remain pay paid a her his their my our your`),
          ),
          not(after(set('the it this those your my'))),
        ),
        after(
          set(`friend friends call range relative relatives contact enough together look eye second proximity attention
               behind range ties relationship games game race quarters family colleague`),
        ),
        all(after(set('to by')), not(before(set('to will would please can could should must not the')))),
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
        all(asNoun, not(before(set('that all first one these those many few')))),
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
  tear: [
    'tˈɛɹ',
    [
      'tˈɪɹ',
      any(after(set('gas drop drops duct ducts rolled fell ran trickled')), before(set('single')), (context) =>
        context.words.some((word) => word === 'eye' || word === 'eyes' || word === 'cheek'),
      ),
    ],
  ],
  tears: ['tˈɪɹz', ['tˈɛɹz', after(set('up down apart off through into'))]],
  bow: [
    'bˈO',
    ['bˈW', any(asVerb, after(set('down of')), (context) => set('take took takes taking').has(at(context, -2)))],
  ],
  minute: [
    'mˈɪnət',
    [
      'mInˈut',
      after(
        set('amount amounts detail details quantity quantities particle particles trace traces difference differences'),
      ),
    ],
  ],
  wound: ['wˈund', ['wˈWnd', after(set('up around down through its tightly'))]],
  dove: ['dˈʌv', ['dˈOv', any(before(set('he she they i we it who')), after(set('into under down off headfirst')))]],
  bass: [
    'bˈAs',
    ['bˈæs', any(after(set('fishing fish boat')), before(set('sea largemouth smallmouth striped chilean')))],
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
  refuse: ['ɹəfjˈuz'],
  excuse: ['ɪkskjˈuz', ['ɪkskjˈus', all(asNoun, not(asVerb))]],
  abuse: ['əbjˈus', ['əbjˈuz', asVerb]],
  house: ['hˈWs', ['hˈWz', all(before(set('to will can could would')), after(set('the a up them people more over')))]],
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
  presents: nounVerb('pɹˈɛzᵊnts', 'pɹəzˈɛnts'),
  object: nounVerb('ˈɑbʤɛkt', 'əbʤˈɛkt'),
  content: [
    'kˈɑntɛnt',
    ['kəntˈɛnt', all(before(set('is was are were feel feels felt am quite perfectly be')), not(after(set('of'))))],
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
  invalid: ['ɪnvˈæləd'],
};

/** The American phonemes of a homograph in its context, or null if the word is none. */
export function homograph(context: WordContext): string | null {
  const word = context.words[context.index]!;
  if (!Object.hasOwn(FORMS, word)) return null;
  if (word === 'record' && at(context, -1) === 'to' && RECORD_OF.has(at(context, 1))) return FORMS.record![0];
  const [fallback, ...others] = FORMS[word]!;
  for (const [phonemes, when] of others) if (when(context)) return phonemes;
  return fallback;
}
