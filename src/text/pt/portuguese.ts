/** Portuguese as it is read in Brazil. */
import { romanceFrontEnd } from '../romance/romance.js';
import { type Wording, wordingOf } from '../romance/wording.js';
import { cardinal, fraction, genderOf, ordinal } from './numbers.js';
import { LETTERS, MONTHS, TABLES } from './words.js';

const alone = (value: number) => cardinal(BigInt(value), 'alone');
const hours = (hour: number) => cardinal(BigInt(hour), 'f');
const day = (value: number) => (value === 1 ? 'primeiro' : alone(value));

/** "oito e meia", "quinze e trinta", "treze horas". */
function clock(hour: number, minute: number, second?: number): string {
  const many = hour === 1 || hour === 0 ? 'hora' : 'horas';
  if (second !== undefined) return `${hours(hour)} ${many}, ${alone(minute)} minutos e ${alone(second)} segundos`;
  if (minute === 0) return `${hours(hour)} ${many}`;
  return `${hours(hour)} e ${minute === 30 && hour > 0 && hour < 13 ? 'meia' : alone(minute)}`;
}

/** Words that count their parts with plain numbers, with a capital or without. */
const COUNTED = /^(?:cap|tomo|ato|livro|título|vol|parte|fase|etapa|nível|tipo|grau|anexo)/i;

/** "século vinte e um", "Dom Pedro segundo", "Luís catorze", "capítulo quatro". */
function roman(value: number, before: string, after: string): string {
  const gender = genderOf(after.toLowerCase()) === 'f' ? 'f' : 'm';
  if (before === '') return ordinal(value, gender) ?? alone(value);
  const ruler = /^(?:Isabel|Elizabeth|\p{Lu}\p{Ll}+a)$/u.test(before) ? 'f' : 'm';
  return value > 10 || COUNTED.test(before) ? alone(value) : (ordinal(value, ruler) ?? alone(value));
}

const WORDING: Wording = {
  ...wordingOf(TABLES),
  code: 'pt',
  cardinal,
  ordinal,
  shortOrdinal: (value) => ordinal(value, 'm'),
  genderOf,
  months: MONTHS,
  day,
  ofMonth: ' de ',
  date: (value, month, year) => `${day(value)} de ${MONTHS[month - 1]}${year === undefined ? '' : ` de ${year}`}`,
  clock,
  fraction,
  roman,
  romanBefore:
    /^(?:séculos?|séc\.|capítulos?|tomo|ato|livro|título|volume|parte|fase|etapa|nível|tipo|grau|anexo|rei|papa|Capítulo|Tomo|Ato|Livro|Título|Parte)$/,
  romanBehind:
    /^(?:aniversário|edição|congresso|Congresso|Guerra|guerra|República|Jogos|século|dinastia|Feira|Festival|Concílio|Encontro|Prêmio|Semana)$/,
  large: /^(?:mil|milhão|milhões|bilhão|bilhões|trilhão|trilhões)$/,
  letters: LETTERS,
  per: ([one]) => `por ${one}`,
  pronounceable: /^(?:(?:[bcdfghjklmnpqrstvxz]|[bcdfgptv]r|[bcfgp]l|ch|lh|nh|qu|gu)?[aeiouáéíóúâêôãõ]{1,2}[nlrsmz]?)+$/,
};

export const BRAZILIAN = romanceFrontEnd({ language: 'pt-BR', espeakVoice: 'pt-br' }, WORDING);
