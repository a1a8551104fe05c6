/**
 * Words that plain text asks to stress: "*so*" between asterisks as Markdown has them, and in
 * English a common word in capitals. Looked for in a segment, so that it does not matter how the
 * text was cut into messages.
 */
import { countChars } from '../../protocol/characters.js';
import type { Segment } from '../../protocol/job.js';
import type { FrontEnd } from '../front-end.js';
import { between, positions } from '../reading-items.js';
import type { Range } from '../reading-pieces.js';

const MARKED =
  /(?<![\p{Script=Latin}\p{N}*\\])\*{1,3}(?=[\p{L}\p{N}"'“‘])([^*\n]{0,60}?[\p{L}\p{N}.,!?…"'”’])\*{1,3}(?![\p{Script=Latin}\p{N}*:])/gu;
const MOST_WORDS = 5;
/** Stretches between asterisks that are stressed in a sentence; more are no emphasis. */
const MOST_MARKED = 3;
/** Words in small letters that a sentence needs for one in capitals to be stressed. */
const LEAST_SMALL = 2;
const WORD = /(?<![\w@#$&./*'’-])[A-Za-z]+(?:['’][A-Za-z]+)?(?![\w@#/*-]|\.\w)/g;
const CAPITALS = /^[A-Z]{2,}(?:['’][A-Z]+)?$/;
const SENTENCE = /[^.!?…\n]+/g;

/** UTF-16 places of a text. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** The characters of a segment that are stressed. What has a delivery of its own keeps it. */
export function stressedIn(segment: Segment, { stressWords }: FrontEnd): Range[] {
  return segment.spans.flatMap((span) => {
    if (span.kind !== 'text' || span.prosody !== undefined) return [];
    const { text } = span;
    const found = [...marked(text), ...(stressWords ? capitals(text, stressWords) : [])];
    if (found.length === 0) return [];
    const seen = positions(span, segment.text);
    return found.map(({ from, to }) => {
      const start = countChars(text.slice(0, from));
      return between(seen, start, start + countChars(text.slice(from, to)));
    });
  });
}

function marked(text: string): Stretch[] {
  if (!text.includes('*')) return [];
  const bySentence = new Map<number, Stretch[]>();
  for (const match of text.matchAll(MARKED)) {
    const [whole, inner] = [match[0], match[1]!];
    const [from, to] = [match.index, match.index + whole.length];
    const begin = Math.max(...['.', '!', '?', '\n'].map((mark) => text.lastIndexOf(mark, from))) + 1;
    const rest = /^[^.!?\n]*/.exec(text.slice(to))![0];
    const isAlone = !/[\p{L}\p{N}]/u.test(text.slice(begin, from) + rest);
    if (isAlone || !/\p{L}/u.test(inner) || inner.split(/\s+/).length > MOST_WORDS) continue;
    bySentence.set(begin, [...(bySentence.get(begin) ?? []), { from, to }]);
  }
  return [...bySentence.values()].filter(({ length }) => length <= MOST_MARKED).flat();
}

/** One word of a sentence, unless it is one of a row of capitals, a label or a headline. */
function capitals(text: string, stressWords: ReadonlySet<string>): Stretch[] {
  if (!/[A-Z]{2}/.test(text)) return [];
  return [...text.matchAll(SENTENCE)].flatMap(({ 0: sentence, index: base }) => {
    if (sentence.includes('*')) return [];
    const words = [...sentence.matchAll(WORD)];
    const isLarge = words.map(([word]) => CAPITALS.test(word));
    const small = words.filter(([word]) => /[a-z]/.test(word)).length;
    if (small < LEAST_SMALL) return [];
    const found = words.filter(({ 0: word, index }, at) => {
      if (!isLarge[at] || isLarge[at - 1] || isLarge[at + 1]) return false;
      return stressWords.has(word.toLowerCase().replace('’', "'")) && sentence[index + word.length] !== ':';
    });
    const first = found[0];
    if (first === undefined || found.length > 2) return [];
    return [{ from: base + first.index, to: base + first.index + first[0].length }];
  });
}
