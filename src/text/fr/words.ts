/** Words: ordinary ones are copied; capitals are acronyms, said as words or by their letters. */
import type { Rule } from '../normalize/rule.js';
import { isDigit, type Scan } from '../normalize/scan.js';

/** Acronyms that are said as words. */
const SPOKEN = new Set(
  `ONU OTAN UNESCO UNICEF SIDA OVNI SMIC NASA INSEE ENA FIFA UEFA PACS SAMU CAF OPEP ALENA COVID LASER RADAR SONAR ROM RAM PIN
   NATO ASSEDIC ANPE BAFA CAPES SACEM FNAC INSERM ENSAM UNEF MEDEF MODEM CEDEX HADOPI INA IRA ISF BREXIT OLAF FEDER ERASMUS
   IKEA RAID GIGN FAO CERN AFNOR CNIL VIH RIB ZEP ZAC LED LIDL SPA CROUS DROM TOM DOM INRA ADEME`.split(/\s+/),
);
/** These look like words, and are spelled. */
const SPELLED = new Set(
  'UE USA EDF BD BCE VTT PME ADN ARN RER SMS PSG OM OMS FMI PIB TVA HLM CDI CDD TGV RATP CIA FBI VIH GIGN CNIL RTL AOC IGN IVG PMA ETI OGM URSS UMP RIB'.split(
    ' ',
  ),
);
/** Short French words that are written large for emphasis. */
const LOUD_WORDS = new Set(
  'LE LA LES UN UNE DES DU DE ET OU OÙ NE PAS NON OUI SI EN AU AUX CE CES SA SES MON TON SON MES TES ON IL ELLE NOUS VOUS JE TU SE QUE QUI TOUT TOUS TRÈS PLUS SUR SANS AVEC POUR PAR DANS EST SONT À A STOP ICI MAIS BON VIE FIN'.split(
    ' ',
  ),
);
const WORDS = /\p{L}{2,}/gu;

/** Whether a text is written in capitals throughout: most of its words, a little one among them. */
export function isShouted(text: string): boolean {
  if (!/\p{Lu}{2}/u.test(text)) return false;
  const all = text.match(WORDS) ?? [];
  const loud = all.filter((each) => each === each.toUpperCase());
  return loud.length > 1 && loud.length >= 0.6 * all.length && loud.some((each) => LOUD_WORDS.has(each));
}

const ELIDED = /^(?:[ldjmtsnc]|qu|jusqu|lorsqu|puisqu|quelqu|presqu)'(?=\p{L})/iu;
const CAPITALS = /^\p{Lu}{2,}(?:'\p{Lu}+)?$/u;
const VOWEL = /[AEIOUYÀÂÉÈÊËÎÏÔÙÛÜ]/;

const isPronounceable = (word: string): boolean =>
  word.length > 4 && VOWEL.test(word) && !/[^AEIOUYÀÂÉÈÊËÎÏÔÙÛÜ]{4}/.test(word);

/** Letters by their names stand as single capitals with a space between. */
export const spell = (word: string): string => [...word].join(' ').toUpperCase();

/** How a word in capitals is said. */
function capitals(word: string, shouting: boolean): string {
  if (SPOKEN.has(word) && !SPELLED.has(word)) return word.toLowerCase();
  if (SPELLED.has(word)) return spell(word);
  if (LOUD_WORDS.has(word) || isPronounceable(word)) return word.toLowerCase();
  if (word.includes("'") || (shouting && VOWEL.test(word))) return word.toLowerCase();
  return spell(word);
}

function word(scan: Scan, at: number): number {
  const { text, out } = scan;
  const written = scan.wordAt(at);
  const end = at + written.length;
  const last = text.charCodeAt(end - 1);
  if (written.length > 1 && (last < 97 || (last > 0xbf && last < 0xdf))) {
    const prefix = ELIDED.exec(written)?.[0] ?? '';
    const body = written.slice(prefix.length);
    if (CAPITALS.test(body) && body.length < 40) {
      const said = capitals(body, scan.shouting);
      if (prefix !== '') out.copy(prefix, at);
      if (prefix === '') out.say(said, at, end);
      else out.put(said, at + prefix.length, end);
      scan.remember(written);
      return end;
    }
  }
  // "le 16e A", "x²", "A380": a letter by itself is said by its name where a capital shows it.
  if (written.length === 1 && isDigit(text.charCodeAt(at - 1))) out.say(spell(written), at, end);
  else if (isVariable(scan, written, at, end)) out.say(written === 'x' ? written : spell(written), at, end);
  else out.copy(written, at);
  scan.remember(written.slice(0, 40));
  return end;
}

/** A small letter beside a sign of a comparison: "x < 5", "a ≤ b". */
function isVariable({ text }: Scan, written: string, at: number, end: number): boolean {
  if (written.length !== 1 || written === written.toUpperCase()) return false;
  return /^ ?[<>=≤≥≠²³]/.test(text.slice(end, end + 2)) || /[<>=≤≥≠] ?$/.test(text.slice(Math.max(0, at - 2), at));
}

export const wordRule: Rule = {
  name: 'word',
  begins: { words: 'any word', inside: true },
  apply: word,
};
