/** Whether two readings are the same to a listener who is not a phonetician. */

/** Without secondary stress, the flap, and the colour of vowels that bear no stress. */
const heard = (phonemes: string): string =>
  phonemes
    .replace(/[ˌː ]/gu, '')
    .replace(/T/gu, 't')
    .replace(/Q/gu, 'O')
    .replace(/[ɒɔ]/gu, 'ɑ')
    .replace(/x/gu, 'k')
    .replace(/ɜɹ/gu, 'əɹ')
    .replace(/[ʌɐᵊ]/gu, 'ə')
    .replace(/ŋ(?=[kɡ])/gu, 'n')
    .replace(/ˈi(?=ɹ)/gu, 'ˈɪ')
    .replace(/ˈu(?=ɹ)/gu, 'ˈʊ')
    .replace(/æɹ/gu, 'ɛɹ')
    .replace(/(?<!ˈ)[ɪᵻʊæɛɑi](?!$)|(?<!ˈ)[ɪᵻʊæɛɑ]$|(?<!ˈ)[Ou](?=.)/gu, 'ə')
    .replace(/j(?=ə)/gu, '')
    .replace(/(?<=i)j/gu, '')
    .replace(/ə+/gu, 'ə');

export const soundsLike = (said: string, wanted: string): boolean => heard(said) === heard(wanted);
