/** Speech as server-sent events: each carries a piece of the audio, the last one the usage. */
import type { AudioEncoder } from '../../../audio/encoder.js';
import { encodeInTurns } from '../../speech/encode-in-turns.js';
import type { SpeechBody } from '../../speech/speech-reply.js';

const NOTHING = new Uint8Array(0);

const event = (data: object): Buffer => Buffer.from(`data: ${JSON.stringify(data)}\n\n`);
const delta = (audio: Uint8Array): Uint8Array =>
  audio.length === 0
    ? NOTHING
    : event({
        type: 'speech.audio.delta',
        audio: Buffer.from(audio.buffer, audio.byteOffset, audio.length).toString('base64'),
      });

/** Characters are what is paid for, so they stand where OpenAI counts tokens of text. */
export const eventBody = (encoder: AudioEncoder, chars: number): SpeechBody => ({
  contentType: 'text/event-stream; charset=utf-8',
  take: async (spoken) => (spoken.type === 'audio' ? delta(await encodeInTurns(encoder, spoken.pcm)) : NOTHING),
  async end() {
    const usage = { input_tokens: chars, output_tokens: 0, total_tokens: chars };
    return Buffer.concat([delta(await encoder.end()), event({ type: 'speech.audio.done', usage })]);
  },
  close: () => encoder.close(),
});
