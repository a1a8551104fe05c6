/** Every figure of a clip's delivery, from its samples and the times of its words. */
import { msToSamples, SAMPLE_RATE } from '../../../src/protocol/audio.js';
import { wordErrors, wordsOf } from '../../../testkit/sound/word-errors.js';
import type { Dnsmos } from '../dnsmos.js';
import { type Clip, placeWords, type SpokenSentence, spokenSentences } from './clip.js';
import { deviation } from './figures.js';
import { type MelodyFigures, melodyOf } from './melody.js';
import { pitchTrack } from './pitch-track.js';
import { type Rest, restsOf } from './rests.js';
import { type Block, textOf } from './story.js';

/** What listens besides arithmetic; absent where it was not asked for or could not be fetched. */
export interface Ears {
  readonly transcribe?: ((pcm: Int16Array) => Promise<string>) | undefined;
  readonly dnsmos?: Dnsmos | undefined;
}

export interface Delivery {
  readonly pcm: Int16Array;
  /** Hz every 10 ms, 0 where there is no voice. */
  readonly track: Float64Array;
  readonly rests: readonly Rest[];
  readonly sentences: readonly SpokenSentence[];
  readonly melody: MelodyFigures;
  readonly seconds: number;
  /** Words a minute, with the rests and without. */
  readonly pace: number;
  readonly paceWithoutRests: number;
  /** Deviation of the sentences' letters a second, as a share of their mean. */
  readonly paceSpread: number;
  /** DNSMOS, overall. */
  readonly opinion?: number | undefined;
  readonly errors?: { readonly wrong: number; readonly of: number } | undefined;
}

/** DNSMOS hears 9 s at once: every second of the two minutes is heard, and few twice. */
const DNSMOS_EVERY_S = 8;
/** Kept around a sentence for the recogniser. */
const MARGIN_MS = 100;
/** A shorter sentence says little about its pace. */
const LEAST_WORDS = 4;

/** Rests inside a stretch, added up. */
const restedMs = (rests: readonly Rest[], fromMs: number, toMs: number): number =>
  rests.reduce((sum, { startMs, endMs }) => sum + Math.max(0, Math.min(toMs, endMs) - Math.max(fromMs, startMs)), 0);

function paceSpread(sentences: readonly SpokenSentence[], rests: readonly Rest[]): number {
  const paces = sentences
    .filter(({ words }) => words >= LEAST_WORDS)
    .map(({ text, startMs, endMs }) => {
      const letters = text.match(/\p{L}/gu)!.length;
      return letters / (endMs - startMs - restedMs(rests, startMs, endMs));
    });
  return deviation(paces) / (paces.reduce((sum, pace) => sum + pace, 0) / paces.length);
}

async function errorsOf(
  pcm: Int16Array,
  sentences: readonly SpokenSentence[],
  transcribe: NonNullable<Ears['transcribe']>,
) {
  let [wrong, of] = [0, 0];
  for (const { text, startMs, endMs } of sentences) {
    const meant = text.replace(/^[#-] /u, '');
    const heard = await transcribe(
      pcm.subarray(msToSamples(Math.max(0, startMs - MARGIN_MS)), msToSamples(endMs + MARGIN_MS)),
    );
    wrong += wordErrors(meant, heard);
    of += wordsOf(meant).length;
  }
  return { wrong, of };
}

export async function measure(blocks: readonly Block[], { pcm, words }: Clip, ears: Ears): Promise<Delivery> {
  const text = textOf(blocks);
  const placed = placeWords(text, words);
  const sentences = spokenSentences(blocks, placed);
  const rests = restsOf(text, pcm, placed);
  const track = pitchTrack(pcm);
  const [fromMs, toMs] = [sentences[0]!.startMs, sentences.at(-1)!.endMs];
  const minutes = (toMs - fromMs) / 60_000;
  const count = sentences.reduce((sum, each) => sum + each.words, 0);
  return {
    pcm,
    track,
    rests,
    sentences,
    melody: melodyOf(track, sentences),
    seconds: pcm.length / SAMPLE_RATE,
    pace: count / minutes,
    paceWithoutRests: count / (minutes - restedMs(rests, fromMs, toMs) / 60_000),
    paceSpread: paceSpread(sentences, rests),
    opinion: ears.dnsmos && (await ears.dnsmos.opinion(pcm, DNSMOS_EVERY_S)).overall,
    errors: ears.transcribe && (await errorsOf(pcm, sentences, ears.transcribe)),
  };
}
