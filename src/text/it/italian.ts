/** Italian. */
import { romanceFrontEnd } from '../romance/romance.js';
import { type Wording, wordingOf } from '../romance/wording.js';
import { cardinal, fraction, genderOf, ordinal } from './numbers.js';
import { LETTERS, MONTHS, TABLES } from './words.js';

const alone = (value: number) => cardinal(BigInt(value), 'alone');
const day = (value: number) => (value === 1 ? 'primo' : alone(value));

/** "quindici e trenta", "una e quindici", "zero e trenta". */
function clock(hour: number, minute: number, second?: number): string {
  const hours = hour === 1 ? 'una' : alone(hour);
  if (second !== undefined) {
    const one = hour === 1 ? 'ora' : 'ore';
    return `${hours} ${one}, ${alone(minute)} minuti e ${alone(second)} secondi`;
  }
  return minute === 0 ? hours : `${hours} e ${alone(minute)}`;
}

/**
 * Rulers, centuries and chapters all take ordinals: "Luigi quattordicesimo", "ventunesimo secolo".
 */
function roman(value: number, before: string, after: string): string {
  const counted = after || before;
  const gender = genderOf(counted.toLowerCase()) === 'f' && !/^(?:Luca|Andrea|Nicola)$/.test(counted) ? 'f' : 'm';
  return ordinal(value, gender) ?? alone(value);
}

const NUMBER =
  /^(?:un[oa]?|due|tr[eé]|quattro|cinque|sei|sette|otto|nove|(?:[uo]n|do|tre|quattor|quin|se)dici|dic(?:iassette|iotto|iannove|i)|venti?|trenta?|(?:quar|cinqu|sess|sett|ott|nov)anta?|cento?|mille|mila|milione|milioni)+$/;

/**
 * Number words as espeak has to see them: it takes their s for one between vowels, and the last o
 * of "trentanove" for a closed one.
 */
const spelledNumber = (word: string): string =>
  NUMBER.test(word)
    ? word.replace(/(?<=[aeo])(?=se(?:tte|ttanta|ssanta|dici|icento))/g, '-').replace(/(?<=[ai])nove$/, 'nòve')
    : word;

const WORDING: Wording = {
  ...wordingOf(TABLES),
  code: 'it',
  cardinal,
  ordinal,
  shortOrdinal: (value) => ordinal(value, 'm'),
  genderOf,
  months: MONTHS,
  day,
  ofMonth: ' ',
  date: (value, month, year) => `${day(value)} ${MONTHS[month - 1]}${year === undefined ? '' : ` ${year}`}`,
  clock,
  fraction,
  roman,
  romanBefore:
    /^(?:secol[oi]|capitol[oi]|tomo|atto|libro|titolo|volume|parte|fase|tipo|grado|re|papa|Capitolo|Tomo|Atto|Libro|Titolo|Parte|canto|Canto)$/,
  romanBehind:
    /^(?:secolo|anniversario|edizione|congresso|Congresso|guerra|Guerra|Repubblica|Olimpiade|dinastia|Giornata|Festival|Concilio|Premio|legislatura|municipio)$/,
  large: /^(?:mila|milione|milioni|miliardo|miliardi)$/,
  letters: LETTERS,
  per: ([one, , gender]) => (/^[aeiou]/.test(one) ? `all'${one}` : `${gender === 'f' ? 'alla' : 'al'} ${one}`),
  pronounceable: /^(?:(?:[bcdfglmnpqrstvz]|[bcdfgptv]r|[bcfgp]l|s[ptcq]|ch|gh|gn|qu)?[aeiouàèéìòù]{1,2}[nlrsm]?)+$/,
  polished: (words) => words.replace(/\buna (?=[aeiou])/g, "un'"),
};

export const ITALIAN = romanceFrontEnd({ language: 'it-IT', espeakVoice: 'it' }, WORDING, spelledNumber);
