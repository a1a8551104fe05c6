/** A Free key has no WebSocket: the same text over HTTP, streamed, with the Free model of the same name. */
import { request } from '../shared/api.js';

export interface FreeSpeechOptions {
  readonly model: string;
  readonly voice: string;
  readonly key: string;
  readonly text: string;
  readonly onAudio: (pcm: Int16Array) => void;
  readonly signal: AbortSignal;
}

export async function speakFree({ model, voice, key, text, onAudio, signal }: FreeSpeechOptions): Promise<void> {
  const body = { model: `${model}:free`, voice, input: text, stream: true, response_format: 'pcm' };
  const response = await request('/v1/audio/speech', { body, key, signal });
  const reader = response.body!.getReader();
  let half = new Uint8Array(0);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    // Reads end anywhere, also inside a sample.
    const bytes = new Uint8Array(half.length + value.length);
    bytes.set(half);
    bytes.set(value, half.length);
    const whole = bytes.length - (bytes.length % 2);
    half = bytes.slice(whole);
    if (whole > 0) onAudio(new Int16Array(bytes.buffer, 0, whole / 2));
  }
}
