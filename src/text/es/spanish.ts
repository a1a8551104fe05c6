/**
 * Spanish, as it is read in Spain and in Latin America: the same rules, a few other words, other
 * sounds.
 */
import type { Language } from '../../protocol/job.js';
import { romanceFrontEnd } from '../romance/romance.js';
import { type Wording, wordingOf } from '../romance/wording.js';
import { cardinal, fraction, genderOf, ordinal, shortOrdinal } from './numbers.js';
import { AMERICAN_LETTERS, CASTILIAN_LETTERS, MONTHS, TABLES } from './words.js';

const alone = (value: number) => cardinal(BigInt(value), 'alone');
const hours = (hour: number) => cardinal(BigInt(hour), 'f');

/**
 * "ocho y media", "quince treinta", "veintiuna horas": quarters and halves are for the twelve hours
 * of a dial.
 */
function clock(hour: number, minute: number, second?: number): string {
  if (second !== undefined) return `${hours(hour)} horas, ${alone(minute)} minutos y ${alone(second)} segundos`;
  if (minute === 0) return hour > 12 || hour === 0 ? `${hours(hour)} horas` : hours(hour);
  if (hour === 0 || hour > 12) return `${hours(hour)} ${minute < 10 ? `cero ${alone(minute)}` : alone(minute)}`;
  if (minute === 30) return `${hours(hour)} y media`;
  return `${hours(hour)} y ${minute === 15 ? 'cuarto' : alone(minute)}`;
}

/** Words that count their parts with plain numbers, with a capital or without. */
const COUNTED = /^(?:cap|tomo|acto|libro|título|vol|parte|fase|etapa|nivel|tipo|grado|anexo)/i;

/** "siglo veintiuno", "Felipe sexto", "Luis catorce", "capítulo cuatro", "vigésimo aniversario". */
function roman(value: number, before: string, after: string): string {
  const gender = genderOf(after.toLowerCase()) === 'f' ? 'f' : 'm';
  if (before === '') return ordinal(value, gender) ?? alone(value);
  const ruler = /^(?:Isabel|\p{Lu}\p{Ll}+a)$/u.test(before) ? 'f' : 'm';
  return value > 10 || COUNTED.test(before) ? alone(value) : (ordinal(value, ruler) ?? alone(value));
}

const spanish = (language: Language, espeakVoice: string): ReturnType<typeof romanceFrontEnd> => {
  const american = language === 'es-419';
  const day = (value: number) => (value === 1 && american ? 'primero' : alone(value));
  const wording: Wording = {
    ...wordingOf(TABLES),
    code: 'es',
    cardinal,
    ordinal,
    shortOrdinal,
    genderOf,
    months: [...MONTHS, 'setiembre'],
    day,
    ofMonth: ' de ',
    date: (value, month, year) => `${day(value)} de ${MONTHS[month - 1]}${year === undefined ? '' : ` de ${year}`}`,
    clock,
    fraction,
    roman,
    romanBefore:
      /^(?:siglos?|capítulos?|tomo|acto|libro|título|volumen|parte|fase|etapa|nivel|tipo|grado|anexo|rey|papa|Capítulo|Tomo|Acto|Libro|Título|Parte)$/,
    romanBehind:
      /^(?:aniversario|edición|congreso|Congreso|Guerra|guerra|República|Juegos|siglo|dinastía|Jornadas|Feria|Festival|Concilio|Encuentro|Premio|Premios|Cumbre)$/,
    large: /^(?:mil|millón|millones|billón|billones)$/,
    letters: american ? AMERICAN_LETTERS : CASTILIAN_LETTERS,
    per: ([one]) => `por ${one}`,
    signs: american ? { ...TABLES.SIGNS, '#': 'numeral', '/': 'diagonal' } : TABLES.SIGNS,
    pronounceable: /^(?:(?:[bcdfghjklmnñpqrstvwxyz]|[bcfgpt][lr]|dr|ch|ll|qu|gu)?[aeiouáéíóúü]{1,2}[nlrsdz]?)+$/,
  };
  return romanceFrontEnd({ language, espeakVoice }, wording);
};

export const CASTILIAN = spanish('es-ES', 'es');
export const LATIN_AMERICAN = spanish('es-419', 'es-419');
