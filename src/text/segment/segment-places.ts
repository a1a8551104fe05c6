/** Where segments stand in their text: known from what was cut before, and from their own end. */
import type { TextPart } from '../../protocol/delivery/delivery.js';
import type { PauseKind, Segment, SegmentPlace } from '../../protocol/job.js';

/** Sentences that are remembered, to notice one that is said again. */
const REMEMBERED = 256;

const ENDS_PARAGRAPH: ReadonlySet<PauseKind> = new Set(['paragraph', 'heading']);
const GOES_ON: ReadonlySet<PauseKind> = new Set(['none', 'carried', 'joined', 'clause']);

/** Sentences that a paragraph is taken to have had before it goes on in another request. */
const BEFORE = 4;

export class SegmentPlaces {
  readonly #goesOn: boolean;
  #after: PauseKind | undefined;
  #turn = false;
  /** Sentences of the paragraph that have ended, and letters of the one that has not. */
  #sentence = 0;
  #letters = 0;
  /** How often a segment was cut, by its words. */
  readonly #said = new Map<string, number>();

  constructor({ continues, goesOn }: TextPart = { continues: false, goesOn: false }) {
    this.#goesOn = goesOn;
    if (!continues) return;
    this.#after = 'sentence';
    this.#sentence = BEFORE;
  }

  /**
   * The place of the next segment, which has `letters` letters; undefined where it says nothing.
   * `final`: nothing follows, or a flush comes before it.
   */
  take(
    { text, pause, spans }: Pick<Segment, 'text' | 'pause' | 'spans'>,
    letters: number,
    final: boolean,
  ): SegmentPlace | undefined {
    if (letters === 0) return undefined;
    // A silence that the text asks for is as long as it asks.
    if (spans[0]?.kind === 'break') this.#after = undefined;
    this.#letters += letters;
    const last = (final && !this.#goesOn) || ENDS_PARAGRAPH.has(pause);
    const place: SegmentPlace = {
      sentence: this.#sentence,
      last,
      letters: this.#letters,
      repeats: this.#repeats(text),
      ...(this.#after !== undefined && { after: this.#after }),
      ...(this.#turn && { turn: true }),
    };
    this.#after = spans.at(-1)?.kind === 'break' ? undefined : pause;
    this.#turn = false;
    if (last) this.#sentence = 0;
    else if (!GOES_ON.has(pause)) this.#sentence += 1;
    if (last || !GOES_ON.has(pause)) this.#letters = 0;
    return place;
  }

  /** Another voice speaks what follows. */
  turn(): void {
    this.#turn = this.#after !== undefined;
  }

  /** What follows a flush follows nothing that is still being heard. */
  restart(): void {
    this.#after = undefined;
    this.#turn = false;
    this.#sentence = 0;
    this.#letters = 0;
  }

  #repeats(text: string): number {
    const words = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
    const before = this.#said.get(words) ?? 0;
    this.#said.delete(words);
    this.#said.set(words, before + 1);
    if (this.#said.size > REMEMBERED) this.#said.delete(this.#said.keys().next().value!);
    return before;
  }
}
