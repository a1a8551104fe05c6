/**
 * Brazilian numbers in words: gender of one, two and the hundreds, "e" between the parts, ordinals,
 * fractions.
 */
import { type Gender, list, type Standing } from '../romance/wording.js';

const SMALL =
  list(`zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete
  dezoito dezenove`);
const TENS = list('_ _ vinte trinta quarenta cinquenta sessenta setenta oitenta noventa');
const HUNDREDS = list(`_ cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos`);

function belowThousand(value: number, feminine: boolean): string {
  if (value === 100) return 'cem';
  const parts: string[] = [];
  const hundreds = Math.floor(value / 100);
  const rest = value % 100;
  if (hundreds > 0)
    parts.push(feminine && hundreds > 1 ? HUNDREDS[hundreds]!.replace(/os$/, 'as') : HUNDREDS[hundreds]!);
  if (rest >= 20) parts.push(TENS[Math.floor(rest / 10)]!);
  const unit = rest < 20 ? rest : rest % 10;
  if (unit > 0 || value === 0) parts.push(feminine ? ({ 1: 'uma', 2: 'duas' }[unit] ?? SMALL[unit]!) : SMALL[unit]!);
  return parts.join(' e ');
}

const LARGE: readonly (readonly [bigint, string, string])[] = [
  [1_000_000_000_000n, 'trilhão', 'trilhões'],
  [1_000_000_000n, 'bilhão', 'bilhões'],
  [1_000_000n, 'milhão', 'milhões'],
  [1_000n, 'mil', 'mil'],
  [1n, '', ''],
];

/**
 * The last part is joined by "e" where it is below a hundred, or whole hundreds: "mil e
 * quinhentos", "mil duzentos e um".
 */
export function cardinal(value: bigint, standing: Standing): string {
  if (value === 0n) return 'zero';
  const feminine = standing === 'f';
  const parts: { readonly words: string; readonly count: number }[] = [];
  let rest = value;
  for (const [size, one, many] of LARGE) {
    const count = Number(rest / size);
    rest %= size;
    if (count === 0) continue;
    const own = feminine && size < 1_000_000n;
    const words = belowThousand(count, own);
    const scaled = size === 1n ? words : size === 1000n && count === 1 ? 'mil' : `${words} ${count === 1 ? one : many}`;
    parts.push({ words: scaled, count });
  }
  const last = parts.at(-1)!;
  const joins = parts.length > 1 && (last.count < 100 || last.count % 100 === 0);
  const head = parts.slice(0, -1).map(({ words }) => words);
  if (head.length === 0) return last.words;
  return `${head.join(' ')}${joins ? ' e ' : ' '}${last.words}`;
}

const ORDINALS = list('_ primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono décimo');
const ORDINAL_TENS = list(
  '_ décimo vigésimo trigésimo quadragésimo quinquagésimo sexagésimo septuagésimo octogésimo nonagésimo centésimo',
);

export function ordinal(value: number, gender: Gender): string | undefined {
  if (value < 1 || value > 109) return undefined;
  const feminine = (word: string) => (gender === 'f' ? word.replace(/o$/, 'a') : word);
  if (value <= 10) return feminine(ORDINALS[value]!);
  const tens = feminine(ORDINAL_TENS[Math.floor(value / 10)]!);
  return value % 10 === 0 ? tens : `${tens} ${feminine(ORDINALS[value % 10]!)}`;
}

const PARTS = list('_ _ meio terço quarto quinto sexto sétimo oitavo nono décimo');

export function fraction(over: number, under: number): string {
  const count = cardinal(BigInt(over), 'm');
  if (under === 100) return `${count} ${over === 1 ? 'centésimo' : 'centésimos'}`;
  if (under < 2) return `${count} sobre ${cardinal(BigInt(under), 'alone')}`;
  if (under > 10) return `${count} ${cardinal(BigInt(under), 'alone')} avos`;
  return `${count} ${PARTS[under]}${over === 1 ? '' : 's'}`;
}

const MASCULINE = new Set(
  list(`dias dia problemas problema temas tema sistemas sistema programas programa mapas mapa planetas planeta poetas poeta idiomas
    idioma climas clima turistas artistas jornalistas dramas poemas gramas grama quilogramas atletas colegas telefonemas
    cinemas guardas policiais aviões milhões corações leões limões botões caminhões balões`),
);
const FEMININE = new Set(
  list(`vezes mulheres noites tardes partes séries mãos flores leis redes paredes chaves imagens ordens mulher noite tarde parte
    série mão vez flor lei rede parede chave imagem ordem classes classe bases base frases frase fases fase torres torre naves
    aves crises crise teses tese doses dose fotos foto motos moto tribos mães mãe irmãs irmã maçãs manhãs viagens mensagens
    paisagens garagens nuvens jovens_ atrizes cruzes luzes vozes raízes ruas`),
);
const NO_NOUN = new Set(
  list(`de do da dos das e ou a ao à às aos em no na nos nas com por para que se é são foi foram não como mais menos entre desde até
    sem sobre segundo_ mas nem quando onde porque mil milhão milhões bilhão bilhões tem têm era eram está estão há me te lhe lhes
    o os as um uma este esta seu sua seus suas cada já muito também só ante contra durante janeiro fevereiro março abril maio
    junho julho agosto setembro outubro novembro dezembro pela pelo vírgula ponto`),
);

export function genderOf(noun: string): Gender | undefined {
  if (NO_NOUN.has(noun) || noun.length < 3) return undefined;
  if (MASCULINE.has(noun)) return 'm';
  if (FEMININE.has(noun) || /(?:as?|ções|ção|sões|são|dades?|gens?|tudes?)$/.test(noun)) return 'f';
  return 'm';
}
