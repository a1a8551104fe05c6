/** Which text goes with which sample: exact where the server sends an alignment, reckoned by length where it does not. */
import { msToSamples, SAMPLE_RATE } from '../protocol/audio.js';
import type { Alignment } from '../protocol/stream-messages.js';

export interface TextAt {
  /** The last of the text up to a moment. */
  readonly spoken: string;
  /** The next of the text after it. */
  readonly upcoming: string;
}

interface Piece {
  readonly text: string;
  readonly weight: number;
  readonly startSample: number;
  endSample: number | undefined;
}

/** Reading speed to begin with, in weighted characters a second. */
const DEFAULT_SPEED = 16;
const PRIOR_WEIGHT = 100;
/** How much text a moment shows on either side. */
const WINDOW_CHARS = 600;

/** Punctuation takes time although it makes no sound. */
const weightOf = (char: string): number => (/[.!?…\n]/.test(char) ? 6 : /[,;:—–]/.test(char) ? 3 : 1);

function weigh(text: string): number {
  let weight = 0;
  for (const char of text) weight += weightOf(char);
  return weight;
}

export class Timeline {
  private readonly pieces: Piece[] = [];
  private expected = '';
  private expectedWeight = 0;
  private alignedWeight = 0;
  private madeSamples = 0;
  private chars: string[] = [];
  private starts: number[] = [];
  private heardTail = '';
  private heardChars = 0;
  private heardUnits = 0;
  private takenChars = 0;

  /** All the text there will be, where it is known beforehand. */
  expect(text: string): void {
    this.expected += text;
    this.expectedWeight += weigh(text);
  }

  /** The sound of `text` comes next. */
  begin(text: string): void {
    this.pieces.push({ text, weight: weigh(text), startSample: this.madeSamples, endSample: undefined });
  }

  /** The sound of the text begun last is complete. */
  end(): void {
    const piece = this.pieces.at(-1);
    if (piece) piece.endSample = this.madeSamples;
  }

  made(samples: number): void {
    this.madeSamples = samples;
  }

  align(alignment: Alignment, offsetSamples: number): void {
    alignment.chars.forEach((char, index) => {
      this.chars.push(char);
      this.alignedWeight += weightOf(char);
      this.starts.push(offsetSamples + msToSamples(alignment.charStartTimesMs[index] ?? 0));
    });
  }

  /** How long the whole will be, as far as can be told. */
  estimatedSamples(): number {
    if (this.alignedWeight > 0) {
      const left = Math.max(0, this.expectedWeight - this.alignedWeight);
      // A little text says little of the speed: what is known beforehand counts as much as the first hundred characters.
      const weight = this.alignedWeight + PRIOR_WEIGHT;
      const samples = this.madeSamples + (PRIOR_WEIGHT * SAMPLE_RATE) / DEFAULT_SPEED;
      return this.madeSamples + (left * samples) / weight;
    }
    const begunWeight = this.pieces.reduce((sum, piece) => sum + piece.weight, 0);
    const last = this.pieces.at(-1);
    const begun = last ? this.endOf(last) : 0;
    return begun + Math.max(0, this.expectedWeight - begunWeight) * this.samplesPerWeight();
  }

  at(heardSamples: number): TextAt {
    return this.chars.length > 0 || this.heardChars > 0 ? this.aligned(heardSamples) : this.reckoned(heardSamples);
  }

  /** Characters whose sound has begun by then. */
  charsAt(heardSamples: number): number {
    if (this.chars.length > 0 || this.heardChars > 0) {
      this.aligned(heardSamples);
      return this.heardChars;
    }
    return this.pieces.reduce((sum, piece) => sum + [...this.spokenOf(piece, heardSamples)].length, 0);
  }

  /** The aligned text that was heard since this was last asked. */
  takeSpoken(heardSamples: number): string {
    this.aligned(heardSamples);
    const fresh = this.heardChars - this.takenChars;
    this.takenChars = this.heardChars;
    return fresh === 0 ? '' : [...this.heardTail].slice(-fresh).join('');
  }

  private aligned(heardSamples: number): TextAt {
    let count = 0;
    while (count < this.starts.length && this.starts[count]! <= heardSamples) count++;
    if (count > 0) {
      const heard = this.chars.slice(0, count).join('');
      this.heardTail = (this.heardTail + heard).slice(-WINDOW_CHARS);
      this.heardChars += count;
      this.heardUnits += heard.length;
      this.chars = this.chars.slice(count);
      this.starts = this.starts.slice(count);
    }
    const upcoming = this.expected
      ? this.expected.slice(this.heardUnits, this.heardUnits + WINDOW_CHARS)
      : this.chars.slice(0, WINDOW_CHARS).join('');
    return { spoken: this.heardTail, upcoming };
  }

  private reckoned(heardSamples: number): TextAt {
    let spoken = '';
    let upcoming = '';
    for (const piece of this.pieces) {
      const part = this.spokenOf(piece, heardSamples);
      spoken = `${spoken}${spoken && part ? ' ' : ''}${part}`.slice(-WINDOW_CHARS);
      if (part.length < piece.text.length && upcoming === '')
        upcoming = piece.text.slice(part.length, part.length + WINDOW_CHARS);
    }
    return { spoken, upcoming };
  }

  /** The words of a piece that have begun, going by their share of its length. */
  private spokenOf(piece: Piece, heardSamples: number): string {
    if (heardSamples <= piece.startSample) return '';
    const end = this.endOf(piece);
    if (piece.endSample !== undefined && heardSamples >= end) return piece.text;
    let weight = (piece.weight * (heardSamples - piece.startSample)) / Math.max(1, end - piece.startSample);
    let index = 0;
    for (const char of piece.text) {
      weight -= weightOf(char);
      if (weight <= 0) break;
      index += char.length;
    }
    const wordEnd = piece.text.slice(index).search(/\p{White_Space}/u);
    return wordEnd < 0 ? piece.text : piece.text.slice(0, index + wordEnd);
  }

  private endOf(piece: Piece): number {
    if (piece.endSample !== undefined) return piece.endSample;
    return Math.max(this.madeSamples, piece.startSample + piece.weight * this.samplesPerWeight());
  }

  private samplesPerWeight(): number {
    const done = this.pieces.filter((piece) => piece.endSample !== undefined);
    const weight = done.reduce((sum, piece) => sum + piece.weight, 0);
    if (weight === 0) return SAMPLE_RATE / DEFAULT_SPEED;
    return done.reduce((sum, piece) => sum + piece.endSample! - piece.startSample, 0) / weight;
  }
}
