/**
 * Makes pronunciations/en.txt: the words of the CMU Pronouncing Dictionary that espeak reads
 * otherwise, in the model's alphabet, sorted by their bytes. `npm run build && node
 * scripts/pronunciations.js`.
 *
 * Where both agree but for the colour of an unstressed vowel, espeak's reading stays: nothing is
 * kept. Where they do not, the dictionary is right twice as often on words that a third one knows,
 * and it is kept but for
 * - derived words whose stem both read alike: there it is most often the dictionary that has a slip;
 * - readings letter by letter, without a stress or with two, and those that differ in nothing but where it lies;
 * - the words of kept.txt, on which that third one agrees with espeak.
 * The names and loans of names.txt, written by hand, stand above both.
 * A word that espeak reads well and that rules by origin would read otherwise has "=" for a reading.
 * A line that ends in "us" is not for British voices: espeak knows how the British say that word,
 * and it is not what the rules between the two accents make of the American reading.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dictionary } from 'cmu-pronouncing-dictionary';
import { byOrigin } from '../dist/text/en/origin/origin.js';
import { pinyin } from '../dist/text/en/origin/pinyin.js';
import { inBritish } from '../dist/text/en/pronunciation/alphabet.js';
import { createPhonemizer } from '../dist/text/phonemes.js';

const SYMBOLS = Object.fromEntries(
  'AA ɑ|AE æ|AH ʌ|AO ɔ|AW W|AY I|B b|CH ʧ|D d|DH ð|EH ɛ|EY A|F f|G ɡ|HH h|IH ɪ|IY i|JH ʤ|K k|L l|M m|N n|NG ŋ|OW O|OY Y|P p|R ɹ|S s|SH ʃ|T t|TH θ|UH ʊ|UW u|V v|W w|Y j|Z z|ZH ʒ'
    .split('|')
    .map((pair) => pair.split(' ')),
);
const VOWELS = 'AIOWYæɑɔəɛɜɪʊʌiuᵊᵻ';

/** ARPAbet in the model's alphabet, with the flap and the weak endings espeak has. */
function fromArpabet(written) {
  const plain = written
    .replace(/ #.*$/, '')
    .split(' ')
    .map((phone) => {
      const [, name, stress] = /^([A-Z]+)(\d?)$/.exec(phone);
      const mark = stress === '1' ? 'ˈ' : stress === '2' ? 'ˌ' : '';
      if (name === 'ER') return mark === '' ? 'əɹ' : `${mark}ɜɹ`;
      return name === 'AH' && mark === '' ? 'ə' : mark + SYMBOLS[name];
    })
    .join('');
  return plain
    .replace(new RegExp(`(?<=[${VOWELS}ɹ])t(?=[${VOWELS}])`, 'gu'), 'T')
    .replace(new RegExp(`əl(?![${VOWELS}ˈˌ])`, 'gu'), 'ᵊl');
}

/** What two readers of one accent do differently and nobody minds. */
const loosely = (phonemes) =>
  phonemes
    .replace(/[ˌː ]/gu, '')
    .replace(/T/gu, 't')
    .replace(/ɔ/gu, 'ɑ')
    .replace(/ɜɹ/gu, 'əɹ')
    .replace(/[ʌɐᵊ]/gu, 'ə')
    .replace(/æɹ/gu, 'ɛɹ')
    .replace(/(?<!ˈ)[ɪᵻʊæɛɑi](?!$)|(?<!ˈ)[ɪᵻʊæɛɑ]$|(?<!ˈ)[Ou](?=.)/gu, 'ə')
    .replace(/ŋ(?=[kɡ])/gu, 'n')
    .replace(/j(?=ə)|hw(?=w)/gu, '')
    .replace(/(?<=[tdnszlθ])j(?=ˈ?u)/gu, '')
    .replace(/ˈi(?=ə?ɹ)/gu, 'ˈɪ')
    .replace(/([IW])ə?ɹ/gu, '$1ɹ')
    .replace(/nts/gu, 'ns')
    .replace(/ə+/gu, 'ə')
    .replace(/əl/gu, 'l')
    .replace(/əm$/u, 'm')
    .replace(/ɹə?ɹ/gu, 'ɹ')
    .replace(/əɹ(?=[iə])/gu, 'ɹ');

const SUFFIXES = [
  "'s",
  's',
  'es',
  'ed',
  'd',
  'ing',
  'ly',
  'ness',
  'less',
  'er',
  'ers',
  'able',
  'y',
  'ism',
  'ist',
  'ists',
  'ful',
  'ment',
];
const PREFIXES =
  /^(?:over|under|counter|inter|super|tele|mis|out|up|down|fore|anti|non|re|de|dis|un|in|im|pre|sub|trans|multi|micro|semi|photo|electro|auto|hydro|poly|psycho|neuro)(?=...)/;

const words = new Map();
for (const [entry, written] of Object.entries(dictionary)) {
  const word = entry.replace(/\(\d+\)$/, '');
  if (!/^[a-z][a-z']+$/.test(word) || word.endsWith("'")) continue;
  words.set(word, [...(words.get(word) ?? []), fromArpabet(written)]);
}
const american = await createPhonemizer('en-US', () => undefined);
const said = new Map([...words.keys()].map((word) => [word, american.word(word)]));
const british = await createPhonemizer('en-GB', () => undefined);
const agreed = (word) => {
  const known = words.get(word);
  return known?.map(loosely).includes(loosely(said.get(word))) ?? false;
};
const isDerived = (word) =>
  SUFFIXES.some((suffix) => {
    if (!word.endsWith(suffix)) return false;
    const stem = word.slice(0, -suffix.length);
    // "Lucas" is no plural: that of "Luca" would end in a voiced sound.
    if (suffix === 's' && /[AIOWYəiuɹlmnbdɡv]s$/u.test(words.get(word)[0])) return false;
    return agreed(stem) || agreed(`${stem}e`) || (stem.endsWith('i') && agreed(`${stem.slice(0, -1)}y`));
  }) ||
  (PREFIXES.test(word) && agreed(word.replace(PREFIXES, '')));
/** The reading of a word with its ending is left to its stem's. */
const kept = new Set(readFileSync(new URL('../pronunciations/kept.txt', import.meta.url), 'utf8').split(/\s+/));
const silent = (phonemes) => loosely(phonemes).replace(/ˈ/gu, '');

const readings = new Map();
for (const [word, [first]] of words) {
  const ours = said.get(word);
  if (word.endsWith("'s") || kept.has(word) || !ours.includes('ˈ') || agreed(word) || isDerived(word)) continue;
  if (word.length < 5 && loosely(american.word([...word.toUpperCase()].join('.'))) === loosely(first)) continue;
  if (first.split('ˈ').length !== 2 || silent(first) === silent(ours)) continue;
  const accent = loosely(inBritish(ours)) === loosely(british.word(word)) || guessed(word, ours) ? '' : ' us';
  readings.set(word, first + accent);
}
for (const [word] of words) {
  if (readings.has(word)) continue;
  const spoilt = byOrigin(word.charAt(0).toUpperCase() + word.slice(1));
  if (spoilt === undefined) continue;
  // Neither the dictionary nor espeak knows pinyin.
  if (!agreed(word) && pinyin(word) !== undefined) continue;
  const right = [said.get(word), ...(agreed(word) ? [] : words.get(word))].map(loosely);
  if (!right.includes(loosely(spoilt))) readings.set(word, '=');
}
for (const line of readFileSync(new URL('../pronunciations/names.txt', import.meta.url), 'utf8').split('\n')) {
  if (line === '' || line.startsWith('#')) continue;
  const [name, phonemes] = line.normalize('NFC').split(' ');
  readings.set(name, phonemes);
}

/**
 * Whether espeak's two accents differ as accents do, in their vowels alone: then it knows the word
 * in neither.
 */
function guessed(word, ours) {
  const bones = (phonemes) =>
    loosely(phonemes)
      .replace(/[ɹ]/gu, '')
      .replace(/[AIOQWYæɑɒəɛɜɪʊiue]+/gu, 'V');
  return bones(ours) === bones(british.word(word));
}

const lines = [...readings]
  .map(([word, reading]) => ({ word: Buffer.from(word), line: `${word} ${reading}` }))
  .sort((a, b) => Buffer.compare(a.word, b.word))
  .map(({ line }) => line);
writeFileSync(new URL('../pronunciations/en.txt', import.meta.url), `${lines.join('\n')}\n`);
process.stdout.write(
  `${lines.length} words, ${lines.filter((line) => line.endsWith(' us')).length} of them American only\n`,
);
