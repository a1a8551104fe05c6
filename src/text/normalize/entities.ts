/** HTML's character references. */
import { matchAt } from './sticky.js';

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ensp: ' ',
  emsp: ' ',
  thinsp: ' ',
  shy: '',
  zwj: '',
  zwnj: '',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  sbquo: '‚',
  ldquo: '“',
  rdquo: '”',
  bdquo: '„',
  laquo: '«',
  raquo: '»',
  lsaquo: '‹',
  rsaquo: '›',
  prime: '′',
  Prime: '″',
  bull: '•',
  middot: '·',
  copy: '©',
  reg: '®',
  trade: '™',
  deg: '°',
  plusmn: '±',
  times: '×',
  divide: '÷',
  minus: '−',
  frac12: '½',
  frac14: '¼',
  frac34: '¾',
  sup1: '¹',
  sup2: '²',
  sup3: '³',
  micro: 'µ',
  para: '¶',
  sect: '§',
  cent: '¢',
  pound: '£',
  euro: '€',
  yen: '¥',
  curren: '¤',
  iexcl: '¡',
  iquest: '¿',
  larr: '←',
  rarr: '→',
  harr: '↔',
  uarr: '↑',
  darr: '↓',
  rArr: '⇒',
  hArr: '⇔',
  le: '≤',
  ge: '≥',
  ne: '≠',
  asymp: '≈',
  equiv: '≡',
  infin: '∞',
  radic: '√',
  sum: '∑',
  prod: '∏',
  int: '∫',
  part: '∂',
  isin: '∈',
  cap: '∩',
  cup: '∪',
  forall: '∀',
  exist: '∃',
  empty: '∅',
  check: '✓',
  star: '☆',
  hearts: '♥',
  alpha: 'α',
  beta: 'β',
  gamma: 'γ',
  delta: 'δ',
  Delta: 'Δ',
  epsilon: 'ε',
  theta: 'θ',
  lambda: 'λ',
  mu: 'μ',
  pi: 'π',
  rho: 'ρ',
  sigma: 'σ',
  Sigma: 'Σ',
  tau: 'τ',
  phi: 'φ',
  omega: 'ω',
  Omega: 'Ω',
  szlig: 'ß',
  aelig: 'æ',
  AElig: 'Æ',
  oelig: 'œ',
  oslash: 'ø',
  Oslash: 'Ø',
  aring: 'å',
  Aring: 'Å',
  ccedil: 'ç',
  Ccedil: 'Ç',
  ntilde: 'ñ',
  Ntilde: 'Ñ',
};

/** The regular names: a letter and its accent, "eacute", "Uuml". */
const ACCENTS: Readonly<Record<string, string>> = {
  acute: '\u0301',
  grave: '\u0300',
  circ: '\u0302',
  uml: '\u0308',
  tilde: '\u0303',
  caron: '\u030c',
  cedil: '\u0327',
};

const REFERENCE = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{1,9}));/y;
const ACCENTED = /^([A-Za-z])(acute|grave|circ|uml|tilde|caron|cedil)$/;

/** The character a reference at `at` stands for and where the reference ends. */
export function characterReference(text: string, at: number): { char: string; end: number } | undefined {
  const match = matchAt(REFERENCE, text, at);
  if (!match) return undefined;
  const end = at + match[0].length;
  const [, dec, hex, name] = match;
  if (name !== undefined) {
    const known = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
    if (known !== undefined) return { char: known, end };
    const accented = ACCENTED.exec(name);
    return accented ? { char: (accented[1]! + ACCENTS[accented[2]!]!).normalize('NFC'), end } : undefined;
  }
  const code = dec !== undefined ? Number(dec) : Number.parseInt(hex!, 16);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return { char: '\ufffd', end };
  return { char: String.fromCodePoint(code), end };
}
