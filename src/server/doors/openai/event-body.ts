/**
 * Speech as server-sent events: each carries a piece of the audio, the last one the usage. Where
 * words are asked for, those of a sentence come with its first audio.
 */
import type { AudioEncoder } from '../../../audio/encoder.js';
import { encodeInTurns } from '../../speech/encode-in-turns.js';
import type { SpeechBody } from '../../speech/speech-reply.js';
import { WordClock, type WordTime } from '../../speech/word-times.js';

const NOTHING = new Uint8Array(0);

const event = (data: object): Buffer => Buffer.from(`data: ${JSON.stringify(data)}\n\n`);
/** As OpenAI's transcriptions name them. */
const timed = ({ word, startMs, endMs }: WordTime) => ({ word, start: startMs / 1000, end: endMs / 1000 });

interface EventOptions {
  readonly chars: number;
  /** Tell when each word is heard. */
  readonly words: boolean;
}

/** Characters are what is paid for, so they stand where OpenAI counts tokens of text. */
export function eventBody(encoder: AudioEncoder, { chars, words }: EventOptions): SpeechBody {
  const clock = new WordClock();
  const delta = (audio: Uint8Array, last = false): Uint8Array => {
    if (audio.length === 0 && !last) return NOTHING;
    const spoken = words ? clock.take().map(timed) : [];
    if (audio.length === 0 && spoken.length === 0) return NOTHING;
    const base64 = Buffer.from(audio.buffer, audio.byteOffset, audio.length).toString('base64');
    return event({ type: 'speech.audio.delta', audio: base64, ...(spoken.length > 0 && { words: spoken }) });
  };
  return {
    contentType: 'text/event-stream; charset=utf-8',
    async take(spoken) {
      if (words) clock.add(spoken);
      return spoken.type === 'audio' ? delta(await encodeInTurns(encoder, spoken.pcm)) : NOTHING;
    },
    async end() {
      const usage = { input_tokens: chars, output_tokens: 0, total_tokens: chars };
      return Buffer.concat([delta(await encoder.end(), true), event({ type: 'speech.audio.done', usage })]);
    },
    close: () => encoder.close(),
  };
}
