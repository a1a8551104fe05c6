/** The figures of a delivery as a Markdown table: before, after, and what readers do. */
import type { Delivery } from './measure.js';
import { type MelodyFigures, RISE } from './melody.js';
import { PLACES, restFigures } from './rests.js';
import { QUESTION_KINDS, type QuestionKind } from './story.js';

/** A figure of one delivery; undefined where it was not measured. */
type Figure = (delivery: Delivery) => string | undefined;

interface Row {
  readonly name: string;
  readonly figure: Figure;
  /** What is published of people; the note has the source. */
  readonly readers?: string;
}

const fixed = (value: number, digits: number): string => (Number.isNaN(value) ? '–' : value.toFixed(digits));
const signed = (value: number, digits = 1): string => (value > 0 ? '+' : '') + fixed(value, digits);
const inUnit = (value: number, digits: number, unit: string): string =>
  Number.isNaN(value) ? '–' : `${signed(value, digits)} ${unit}`;
const percent = (share: number): string => `${fixed(100 * share, 0)} %`;

function restRow(name: string, wanted: (place: string) => boolean, readers?: string): Row {
  return {
    name,
    figure({ rests }) {
      const own = rests.filter(({ place }) => wanted(place ?? 'none'));
      if (own.length === 0) return '–';
      const { count, quartilesMs, alike } = restFigures(own);
      return `${count}: ${quartilesMs.map((ms) => (ms / 1_000).toFixed(2)).join(' / ')} s, ${percent(alike)} alike`;
    },
    ...(readers !== undefined && { readers }),
  };
}

/** Of the questions of a kind: how many rise, of how many, and by how much each moves. */
export function risesOf({ questions }: MelodyFigures, kind: QuestionKind): string {
  const moves = questions.filter(({ sentence }) => sentence.asks === kind).map(({ movement }) => movement);
  const rises = moves.filter((movement) => movement >= RISE).length;
  return `${rises} of ${moves.length} (${moves.map((movement) => signed(movement, 0)).join(' ')})`;
}

const RISES_OF_READERS: Partial<Record<QuestionKind, string>> = { 'yes-no': 'mostly rise [4]' };

const READERS_BY_PLACE: Readonly<Record<string, string>> = {
  paragraph: '0.40–1.34, slow 0.75–1.80 s [1]',
  sentence: '0.20–0.98, slow 0.34–1.36 s [1]',
};

const ROWS: readonly Row[] = [
  { name: 'length', figure: ({ seconds }) => `${seconds.toFixed(1)} s` },
  { name: 'words a minute', figure: ({ pace }) => fixed(pace, 0), readers: '160–180 on the BBC [2]' },
  { name: '… without rests', figure: ({ paceWithoutRests }) => fixed(paceWithoutRests, 0) },
  { name: '… differs between sentences', figure: ({ paceSpread }) => percent(paceSpread) },
  restRow('rests at marks', (place) => place !== 'none'),
  ...PLACES.map((each) => restRow(`… ${each}`, (place) => place === each, READERS_BY_PLACE[each])),
  ...QUESTION_KINDS.map((kind): Row => {
    const readers = RISES_OF_READERS[kind];
    return {
      name: `rises, ${kind}`,
      figure: ({ melody }) => risesOf(melody, kind),
      ...(readers !== undefined && { readers }),
    };
  }),
  {
    name: 'pitch, and its range',
    figure: ({ melody: { medianHz, range } }) => `${fixed(medianHz, 0)} Hz, ${fixed(range, 1)} st`,
  },
  {
    name: 'declination of sentences (rule)',
    figure: ({ melody: { sentenceSlope: slope, readerSlope } }) =>
      Number.isNaN(slope) ? '–' : `${signed(slope)} st/s (${signed(readerSlope)})`,
    readers: 'the rule in brackets [3]',
  },
  { name: 'declination of paragraphs', figure: ({ melody }) => inUnit(melody.paragraphSlope, 2, 'st/s') },
  { name: 'reset at a sentence', figure: ({ melody }) => inUnit(melody.sentenceReset, 1, 'st') },
  { name: 'reset at a paragraph', figure: ({ melody }) => inUnit(melody.paragraphReset, 1, 'st') },
  { name: 'sentences differ in height', figure: ({ melody }) => `${fixed(melody.levelSpread, 2)} st` },
  { name: 'sentences differ in range', figure: ({ melody }) => `${fixed(melody.rangeSpread, 2)} st` },
  { name: 'DNSMOS, overall', figure: ({ opinion }) => opinion?.toFixed(2) },
  { name: 'words wrong', figure: ({ errors }) => errors && `${errors.wrong} of ${errors.of}` },
];

export const NOTE = `rests: silences of 80 ms and more, count and quartiles; alike: within 5 % of their median; place: the mark before.
rises: questions whose last movement is ${RISE} semitones or more upwards; in brackets the last movement of each.
[1] Kazlauskienė and Kalašinskaitė, Respectus Philologicus 37 (2020): 48 recordings of eight Lithuanian readers, fast and slow ones.
[2] Rodero, Text & Talk 32 (2012): 40 radio bulletins; what is recommended, and kept by the BBC alone of four.
[3] 't Hart, Collier and Cohen, A perceptual study of intonation (1990): base line, -11/(t + 1.5) up to 5 s, -8.5/t beyond.
[4] Hedberg, Sosa and Görgülü (2014): 410 questions in American English; low rises by far the most frequent, falls rare.
`;

/** Cells padded, so that the Markdown reads as a table in a terminal too. */
export function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]!.length)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |\n`;
  return line(head) + line(widths.map((width) => '-'.repeat(width))) + rows.map(line).join('');
}

/** One voice: a row a figure, a column a delivery. */
export function deliveryTable(names: readonly string[], deliveries: readonly Delivery[]): string {
  const rows = ROWS.map(({ name, figure, readers = '' }) => [name, ...deliveries.map(figure), readers]);
  const known = rows.filter((row) => row.slice(1, -1).some((cell) => cell !== undefined && cell !== '–'));
  return markdown(
    ['', ...names, 'readers'],
    known.map((row) => row.map((cell) => cell ?? '–')),
  );
}
