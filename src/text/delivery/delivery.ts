/** What a style, the place of a segment in its text and a seed make of its delivery. */
import type { Delivery, DeliveryStyle, SentencePlace } from '../../protocol/delivery/delivery.js';
import type { Segment } from '../../protocol/job.js';
import { shiftOf } from './context.js';
import { phraseEnd, restAhead, restBehind } from './rests.js';
import { STYLES } from './styles.js';
import { keyOf } from './variation.js';

interface Asked {
  readonly style: DeliveryStyle;
  readonly seed: number;
  /** The place of a sentence that is sent without its paragraph. */
  readonly place?: SentencePlace | undefined;
}

/** Visible text of a segment's last words, for the mark they end with. */
function lastWords({ spans }: Segment): string {
  const said = spans.filter((span) => span.kind !== 'break').slice(-2);
  return said.map((span) => (span.kind === 'sub' ? span.alias : span.text)).join('');
}

/** Undefined for `plain`: the voice as it is. */
export function deliveryOf(segment: Segment, { style, seed, place: sent }: Asked): Delivery | undefined {
  if (style === 'plain') return undefined;
  const { rate, rests, spread, range, depth } = STYLES[style];
  const { pause, place: own } = segment;
  const letters = own?.letters ?? segment.text.length;
  const repeats = own?.repeats ?? 0;
  const text = lastWords(segment);
  const key = keyOf(text, repeats);
  const shift = shiftOf(sent ?? own ?? { sentence: 0, last: true }, repeats, key, seed);
  const after = own?.after;
  return {
    rate: rate * shift.rate ** depth,
    pitch: shift.pitch * depth,
    range: range * shift.range ** depth,
    leadMs: after === undefined ? 0 : restAhead(after, letters, own?.turn ?? false, { rests, spread }),
    restMs: restBehind({ pause, end: phraseEnd(text), letters, key, seed }, { rests, spread }),
    rests,
    spread,
  };
}
