/**
 * Encodes in slices, with other work of the event loop in between: a second of mp3 takes some 25 ms
 * of a core, and a segment lasts up to 40 s.
 */
import type { AudioEncoder } from '../../audio/encoder.js';
import { loopTurn } from '../../loop-turn.js';
import { msToSamples } from '../../protocol/audio.js';

const SLICE_SAMPLES = msToSamples(50);
/** What is encoded faster goes on until then. */
const TURN_MS = 4;

/** The bytes that these samples complete, as `encoder.encode` gives them. */
export async function encodeInTurns(encoder: AudioEncoder, pcm: Int16Array): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < pcm.length; ) {
    await loopTurn();
    const endsMs = performance.now() + TURN_MS;
    do {
      const piece = encoder.encode(pcm.subarray(at, at + SLICE_SAMPLES));
      pieces.push(piece instanceof Promise ? await piece : piece);
      at += SLICE_SAMPLES;
    } while (at < pcm.length && performance.now() < endsMs);
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}
