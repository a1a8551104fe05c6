/**
 * Letters of other alphabets: those with a plain sound value are written in Latin letters, the
 * others are counted.
 */

const CYRILLIC = zip(
  'абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґўјљњћџђѓќѕ',
  'a b v g d e yo zh z i y k l m n o p r s t u f kh ts ch sh shch - y - e yu ya i yi ye g w y ly ny ch j j g k dz',
);
const GREEK = zip(
  'αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώϊϋΐΰ',
  'a v g d e z i th i k l m n x o p r s t i f h ps o s a e i i o i o i i i i',
);
const KANA = zip(
  'あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわゐゑをんがぎぐげござじずぜぞだぢづでどばびぶべぼぱぴぷぺぽぁぃぅぇぉゃゅょっゔ',
  'a i u e o ka ki ku ke ko sa shi su se so ta chi tsu te to na ni nu ne no ha hi fu he ho ma mi mu me mo ya yu yo ra ri ru re ro wa i e o n ' +
    'ga gi gu ge go za ji zu ze zo da ji zu de do ba bi bu be bo pa pi pu pe po a i u e o ya yu yo - vu',
);
const JAMO_LEAD = 'g kk n d tt r m b pp s ss - j jj ch k t p h'.split(' ').map(silent);
const JAMO_VOWEL = 'a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i'.split(' ');
const JAMO_TAIL = '- k k k n n n t l k m l l l p l m p p t t ng t t k t p t'.split(' ').map(silent);

function silent(sound: string): string {
  return sound === '-' ? '' : sound;
}

function zip(letters: string, sounds: string): ReadonlyMap<string, string> {
  const parts = sounds.split(' ');
  return new Map([...letters].map((letter, i) => [letter, silent(parts[i] ?? '')]));
}

const SCRIPTS = (
  'Han Arabic Hebrew Devanagari Bengali Tamil Telugu Thai Georgian Armenian Gurmukhi Gujarati Kannada Malayalam ' +
  'Sinhala Khmer Lao Myanmar Tibetan Ethiopic Mongolian Cherokee Hiragana Katakana Hangul Greek Cyrillic Latin'
)
  .split(' ')
  .map((name) => ({ name, pattern: new RegExp(`\\p{Script=${name}}`, 'u') }));

/** The name of the script a letter belongs to, as the counter of skipped characters calls it. */
export function scriptOf(char: string): string {
  return SCRIPTS.find(({ pattern }) => pattern.test(char))?.name ?? 'other';
}

function hangul(code: number): string {
  const index = code - 0xac00;
  const tail = JAMO_TAIL[index % 28]!;
  return JAMO_LEAD[Math.floor(index / 588)]! + JAMO_VOWEL[Math.floor((index % 588) / 28)]! + tail;
}

/**
 * The letter in Latin letters, case kept, or undefined where its sound cannot be told from it
 * alone.
 */
export function romanize(char: string): string | undefined {
  const code = char.codePointAt(0)!;
  if (code >= 0xac00 && code <= 0xd7a3) return hangul(code);
  if (char === 'ー') return '';
  if (code >= 0x30a1 && code <= 0x30f6) return KANA.get(String.fromCodePoint(code - 0x60)) ?? undefined;
  const lower = char.toLowerCase();
  const sound = CYRILLIC.get(lower) ?? GREEK.get(lower) ?? KANA.get(lower);
  if (sound === undefined) return undefined;
  return lower === char ? sound : sound.charAt(0).toUpperCase() + sound.slice(1);
}
