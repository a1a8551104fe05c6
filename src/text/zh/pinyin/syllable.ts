/**
 * Syllables of pinyin to the symbols the model was taught for Mandarin. Which symbols these are
 * follows hexgrad/misaki (its Chinese of the first generation, which this model learnt): IPA with
 * one arrow a tone, behind the vowel.
 */

const INITIALS: Readonly<Record<string, string>> = {
  b: 'p',
  p: 'pʰ',
  m: 'm',
  f: 'f',
  d: 't',
  t: 'tʰ',
  n: 'n',
  l: 'l',
  g: 'k',
  k: 'kʰ',
  h: 'x',
  j: 'ʨ',
  q: 'ʨʰ',
  x: 'ɕ',
  zh: 'ꭧ',
  ch: 'ꭧʰ',
  sh: 'ʂ',
  r: 'ɻ',
  z: 'ʦ',
  c: 'ʦʰ',
  s: 's',
  '': '',
};
/** Finals; the tone goes where the 0 stands. */
const FINALS: Readonly<Record<string, string>> = {
  a: 'a0',
  ai: 'ai0',
  an: 'a0n',
  ang: 'a0ŋ',
  ao: 'au0',
  e: 'ɤ0',
  ei: 'ei0',
  en: 'ə0n',
  eng: 'ə0ŋ',
  er: 'ɚ0',
  i: 'i0',
  ia: 'ja0',
  ian: 'jɛ0n',
  iang: 'ja0ŋ',
  iao: 'jau0',
  ie: 'je0',
  in: 'i0n',
  ing: 'i0ŋ',
  io: 'jɔ0',
  iong: 'jʊ0ŋ',
  iou: 'jou0',
  o: 'wo0',
  ong: 'ʊ0ŋ',
  ou: 'ou0',
  u: 'u0',
  ua: 'wa0',
  uai: 'wai0',
  uan: 'wa0n',
  uang: 'wa0ŋ',
  uei: 'wei0',
  uen: 'wə0n',
  ueng: 'wə0ŋ',
  uo: 'wo0',
  ü: 'y0',
  üe: 'ɥe0',
  üan: 'ɥɛ0n',
  ün: 'y0n',
  ê: 'ɛ0',
};
/** Syllables without a vowel, and a bare "o". */
const WHOLE: Readonly<Record<string, string>> = {
  o: 'ɔ0',
  m: 'm0',
  n: 'n0',
  ng: 'ŋ0',
  hm: 'hm0',
  hng: 'hŋ0',
};
const TONES = ['', '→', '↗', '↓', '↘', ''];

export interface Syllable {
  /** In small letters, without a tone: "zhong", "lü". */
  readonly sound: string;
  /** 1 to 4; 0 for the neutral tone. */
  readonly tone: number;
}

/** "zhong1", "lü4", "ma0" as a syllable; undefined for anything else. */
export function parseSyllable(pinyin: string): Syllable | undefined {
  const [, sound, tone] = /^([a-zêü]+)([0-5])$/.exec(pinyin) ?? [];
  if (sound === undefined) return undefined;
  return { sound: sound.replace('v', 'ü'), tone: Number(tone) % 5 };
}

/**
 * "yi" and "wu" are spellings of finals without an initial; "iu", "ui" and "un" are short for
 * longer ones.
 */
function finalOf(initial: string, rest: string): string {
  if (initial === '') {
    if (/^yu/.test(rest)) return `ü${rest.slice(2)}`.replace('üan', 'üan');
    if (/^yi/.test(rest)) return rest.slice(1);
    if (rest === 'you') return 'iou';
    if (rest[0] === 'y') return `i${rest.slice(1)}`;
    if (rest === 'wu') return 'u';
    if (rest === 'wei' || rest === 'wen') return `u${rest.slice(1)}`;
    if (rest[0] === 'w') return `u${rest.slice(1)}`;
    return rest;
  }
  if (/^[jqx]$/.test(initial) && rest[0] === 'u') return `ü${rest.slice(1)}`;
  if (rest === 'iu') return 'iou';
  if (rest === 'ui') return 'uei';
  if (rest === 'un') return 'uen';
  return rest;
}

/** By sound, then by tone, twice: the plain ones and those with an r. */
const known = new Map<string, (string | undefined)[]>();

/**
 * The symbols of a syllable; `rhotic` adds the r that 儿 gives the syllable before it. Empty for
 * what is no syllable.
 */
export function syllablePhonemes({ sound, tone }: Syllable, rhotic = false): string {
  let tones = known.get(sound);
  if (tones === undefined) {
    tones = [];
    known.set(sound, tones);
  }
  const place = rhotic ? tone + TONES.length : tone;
  tones[place] ??= workedOut(sound, tone, rhotic);
  return tones[place];
}

function workedOut(sound: string, tone: number, rhotic: boolean): string {
  const mark = TONES[tone]!;
  const whole = WHOLE[sound];
  if (whole !== undefined) return whole.replace('0', mark);
  const initial = /^(?:[zcs]h|[bpmfdtnlgkhjqxrzcs])/.exec(sound)?.[0] ?? '';
  const final = finalOf(initial, sound.slice(initial.length));
  const open = final === 'i' && /^(?:[zcs]h?|r)$/.test(initial) ? 'ɨ0' : FINALS[final];
  if (open === undefined) return '';
  return INITIALS[initial]! + (rhotic ? withR(open) : open).replace('0', mark);
}

/** 儿 takes the place of a final n or i, and stands behind all else. */
const withR = (final: string): string =>
  `${final
    .replace(/0n$/, '0')
    .replace(/i0$/, (end) => (final.length > 2 ? '0' : end))
    .replace('ɛ', 'a')}ɚ`;
