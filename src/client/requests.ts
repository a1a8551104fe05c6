/** Cuts a text of any length into requests, each at the best place within its limit. */
import { trim } from '../protocol/characters.js';
import { MAX_INPUT_CHARS } from '../protocol/contract.js';
import { type Boundary, BoundaryScanner } from '../text/segment/segment-boundaries.js';
import { RANK } from '../text/segment/sentence-ends.js';

interface Place {
  /** UTF-16 index into the text. */
  readonly index: number;
  /** Code points before it. */
  readonly chars: number;
  readonly quality: number;
}

/**
 * The pieces in order, none empty or longer than `maxChars` code points, without white space around
 * them. Together they have every other character of the text. Takes linear time.
 */
export function* splitIntoRequests(whole: string, maxChars: number = MAX_INPUT_CHARS): Generator<string> {
  const text = trim(whole);
  let start: Place = { index: 0, chars: 0, quality: 0 };
  let ahead: Place[] = [];
  for (const place of placesOf(text)) {
    while (place.chars - start.chars > maxChars) {
      const cut = best(ahead, start, maxChars) ?? hardCut(text, start, maxChars);
      yield* trimmed(text.slice(start.index, cut.index));
      start = cut;
      ahead = ahead.filter(({ index }) => index > cut.index);
    }
    ahead.push(place);
  }
  yield* trimmed(text.slice(start.index));
}

function* trimmed(piece: string): Generator<string> {
  const text = trim(piece);
  if (text !== '') yield text;
}

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

/**
 * The service trims requests, so that a cut at a blank line would lose the pause it asks for. The
 * end of a sentence is therefore the best place.
 */
const qualityOf = ({ rank, pause }: Boundary): number =>
  rank === RANK.sentence && pause === 'sentence' ? RANK.paragraph + 1 : rank;

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
