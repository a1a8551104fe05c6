/** Character references: HTML's by their names, and all by their numbers. */
import { matchAt } from './sticky.js';

const NAMED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: '\u00a0',
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
  }),
);

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

/** The character of a name, without `&` and `;`. */
export const namedCharacter = (name: string): string | undefined => NAMED.get(name);

/** The character of a number; undefined where it has none. */
export function numberedCharacter(code: number): string | undefined {
  const surrogate = code >= 0xd800 && code <= 0xdfff;
  return code > 0x10ffff || surrogate ? undefined : String.fromCodePoint(code);
}

/** The character a reference at `at` stands for and where the reference ends. */
export function characterReference(text: string, at: number): { char: string; end: number } | undefined {
  const match = matchAt(REFERENCE, text, at);
  if (!match) return undefined;
  const end = at + match[0].length;
  const [, dec, hex, name] = match;
  if (name === undefined) {
    const code = dec !== undefined ? Number(dec) : Number.parseInt(hex!, 16);
    return { char: numberedCharacter(code) ?? '\ufffd', end };
  }
  const known = NAMED.get(name);
  // To a reader a space is a space.
  if (known !== undefined) return { char: known === '\u00a0' ? ' ' : known, end };
  const accented = ACCENTED.exec(name);
  return accented ? { char: (accented[1]! + ACCENTS[accented[2]!]!).normalize('NFC'), end } : undefined;
}
