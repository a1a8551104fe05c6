/**
 * POST /openai/dev/captioned_speech, as Kokoro-FastAPI has it: audio in base64 with the times of
 * its words, in lines of JSON while it is made, or as one object.
 */
import type { Static } from 'typebox';
import type { KeyRecord } from '../../../accounts/types.js';
import { type AudioEncoder, createEncoder } from '../../../audio/encoder.js';
import { bytesPerSecond } from '../../../audio/format.js';
import { Type } from '../../../protocol/schema.js';
import type { ServerDeps } from '../../deps.js';
import { answerSize } from '../../speech/answer-size.js';
import { Base64Audio } from '../../speech/base64-audio.js';
import { encodeInTurns } from '../../speech/encode-in-turns.js';
import type { HttpOrder, SpeechBody } from '../../speech/speech-reply.js';
import { WordClock, type WordTime } from '../../speech/word-times.js';
import { SPOKEN_FIELDS, spokenBy } from './speech-request.js';

const DEFAULT_MODEL = 'kokoro';
const TYPE = 'application/json; charset=utf-8';
const NOTHING = new Uint8Array(0);

export const CaptionedRequest = Type.Object(
  {
    ...SPOKEN_FIELDS,
    model: Type.Optional(Type.String({ default: DEFAULT_MODEL })),
    return_timestamps: Type.Optional(Type.Boolean({ default: true })),
  },
  { $id: 'OpenAICaptionedRequest' },
);
export type CaptionedRequest = Static<typeof CaptionedRequest>;

const timestamp = ({ word, startMs, endMs }: WordTime) => ({
  word,
  start_time: startMs / 1000,
  end_time: endMs / 1000,
});

/** Bytes beside the audio for every character of the text: a word with its two times. */
const BYTES_PER_CHAR = 40;

export function captionedOrder(body: CaptionedRequest, key: KeyRecord, catalogue: ServerDeps['catalogue']): HttpOrder {
  const {
    model = DEFAULT_MODEL,
    response_format: format = 'mp3',
    stream = true,
    return_timestamps: timed = true,
  } = body;
  const spoken = spokenBy({ ...body, model }, key, catalogue);
  const { input, speed } = spoken;
  const size = { speed, bytesPerSecond: (bytesPerSecond(format) * 4) / 3, bytesPerChar: BYTES_PER_CHAR };
  return {
    ...spoken,
    whole: stream ? undefined : answerSize(input, size),
    async body() {
      const encoder = await createEncoder(format);
      return stream ? captionedLines(encoder, timed) : captionedObject(encoder, timed);
    },
  };
}

/** The words of a sentence come with its first audio. */
function captionedLines(encoder: AudioEncoder, timed: boolean): SpeechBody {
  const clock = new WordClock();
  const line = (audio: Uint8Array, last = false): Uint8Array => {
    if (audio.length === 0 && !last) return NOTHING;
    const timestamps = clock.take().map(timestamp);
    if (audio.length === 0 && timestamps.length === 0) return NOTHING;
    const base64 = Buffer.from(audio.buffer, audio.byteOffset, audio.length).toString('base64');
    const chunk = { audio: base64, audio_format: encoder.contentType, timestamps: timed ? timestamps : null };
    return Buffer.from(`${JSON.stringify(chunk)}\n`);
  };
  return {
    contentType: TYPE,
    async take(event) {
      clock.add(event);
      return event.type === 'audio' ? line(await encodeInTurns(encoder, event.pcm)) : NOTHING;
    },
    end: async () => line(await encoder.end(), true),
    close: () => encoder.close(),
  };
}

function captionedObject(encoder: AudioEncoder, timed: boolean): SpeechBody {
  const clock = new WordClock();
  const audio = new Base64Audio();
  return {
    contentType: TYPE,
    head: () => Buffer.from('{"audio":"'),
    async take(event) {
      clock.add(event);
      return event.type === 'audio' ? audio.add(await encodeInTurns(encoder, event.pcm)) : NOTHING;
    },
    async end() {
      const last = audio.add(await encoder.end());
      const timestamps = JSON.stringify(timed ? clock.take().map(timestamp) : null);
      const rest = `","audio_format":${JSON.stringify(encoder.contentType)},"timestamps":${timestamps}}`;
      return Buffer.concat([last, Buffer.from(`${audio.end()}${rest}`)]);
    },
    settledHead: () => audio.settled(encoder.settledHead()),
    close: () => encoder.close(),
  };
}
