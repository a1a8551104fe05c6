/** Orders for a gateway, and segments to speak. */
import type { SpeechOrder } from '../../src/gateway/types.js';
import type { Segment } from '../../src/protocol/job.js';
import { segmentOf } from '../../testkit/speech.js';

export const orderOf = (more: Partial<SpeechOrder> = {}): SpeechOrder => ({
  model: 'base-tts',
  voice: 'english_female_professional',
  seed: 0,
  owner: 'a',
  requestId: 'r',
  ...more,
});

export async function* segmentsOf(...texts: string[]): AsyncGenerator<Segment> {
  for (const text of texts) yield segmentOf(text);
}
