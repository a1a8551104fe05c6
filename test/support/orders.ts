/** Orders for a gateway, segments to speak, and what a listener hears of them. */
import type { Gateway, SpeechOrder } from '../../src/gateway/types.js';
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

const never = new AbortController().signal;

/**
 * Speaks `texts` and resolves with their audio; `onPiece` is called with the number of every piece.
 */
export async function hear(
  gateway: Gateway,
  order: SpeechOrder,
  texts: readonly string[],
  onPiece?: (count: number) => unknown,
): Promise<Buffer> {
  const speech = gateway.open(order);
  const pieces: Buffer[] = [];
  try {
    for await (const event of speech.speak(segmentsOf(...texts), never)) {
      if (event.type !== 'audio') continue;
      pieces.push(Buffer.from(event.pcm.buffer, event.pcm.byteOffset, event.pcm.byteLength));
      await onPiece?.(pieces.length);
    }
  } finally {
    speech.close();
  }
  return Buffer.concat(pieces);
}
