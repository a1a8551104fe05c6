/** Subtitles from the alignment: words in cues of readable length, as SRT or WebVTT. */
import { samplesToMs } from '../protocol/audio.js';
import { escapeMarkup, isBlank } from '../protocol/characters.js';
import type { Alignment } from '../protocol/stream-messages.js';

export interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
}

const LINE_CHARS = 42;
const CUE_CHARS = LINE_CHARS * 2;
const CUE_MS = 6_000;
/** A cue that stands shorter than this (ms) cannot be read. */
const READABLE_MS = 500;
/** A pause this long (ms) ends a cue, also inside a sentence. */
const PAUSE_MS = 700;

interface Word {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Whether a blank line precedes it. */
  readonly newParagraph: boolean;
}

/** Gathers alignment as it arrives; `cues()` gives what has been gathered. */
export class CueBuilder {
  private readonly words: Word[] = [];
  private seen = 0;
  private text = '';
  private startMs = 0;
  private endMs = 0;
  private lineBreaks = 0;

  /** `shown`: what to show for each character that was sent, in order; absent, the text itself. */
  constructor(private readonly shown: readonly string[] = []) {}

  /** `offsetSamples`: samples of this run before the message that carried `alignment`. */
  add(alignment: Alignment, offsetSamples: number): void {
    const offsetMs = samplesToMs(offsetSamples);
    alignment.chars.forEach((sent, index) => {
      const start = offsetMs + (alignment.charStartTimesMs[index] ?? 0);
      const end = start + (alignment.charDurationsMs[index] ?? 0);
      const char = this.shown[this.seen++] ?? sent;
      if (isBlank(char)) {
        if (char !== '' || isBlank(sent)) this.endWord();
        // Line breaks count even where nothing is shown of their line.
        if (sent === '\n') this.lineBreaks++;
        return;
      }
      if (this.text === '') {
        this.startMs = start;
        this.endMs = start;
      }
      this.text += char;
      this.endMs = Math.max(end, this.endMs);
    });
  }

  cues(): Cue[] {
    this.endWord();
    const cues: Cue[] = [];
    let group: Word[] = [];
    const close = () => {
      if (group.length > 0) cues.push(cueOf(group));
      group = [];
    };
    for (const word of this.words) {
      const last = group.at(-1);
      if (last) {
        const chars = group.reduce((sum, { text }) => sum + text.length + 1, word.text.length);
        const tooLong = chars > CUE_CHARS || word.endMs - group[0]!.startMs > CUE_MS;
        if (tooLong || sentenceEnded(group, word, chars) || word.newParagraph || word.startMs - last.endMs > PAUSE_MS)
          close();
      }
      group.push(word);
    }
    close();
    // A cue must not reach into the next one.
    return cues.map((cue, index) => {
      const next = cues[index + 1];
      return next && cue.endMs > next.startMs ? { ...cue, endMs: next.startMs } : cue;
    });
  }

  private endWord(): void {
    if (this.text === '') return;
    const last = this.words.at(-1);
    // "Oui !", "« Oui »": French marks that stand apart stay on the line of their word.
    if (last && this.lineBreaks === 0 && (/^[;:!?»›]+$/.test(this.text) || /(?:^|\u00a0)[«‹]$/.test(last.text))) {
      this.words[this.words.length - 1] = { ...last, text: `${last.text}\u00a0${this.text}`, endMs: this.endMs };
      this.text = '';
      return;
    }
    this.words.push({
      text: this.text,
      startMs: this.startMs,
      endMs: this.endMs,
      newParagraph: this.lineBreaks > 1 && this.words.length > 0,
    });
    this.text = '';
    this.lineBreaks = 0;
  }
}

/** Words that end in a stop inside a sentence, and initials. */
const ABBREVIATION =
  /^["'“‘(]*(?:\p{L}|mrs?|ms|dr|prof|rev|gen|sen|gov|capt|lt|col|sgt|st|mt|jr|sr|no|vs|etc|inc|ltd|co|fig|vol|p\.?m|a\.?m|e\.g|i\.e|cf|approx|(?:\p{L}\.)+\p{L})\.$/iu;

/**
 * Whether a sentence ends between a cue and the next word. A short one is a cue if it can be read.
 */
function sentenceEnded(cue: readonly Word[], next: Word, chars: number): boolean {
  const { text } = cue.at(-1)!;
  if (!/[.!?…।॥]["'”’»)\]\u00a0]*$/.test(text)) return false;
  if (chars > LINE_CHARS) return true;
  const begins = /^["'“‘«(¿¡]*[\p{Lu}\p{Lo}\d]/u.test(next.text);
  return begins && !ABBREVIATION.test(text) && next.startMs - cue[0]!.startMs >= READABLE_MS;
}

function cueOf(words: readonly Word[]): Cue {
  const text = words.map((word) => word.text).join(' ');
  return { startMs: words[0]!.startMs, endMs: words.at(-1)!.endMs, text: inTwoLines(text) };
}

/** Breaks a long cue near its middle. */
function inTwoLines(text: string): string {
  if (text.length <= LINE_CHARS) return text;
  const middle = text.length / 2;
  let best = -1;
  for (let at = text.indexOf(' '); at >= 0; at = text.indexOf(' ', at + 1)) {
    if (best < 0 || Math.abs(at - middle) < Math.abs(best - middle)) best = at;
  }
  return best < 0 ? text : `${text.slice(0, best)}\n${text.slice(best + 1)}`;
}

export const toSrt = (cues: readonly Cue[]): string =>
  cues
    .map((cue, index) => `${index + 1}\n${clock(cue.startMs, ',')} --> ${clock(cue.endMs, ',')}\n${cue.text}\n\n`)
    .join('');

export const toVtt = (cues: readonly Cue[]): string =>
  `WEBVTT\n\n${cues
    .map((cue) => `${clock(cue.startMs, '.')} --> ${clock(cue.endMs, '.')}\n${escapeMarkup(cue.text)}\n\n`)
    .join('')}`;

function clock(ms: number, mark: ',' | '.'): string {
  const whole = Math.max(0, Math.round(ms));
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const fraction = String(whole % 1000).padStart(3, '0');
  return `${two(whole / 3_600_000)}:${two((whole / 60_000) % 60)}:${two((whole / 1000) % 60)}${mark}${fraction}`;
}
