/** What a page was sent and what was heard of it (`listenTo`), as samples. */
import type { Listener } from './browser.js';

/** What visitors of the tests paste. */
export const PARAGRAPH =
  'The morning train to the coast leaves at nine. Please bring your own lunch, and a warm coat for the evening.';

const RATE = 24_000;

type Messages = Listener['messages'];

/** All samples that a page was sent. */
export function pcmOf(messages: Messages): Int16Array {
  const bytes = Buffer.concat(messages.map(({ audio }) => Buffer.from(audio ?? '', 'base64')));
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** The sample each character begins at. */
export function startsOf(messages: Messages): number[] {
  const starts: number[] = [];
  let offset = 0;
  for (const { audio = '', alignment } of messages) {
    for (const ms of alignment?.charStartTimesMs ?? []) starts.push(offset + (ms * RATE) / 1000);
    offset += Buffer.byteLength(audio, 'base64') / 2;
  }
  return starts;
}

/**
 * Without the silence of a sound card that waits: of a machine that is too busy to speak in time.
 */
export function withoutGaps(samples: Float32Array): Float32Array {
  const kept: number[] = [];
  for (let at = 0; at < samples.length; at += 128) {
    const block = samples.subarray(at, at + 128);
    if (block.some((sample) => sample !== 0)) kept.push(...block);
  }
  return Float32Array.from(kept);
}
