/** Speaks with a Free key, which has no WebSocket: streams over HTTP with the Free model. */
import { request } from './request.js';

export interface FreeSpeechOptions {
  readonly baseUrl: string;
  readonly model: string;
  readonly voice: string;
  readonly key: string;
  readonly text: string;
  readonly onAudio: (pcm: Int16Array) => void;
  readonly signal: AbortSignal;
}

export async function speakFree(options: FreeSpeechOptions): Promise<void> {
  const { baseUrl, model, voice, key, text, onAudio, signal } = options;
  const body = { model: `${model}:free`, voice, input: text, response_format: 'pcm' };
  // A mix of voices is no voice of the contract's.
  const response = voice.includes('+')
    ? await request(`${baseUrl}/openai/v1/audio/speech`, { body, key, signal })
    : await request(`${baseUrl}/v1/audio/speech`, { body: { ...body, stream: true }, key, signal });
  const reader = response.body!.getReader();
  let half = new Uint8Array(0);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    // A read may end inside a sample.
    const bytes = new Uint8Array(half.length + value.length);
    bytes.set(half);
    bytes.set(value, half.length);
    const whole = bytes.length - (bytes.length % 2);
    half = bytes.slice(whole);
    if (whole > 0) onAudio(new Int16Array(bytes.buffer, 0, whole / 2));
  }
}
