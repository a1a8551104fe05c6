/** Units behind a number, and whether the measure describes a noun. */
import { isLetter, type Scan } from '../../normalize/scan.js';
import { matchAt } from '../../normalize/sticky.js';
import { mayFollow, unit } from './units.js';

const TAIL_UNIT =
  /([ -]?)(sq\.? ?(?:ft|mi|m|in|yd)|cu\.? ?(?:ft|in|yd)|fl\.? ?oz|[A-Za-zµΩ°]{1,6}[²³]?(?:\^[23])?(?:[·/][A-Za-zµΩ]{1,7}[²³]?(?:\^[23])?)?)(?![A-Za-z0-9µ'])/y;
const DEGREES = /( ?)(° ?[CF]?)(?![A-Za-z0-9])/y;

/** The character behind `at`, over one space. */
export const behind = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  return code === 32 ? text.charCodeAt(at + 1) : code;
};

/** "a $5 bill", "a 10 km run": in front of a noun the measure stands in the singular. */
export function isModifier(scan: Scan, end: number): boolean {
  if (scan.text[end] === '-') return isLetterAt(scan, end + 1);
  if (!/^(?:an?|every|each|one|per)$/i.test(scan.previous)) return isAttached(scan, end);
  const next = scan.text[end] === ' ' ? scan.nextWord(end) : '';
  return (
    next !== '' &&
    !/^(?:and|or|to|in|on|for|per|a|an|at|from|off|by|with|of|is|was|if|when|as|than|each|every|more|less|now|today|each|until|but)$/i.test(
      next,
    )
  );
}

const DETERMINER =
  /^(?:the|this|that|these|those|my|our|your|his|her|its|their|two|three|four|five|six|several|some|new|old|any|no|another|single|standard|both)$/i;
const NO_NOUN =
  /^(?:and|or|to|in|on|for|per|a|an|at|from|off|by|with|of|is|was|were|are|be|has|had|have|if|when|as|than|each|every|more|less|now|today|until|but|that|which|who|where|between|around|before|after|over|under|above|below|along|across|through|into|onto|without|within|ahead|away|apart|long|wide|tall|high|deep|thick|late|early|ago|later|needed|required|available|used|left|it|he|she|they|we|you|i|so|because|while|then|there|here|not|only|remaining|worth|total|respectively)$/i;

/** "the 60W bulb": behind a determiner what is written without a space describes the noun. */
function isAttached(scan: Scan, end: number): boolean {
  const { text } = scan;
  if (text[end] !== ' ' || !DETERMINER.test(scan.previous)) return false;
  if (!/\d[A-Za-zµΩ]{1,4}$/.test(text.slice(Math.max(0, end - 6), end))) return false;
  const next = scan.nextWord(end);
  return /^[a-z]{2,}$/.test(next) && !NO_NOUN.test(next);
}

const isLetterAt = (scan: Scan, at: number): boolean => /[A-Za-z]/.test(scan.text.charAt(at));

/** The unit behind a number that ends at `end`. */
export function measure(scan: Scan, end: number, one: boolean): { words: string; end: number } | undefined {
  const { text } = scan;
  if (text[end] === '"') {
    const noun = /^ [a-z]/.test(text.slice(end + 1, end + 3));
    return scan.quoted ? undefined : { words: one || noun ? 'inch' : 'inches', end: end + 1 };
  }
  const visible = behind(text, end);
  const degrees = visible === 0xb0 /* ° */ ? matchAt(DEGREES, text, end) : null;
  if (degrees) {
    const name = unit(degrees[2]!.replace(' ', ''))!;
    const single = one || (degrees[2] === '°' && isModifier(scan, end + degrees[0].length));
    return { words: single ? name.one : name.many, end: end + degrees[0].length };
  }
  const first = text.charCodeAt(end) === 45 /* - */ ? text.charCodeAt(end + 1) : visible;
  // A degree is another unit only with a letter behind it.
  const possible =
    visible === 0xb0 ? isLetter(text.charCodeAt(end + (text[end] === ' ' ? 2 : 1))) : isLetter(first) || first > 0xaf;
  const match = possible ? matchAt(TAIL_UNIT, text, end) : null;
  if (!match) return undefined;
  const [whole, gap, written] = match as unknown as [string, string, string];
  const sign = 'scf'.includes(written[0]!) ? written.replace(/^(sq|cu|fl)\.? ?(?=[a-z])/, '$1') : written;
  let name = unit(
    known(scan, sign, end + whole.length) ??
      (sign === 'pt' && gap !== '-' && !isType(scan, end + whole.length) ? 'pint' : sign),
  );
  let stop = end + whole.length;
  if (!name && sign.includes('/')) {
    const short = sign.slice(0, sign.indexOf('/'));
    name = unit(short);
    stop = end + gap.length + short.length;
  }
  if (!name) return undefined;
  if (sign === 'A' && !isCurrent(scan, stop, gap)) return undefined;
  if (!mayFollow(sign, gap !== '') && !(sign === 'in' && isInch(scan, stop, gap))) return undefined;
  const described = (sign === 'pt' && isType(scan, stop)) || (sign === 'A' && FUSED.test(scan.nextWord(stop)));
  const single = gap === '-' || one || described || isRace(scan, sign, stop) || isModifier(scan, stop);
  // The dot of "5 ft." is the abbreviation's, unless the sentence ends with it.
  if (
    text[stop] === '.' &&
    /^(?:in|ft|st|lb|lbs|oz|yd|yds|mi|gal|gals|qt|qts|pt|pts|tsp|tbsp|sec|secs|min|mins|hr|hrs|yr|yrs|mo|mos|wk|wks|sq|cu)$/.test(
      sign.slice(-4),
    ) &&
    !scan.endsAt(stop + 1) &&
    !/^ (?:[A-Z]|\d{1,3}[.)] )/.test(text.slice(stop + 1, stop + 7))
  )
    stop += 1;
  return { words: single ? name.one : name.many, end: stop };
}

const LENT =
  /\b(?:rates?|yields?|spreads?|margins?|fed|ecb|boe|bonds?|gilts?|treasur\w*|mortgages?|inflation|coupon|hikes?|cuts?|raised?|lowered|widened|tightened|basis|loans?|credit|bank|central)\b/i;
const SENT =
  /\b(?:modem|serial|baud|link|streams?|downloads?|uploads?|network|connection|bandwidth|bitrate|data|channel|transmit\w*|port|signal|codec|audio|line)\b/i;
const DRUNK =
  /^\.? (?:of )?(?:milk|cream|water|beer|ale|lager|cider|blood|ice|juice|oil|stock|broth|buttermilk|stout|wine|paint|bitter|fluid|strawberries|blueberries)\b/;
/** Characters around a number that tell what its unit is. */
const AROUND = 80;

/** Signs that are two units: "bps" of a rate of interest or of a line, "pts." scored or drunk. */
function known(scan: Scan, sign: string, end: number): string | undefined {
  const { text } = scan;
  if (sign === 'pts') return DRUNK.test(text.slice(end, end + 24)) ? 'pint' : undefined;
  if (sign === 'pc') return /^-? ?(?:set|suit|puzzle|bundle|kit)\b/.test(text.slice(end, end + 9)) ? 'pcs' : undefined;
  if (sign !== 'bps') return undefined;
  const around = text.slice(Math.max(0, end - AROUND), end + AROUND);
  if (SENT.test(around)) return undefined;
  const digits = /(\d+)[ -]?bps$/.exec(text.slice(Math.max(0, end - 12), end))?.[1] ?? '';
  return LENT.test(around) || Number(digits) < 250 ? 'bp' : undefined;
}

/** "the 4x100m relay" */
const isRace = (scan: Scan, sign: string, stop: number): boolean =>
  sign === 'm' &&
  scan.text[stop] === ' ' &&
  /^(?:relay|relays|medley|freestyle|butterfly|backstroke|breaststroke|dash|sprint)$/.test(scan.nextWord(stop));

const FUSED = /^(?:fuse|fuses|current|circuit|breaker|charger|supply|socket|plug)$/;

/** "5 A" is a current only beside what has one. */
const isCurrent = (scan: Scan, stop: number, gap: string): boolean =>
  gap !== '-' &&
  /^(?:[.,;)]|$| (?:fuse|fuses|of|at|current|circuit|breaker|charger|max|supply|and|per|each|socket|plug)\b)/.test(
    scan.text.slice(stop, stop + 12),
  ) &&
  /^(?:a|an|at|of|draws|drew|up|to|than|about|carries|rated|needs|supplies|with|is|was|the|)$/i.test(scan.previous);

/** Letters are so many points high; milk comes in pints. */
const isType = (scan: Scan, end: number): boolean =>
  /^(?:font|fonts|type|size|text|bold|lettering|Times|Arial|Helvetica|margin|lead|rise|drop)$/.test(scan.nextWord(end));

/** "5 in" is a length only where the context leaves nothing else. */
function isInch(scan: Scan, stop: number, gap: string): boolean {
  // "1-in-560" is a chance.
  if (gap === '-') return scan.text[stop] !== '-';
  return /^(?:\.(?! ?[A-Z])|\)|,| ?[x×]|$| (?:wide|tall|long|high|deep|thick|by|diameter))/.test(
    scan.text.slice(stop, stop + 12),
  );
}
