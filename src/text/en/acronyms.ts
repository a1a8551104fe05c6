/** Words in capitals: said as words, or letter by letter. */
import type { Scan } from '../normalize/scan.js';

/** Said as words, though the pattern of their letters or their length would not tell. */
const WORDS = new Set(
  (
    'NASA NATO OPEC FEMA FIFA UEFA CERN DARPA UNESCO UNICEF OSHA NAFTA ASEAN NASDAQ NASCAR COVID SARS AIDS RAM ROM LAN PIN SIM GIF ' +
    'JPEG JSON YAML TOML AJAX CRUD REST SOAP CORS DOS RAID CUDA LIDAR SONAR RADAR LASER SCUBA POTUS SCOTUS YOLO FOMO IKEA LEGO ' +
    'UNIX LINUX MIDI CAPTCHA TED STEM SWAT SWOT LAMP ZIP DRAM SRAM BERT BIOS VIM NAND NOR GET PUT POST HEAD PATCH DELETE GNU ' +
    'BASIC COBOL LISP ACID MOMA PETA DARE BOGO LASIK NIMBY EBITDA HAL MERS WASM SPAM SELECT FROM WHERE JOIN DROP TABLE TODO ' +
    'NULL TRUE FALSE NOTE WARNING INFO DEBUG ERROR FATAL README LICENSE VAT NAS RAG LORA SOTA AWOL LOL ROFL GUID'
  ).split(' '),
);

/** Said letter by letter, though they look like words. */
const LETTERS = new Set(
  (
    'AARP ADHD ACLU UCLA IEEE USDA AAA ASAP USAF ROTC NAACP UAE USSR OECD ETF ASL AKA IOU ISO IOS ISA IDE IPO ICU UFO USA ' +
    'ERP EPA EDM EOD ETA ESL FAQ FYI SEC SEO CEO CFO CTO COO CIO CMO HIV SAT LSAT MIT URI UPI UDP CIA CIO ' +
    'AOL ALU ALS AES RSA DSA CAD COD DIY DOA DUI DOB EKG FAA FDA GOP HOA IRA IRS OED POS POW PSA RIP SUV TBA TBD UPC UPS ' +
    'USB UTC VAC VOA WIP API APR ATM AUX DAO DAW EEG EU UK UN AI AR VR UI UX ID IP IT OS PC QA PR HR TV CD AM PM AC DC'
  ).split(' '),
);

/** Short words that stand for themselves when somebody writes them large. */
const SHORT_WORDS = new Set(
  (
    'A I AN AND ANY ARE AS AT BE BUT BY CAN DID DO FAR FEW FOR GO GOT HAD HAS HE HER HEY HI HIM HIS HOW IF IN IS ITS LET MAY ME MY NEW NO ' +
    'NOT NOW OF OFF OH OK ON ONE OR OUR OUT OWN PUT RUN SAY SEE SHE SO TEN THE TO TOO TOP TRY TWO UP USE WAS WAY WE WHO WHY WON YES YET ' +
    'YOU ALL AGO BAD BIG BIT BOX BOY CAR CUT DAD DAY END EAT FUN GUY HIT HOT JOB KEY KID LOT LOW MAN MEN MOM NET OLD PAY RED SET SIT SIX ' +
    'SUN TEA WAR WET WIN BYE WOW LOL FREE ADD ASK BUY DUE DRY DOG CAT GAS ICE LAW MAP MIX ODD OIL PEN RAW SAD SEA SKY SON TAX TIP TOY'
  ).split(' '),
);

const ONSET =
  'b|bl|br|c|ch|cl|cr|d|dr|f|fl|fr|g|gl|gr|h|j|k|kn|l|m|n|p|ph|pl|pr|qu|r|s|sc|sch|sh|sk|sl|sm|sn|sp|st|str|sw|t|th|tr|tw|v|w|wh|wr|y|z';
const CODA =
  'b|c|ch|ck|ct|d|f|ff|ft|g|gh|k|l|ld|lf|lk|ll|lm|lp|lt|m|mp|n|nd|ng|nk|ns|nt|p|pt|r|rd|rk|rl|rm|rn|rp|rs|rt|s|sh|sk|sp|ss|st|t|th|ts|tt|w|x|xt|y|z|zz';
const SYLLABLES = new RegExp(
  `^(?:${ONSET})?[aeiouy]{1,2}(?:(?:${CODA})?(?:${ONSET})[aeiouy]{1,2}|[bcdfgklmnprstvz]e)?(?:${CODA})?$`,
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
  if (scan?.shouting) return !/[AEIOUY]/.test(word) || (LETTERS.has(word) && word.length > 2 && !isPronounceable(word));
  if (word === 'WHO') return scan?.previous.toLowerCase() === 'the';
  if (word === 'US' || word === 'IT') {
    const loud = (neighbour: string) => /^[A-Z]{2,}$/.test(neighbour) && !LETTERS.has(neighbour);
    return !(loud(scan?.previous ?? '') || loud(next));
  }
  if (LETTERS.has(word)) return true;
  if (SHORT_WORDS.has(word)) return false;
  return word.length < 4 || !isPronounceable(word);
}

/** "H T M L". Alone, the letter A needs another spelling, for as a word it is the article. */
export function spell(letters: string): string {
  const upper = letters.toUpperCase();
  if (upper.length === 1) return upper === 'A' ? 'eigh' : upper;
  if (upper.length === 2 && upper.charCodeAt(0) < 0xd800) return `${upper[0]} ${upper[1]}`;
  return [...upper].join(' ');
}

const CAPITAL_WORD = /^([A-Z]+)(?:(s)|('s|'S)|('))?$/;

/**
 * A word written in capitals, with its plural or possessive: what to say, or undefined where it is an ordinary word
 * that may be copied.
 */
export function capitals(word: string, scan?: Scan, next = ''): string | undefined {
  const match = CAPITAL_WORD.exec(word);
  if (!match || match[1]!.length < 2) return undefined;
  const [, stem, many, possessive] = match;
  if (many && stem!.length < 2) return undefined;
  const spelled = isSpelled(stem!, scan, next);
  // A capital followed by small letters is a name: "Bs" is not, "As" may begin a sentence.
  if (many && stem!.length === 1) return undefined;
  if (spelled) return `${spell(stem!)}${many || possessive ? "'s" : ''}`;
  const small = stem!.toLowerCase();
  if (possessive) return `${small}'s`;
  if (many) return `${small}s`;
  // In capitals espeak would spell some of them after all, by what stands around them.
  return small;
}
