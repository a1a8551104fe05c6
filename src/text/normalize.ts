/**
 * Written text to words that can be read aloud, with the way back to the characters of the input.
 *
 * Two passes: the first unifies characters and drops markup, the second says numbers, abbreviations
 * and signs. Letters said by name stand in English as single capitals with a space between ("H T M
 * L"), which its front end joins for espeak.
 */
import { DEFAULT_LANGUAGE, type Language, type SayAs } from '../protocol/job.js';
import { type FrontEnd, frontEnd } from './front-end.js';
import { clean } from './normalize/clean.js';
import { createReading } from './normalize/rule.js';
import { Scan } from './normalize/scan.js';
import { Room } from './normalize/spoken.js';
import type { Normalized } from './types.js';

export interface NormalizeOptions {
  /** How the whole text is meant, where the author said so. */
  readonly sayAs?: SayAs;
  readonly language?: Language;
}

/** The passes of one language, with the room both need: it never leaves this object. */
class Normalizer {
  readonly #front: FrontEnd;
  readonly #read: (scan: Scan) => void;
  readonly #cleaned = new Room();
  readonly #said = new Room();

  constructor(front: FrontEnd) {
    this.#front = front;
    this.#read = createReading(front.rules);
  }

  normalize(text: string, sayAs: SayAs | undefined): Normalized {
    const front = this.#front;
    const scan = new Scan(clean(text, front.characters, { room: this.#cleaned }), front, this.#said);
    if (!(sayAs && front.readAs(scan, sayAs))) this.#read(scan);
    const { text: said, starts, ends, skipped } = scan.out.finish();
    return { text: said, starts: firstOf(starts, said.length), ends: firstOf(ends, said.length), skipped };
  }
}

const normalizers = new Map<Language, Normalizer>();

export function normalize(text: string, options: NormalizeOptions = {}): Normalized {
  const { sayAs, language = DEFAULT_LANGUAGE } = options;
  let normalizer = normalizers.get(language);
  if (!normalizer) {
    normalizer = new Normalizer(frontEnd(language));
    normalizers.set(language, normalizer);
  }
  return normalizer.normalize(text, sayAs);
}

/**
 * A plain array, because a typed one of its own takes longer to make than a short text takes to
 * read.
 */
function firstOf(from: Int32Array, length: number): number[] {
  const to = new Array<number>(length);
  for (let i = 0; i < length; i++) to[i] = from[i]!;
  return to;
}
