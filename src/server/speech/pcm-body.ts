/** Samples as they are, with or without a WAV header, which is exact for a buffered response. */
import { pcmBytes, wavHeader } from '../../protocol/audio.js';
import type { SpeechBody } from './speech-reply.js';

const NOTHING = new Uint8Array(0);

export const pcmBody = (format: 'wav' | 'pcm'): SpeechBody => ({
  contentType: format === 'wav' ? 'audio/wav' : 'audio/pcm',
  ...(format === 'wav' && { head: (bytes?: number) => wavHeader(bytes) }),
  take: (event) => (event.type === 'audio' ? pcmBytes(event.pcm) : NOTHING),
  end: () => NOTHING,
  close() {},
});
