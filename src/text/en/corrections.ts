/** American readings of common words and names that espeak gets wrong, in the model's alphabet. */

const CORRECTIONS: Readonly<Record<string, string>> = {
  // Computing
  async: 'ˈAsɪŋk',
  config: 'kˈɑnfɪɡ',
  enum: 'ˈinʌm',
  emoji: 'əmˈOʤi',
  emojis: 'əmˈOʤiz',
  gif: 'ɡˈɪf',
  jupyter: 'ʤˈupəTəɹ',
  linux: 'lˈɪnəks',
  nvidia: 'ɛnvˈɪdiə',
  python: 'pˈIθˌɑn',
  redis: 'ɹˈɛdɪs',
  regex: 'ɹˈɛʤɛks',
  // Names
  adidas: 'ədˈidəs',
  chopin: 'ʃOpˈæn',
  dvorak: 'dvˈɔɹʒæk',
  francois: 'fɹɑnswˈɑ',
  goethe: 'ɡˈɜɹtə',
  guillermo: 'ɡiˈɛɹmO',
  huawei: 'wˈɑwˌA',
  joaquin: 'wɑkˈin',
  kyiv: 'kˈiv',
  macron: 'məkɹˈɑn',
  nguyen: 'wˈɪn',
  niamh: 'nˈiv',
  nike: 'nˈIki',
  porsche: 'pˈɔɹʃə',
  qatar: 'kətˈɑɹ',
  scholz: 'ʃˈOlts',
  tchaikovsky: 'ʧIkˈɔfski',
  tucson: 'tˈusˌɑn',
  versailles: 'vəɹsˈI',
  xiaomi: 'ʃˈWmi',
  zelensky: 'zəlˈɛnski',
  zelenskyy: 'zəlˈɛnski',
  zhang: 'ʤˈɑŋ',
  // At the table and elsewhere
  buffet: 'bəfˈA',
  croissant: 'kɹəsˈɑnt',
  croissants: 'kɹəsˈɑnts',
  cupboard: 'kˈʌbəɹd',
  cupboards: 'kˈʌbəɹdz',
  entrepreneur: 'ˌɑntɹəpɹənˈɜɹ',
  entrepreneurs: 'ˌɑntɹəpɹənˈɜɹz',
  gnocchi: 'nˈOki',
  niche: 'nˈɪʧ',
  quinoa: 'kˈinwˌɑ',
};

/** The reading of a word that stands in the table, possessives included; null for the others. */
export function correction(word: string): string | null {
  const plain = unaccented(word).replace(/'s$/, '');
  if (!Object.hasOwn(CORRECTIONS, plain)) return null;
  const said = CORRECTIONS[plain]!;
  return word.endsWith("'s") ? said + possessive(said) : said;
}

const ASCII = /^[\x20-\x7e]*$/;
const unaccented = (word: string) => (ASCII.test(word) ? word : word.normalize('NFD').replace(/\p{M}/gu, ''));

/** How "'s" sounds behind a word. */
export function possessive(phonemes: string): string {
  if (/[szʃʒʧʤ]$/u.test(phonemes)) return 'ᵻz';
  return /[ptkfθ]$/u.test(phonemes) ? 's' : 'z';
}
