/** Speech with alignment: one JSON object, or a line of JSON for every piece of audio. */
import type { AudioEncoder } from '../../../audio/encoder.js';
import { type AudioFormat, bytesPerSecond } from '../../../audio/format.js';
import { Base64Audio } from '../../speech/base64-audio.js';
import { encodeInTurns } from '../../speech/encode-in-turns.js';
import type { SpeechBody } from '../../speech/speech-reply.js';
import { CharacterClock, type CharacterTimes, httpAlignment } from './character-times.js';
import type { TurnTimes } from './turn-times.js';

const NOTHING = new Uint8Array(0);
const TYPE = 'application/json; charset=utf-8';

const view = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
const alignments = (times: CharacterTimes | undefined) => {
  const alignment = times === undefined ? null : httpAlignment(times);
  return { alignment, normalized_alignment: alignment };
};

/** Of a dialogue, the turns that no message took yet. */
const spoken = (turns: TurnTimes | undefined) => (turns === undefined ? {} : { voice_segments: turns.take() });

/** The characters of a segment come with its first audio, and so do the turns of a dialogue. */
export function timedLines(encoder: AudioEncoder, turns?: TurnTimes): SpeechBody {
  const clock = new CharacterClock();
  const json = (audio: string, times: CharacterTimes | undefined): Buffer =>
    Buffer.from(`${JSON.stringify({ audio_base64: audio, ...alignments(times), ...spoken(turns) })}\n`);
  const line = (audio: Uint8Array): Uint8Array =>
    audio.length === 0 ? NOTHING : json(view(audio).toString('base64'), clock.take());
  return {
    contentType: TYPE,
    async take(event) {
      clock.add(event);
      turns?.add(event);
      return event.type === 'audio' ? line(await encodeInTurns(encoder, event.pcm)) : NOTHING;
    },
    async end() {
      const rest = line(await encoder.end());
      const times = clock.take();
      if (times === undefined) return rest;
      return Buffer.concat([rest, json('', times)]);
    },
    close: () => encoder.close(),
  };
}

/** Bytes of a second of speech in base64, and of a character with two times, written twice. */
export const timedObjectSize = (format: AudioFormat) => ({
  bytesPerSecond: (bytesPerSecond(format) * 4) / 3,
  bytesPerChar: 56,
});

const listed = (values: readonly unknown[]): string => JSON.stringify(values).slice(1, -1);

/** An alignment as JSON, written by segment: at once it would block for tens of milliseconds. */
class AlignmentText {
  readonly #lists = new Map<string, string[]>();

  add(times: CharacterTimes | undefined): void {
    if (times === undefined) return;
    for (const [name, values] of Object.entries(httpAlignment(times))) {
      const list = this.#lists.get(name) ?? [];
      this.#lists.set(name, list);
      list.push(listed(values));
    }
  }

  json(): string {
    if (this.#lists.size === 0) return 'null';
    return `{${[...this.#lists].map(([name, list]) => `"${name}":[${list.join(',')}]`).join(',')}}`;
  }
}

export function timedObject(encoder: AudioEncoder, turns?: TurnTimes): SpeechBody {
  const clock = new CharacterClock();
  const alignment = new AlignmentText();
  const audio = new Base64Audio();
  return {
    contentType: TYPE,
    head: () => Buffer.from('{"audio_base64":"'),
    async take(event) {
      clock.add(event);
      turns?.add(event);
      alignment.add(clock.take());
      return event.type === 'audio' ? audio.add(await encodeInTurns(encoder, event.pcm)) : NOTHING;
    },
    async end() {
      const last = audio.add(await encoder.end());
      const times = alignment.json();
      const voices = turns === undefined ? '' : `,"voice_segments":${JSON.stringify(turns.take())}`;
      const rest = `"alignment":${times},"normalized_alignment":${times}${voices}}`;
      return Buffer.concat([last, Buffer.from(`${audio.end()}",${rest}`)]);
    },
    settledHead: () => audio.settled(encoder.settledHead()),
    close: () => encoder.close(),
  };
}
