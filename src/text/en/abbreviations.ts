/**
 * The abbreviations of English: what each is read as, and whether its full stop may end a sentence.
 * The segmenter asks the one, the rule of reading the other.
 */
import { isCapitalised, type Scan } from '../normalize/scan.js';
import type { SentenceWords } from '../segment/sentence-ends.js';
import { OPENERS, startsSentence } from './sentence-starts.js';

export type Reading = string | ((context: Context) => string | undefined);
interface Context {
  readonly scan: Scan;
  readonly written: string;
  /** Where the abbreviation ends, its dot included. */
  readonly end: number;
  /** The next word, if a space stands between. */
  readonly next: string;
  readonly digitNext: boolean;
}

const beforeName =
  (words: string): Reading =>
  ({ next }) =>
    isCapitalised(next) ? words : undefined;
const beforeDigit =
  (words: string): Reading =>
  ({ digitNext }) =>
    digitNext ? words : undefined;
const afterName =
  (words: string): Reading =>
  ({ scan }) =>
    isPlaceName(scan) ? words : undefined;
/** "App. B", "Sect. 3": a number or a single letter follows. */
const beforeLabel =
  (words: string): Reading =>
  ({ digitNext, next }) =>
    digitNext || /^[A-Z]$/.test(next) ? words : undefined;
const afterDigit =
  (words: string): Reading =>
  ({ scan }) =>
    /\d$/.test(scan.previous) ? words : undefined;

export const isPlaceName = (scan: Scan): boolean =>
  isCapitalised(scan.previous) || /^\d+(?:st|nd|rd|th)$/i.test(scan.previous);

/** "Dr. Smith" heals, "Mulholland Dr." leads somewhere. */
const doctor: Reading = ({ scan, next, end }) => {
  if (next === 'Who') return 'Doctor';
  if (isCapitalised(next) && !startsSentence(scan, end))
    return isPlaceName(scan) && scan.previous !== 'The' && !isTitle(scan.previous) && /^[NSEW]{1,2}$/.test(next)
      ? 'Drive'
      : 'Doctor';
  return isPlaceName(scan) ? 'Drive' : isCapitalised(next) ? undefined : 'doctor';
};
const isTitle = (word: string): boolean =>
  /^(?:Prof|Rev|Hon|Mr|Mrs|Ms|Sir|Dear|And|By|With|From|But|When|If|As|After|For|To)$/.test(word);

/**
 * "St. Louis" is a saint, "Main St." a street, also in front of another name: "Main St. Bridge".
 */
const saint: Reading = ({ scan, next, end }) => {
  const named = isCapitalised(next) && !startsSentence(scan, end) && !/^(?:[NSEW]|NE|NW|SE|SW)$/.test(next);
  if (!named) return isPlaceName(scan) || scan.previous !== '' ? 'Street' : 'Saint';
  return isPlaceName(scan) &&
    !/^(?:The|In|At|On|From|To|Of|And|Port|Mount|Fort|Lake|Sault|Near|By|Via|Visit|Like|Mary|Church)$/.test(
      scan.previous,
    ) &&
    /^(?:Station|Bridge|Bakery|Market|Journal|Cafe|Church|School|Apartment|Apt|Suite|Ste|Unit|Pier)$/.test(next)
    ? 'Street'
    : 'Saint';
};

/** Its stop may end a sentence as any other does. */
const ENDS = 0;
/** A name or a continuation follows: never a sentence end. */
const LEADS = 1;
/** No sentence end before a digit ("No. 5"), nor before a small letter. */
const NUMBERED = 2;
/** No sentence end before a small letter; before a capital one it is. */
const CONTINUED = 4;

type Row = readonly [written: string, stop: number, reading?: Reading];

/** Abbreviations that are said as they are written, or by another rule. */
const without = (stop: number, words: string): Row[] =>
  words
    .trim()
    .split(/\s+/)
    .map((word) => [word, stop]);

/**
 * Each without its dot. One in small letters is known in any, one with a capital only as it is
 * written.
 */
const ABBREVIATIONS: readonly Row[] = [
  ['Dr', LEADS, doctor],
  ['St', LEADS | NUMBERED, saint],
  ['Mr', LEADS, 'Mister'],
  ['Mrs', LEADS, 'Mrs'],
  ['Ms', LEADS, 'Miz'],
  ['Prof', LEADS, 'Professor'],
  ['Rev', LEADS | NUMBERED | CONTINUED, beforeName('Reverend')],
  ['Hon', LEADS, beforeName('Honorable')],
  ['Gov', LEADS | CONTINUED, beforeName('Governor')],
  ['Sen', LEADS, beforeName('Senator')],
  ['Sens', ENDS, beforeName('Senators')],
  ['Rep', LEADS, beforeName('Representative')],
  ['Reps', ENDS, beforeName('Representatives')],
  ['Gen', LEADS | CONTINUED, beforeName('General')],
  ['Col', LEADS | NUMBERED, beforeName('Colonel')],
  ['Maj', LEADS, beforeName('Major')],
  ['Capt', LEADS, beforeName('Captain')],
  ['Lt', LEADS, beforeName('Lieutenant')],
  ['Sgt', LEADS, beforeName('Sergeant')],
  ['Cpl', LEADS, beforeName('Corporal')],
  ['Pvt', LEADS, beforeName('Private')],
  ['Cmdr', LEADS, beforeName('Commander')],
  ['Adm', LEADS, beforeName('Admiral')],
  [
    'adm',
    NUMBERED,
    ({ scan, end }) => (/^ ?[$£€\d]|^ free/.test(scan.text.slice(end, end + 5)) ? 'admission' : undefined),
  ],
  ['Pres', LEADS, beforeName('President')],
  ['Supt', LEADS, beforeName('Superintendent')],
  ['Fr', LEADS, beforeName('Father')],
  ['Br', ENDS, beforeName('Brother')],
  ['Messrs', LEADS, 'Messieurs'],
  ['Jr', CONTINUED, 'Junior'],
  ['Sr', LEADS | CONTINUED, ({ scan }) => (isCapitalised(scan.previous) ? 'Senior' : 'Sister')],
  ['Esq', CONTINUED, 'Esquire'],
  ['Mt', LEADS, beforeName('Mount')],
  ['Pt', LEADS | NUMBERED | CONTINUED, beforeName('Point')],
  [
    'Ft',
    LEADS | CONTINUED,
    ({ next, scan }) => (isCapitalised(next) && !/^\d/.test(scan.previous) ? 'Fort' : undefined),
  ],
  ['Ave', CONTINUED, 'Avenue'],
  ['Blvd', CONTINUED, 'Boulevard'],
  ['Rd', CONTINUED, afterName('Road')],
  ['Ln', NUMBERED | CONTINUED, ({ scan, digitNext }) => (isPlaceName(scan) ? 'Lane' : digitNext ? 'line' : undefined)],
  ['Ct', CONTINUED, afterName('Court')],
  ['Pl', CONTINUED, afterName('Place')],
  ['Sq', CONTINUED, afterName('Square')],
  ['Ter', CONTINUED, afterName('Terrace')],
  ['Hwy', NUMBERED | CONTINUED, 'Highway'],
  ['Pkwy', CONTINUED, 'Parkway'],
  ['Rte', NUMBERED | CONTINUED, 'Route'],
  ['Ste', LEADS | NUMBERED, beforeDigit('Suite')],
  ['Apt', NUMBERED, 'Apartment'],
  ['bldg', NUMBERED | CONTINUED, 'building'],
  ['Rm', NUMBERED, beforeDigit('Room')],
  ['No', NUMBERED, beforeDigit('number')],
  ['Nos', NUMBERED, beforeDigit('numbers')],
  ['no', NUMBERED, beforeDigit('number')],
  ['nos', NUMBERED, beforeDigit('numbers')],
  ['vol', NUMBERED | CONTINUED, beforeDigit('volume')],
  ['vols', NUMBERED, beforeDigit('volumes')],
  ['ch', NUMBERED, beforeDigit('chapter')],
  [
    'sec',
    NUMBERED | CONTINUED,
    ({ digitNext, scan }) => (digitNext && !/\d$/.test(scan.previous) ? 'section' : undefined),
  ],
  ['fig', NUMBERED, 'figure'],
  ['figs', NUMBERED, 'figures'],
  [
    'eq',
    NUMBERED,
    ({ scan, end, digitNext, next }) =>
      digitNext || /^[A-Z]$/.test(next) || /^ ?\(\d/.test(scan.text.slice(end, end + 3)) ? 'equation' : undefined,
  ],
  ['fwd', CONTINUED, 'forward'],
  ['ht', NUMBERED | CONTINUED, beforeDigit('height')],
  ['wt', NUMBERED | CONTINUED, beforeDigit('weight')],
  ['temp', CONTINUED, ({ scan }) => (/^an?$/i.test(scan.previous) ? undefined : 'temperature')],
  ['acct', NUMBERED | CONTINUED, 'account'],
  ['addr', CONTINUED, 'address'],
  ['amt', NUMBERED | CONTINUED, 'amount'],
  ['appt', CONTINUED, 'appointment'],
  ['bal', CONTINUED, 'balance'],
  ['cert', CONTINUED, 'certificate'],
  ['dist', NUMBERED | CONTINUED, beforeDigit('district')],
  ['hosp', CONTINUED, 'hospital'],
  ['jct', CONTINUED, 'junction'],
  ['mfr', CONTINUED, 'manufacturer'],
  ['mgmt', CONTINUED, 'management'],
  ['mkt', CONTINUED, 'market'],
  ['msg', CONTINUED, 'message'],
  ['mtg', CONTINUED, 'meeting'],
  ['pkg', CONTINUED, 'package'],
  ['pls', CONTINUED, 'please'],
  ['prev', CONTINUED, 'previous'],
  ['qtr', CONTINUED, 'quarter'],
  ['recd', CONTINUED, 'received'],
  ['sched', CONTINUED, 'schedule'],
  ['stmt', CONTINUED, 'statement'],
  ['subj', CONTINUED, 'subject'],
  ['app', NUMBERED, beforeLabel('appendix')],
  ['sect', NUMBERED, beforeLabel('section')],
  ['chap', NUMBERED, beforeLabel('chapter')],
  ['op', NUMBERED, beforeDigit('opus')],
  ['pts', CONTINUED, afterDigit('points')],
  ['mos', CONTINUED, afterDigit('months')],
  ['eqs', ENDS, beforeDigit('equations')],
  ['p', NUMBERED, beforeDigit('page')],
  ['pp', NUMBERED, beforeDigit('pages')],
  ['art', NUMBERED, beforeDigit('article')],
  ['para', NUMBERED, beforeDigit('paragraph')],
  ['ver', NUMBERED, beforeDigit('version')],
  ['ed', NUMBERED | CONTINUED, afterDigit('edition')],
  ['ca', LEADS | NUMBERED, beforeDigit('circa')],
  [
    'c',
    NUMBERED,
    ({ scan, digitNext }) =>
      digitNext ? 'circa' : /^\d/.test(scan.previous) ? (scan.previous === '1' ? 'cup' : 'cups') : undefined,
  ],
  ['v', NUMBERED, ({ scan, next }) => (isCapitalised(scan.previous) && isCapitalised(next) ? 'versus' : undefined)],
  ['vs', LEADS, 'versus'],
  ['etc', CONTINUED, 'et cetera'],
  ['cf', LEADS, 'compare'],
  ['al', NUMBERED | CONTINUED, ({ scan }) => (scan.previous.toLowerCase() === 'et' ? 'al' : undefined)],
  ['viz', LEADS, 'namely'],
  ['approx', LEADS | NUMBERED, 'approximately'],
  [
    'est',
    NUMBERED | CONTINUED,
    // In capitals, or behind a time of day, it is a zone.
    ({ scan, digitNext, written, end }) =>
      written === 'EST' || /^[ap]\.?m$/i.test(scan.previous)
        ? undefined
        : digitNext && /^ ?\d{4}(?!\d)/.test(scan.text.slice(end, end + 6))
          ? 'established'
          : 'estimated',
  ],
  ['max', CONTINUED, 'maximum'],
  [
    'min',
    CONTINUED,
    ({ scan }) =>
      /\d$/.test(scan.previous) ? undefined : /^\d+(?:st|nd|rd|th)$/.test(scan.previous) ? 'minute' : 'minimum',
  ],
  [
    'ret',
    CONTINUED,
    ({ scan, end }) => (/[(,] ?$/.test(scan.text.slice(Math.max(0, end - 6), end - 4)) ? 'retired' : undefined),
  ],
  ['utd', LEADS | CONTINUED, 'United'],
  ['pct', CONTINUED, 'percent'],
  ['resp', CONTINUED, ({ next }) => (next === '' ? 'respectively' : undefined)],
  ['rebs', CONTINUED, afterDigit('rebounds')],
  [
    'pop',
    NUMBERED | CONTINUED,
    ({ digitNext, next }) => (digitNext || /^(?:of|was|is|est|approx|in|at)$/.test(next) ? 'population' : undefined),
  ],
  ['Rt', LEADS, ({ next }) => (next === 'Hon' ? 'Right' : undefined)],
  ['avg', CONTINUED, 'average'],
  ['dept', LEADS | CONTINUED, 'department'],
  ['univ', LEADS, 'university'],
  ['assn', LEADS, 'association'],
  ['assoc', CONTINUED, 'association'],
  ['inc', CONTINUED, 'Incorporated'],
  ['corp', CONTINUED, 'Corporation'],
  ['ltd', CONTINUED, 'Limited'],
  ['co', CONTINUED, ({ scan }) => (isCapitalised(scan.previous) || scan.previous === 'and' ? 'Company' : undefined)],
  ['bros', LEADS, 'Brothers'],
  ['misc', CONTINUED, 'miscellaneous'],
  ['tel', NUMBERED, 'telephone'],
  ['ext', NUMBERED, beforeDigit('extension')],
  ['attn', LEADS, 'attention'],
  ['cont', CONTINUED, 'continued'],
  ['incl', LEADS, 'including'],
  ['excl', LEADS, 'excluding'],
  ['govt', CONTINUED, 'government'],
  ['intl', LEADS, 'international'],
  ['natl', LEADS, 'national'],
  ['orig', CONTINUED, 'original'],
  ['qty', CONTINUED, 'quantity'],
  ['mfg', CONTINUED, 'manufacturing'],
  ['mgr', CONTINUED, 'manager'],
  ['asst', LEADS | CONTINUED, 'assistant'],
  ['ibid', CONTINUED, 'ibid'],
  ['hr', NUMBERED | CONTINUED, afterDigit('hours')],
  ['hrs', NUMBERED | CONTINUED, 'hours'],
  ['mins', CONTINUED, 'minutes'],
  ['secs', CONTINUED, 'seconds'],
  ['yrs', CONTINUED, 'years'],
  ['lbs', NUMBERED | CONTINUED, 'pounds'],
  ...without(
    LEADS,
    `
    mx mme mlle cpt cdr brig det insp sra srta herr frau e.g i.e eg ie al.e esp gov't c.f
  `,
  ),
  ...without(
    LEADS | NUMBERED,
    `
    nr
  `,
  ),
  ...without(
    NUMBERED,
    `
    a.d agg long lat num pg pgs eqn refs paras ex exp bk cl fl r rs s ss ser pt q qn item lot
  `,
  ),
  ...without(
    NUMBERED | CONTINUED,
    `
    ref eds jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun
  `,
  ),
  ...without(
    CONTINUED,
    `
    llc plc et div trans std def var pt ft lb oz tbsp tsp gal qt in yd mi km cm mm kg yr mo wk wks pd pcs
    cont'd cu doz pub publ ill repr abbr adj adv syn sing phd ph.d m.d b.a m.a b.sc m.sc sci tech eng math bio phys
    ala ariz ark calif colo conn fla ill ind kan ky mass mich minn mont neb nev okla ore tenn tex wash wis wyo
    chem med lit hist geog admin dev prod spec specs config repo info
  `,
  ),
];

export const READINGS: ReadonlyMap<string, Reading> = new Map(
  ABBREVIATIONS.flatMap(([written, , reading]) => (reading === undefined ? [] : [[written, reading] as const])),
);

const stopping = (stop: number): ReadonlySet<string> =>
  new Set(ABBREVIATIONS.filter((row) => row[1] & stop).map(([written]) => written.toLowerCase()));

/** A single letter after one of these is a label ("vitamin C."), not the initial of a name. */
const LABELLED: ReadonlySet<string> = new Set(
  `
  vitamin hepatitis grade plan option type class group appendix section exhibit part figure table category level row
  column team block unit point letter chapter tier phase step version hall gate terminal platform route line wing
  question answer variable factor schedule annex form model series zone building room channel
`
    .trim()
    .split(/\s+/),
);

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

export const SENTENCE_WORDS: SentenceWords = {
  clauseStarts: words(`
    i you he she it we they there this these those here but because although though while whereas if unless until so yet
    since when whenever then please let however therefore i'm you're he's she's it's we're they're there's that's i'll i'd
    let's not what how why
  `),
  joining: words('and or nor'),
  relative: words('which who whom whose where that'),
  introducing: words(`
    when whenever if after before although though while because since as once until unless in on at during despite with
    without for to by from under over through among between like unlike given instead however meanwhile today yesterday
    tomorrow now then later soon first second third finally still thus therefore moreover furthermore according
  `),
  clauseOpeners: words(`
    because although though while whereas if unless until since when whenever but yet which who whom whose where that
    after before
  `),
  phraseOpeners: words(`
    and or nor in on at during despite with without within for to by from under over through among between into across
    along against around behind beside beyond towards toward upon about
  `),
  clinging: words(`
    a an the this these those my your his her its our their some any no every each all both of as than so very too such
    not just even only is are was were be been am will would can could shall should may might must do does did has have
    had more most less rather quite how what why i he she we they there
  `),
  leadingTo: words(`
    going want wants wanted wanting need needs needed used able unable ought got like likes liked try tries tried trying
    due according close next prior thanks subject happy glad ready about begin begins began start starts started
  `),
  leading: stopping(LEADS),
  beforeNumber: stopping(NUMBERED),
  beforeSmall: stopping(CONTINUED),
  labelled: LABELLED,
  ledTo: words('to'),
  labelling:
    /^(?:[ap]\.m|app|sect|sec|figs?|eqs?|chap|bldg|apt|ex|ave|st|rd|blvd|dr|ln|pl|ct|hwy|inc|corp|co|ltd|man|jr)$/i,
  pairs:
    /^(?:(?:inc|corp|co|ltd) (?:Preside|Chairma|Chief|CEO|CFO|Directo|Vice|Executi|Treasur|Spokesm|Spokesw)|man (?:United|City|Utd)|jr (?:Day|High) )/i,
  labels: /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|East|Cent|Paci)/,
  letterWords: words('I'),
  letterStarts: words('I A'),
  dottedEnds: words('a.m p.m b.c a.d b.c.e c.e a.s.a.p r.s.v.p'),
  starters: OPENERS,
  strict: words('mr mrs ms mx dr prof messrs mme mlle e.g i.e eg ie vs v cf c.f viz approx ca nr incl excl esp mt'),
  lettered: /^(?:app|sect|sec|figs?|eqs?|chap|bldg|apt|ex)$/i,
  zones: {
    whole: /^(?:[A-Z][a-z]+ ){1,2}time(?![a-z])/,
    begun: /^[A-Z][a-z]*(?: (?:[A-Z][a-z]*(?: (?:t(?:ime?)?)?)?|t(?:ime?)?)?)?$/,
  },
  introducingForm: /ly$/,
};
