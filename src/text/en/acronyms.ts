/** Words in capitals: said as words, or letter by letter. */
import type { Scan } from '../normalize/scan.js';
import { isInterjection } from './pronunciation/interjections.js';

/** Said as words, though the pattern of their letters or their length would not tell. */
const WORDS = new Set(
  (
    'MAC DAX VIX CAC STOXX IBEX LIBOR EURIBOR CONCACAF CONMEBOL WADA BRICS ECOWAS UNCTAD IATA NASA NATO OPEC FEMA FIFA UEFA CERN DARPA UNESCO UNICEF OSHA NAFTA ASEAN NASDAQ NASCAR COVID SARS AIDS RAM ROM LAN PIN SIM GIF ' +
    'JPEG JSON YAML TOML AJAX CRUD REST SOAP CORS DOS RAID CUDA LIDAR SONAR RADAR LASER SCUBA POTUS SCOTUS YOLO FOMO IKEA LEGO ' +
    'UNIX LINUX MIDI CAPTCHA TED STEM SWAT SWOT LAMP ZIP DRAM SRAM BERT BIOS VIM NAND NOR GET PUT POST HEAD PATCH DELETE GNU ' +
    'BASIC COBOL LISP ACID MOMA PETA DARE BOGO LASIK NIMBY EBITDA HAL MERS WASM SPAM SELECT FROM WHERE JOIN DROP TABLE TODO ' +
    'NULL TRUE FALSE NOTE WARNING INFO DEBUG ERROR FATAL README LICENSE NAS RAG LORA SOTA AWOL LOL ROFL GUID'
  ).split(' '),
);

/** Said letter by letter, though they look like words. */
const LETTERS = new Set(
  (
    'AARP ADHD ACLU UCLA IEEE USDA AAA ASAP USAF ROTC NAACP UAE USSR OECD ETF ASL AKA IOU ISO IOS ISA IDE IPO ICU UFO USA ' +
    'ERP EPA EDM EOD ETA ESL FAQ FYI SEC SEO CEO CFO CTO COO CIO CMO HIV SAT LSAT MIT URI UPI UDP CIA CIO ' +
    'VAT AOL ALU ALS AES RSA DSA CAD COD DIY DOA DUI DOB EKG FAA FDA GOP HOA IRA IRS OED POS POW PSA RIP SUV TBA TBD UPC UPS ' +
    'USB UTC VAC VOA YMCA YWCA FBI NBA NFL NHL NBC CBS ABC BBC CNN ESPN IMF IRC ECB ICC ICJ IAEA OSCE OPCW UNHCR UNSC  WIP API APR ATM AUX DAO DAW EEG EU UK UN AI AR VR UI UX ID IP IT OS PC QA PR HR TV CD AM PM AC DC'
  ).split(' '),
);

/** Short words that stand for themselves when somebody writes them large. */
const SHORT_WORDS = new Set(
  (
    'A I AN AS AT AH AW AX BE BY DO EH GO HA HE HI HM HO IF IN IS LO ME MY NO OF OH OK ON OR OX PI SO TO UH UM UP US WE YA YO ' +
    'ACE ADD AGE AGO AIM AIR ALL AND ANT ANY APE ARE ARK ARM ART ASH ASK ATE AWE AXE BAD BAG BAN BAR BAT BAY BED BEE BEG BET BIB BID BIG BIN BIT ' +
    'BOB BOG BOO BOW BOX BOY BRA BUD BUG BUN BUS BUT BUY BYE CAB CAN CAP CAR CAT COW CRY CUB CUE CUP CUT DAB DAD DAM DAY DEW DID DIE DIG DIM DIP ' +
    'DOE DOG DOT DRY DUE DUG DYE EAR EAT EBB EEL EGG EGO ELF ELK ELM END ERA EVE EYE FAN FAR FAT FED FEE FEW FIG FIN FIT FIX FLU FLY FOE FOG FOR ' +
    'FOX FRY FUN FUR GAP GAS GEL GEM GET GOD GOT GUM GUN GUT GUY GYM HAD HAM HAS HAT HAY HEN HER HEY HID HIM HIP HIS HIT HOG HOP HOT HOW HUB HUG ' +
    'HUT ICE ICY ILL INK INN ITS IVY JAB JAM JAR JAW JET JOB JOG JOY JUG KEY KID KIN KIT LAB LAD LAG LAP LAW LAY LEG LET LID LIE LIP LIT LOG LOT ' +
    'LOW MAD MAN MAP MAT MAY MEN MET MID MIX MOB MOM MOP MUD MUG NAP NET NEW NIL NOD NOR NOT NOW NUN NUT OAK OAR ODD OFF OIL OLD ONE OUR OUT OWE ' +
    'OWL OWN PAD PAL PAN PAW PAY PEA PEN PET PIE PIG PIT PLY POD POP POT PRO PUB PUT RAG RAN RAT RAW RAY RED RIB RID RIG RIM ROB ROD ROT ROW RUB ' +
    'RUG RUM RUN RUT SAD SAG SAW SAY SEA SEE SET SEW SEX SHE SHY SIN SIP SIR SIT SIX SKI SKY SLY SOB SON SOW SPA SPY SUM SUN TAB TAG TAN TAP TAR ' +
    'TAX TEA TEN THE TIE TIN TIP TOE TON TOO TOP TOW TOY TRY TUB TUG TWO USE VAN VET VIA VOW WAR WAS WAX WAY WEB WED WET WHO WHY WIG WIN WIT WOE ' +
    'MAX WON WOW YAM YEN YES YET YOU ZAP ZEN ZOO FREE AUNT EASY EYES IDEA IDEAS IRAQ IRAN OWED USED AREA ALSO ABLE UPON EACH EARN EAST ECHO EDGE EDIT ' +
    'BIZ BRO DOC EMU FEZ GAY GIN ION JEW KEG MIC OAT ORE PEG PUS RYE WRY YAK YEAH RHYTHM SUBTLE ASTHMA JOHNNY NYMPH LYMPH'
  ).split(' '),
);

/** Nouns that a country stands before; behind "US" they tell it from the pronoun. */
const NATIONAL =
  /^(?:ARMY|NAVY|AIR|SENATE|CONGRESS|HOUSE|PRESIDENT|GOVERNMENT|DOLLAR|DOLLARS|ECONOMY|TROOPS|FORCES|CITIZEN|CITIZENS|STATE|STATES|OFFICIALS|ELECTION|ELECTIONS|TRADE|SUPREME|MILITARY|STOCKS|EMBASSY|AND|VS|TREASURY|FED|MARINES|OPEN|TEAM)$/i;

const ONSET =
  'b|bl|br|c|ch|chr|cl|cr|d|dr|dw|f|fl|fr|g|gh|gl|gn|gr|h|j|k|kh|kl|kn|kr|l|m|n|p|ph|phr|pl|pr|ps|qu|r|rh|s|sc|sch|scr|sh|shr|sk|sl|sm|sn|sp|sph|spl|spr|squ|st|str|sw|t|th|thr|tr|tw|v|w|wh|wr|x|y|z';
const CODA =
  'b|bs|bt|bts|c|ch|cht|chts|ck|cks|cs|ct|cts|d|dd|dge|ds|dst|dth|f|ff|ffs|ft|fth|fts|g|gg|gh|ghs|ghth|ght|ghts|gn|gns|gs|k|ks|l|lb|lch|ld|lds|lf|lk|lks|ll|lls|lm|lms|lp|lps|ls|lsh|lph|lt|lth|lts|lves|m|mb|mbs|mn|mp|mps|mpt|ms|mth|n|nc|nch|nd|nds|ng|ngs|ngth|nk|nks|nn|ns|nx|nt|nth|nths|nts|p|ps|pt|pth|pts|r|rb|rbs|rc|rch|rd|rds|rf|rg|rk|rks|rl|rld|rlds|rls|rm|rms|rmth|rn|rns|rnt|rp|rps|rr|rs|rsh|rst|rt|rth|rths|rts|rtz|rve|s|sh|sk|sks|sm|sms|sp|sps|ss|st|sts|t|tch|th|ths|ts|tt|v|w|wd|wk|wl|wls|wn|wns|ws|wth|x|xt|xth|y|ys|z|zz';
const VOWELS = '[aeiouy]{1,3}';
const SYLLABLES = new RegExp(
  `^(?:${ONSET})?${VOWELS}(?:(?:${CODA})?(?:${ONSET})${VOWELS}|[bcdfgklmnprstvz]e)?(?:${CODA})?e?s?$`,
  'i',
);

/** Whether an English reader would say the word rather than spell it. */
export function isPronounceable(word: string): boolean {
  if (word.length > 12) return /[aeiouy]/i.test(word);
  if (word.length > 6) return /[aeiouy]/i.test(word) && !/[^aeiouy]{5}/i.test(word);
  return (
    SYLLABLES.test(word) ||
    (word.length > 4 && /[aeiou]/i.test(word) && !/[^aeiouy]{3}|^[^aeiouy]{2}[^aeiouylr]/i.test(word))
  );
}

/** Whether a word in capitals is spelled out. */
function isSpelled(word: string, scan?: Scan, next = ''): boolean {
  if (WORDS.has(word)) return false;
  if (scan?.shouting) return isSpelledAmongCapitals(word, scan, next);
  if (word === 'WHO') return /^(?:the|sources?|via)$/i.test(scan?.previous ?? '') || HEALTH.test(next);
  if (word === 'US' || word === 'IT') {
    const loud = (neighbour: string) => /^[A-Z]{2,}$/.test(neighbour) && !LETTERS.has(neighbour);
    return !(loud(scan?.previous ?? '') || loud(next));
  }
  if (LETTERS.has(word)) return true;
  if (SHORT_WORDS.has(word)) return false;
  return word.length < 4 || !isPronounceable(word);
}

/** What the World Health Organization does and has. */
const HEALTH = /^(?:warns|warned|estimates|declared|recommends|guidelines|data|chief|officials|director)$/;

/** In a line of capitals only what cannot be a word, or is one only by chance, is spelled. */
function isSpelledAmongCapitals(word: string, scan: Scan, next: string): boolean {
  if (!/[AEIOUY]/.test(word)) return true;
  if (word === 'US') return /^(?:|THE)$/.test(scan.previous) || NATIONAL.test(next);
  if (SHORT_WORDS.has(word)) return false;
  if (LETTERS.has(word)) return !AMBIGUOUS.has(word);
  return word.length < 6 && !isPronounceable(word);
}

/** Said by letters elsewhere, but words in a line of capitals. */
const AMBIGUOUS = new Set('IT AM ID SAT RIP COD POW POS AUX'.split(' '));

/** "H T M L". Alone, the letter A needs another spelling, for as a word it is the article. */
export function spell(letters: string): string {
  const upper = letters.toUpperCase();
  if (upper.length === 1) return upper === 'A' ? 'eigh' : upper;
  if (upper.length === 2 && upper.charCodeAt(0) < 0xd800) return `${upper[0]} ${upper[1]}`;
  return [...upper].join(' ');
}

const CAPITAL_WORD = /^([A-Z]+)(?:(s)|('s|'S)|('))?$/;

/**
 * A word written in capitals, with its plural or possessive: what to say, or undefined where it is
 * an ordinary word that may be copied.
 */
export function capitals(word: string, scan?: Scan, next = ''): string | undefined {
  const match = CAPITAL_WORD.exec(word);
  if (!match || match[1]!.length < 2) return undefined;
  const [, stem, many, possessive] = match;
  if (many && stem!.length < 2) return undefined;
  const spelled = isSpelled(stem!, scan, next) && !(stem!.length > 2 && isInterjection(stem!));
  // A capital followed by small letters is a name: "Bs" is not, "As" may begin a sentence.
  if (many && stem!.length === 1) return undefined;
  if (spelled) return `${spell(stem!)}${many || possessive ? "'s" : ''}`;
  const small = stem!.toLowerCase();
  if (possessive) return `${small}'s`;
  if (many) return `${small}s`;
  // In capitals espeak would spell some of them after all, by what stands around them.
  return small;
}
