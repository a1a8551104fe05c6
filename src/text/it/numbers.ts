/**
 * Italian numbers in words: written as one word, with an accent on a final "tre", ordinals,
 * fractions.
 */
import { type Gender, list, type Standing } from '../romance/wording.js';

const SMALL =
  list(`zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici
  diciassette diciotto diciannove`);
const TENS = list('_ _ venti trenta quaranta cinquanta sessanta settanta ottanta novanta');

/** "ventuno", "ventotto": tens lose their vowel before another. */
function belowHundred(value: number): string {
  if (value < 20) return SMALL[value]!;
  const unit = value % 10;
  const tens = TENS[Math.floor(value / 10)]!;
  if (unit === 0) return tens;
  return (unit === 1 || unit === 8 ? tens.slice(0, -1) : tens) + SMALL[unit];
}

function belowThousand(value: number): string {
  const hundreds = Math.floor(value / 100);
  const rest = value % 100;
  if (hundreds === 0) return belowHundred(rest);
  const head = `${hundreds === 1 ? '' : SMALL[hundreds]}cento`;
  if (rest === 0) return head;
  // "centotto", "centottanta", but "centouno".
  return (/^ott/.test(belowHundred(rest)) ? head.slice(0, -1) : head) + belowHundred(rest);
}

function belowMillion(value: number): string {
  const thousands = Math.floor(value / 1000);
  const rest = value % 1000;
  if (thousands === 0) return belowThousand(rest);
  const head = thousands === 1 ? 'mille' : `${belowThousand(thousands)}mila`;
  return rest === 0 ? head : head + belowThousand(rest);
}

const accented = (word: string): string => (/.tre$/.test(word) ? word.replace(/tre$/, 'tré') : word);

const LARGE: readonly (readonly [bigint, string, string])[] = [
  [1_000_000_000_000n, 'mille miliardi', 'mila miliardi'],
  [1_000_000_000n, 'un miliardo', 'miliardi'],
  [1_000_000n, 'un milione', 'milioni'],
];

export function cardinal(value: bigint, standing: Standing, next = ''): string {
  if (value === 1n && standing !== 'alone') {
    if (standing === 'f') return 'una';
    return /^(?:s[^aeiouàèéìòùh]|z|gn|ps|pn|x|y)/.test(next.toLowerCase()) ? 'uno' : 'un';
  }
  const parts: string[] = [];
  let rest = value;
  for (const [size, one, many] of LARGE) {
    const count = rest / size;
    rest %= size;
    if (count === 0n) continue;
    const words = belowMillion(Number(count));
    parts.push(count === 1n ? one : many.startsWith('mila') ? words + many : `${accented(words)} ${many}`);
  }
  if (rest > 0n || parts.length === 0) parts.push(accented(belowMillion(Number(rest))));
  return parts.join(' ');
}

const ORDINALS = list('_ primo secondo terzo quarto quinto sesto settimo ottavo nono decimo');

export function ordinal(value: number, gender: Gender): string | undefined {
  if (value < 1 || value > 999) return undefined;
  const word =
    value < 11
      ? ORDINALS[value]!
      : `${belowThousand(value).replace(/(?<!tr)[eoia]$/, (vowel) => (/(?:tre|sei)$/.test(belowThousand(value)) ? vowel : ''))}esimo`;
  return gender === 'f' ? word.replace(/o$/, 'a') : word;
}

export function fraction(over: number, under: number): string {
  const count = cardinal(BigInt(over), 'm');
  if (under === 2) return `${count} ${over === 1 ? 'mezzo' : 'mezzi'}`;
  if (under < 2 || under > 20) return `${cardinal(BigInt(over), 'alone')} su ${cardinal(BigInt(under), 'alone')}`;
  const part = ordinal(under, 'm')!;
  return `${count} ${over === 1 ? part : part.replace(/o$/, 'i')}`;
}

const NO_NOUN = new Set(
  list(`di del della dei e o a al in con per che si è sono fu non se come più meno tra fra da dal su ma né mila milione milioni
    miliardo miliardi ha hanno era erano ogni già molto anche solo gennaio febbraio marzo aprile maggio giugno luglio agosto
    settembre ottobre novembre dicembre alla alle allo ai agli nel nella`),
);
const FEMININE = new Set(
  list('mano foto moto auto radio notte parte classe legge chiave nave gente arte fonte mente sete fede'),
);

export function genderOf(noun: string): Gender | undefined {
  if (NO_NOUN.has(noun) || noun.length < 3) return undefined;
  return FEMININE.has(noun) || /(?:a|zione|sione|tà|tù)$/.test(noun) ? 'f' : 'm';
}
