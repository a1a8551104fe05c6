/** The text that goes with a sample: from the server's alignment, or estimated by length. */
import { msToSamples, SAMPLE_RATE } from '../protocol/audio.js';
import type { Alignment } from '../protocol/stream-messages.js';

export interface TextAt {
  /** The end of the text up to a moment. */
  readonly spoken: string;
  /** The beginning of the text after it. */
  readonly upcoming: string;
}

interface Piece {
  readonly text: string;
  readonly weight: number;
  readonly startSample: number;
  endSample: number | undefined;
}

/** Assumed reading speed, in weighted characters a second. */
const DEFAULT_SPEED = 16;
/** The assumed speed counts as much as so many characters that were heard. */
const PRIOR_WEIGHT = 100;
/** Most characters of text on either side of a moment. */
const WINDOW_CHARS = 600;

/** Punctuation is silent but takes time. */
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

  /** Announces all of the text, where it is known beforehand. */
  expect(text: string): void {
    this.expected += text;
    this.expectedWeight += weigh(text);
  }

  /** The audio that follows is of `text`. */
  begin(text: string): void {
    this.pieces.push({ text, weight: weigh(text), startSample: this.madeSamples, endSample: undefined });
  }

  /** The audio of the last text is complete. */
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

  /** Estimated length of all audio. */
  estimatedSamples(): number {
    if (this.alignedWeight > 0) {
      const left = Math.max(0, this.expectedWeight - this.alignedWeight);
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

  /** Characters whose audio has begun by then. */
  charsAt(heardSamples: number): number {
    if (this.chars.length > 0 || this.heardChars > 0) {
      this.aligned(heardSamples);
      return this.heardChars;
    }
    return this.pieces.reduce((sum, piece) => sum + [...this.spokenOf(piece, heardSamples)].length, 0);
  }

  /** The aligned text that was heard since the last call. */
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

  /** The words of a piece that have begun, by their share of its length. */
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
