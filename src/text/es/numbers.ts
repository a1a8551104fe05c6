/** Spanish numbers in words: gender, the forms before a noun, ordinals, fractions. */
import { type Gender, list, type Standing } from '../romance/wording.js';

const SMALL =
  list(`cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete
  dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve`);
const TENS = list('_ _ _ treinta cuarenta cincuenta sesenta setenta ochenta noventa');
const HUNDREDS = list(`_ ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos
  novecientos`);

/** "uno" as it stands: "un libro", "veintiún libros", "una casa". */
function one(word: string, standing: Standing): string {
  if (standing === 'alone' || !word.endsWith('uno')) return word;
  if (standing === 'f') return word.replace(/uno$/, 'una');
  return word === 'veintiuno' ? 'veintiún' : word.replace(/uno$/, 'un');
}

function belowThousand(value: number, standing: Standing): string {
  const hundreds = Math.floor(value / 100);
  const rest = value % 100;
  const parts: string[] = [];
  if (value === 100) return 'cien';
  if (hundreds > 0) {
    const word = HUNDREDS[hundreds]!;
    parts.push(standing === 'f' && hundreds > 1 ? word.replace(/os$/, 'as') : word);
  }
  if (rest > 0 || value === 0) {
    const word =
      rest < 30 ? SMALL[rest]! : `${TENS[Math.floor(rest / 10)]}${rest % 10 ? ` y ${SMALL[rest % 10]}` : ''}`;
    parts.push(one(word, standing));
  }
  return parts.join(' ');
}

/**
 * Thousands are masculine before "mil" unless what is counted is not: "doscientas mil personas".
 */
function belowMillion(value: number, standing: Standing): string {
  const thousands = Math.floor(value / 1000);
  const rest = value % 1000;
  if (thousands === 0) return belowThousand(rest, standing);
  const head = thousands === 1 ? 'mil' : `${belowThousand(thousands, standing === 'f' ? 'f' : 'm')} mil`;
  return rest === 0 ? head : `${head} ${belowThousand(rest, standing)}`;
}

export function cardinal(value: bigint, standing: Standing): string {
  const billions = value / 1_000_000_000_000n;
  const millions = (value / 1_000_000n) % 1_000_000n;
  const rest = Number(value % 1_000_000n);
  const parts: string[] = [];
  if (billions > 0n) parts.push(billions === 1n ? 'un billón' : `${belowMillion(Number(billions), 'm')} billones`);
  if (millions > 0n) parts.push(millions === 1n ? 'un millón' : `${belowMillion(Number(millions), 'm')} millones`);
  if (rest > 0 || parts.length === 0) parts.push(belowMillion(rest, standing));
  return parts.join(' ');
}

const ORDINALS = list('_ primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo undécimo duodécimo');
const ORDINAL_TENS = list(
  '_ décimo vigésimo trigésimo cuadragésimo quincuagésimo sexagésimo septuagésimo octogésimo nonagésimo centésimo',
);

export function ordinal(value: number, gender: Gender): string | undefined {
  if (value < 1 || value > 109) return undefined;
  const feminine = (word: string) => (gender === 'f' ? word.replace(/o$/, 'a') : word);
  if (value < 13) return feminine(ORDINALS[value]!);
  const tens = ORDINAL_TENS[Math.floor(value / 10)]!;
  const unit = value % 10;
  if (value < 20) return feminine(`decimo${ORDINALS[unit]!.replace(/^octavo$/, 'ctavo')}`);
  return unit === 0 ? feminine(tens) : `${feminine(tens)} ${feminine(ORDINALS[unit]!)}`;
}

/** "1.er capítulo", "3.er piso" */
export const shortOrdinal = (value: number): string | undefined =>
  ordinal(value, 'm')?.replace(/(primer|tercer)o$/, '$1');

const PARTS = list('_ _ medio tercio cuarto quinto sexto séptimo octavo noveno décimo');

export function fraction(over: number, under: number): string {
  const count = cardinal(BigInt(over), 'm');
  if (under === 100) return `${count} ${over === 1 ? 'centésimo' : 'centésimos'}`;
  if (under < 2 || under > 10) return `${cardinal(BigInt(over), 'alone')} entre ${cardinal(BigInt(under), 'alone')}`;
  return `${count} ${PARTS[under]}${over === 1 ? '' : 's'}`;
}

const FEMININE = new Set(
  list(`veces mujeres noches tardes clases calles partes series manos flores leyes redes paredes llaves imágenes órdenes razones
    sesiones canciones naciones mujer noche tarde clase calle parte serie mano vez flor ley red pared llave imagen orden miles_
    personas muertes carnes nubes bases frases fases torres naves aves claves sedes cruces luces voces raíces actrices fotos motos
    radios crisis tesis síntesis hipótesis dosis hipotecas`),
);
const MASCULINE = new Set(
  list(`días día problemas problema temas tema sistemas sistema programas programa mapas mapa planetas planeta poetas poeta idiomas
    idioma climas clima turistas turista artistas artista futbolistas futbolista periodistas policías dramas drama poemas poema
    gramas dálmatas cometas atletas atleta colegas camaradas guardias sofás papás aviones camiones millones corazones ratones leones
    limones balones botones sillones escalones`),
);
/** Words that a number does not count. */
const NO_NOUN = new Set(
  list(`de del y e o u a al en con por para que se es son fue fueron no si como más menos entre desde hasta sin sobre según pero
    ni cuando donde porque mil millón millones billón billones ha han había tiene tienen será serán era eran está están hay
    me te le les nos lo la los las un una el este esta su sus cada ya muy también sólo solo ante bajo contra durante mediante
    salió ganó perdió llegó dijo a.m p.m veces_ por coma punto y/o enero febrero marzo abril mayo junio julio agosto septiembre
    setiembre octubre noviembre diciembre`),
);

export function genderOf(noun: string): Gender | undefined {
  if (NO_NOUN.has(noun) || noun.length < 3) return undefined;
  if (MASCULINE.has(noun)) return 'm';
  if (FEMININE.has(noun) || /(?:as?|ciones|siones|ción|sión|dad|dades|tud|tudes|umbres?|triz|trices)$/.test(noun))
    return 'f';
  return 'm';
}
