/** Speech as the bytes of one format, as they come. */
import type { AudioEncoder } from '../../audio/encoder.js';
import { encodeInTurns } from './encode-in-turns.js';
import type { SpeechBody } from './speech-reply.js';

const NOTHING = new Uint8Array(0);

export const encodedBody = (encoder: AudioEncoder): SpeechBody => ({
  contentType: encoder.contentType,
  take: (event) => (event.type === 'audio' ? encodeInTurns(encoder, event.pcm) : NOTHING),
  end: () => encoder.end(),
  settledHead: () => encoder.settledHead(),
  close: () => encoder.close(),
});
