/**
 * Learns pronunciations/tagger.txt: `node scripts/tagger/train.js HEADS LABELLED`. The words to be
 * learnt from are Link Grammar's parses, whose subscripts tell the part of speech. Features are
 * those of src/text/en/pronunciation/tagger.ts; weights are averaged over all steps and four runs.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { CLOSED, classByEnding, featuresAt, MARK, TAGS } from '../../dist/text/en/pronunciation/tagger.js';

const RUNS = 4;
const EPOCHS = 6;
const LEAST_SEEN = 3;
const LEAST_WEIGHT = 1.2;
const SCALE = 8;
const [, , headsFile, labelledFile] = process.argv;
const heads = new Set(readFileSync(headsFile, 'utf8').split(/\s+/).filter(Boolean));
/** Forms that Link Grammar does not tell. */
const FORCED = { moped: 'ND', dove: 'ND', wound: 'NVD' };
const NO_PLURAL = new Set(
  'is was has does its this us as yes his thus always perhaps news series species less across plus versus towards besides gas'.split(
    ' ',
  ),
);
const isPlural = (word) => word.length > 3 && /[^su']s$/.test(word) && !NO_PLURAL.has(word);

const BY_SUBSCRIPT = [
  [/^(?:n|n-u|n-f|s|t|m|f|b|l|u|i|o|ti|y|z|w)$/, 'N'],
  [/^(?:v|q|v-f)$/, 'V'],
  [/^(?:v-d|q-d|w-d)$/, 'D'],
  [/^g$/, 'G'],
  [/^a/, 'A'],
  [/^(?:e|e-y|r|c)$/, 'R'],
];

function tagged(token) {
  if (/^[^A-Za-z]+$/.test(token)) return [MARK, 'O'];
  const match = /^([A-Za-z'’-]+?)(?:\[[!?~&>].*?\])?(?:\.([a-z]+(?:-[a-z]+)?))?$/.exec(token);
  if (!match) return undefined;
  const word = match[1].toLowerCase().replace('’', "'");
  if (CLOSED.has(word) && !heads.has(word)) return [word, 'O'];
  const subscript = match[2];
  const named = /^[A-Z]./.test(match[1]);
  const tag = subscript ? (BY_SUBSCRIPT.find(([name]) => name.test(subscript))?.[1] ?? 'O') : named ? 'N' : 'O';
  if (tag === 'N' && isPlural(word)) return [word, 'S'];
  if (tag === 'V' && /[^s]s$/.test(word)) return [word, 'Z'];
  return [word, tag];
}

function sentenceOf(line) {
  const words = [];
  const tags = [];
  for (const token of line.split(' ').filter((each) => each && !each.endsWith('-WALL'))) {
    const pair = tagged(token);
    if (!pair) return undefined;
    // Endings that Link Grammar takes apart belong to their word.
    if (/^(?:'(?:s|ll|re|ve|d|m)|n't)$/.test(pair[0]) && words.length > 0) words[words.length - 1] += pair[0];
    else {
      words.push(pair[0]);
      tags.push(pair[1]);
    }
  }
  while (words.at(-1) === MARK) {
    words.pop();
    tags.pop();
  }
  return words.length > 2 ? { words, tags } : undefined;
}

const sentences = readFileSync(labelledFile, 'utf8').split('\n').map(sentenceOf).filter(Boolean);
const counts = new Map();
for (const { words, tags } of sentences)
  for (const [at, word] of words.entries()) {
    const count = counts.get(word) ?? { all: 0 };
    counts.set(word, count);
    count.all += 1;
    count[tags[at]] = (count[tags[at]] ?? 0) + 1;
  }
const classes = new Map();
for (const [word, count] of counts) {
  if (CLOSED.has(word) || word === MARK || count.all < 4) continue;
  const own = [...TAGS].filter((tag) => (count[tag] ?? 0) / count.all >= 0.08).join('');
  if (own !== classByEnding(word) && own !== 'O') classes.set(word, own);
}
for (const head of heads) {
  const own = classes.get(head) ?? '';
  const both = own.includes('S') || own.includes('Z') ? 'SZ' : 'NV';
  classes.set(head, FORCED[head] ?? [...TAGS].filter((tag) => own.includes(tag) || both.includes(tag)).join(''));
}

let state = 1;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const isFixed = (word) => word === MARK || (CLOSED.has(word) && !heads.has(word));
const seen = new Map();
for (const { words, tags } of sentences)
  for (const at of words.keys())
    if (!isFixed(words[at]))
      for (const feature of featuresAt(classes, words, at, tags[at - 1] ?? '^', tags[at - 2] ?? '^'))
        seen.set(feature, (seen.get(feature) ?? 0) + 1);

function bestOf(weights, features, allowed) {
  const scores = new Float64Array(TAGS.length);
  for (const feature of features) {
    const row = weights.get(feature);
    if (row) for (let tag = 0; tag < TAGS.length; tag += 1) scores[tag] += row.now[tag];
  }
  return [...allowed].reduce((best, tag) => (scores[TAGS.indexOf(tag)] > scores[TAGS.indexOf(best)] ? tag : best));
}

function learn(seed) {
  state = seed;
  const weights = new Map();
  let step = 0;
  const change = (feature, tag, by) => {
    if ((seen.get(feature) ?? 0) < LEAST_SEEN) return;
    const row = weights.get(feature) ?? {
      now: new Float64Array(9),
      sum: new Float64Array(9),
      since: new Int32Array(9),
    };
    weights.set(feature, row);
    const index = TAGS.indexOf(tag);
    row.sum[index] += (step - row.since[index]) * row.now[index];
    row.since[index] = step;
    row.now[index] += by;
  };
  for (let epoch = 0; epoch < EPOCHS; epoch += 1)
    for (const { words, tags } of sentences.toSorted(() => random() - 0.5)) {
      let [last, before] = ['^', '^'];
      for (const [at, word] of words.entries()) {
        let tag = 'O';
        if (!isFixed(word)) {
          step += 1;
          const listed = classes.get(word) ?? TAGS;
          // A word written alike is mostly told by its neighbours, or its commonest use would win.
          const named = random() >= (heads.has(word) ? 0.7 : 0.5);
          const features = featuresAt(classes, words, at, last, before).filter((each) => named || each[0] !== 'w');
          tag = bestOf(weights, features, listed.includes(tags[at]) ? listed : TAGS);
          if (tag !== tags[at])
            for (const feature of features) {
              change(feature, tags[at], 1);
              change(feature, tag, -1);
            }
        }
        before = last;
        last = random() < 0.8 ? tag : tags[at];
      }
    }
  for (const row of weights.values())
    for (let tag = 0; tag < 9; tag += 1) row.sum[tag] = (row.sum[tag] + (step - row.since[tag]) * row.now[tag]) / step;
  return weights;
}

const total = new Map();
for (let run = 1; run <= RUNS; run += 1)
  for (const [feature, row] of learn(777 * run)) {
    const sum = total.get(feature) ?? new Float64Array(TAGS.length);
    total.set(feature, sum);
    for (let tag = 0; tag < TAGS.length; tag += 1) sum[tag] += row.sum[tag] / RUNS;
  }
const rows = [...total].flatMap(([feature, sum]) => {
  if (Math.max(...sum.map(Math.abs)) < LEAST_WEIGHT) return [];
  const weights = [...sum].flatMap((weight, tag) =>
    Math.round(weight * SCALE) ? [TAGS[tag] + Math.round(weight * SCALE)] : [],
  );
  return weights.length > 0 ? [`${feature}\t${weights.join(' ')}`] : [];
});
const list = [...classes].map(([word, own]) => `${word} ${own}`);
const text = `${list.sort().join('\n')}\n\n${rows.sort().join('\n')}`;
writeFileSync(new URL('../../pronunciations/tagger.txt', import.meta.url), text);
process.stdout.write(`${list.length} words, ${rows.length} features, ${text.length} characters\n`);
