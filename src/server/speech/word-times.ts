/** When each word of a speech is heard, from its beginning. */
import type { GatewayEvent } from '../../gateway/types.js';
import { samplesToMs } from '../../protocol/audio.js';

export interface WordTime {
  /** As it is written, with the marks beside it. */
  readonly word: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** Scripts that are written without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
let segmenter: Intl.Segmenter | undefined;

/** Runs without white space; those of scripts without spaces by their words, marks at the left. */
function wordsIn(text: string): string[] {
  return text.split(/(?<=\s)(?=\S)/u).flatMap((run) => (UNSPACED.test(run) ? unspacedWords(run) : [run]));
}

function unspacedWords(run: string): string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  const words: string[] = [];
  for (const { segment, isWordLike } of segmenter.segment(run)) {
    if (isWordLike || words.length === 0) words.push(segment);
    else words.push(words.pop()! + segment);
  }
  return words;
}

/** Collects the words of segments as they begin, until a message takes them along. */
export class WordClock {
  #samples = 0;
  #waiting: WordTime[] = [];

  add(event: GatewayEvent): void {
    if (event.type === 'audio') this.#samples += event.pcm.length;
    if (event.type !== 'segment') return;
    const { startSamples, durationSamples } = event.timings;
    let at = 0;
    for (const written of wordsIn(event.segment.text)) {
      const from = at;
      at += [...written].length;
      const word = written.trim();
      if (word === '') continue;
      let end = startSamples[from] ?? 0;
      for (let i = from; i < at; i++) end = Math.max(end, (startSamples[i] ?? 0) + (durationSamples[i] ?? 0));
      const ms = (samples: number) => Math.round(samplesToMs(this.#samples + samples));
      this.#waiting.push({ word, startMs: ms(startSamples[from] ?? 0), endMs: ms(end) });
    }
  }

  /** The words that no message took yet. */
  take(): WordTime[] {
    return this.#waiting.splice(0);
  }
}
