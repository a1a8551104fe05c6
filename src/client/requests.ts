/** Cuts a text of any length into requests, each at the best place within its limit. */
import { trim } from '../protocol/characters.js';
import { MAX_INPUT_CHARS } from '../protocol/contract.js';
import type { TextPart } from '../protocol/delivery/delivery.js';
import { type Boundary, BoundaryScanner } from '../text/segment/segment-boundaries.js';
import { RANK } from '../text/segment/sentence-ends.js';

interface Place {
  /** UTF-16 index into the text. */
  readonly index: number;
  /** Code points before it. */
  readonly chars: number;
  readonly quality: number;
}

/** What one request says. */
interface RequestText {
  readonly input: string;
  readonly part: TextPart;
}

/**
 * The pieces in order, none empty or longer than `maxChars` code points, without white space around
 * them. Together they have every other character of the text. Takes linear time.
 */
export function* splitIntoRequests(whole: string, maxChars: number = MAX_INPUT_CHARS): Generator<RequestText> {
  const text = trim(whole);
  let start: Place = { index: 0, chars: 0, quality: RANK.paragraph };
  let ahead: Place[] = [];
  for (const place of placesOf(text)) {
    while (place.chars - start.chars > maxChars) {
      const cut = best(ahead, start, maxChars) ?? hardCut(text, start, maxChars);
      yield* piece(text, start, cut);
      start = cut;
      ahead = ahead.filter(({ index }) => index > cut.index);
    }
    ahead.push(place);
  }
  yield* piece(text, start, { index: text.length, chars: 0, quality: RANK.paragraph });
}

function* piece(whole: string, from: Place, to: Place): Generator<RequestText> {
  const input = trim(whole.slice(from.index, to.index));
  if (input !== '') yield { input, part: { continues: isInParagraph(from), goesOn: isInParagraph(to) } };
}

const isInParagraph = ({ quality }: Place): boolean => quality === IN_PARAGRAPH || quality < RANK.sentence;

/** Every place where the text could be cut, and its end. */
function placesOf(text: string): Place[] {
  const places: Place[] = [];
  let index = 0;
  let chars = 0;
  const reach = (to: number) => {
    for (; index < to; chars++) index += text.codePointAt(index)! > 0xffff ? 2 : 1;
  };
  new BoundaryScanner().scan(text, true, (at, boundary) => {
    reach(at);
    places.push({ index, chars, quality: qualityOf(boundary) });
  });
  reach(text.length);
  places.push({ index, chars, quality: RANK.paragraph });
  return places;
}

/** The end of a sentence whose paragraph goes on. */
const IN_PARAGRAPH = RANK.paragraph + 1;

/**
 * The service trims requests, so that a cut at a blank line would lose the pause it asks for. The
 * end of a sentence is therefore the best place.
 */
const qualityOf = ({ rank, pause }: Boundary): number =>
  rank === RANK.sentence && pause === 'sentence' ? IN_PARAGRAPH : rank;

/** The best place within reach, the last among equals. Lesser places must not give short pieces. */
function best(places: readonly Place[], start: Place, maxChars: number): Place | undefined {
  let found: Place | undefined;
  for (const place of places) {
    const chars = place.chars - start.chars;
    if (chars > maxChars) break;
    const crumb = place.quality < RANK.sentence && chars < maxChars / 4;
    if (!crumb && (!found || place.quality >= found.quality)) found = place;
  }
  return found;
}

function hardCut(text: string, start: Place, maxChars: number): Place {
  let { index } = start;
  for (let count = 0; count < maxChars && index < text.length; count++) {
    index += text.codePointAt(index)! > 0xffff ? 2 : 1;
  }
  return { index, chars: start.chars + maxChars, quality: RANK.inside };
}
