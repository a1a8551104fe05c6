/** How French words sound: espeak's sounds with liaison, and what it has to be told. */
import { espeakSymbols } from '../espeak/espeak-language.js';
import type { Phonemizer, Utterance } from '../front-end.js';

/**
 * Words that espeak takes for English, or says otherwise than French does; a spelling that it reads
 * right.
 */
const RESPELLED: Readonly<Record<string, string>> = {
  fils: 'fisse',
  'petit-fils': 'petit-fisse',
  'beau-fils': 'beau-fisse',
  confer: 'confère',
  cetera: 'cétéra',
  pacs: 'pacse',
  insee: 'insé',
  orly: 'orli',
  élisabeth: 'élizabète',
  elisabeth: 'élizabète',
  pull: 'pulle',
  pulls: 'pulle',
  slash: 'slache',
  copyright: 'copiraillete',
  nike: 'naïque',
};

const PARTS: readonly (readonly [RegExp, string])[] = [
  // No t is heard in "quatre-vingt-deux".
  [/quatre-vingt-(?=\p{L})/u, 'quatre-vin-'],
  [/(cent|huit)ième(?=s?$)/u, '$1yème'],
  [/dix-neuvième/u, 'diz-neuvième'],
  // "jouent", "joueront": espeak has a w for the ou.
  [/ouent$/u, 'oue'],
  [/ouer(?=(?:a|as|ai|ez|ons|ont|ait|ais|aient|iez|ions)$)/u, 'our'],
];

/** A word as espeak has to see it. */
export function respelled(word: string): string {
  const small = word.toLowerCase();
  if (Object.hasOwn(RESPELLED, small)) return RESPELLED[small]!;
  for (const [pattern, spelling] of PARTS) if (pattern.test(small)) return small.replace(pattern, spelling);
  return word;
}

/** The names of the letters, in the model's alphabet. */
const LETTERS: Readonly<Record<string, string>> = {
  A: 'a',
  B: 'be',
  C: 'se',
  D: 'de',
  E: 'ə',
  F: 'ɛf',
  G: 'ʒe',
  H: 'aʃ',
  I: 'i',
  J: 'ʒi',
  K: 'ka',
  L: 'ɛl',
  M: 'ɛm',
  N: 'ɛn',
  O: 'o',
  P: 'pe',
  Q: 'ky',
  R: 'ɛʁ',
  S: 'ɛs',
  T: 'te',
  U: 'y',
  V: 've',
  W: 'dubləve',
  X: 'iks',
  Y: 'iɡʁɛk',
  Z: 'zɛd',
};
const ROW = /^(?:([ldjmtsnc]|qu)')?([A-Z](?:-[A-Z])+)$/i;
const VOWEL = /[aeiouyəɛ]/u;

/**
 * Rows of single capitals joined, so that each is one word: "S N C F" → "S-N-C-F". Same length, so
 * the map holds.
 */
export const joinLetters = (text: string): string =>
  text.replace(/(?<![\p{L}\p{N}])[A-Z](?: [A-Z](?![\p{L}\p{N}']))+/gu, (row) => row.replaceAll(' ', '-'));

/** A row of letters by their names, stressed on the last; anything else is espeak's. */
export function known(word: string): string | undefined {
  const row = word.includes('-') ? ROW.exec(word) : null;
  if (!row || row[2] !== row[2]!.toUpperCase()) return undefined;
  const names = row[2]!.split('-').map((letter) => LETTERS[letter]!);
  const said = names.map((name, i) => name.replace(VOWEL, (vowel) => `${i === names.length - 1 ? 'ˈ' : 'ˌ'}${vowel}`));
  const elided = row[1]?.toLowerCase();
  return (
    (elided === undefined ? '' : elided === 'qu' ? 'k' : elided === 'c' ? 's' : elided === 'j' ? 'ʒ' : elided) +
    said.join('')
  );
}

/** Words whose last sound hangs on the word behind them, whatever it begins with. */
const PAIRED = new Set(
  'tous plus cinq six huit dix vingt cent sont ont est sommes nous vous ils elles on mon ton son bon un les des mes tes ses'.split(
    ' ',
  ),
);
/** Only these endings are heard otherwise before a vowel: liaison, and a glide behind an i. */
const LINKING = /[bcdfgklmnpqrstvxziyuïî]$/iu;
const VOWEL_FIRST = /^[aeiouyhàâäéèêëîïôöùûüœæ]/iu;
/** Behind these the last consonant is heard before any vowel. */
const ALWAYS_LINKED = new Set(
  `les des ces mes tes ses nos vos leurs aux un mon ton son aucun deux trois six dix vingt cents on nous vous ils elles en dans
   sans sous chez très plus moins bien tout quand est sont ont étaient était petit petits grand grands gros bon bons premier
   dernier plusieurs quelques certains certaines autres quatre-vingts pas suis avons avez c'est`.split(/\s+/),
);
/** Before these no other word is linked: they begin a new phrase. */
const UNLINKED = new Set(
  `et ou où à au aux en un une a ont est était étaient avait avaient aura il elle ils elles on y avec après avant entre ensuite
   alors ni hier aujourd'hui heure`.split(/\s+/),
);
/** A word that begins with a consonant and is heard the same behind all. */
const ANY_CONSONANT = 'temps';
/** "à l'est": the direction, and not "il l'est". */
const DIRECTED = /^(?:à|de|vers|dans|et|sud|nord|ou|sur)$/i;

/**
 * The sounds of the words of a clause. What espeak says of a word in a phrase hangs on whether
 * another follows, and on its first sound: so phrases of two words are asked for, which are found
 * again in other sentences, and not whole clauses.
 */
export function pronounce(words: readonly Utterance[], phonemizer: Phonemizer): string[] {
  return words.map(({ text, phonemes, followed }, index) => {
    const settled = phonemes ?? known(text);
    if (settled !== undefined) return settled;
    const small = text.toLowerCase();
    if (small === "l'est" && DIRECTED.test(words[index - 1]?.text ?? '')) return 'lˈɛst';
    const next = words[index + 1]?.text;
    if (!followed || next === undefined) return phonemizer.word(text);
    const links =
      VOWEL_FIRST.test(next) && LINKING.test(text) && (ALWAYS_LINKED.has(small) || !UNLINKED.has(next.toLowerCase()));
    return phonemizer.phrase([text, links || PAIRED.has(small) ? next : ANY_CONSONANT])[0]!;
  });
}

/**
 * espeak's IPA in the model's alphabet: hexgrad/misaki joins only what is one sound to espeak, and
 * in French "ts" and "dz" are two.
 */
export const fromEspeak = (ipa: string): string => espeakSymbols(ipa).replaceAll('ʦ', 'ts').replaceAll('ʣ', 'dz');
