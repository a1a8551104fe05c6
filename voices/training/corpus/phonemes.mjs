/**
 * Text lines on stdin to token ids on stdout, as Kokoro was taught to read them.
 *
 *   node phonemes.mjs tokenizer.json en-us < text.txt > ids.txt
 *
 * espeak-ng's IPA with Kokoro's small changes; punctuation stays, it carries the pauses and the melody. Every fourth line is read
 * word by word instead of clause by clause (as our own front-end reads), so that both kinds of stress are known.
 * Needs the package `espeak-phonemizer` (GPL-3.0; it makes the data, it is no part of the model).
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { getPhonemes, initialize, setVoice } from 'espeak-phonemizer';

const [tokenizerPath, language = 'en-us'] = process.argv.slice(2);
const vocabulary = JSON.parse(readFileSync(tokenizerPath, 'utf8')).model.vocab;
const LIMIT = 509;
const PUNCTUATION = /([;:,.!?—…"()“”]+)/u;

/** What Kokoro expects where espeak says it differently. */
const CHANGES = [
  [/ʲ/gu, 'j'], [/r/gu, 'ɹ'], [/x/gu, 'k'], [/ɬ/gu, 'l'],
  [/(?<=[a-zɹː])(?=hˈʌndɹɪd)/gu, ' '],
  [/ z(?=[;:,.!?—…"“” ]|$)/gu, 'z'],
  ...(language === 'en-us' ? [[/(?<=nˈaɪn)ti(?!ː)/gu, 'di']] : []),
];

const spoken = (text) => getPhonemes(text).map((clause) => clause.phonemes.trim()).join(' ').replace(/\([a-z-]+\)/gu, '');

function phonemes(line, byWord) {
  const parts = line.replace(/\.\.\./gu, '…').split(PUNCTUATION).map((part, i) => {
    if (i % 2) return part;
    const words = part.trim();
    if (!words) return part && ' ';
    const body = byWord ? words.split(/\s+/u).map(spoken).join(' ') : spoken(words);
    return (/^\s/u.test(part) ? ' ' : '') + body + (/\s$/u.test(part) ? ' ' : '');
  });
  return CHANGES.reduce((text, [from, to]) => text.replace(from, to), parts.join('')).replace(/ +/gu, ' ').trim();
}

await initialize();
await setVoice(language);
let count = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const ids = [...phonemes(line, count++ % 4 === 3)].map((c) => vocabulary[c]).filter((id) => id !== undefined);
  console.log(ids.slice(0, LIMIT).join(' '));
}
