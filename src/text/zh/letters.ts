/** How Latin letters are named in Chinese text, in the model's alphabet of American English. */

const NAMES =
  'ˈA bˈi sˈi dˈi ˈi ˈɛf ʤˈi ˈAʧ ˈI ʤˈA kˈA ˈɛl ˈɛm ˈɛn ˈO pˈi kjˈu ˈɑɹ ˈɛs tˈi jˈu vˈi dˈʌbᵊlju ˈɛks wˈI zˈi'.split(
    ' ',
  );

/** The name of a single letter; undefined for anything else. */
export const letterName = (word: string): string | undefined =>
  /^[A-Za-z]$/.test(word) ? NAMES[word.toUpperCase().charCodeAt(0) - 65] : undefined;
