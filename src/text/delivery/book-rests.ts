/** Rests between the sentences of a book, which are spoken one by one: both sides are known. */
import type { DeliveryStyle } from '../../protocol/delivery/delivery.js';
import type { PauseKind } from '../../protocol/job.js';
import { phraseEnd, restAhead, restBehind } from './rests.js';
import { STYLES } from './styles.js';
import { keyOf, variation } from './variation.js';

type Styled = Exclude<DeliveryStyle, 'plain'>;

interface Sentence {
  readonly said: string;
  readonly voice: string | undefined;
}

interface Before extends Sentence {
  readonly pause: PauseKind;
}

const lettersOf = (text: string): number => text.replace(/[^\p{L}\p{N}]+/gu, '').length;

/** "… who said it": what a quotation in another voice goes on with is no new sentence. */
const GOES_ON = /^[^\p{L}\p{N}]*\p{Ll}/u;

/** The rest between two sentences of a block (ms). */
export function bookRest({ said, pause, voice }: Before, next: Sentence, style: Styled): number {
  const row = STYLES[style];
  const end = phraseEnd(said);
  const isTurn = voice !== next.voice;
  const isTag = isTurn && end.quoted && GOES_ON.test(next.said);
  // Nothing at all stands before a quotation in the middle of a sentence.
  const kind = isTag ? 'clause' : pause === 'none' && isTurn ? 'carried' : pause;
  const behind = { pause: kind, end, letters: lettersOf(said), key: keyOf(said, 0), seed: 0 };
  return restBehind(behind, row) + restAhead(kind, lettersOf(next.said), isTurn, row);
}

/** The rest behind a block that lasts `usualMs` where the style is `plain`. */
export function blockRest(usualMs: number, said: string, style: Styled): number {
  const { rests, spread } = STYLES[style];
  return usualMs * rests * Math.exp(spread * variation(keyOf(said, 0), 0, 1));
}
