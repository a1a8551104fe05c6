/**
 * Names that no dictionary has, read by the spelling of the language they come from, where their
 * letters leave little doubt which one that is.
 */
import { type Orthography, soundsOf } from './letters.js';
import { GERMAN, OPEN, VIETNAMESE } from './orthographies.js';
import { pinyin } from './pinyin.js';
import { FRENCH, ITALIAN, PORTUGUESE, SPANISH } from './romance.js';
import { CZECH, POLISH, RUSSIAN, SOUTH_SLAVIC } from './slavic.js';

const NAME = /^\p{Lu}\p{Ll}{2,29}$/u;
const ACCENTED = /[^\x20-\x7e]/u;
const VIETNAMESE_MARKS = /[ạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹăđơư]/u;
/** A tone mark apart from the vowel it stands on. */
const TONES = /[\u0300\u0301\u0303\u0309\u0323]/gu;

/** Letters with marks tell most; they are looked at first. */
const BY_LETTERS: readonly (readonly [RegExp, Orthography])[] = [
  [/[łąęśźżń]/u, POLISH],
  [/[řěůťďň]|[čšž].*[áéíýúů]|[áéíýúů].*[čšž]|ová$/u, CZECH],
  [/[ćđčšž]/u, SOUTH_SLAVIC],
  [/[ãõ]|ç(?:[aou]l|o$|a$|ã)/u, PORTUGUESE],
  [/ñ/u, SPANISH],
  [/[èêœûîëïç]|é(?:e?s?|[^aeiouns][aeiou]?)$/u, FRENCH],
  [/[àìòù]$/u, ITALIAN],
  [/[äöüß]/u, GERMAN],
  [/[áéíóú]/u, SPANISH],
];

/** Plain letters: endings and groups that one spelling has and English has not. */
const BY_GROUPS: readonly (readonly [RegExp, Orthography])[] = [
  [/szcz|szy|prz|krz|grz|[ei]wicz$|[oe]wska?i?$|czyk$|czyn|ński/u, POLISH],
  [/[oe]vi[ck]$|ović$/u, SOUTH_SLAVIC],
  [/(?:[aeo]v|[oe]vsky|insky|enko|chuk|shch.*|[oe]va|nikov|zhny|kh[ai]n)$|shch|^zh[^aeiou]?[aeiou][^n]/u, RUSSIAN],
  [
    /(?:cch|cci|ggi|zzi|zzo|zza|gli|sci|ghi|ghe|chi|che)[aeiou]*$|(?:ett[aio]|ell[aio]|ucci|acci|ucc?io|acc?io|ini|iello|igli|ieri|aldi|ardi)$|^gi[aou]/u,
    ITALIAN,
  ],
  [/(?:eaux?|eux|ault|aud|oux|ois|oise|ieux?|ouille|euil|gnac|gnon|quet|chet|uis|cq|court|aix)$/u, FRENCH],
  [/^sch[^aeiou]|[^aeiou]sch|tsch|(?:stein|meier|maier|mann|dorf|haus|wald|heim|burg|bruck|zweig|schmidt)$/u, GERMAN],
  [/(?:[^aeiou][eu]ez|[aeiou]?ález|guez|quez|illo|illa|cito|cita|ción|uela|uelo|ajara|eño)$/u, SPANISH],
  [/(?:inho|inha|eira|eiro|lho|lha|ães)$/u, PORTUGUESE],
];

/** Syllables that end in a vowel or n, and begin with one consonant. */
const OPEN_SYLLABLES =
  /^(?:(?:sh|ch|ts|ky|gy|ny|hy|my|ry|by|py|mb|nd|ng|nj|kh|[kstnhmyrwgzdbpjfl])?[aeiouāōū]{1,2}n?(?![^aeiouāōūkstnhmyrwgzdbpjflcā])){3,7}$/u;

/** The American reading of a name as written, or undefined where its origin is not plain. */
export function byOrigin(written: string): string | undefined {
  const accented = ACCENTED.test(written);
  if (!(NAME.test(written) || (accented && /^\p{L}{3,30}$/u.test(written)))) return undefined;
  const word = written.toLowerCase().normalize('NFC');
  if (accented) {
    if (VIETNAMESE_MARKS.test(word)) return soundsOf(withoutTones(word), VIETNAMESE);
    const orthography = BY_LETTERS.find(([letters]) => letters.test(word))?.[1];
    if (orthography) return soundsOf(word, orthography);
  }
  const chinese = pinyin(word);
  if (chinese !== undefined) return chinese;
  const orthography = BY_GROUPS.find(([group]) => group.test(word))?.[1];
  if (orthography) return soundsOf(word, orthography);
  return OPEN_SYLLABLES.test(word) && /[aiouāōū]$/u.test(word) ? soundsOf(word, OPEN) : undefined;
}

const withoutTones = (word: string): string => word.normalize('NFD').replace(TONES, '').normalize('NFC');
