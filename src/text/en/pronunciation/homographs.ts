/**
 * Words written alike and said differently: which one is meant, told from the words around, where
 * that is reliable. Those of which the part of speech tells everything are in stress-pairs.ts.
 */
import {
  after,
  all,
  any,
  before,
  beforeNoun,
  has,
  is,
  named,
  not,
  past,
  type Rule,
  type WordPlace,
} from './homograph-rules.js';
import { isPlural } from './past.js';
import { possessive } from './possessive.js';
import { stressPair, stressWords } from './stress-pairs.js';

/** The first form whose rule holds is said, the fallback where none does. */
type Forms = readonly [fallback: string, ...others: readonly (readonly [phonemes: string, when: Rule])[]];

const VERBS = 'VZDG';
const verb = is(VERBS, 'NV');
const BE = 'is are was were be been being am get gets got getting';
/** A plural before it is the subject: "the shops close by six". */
const ofPlural: Rule = (place) => isPlural(place.beside(-1));
const FISHING =
  'lake river caught catch catches fishing fish fisherman fishermen trout pike salmon grilled angler anglers pond fillet bait spawn hook hooked';
const MUSIC = 'guitar guitars clef drum drums player players line lines solo singer voice notes amp trio';
const METALS = 'mercury arsenic zinc copper iron tin asbestos cadmium steel silver gold metal metals';
const SHIPS =
  'ship ships boat boats ferry vessel yacht waves deck stern hull sailor sailors harbour harbor port starboard';
const ARCHERY =
  'arrow arrows archer archers archery quiver string strings violin violins cello cellist fiddle ribbon ribbons hair tied tie knot';
const EYES = 'eye eyes cheek cheeks wept weep crying cried cry shed sheds shedding wipe wiped wipes wiping face sad';

const FORMS: Readonly<Record<string, Forms>> = {
  read: [
    'ɹˈid',
    [
      'ɹˈɛd',
      any(
        past,
        all(before('widely well most'), not(verb)),
        all(before('sign gate note letter label poster notice headline caption message'), not(ofPlural)),
      ),
    ],
  ],
  lead: [
    'lˈid',
    [
      'lˈɛd',
      any(
        after(
          `pipe pipes paint poisoning acid bullet bullets crystal weight weights batteries levels exposure ore dust
           piping solder contamination mine mines content pencil pencils free oxide shot`,
        ),
        all(
          before('of contains contain containing contained with and or molten like from'),
          not(after('to the us them by singer guitarist vocals role author developer engineer time actor a into')),
          not(verb),
        ),
        all(has(METALS), not(verb), not(before('the a his her their its our'))),
        (place) => place.beside(-1) === 'as' && place.beside(-2) === 'heavy',
        (place) => place.index === 0 && /^(?:is|was|has|can|may)$/.test(place.beside(1)),
      ),
    ],
  ],
  live: [
    'lˈɪv',
    [
      'lˈIv',
      any(
        all(is('A', 'VA'), any(beforeNoun, before('a the'))),
        after('music show shows stream streams audience concert event events wire tv television'),
        before(
          'broadcast broadcasts streamed streaming performed performing recorded shown aired filmed go goes going went out',
        ),
        all(
          before('gone watch watched seen reporting us you sung played hear heard see it'),
          not(after('in with near here there and')),
          not((place) => 'VO'.includes(place.tagBeside(-2)) && /^(?:us|you|it)$/.test(place.beside(-1))),
        ),
        all(before('now join joins joined'), after('from at on to')),
        all(before(BE), after('now on at from today again and')),
        all(before(BE), (place) => place.beside(1) === ''),
        all((place) => place.beside(1) === '', has('watched watch watching aired viewers stream')),
      ),
    ],
  ],
  lives: [
    'lˈɪvz',
    [
      'lˈIvz',
      before(
        `their our your my his her its human many of save saves saved saving lost the these those people's daily private
         past two three four five nine other some all more most million thousand thousands and women's in for with from`,
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
            `very so too how as quite pretty extremely really get gets getting got stay stays stayed came come comes coming
             is was are were be been that this not fairly dangerously incredibly remarkably relatively enough stand stood
             sit sat keep kept hold remain pay paid a her his their my our your lives live lived`,
          ),
          not(after('the it this those your my')),
          not((place) => place.beside(-1) === 'a' && /^(?:to|at)$/.test(place.beside(-2))),
        ),
        after(
          `friend friends call range relative relatives contact enough together look eye second proximity attention
           behind ties relationship games game race quarters family colleague watch examination`,
        ),
        all(after('to by'), not(before('to will would please can could should must not the')), not(ofPlural)),
      ),
    ],
  ],
  closer: ['klˈOsəɹ'],
  closest: ['klˈOsəst'],
  used: ['jˈuzd', ['jˈust', all(after('to'), not(before('is are was were be being been commonly often also')))]],
  tear: [
    'tˈɛɹ',
    [
      'tˈɪɹ',
      any(
        after('gas drop drops duct ducts rolled fell ran trickled stained glistened'),
        all(
          not(verb),
          any(not(after('in and along through between')), has('eye eyes')),
          any(before('single'), has(EYES), (place) => place.beside(-1) === 'a' && place.beside(-2) === 'not'),
        ),
      ),
    ],
  ],
  tears: ['tˈɪɹz', ['tˈɛɹz', any(after('up down apart off through into the his her its'), before('muscle ligament'))]],
  bow: [
    'bˈO',
    [
      'bˈW',
      any(
        all(verb, not(has(ARCHERY))),
        after('down twice again deeply politely'),
        all(has(SHIPS), not(has(ARCHERY))),
        all(
          before('a the one final second last deep low small slight polite little'),
          has('take took takes taking taken gave give gives made make makes'),
        ),
        all(before('the'), (place) => /^(?:over|across|off|under|at)$/.test(place.beside(-2)), not(has(ARCHERY))),
      ),
    ],
  ],
  bows: [
    'bˈOz',
    [
      'bˈWz',
      any(
        all(
          (place) => place.beside(-1) === 'the' && /^(?:in|from|over|at|across|off|under)$/.test(place.beside(-2)),
          not(has(ARCHERY)),
        ),
        is('Z', 'SZ'),
        has('took take takes'),
      ),
    ],
  ],
  bowed: ['bˈWd'],
  bowing: ['bˈWɪŋ', ['bˈOɪŋ', has(ARCHERY)]],
  minute: [
    'mˈɪnət',
    [
      'mInˈut',
      any(
        after(
          `amount amounts detail details quantity quantities particle particles trace traces difference differences
           fraction changes scale dose doses fragments organisms creatures grains`,
        ),
        all(before('is are was were so very too'), not(after('away long late later ago by before after past'))),
      ),
    ],
  ],
  winds: ['wˈɪndz', ['wˈIndz', any(after('up down through its around along between past'), is('Z', 'SZ'))]],
  wound: [
    'wˈund',
    [
      'wˈWnd',
      any(
        after('up around down through its tightly round'),
        all(
          is('D', 'ND'),
          not(before('the a an this that to can will could would may might gunshot stab head flesh bullet knife open')),
        ),
      ),
    ],
  ],
  dove: ['dˈʌv', ['dˈOv', any(is('D', 'ND'), after('into under down off headfirst beneath below'))]],
  bass: [
    'bˈAs',
    [
      'bˈæs',
      all(
        not(after(MUSIC)),
        any(
          after('fishing fish boat fillet fillets swim swam'),
          before('sea largemouth smallmouth striped chilean'),
          named,
          has(FISHING),
        ),
      ),
    ],
  ],
  polish: [
    'pˈɑlɪʃ',
    [
      'pˈOlɪʃ',
      ({ written, index, words }) =>
        written.startsWith('P') &&
        (index > 0 || /^(?:people|government|language|border|president|army|food)$/.test(words[1] ?? '')),
    ],
  ],
  houses: ['hˈWzᵻz'],
  upset: [
    'ʌpsˈɛt',
    ['ˈʌpsɛt', all(is('N', 'NVA'), before('an the big biggest major huge stunning shock great this another first'))],
  ],
  aged: [
    'ˈAʤd',
    [
      'ˈAʤəd',
      all(
        before('an the his her their my our your this that these those two three many elderly and'),
        not(after('five six seven eight nine ten eleven twelve to between under over about only just')),
        not(after('cheese cheddar beef whisky whiskey wine rum oak garlic balsamic')),
        (place) => place.beside(1) !== '' || place.beside(-1) === 'the',
        not((place) => /ty|teen|dred/.test(place.beside(1))),
      ),
    ],
  ],
  blessed: [
    'blˈɛst',
    [
      'blˈɛsəd',
      any(
        all(before('a the this that every his her my what'), not(after('by with the'))),
        all(named, not(before('is was are were and'))),
      ),
    ],
  ],
  learned: [
    'lˈɜɹnd',
    [
      'lˈɜɹnəd',
      any(
        all(
          before('a the my most more very many his her their our your'),
          beforeNoun,
          not(after('behaviour behavior helplessness')),
        ),
        all(
          before('is was are were very most so and'),
          any((place) => place.beside(1) === '', after('and but')),
          (place) =>
            !place.words.some((word) => /^(?:has|have|had|lesson|lessons|be|been|much|little|what|i|can)$/.test(word)),
        ),
      ),
    ],
  ],
  beloved: ['bəlˈʌvəd', ['bəlˈʌvd', after('by of')]],
  dogged: ['dˈɔɡd', ['dˈɔɡəd', all(before('a the his her their its with and'), not(after('by the him her them')))]],
  crooked: ['kɹˈʊkəd'],
  jagged: ['ʤˈæɡəd'],
  ragged: ['ɹˈæɡəd'],
  axes: [
    'ˈæksᵻz',
    [
      'ˈæksˌiz',
      any(
        before('x y z coordinate principal major minor'),
        has('graph axis coordinate coordinates symmetry plot rotation perpendicular'),
      ),
    ],
  ],
  bases: [
    'bˈAsᵻz',
    ['bˈAsˌiz', any(after('for of'), before('theoretical legal scientific moral empirical statistical'))],
  ],
  putting: ['pˈʊTɪŋ', ['pˈʌTɪŋ', any(after('green greens stroke'), has('golf golfer golfers'))]],
  nice: ['nˈIs', ['nˈis', all(named, before('in to from near at of for and above outside around via'))]],
  reading: [
    'ɹˈidɪŋ',
    [
      'ɹˈɛdɪŋ',
      all(named, any(before('in to from near at of'), after('festival berkshire england railroad station fc'))),
    ],
  ],
  lima: ['lˈimə', ['lˈImə', after('bean beans')]],
  sake: [
    'sˈAk',
    ['sˈɑki', any(has('rice sushi drink drank japanese bottle bottles cup cups warm brewery'), after('bar bottle'))],
  ],
  mobile: [
    'mˈObᵊl',
    [
      'mObˈil',
      all(
        named,
        any(
          after('alabama bay'),
          all(before('in to from near at of'), not(after('phone phones app apps devices world gaming banking games'))),
        ),
      ),
    ],
  ],
  row: [
    'ɹˈO',
    [
      'ɹˈW',
      any(
        all(
          before('a the bitter diplomatic public political terrible huge furious blazing family big angry'),
          after('over about with between'),
        ),
        all(before('a'), has('had having have neighbours neighbors quarrel'), not(after('of in')), not(before('in'))),
      ),
    ],
  ],
  rows: ['ɹˈOz'],
  sow: ['sˈO', ['sˈW', all(before('a the old her'), not(verb))]],
  does: ['dˈʌz', ['dˈOz', all(before('the and two three few some'), has('deer buck bucks stag stags fawn fawns'))]],
  deserts: ['dˈɛzəɹts', ['dəzˈɜɹts', any(before('just'), is('Z', 'SZ'))]],
  august: ['ˈɔɡəst', ['ɔɡˈʌst', ({ written }) => written === 'august']],
  content: [
    'kˈɑntɛnt',
    [
      'kəntˈɛnt',
      any(
        all(before('a very'), after('man woman person child people smile look sigh life')),
        all(
          before(
            'is was are were feel feels felt am quite perfectly be seem seems seemed not more very so fully being',
          ),
          not(after('of')),
        ),
        all(before('and'), has('calm happy felt feel feels quiet'), not(after('of'))),
      ),
    ],
  ],
  invalid: [
    'ɪnvˈæləd',
    [
      'ˈɪnvələd',
      any(
        after('mother father wife husband sister brother son daughter child aunt uncle soldier soldiers'),
        all(before('an the as'), is('N', 'NA'), not(beforeNoun)),
      ),
    ],
  ],
};

const RECORD_OF = after('high highs low lows level levels number numbers profit profits sales heat temperatures time');

/** "Due to conflict": a noun follows this "to". */
const takesNoun: Rule = ({ words, index }) =>
  /^(?:due|according|subject|thanks|prior|access|addition|contributed|exposed|exposure|opposed|objection|limited|similar)$/.test(
    words[index - 2] ?? '',
  );

/** Beside these nothing has to be weighed. */
const BEFORE_NOUN = new Set('the a an my your his its our their every each another of'.split(' '));
const BEFORE_VERB = new Set(
  "will would can could should must cannot can't won't wouldn't couldn't shouldn't".split(' '),
);

/** "He objects", "three objects": the pair of stresses with an -s behind it. */
function withEnding(place: WordPlace, word: string): string | null {
  const pair = word.endsWith('s') ? stressPair(word.slice(0, -1)) : undefined;
  if (!pair) return null;
  const said = place.tagAmong('SZ') === 'Z' ? pair.verb : pair.noun;
  return said + possessive(said);
}

/** The American phonemes of a homograph in its context, or null if the word is none. */
export function homograph(place: WordPlace): string | null {
  const word = place.words[place.index]!;
  if (Object.hasOwn(FORMS, word)) {
    const [fallback, ...others] = FORMS[word]!;
    return others.find(([, when]) => when(place))?.[0] ?? fallback;
  }
  const pair = stressPair(word);
  if (!pair) return withEnding(place, word);
  if (place.beside(-1) === 'to' && (takesNoun(place) || (word === 'record' && RECORD_OF(place)))) return pair.noun;
  const left = place.beside(-1);
  if (BEFORE_NOUN.has(left)) return pair.noun;
  if (BEFORE_VERB.has(left)) return pair.verb;
  return VERBS.includes(place.tag) ? pair.verb : pair.noun;
}

/** All words that are told apart here. @public for scripts/tagger. */
export const homographs = (): string[] => [...Object.keys(FORMS), ...stressWords()].sort();

let asked: ReadonlySet<string> | undefined;

/** Whether a word in small letters is told apart here, with an -s behind it or without. */
export function isHomograph(word: string): boolean {
  asked ??= new Set([...homographs(), ...stressWords().map((each) => `${each}s`)]);
  return asked.has(word);
}
