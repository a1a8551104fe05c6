/** Messages of clients: JSON objects of a bounded size, as text. */
import { TtsError } from '../../protocol/errors.js';
import { MAX_MESSAGE_BYTES } from '../../protocol/stream.js';

export const invalidMessage = (message: string, param?: string): TtsError =>
  new TtsError('invalid_message', message, param === undefined ? {} : { param });

/** Throws `message_too_large`. */
export function checkMessageSize(data: Buffer): void {
  if (data.byteLength <= MAX_MESSAGE_BYTES) return;
  const what = `A message may hold at most ${MAX_MESSAGE_BYTES} bytes`;
  throw new TtsError('message_too_large', `${what}. Send longer text in several messages.`);
}

/** Throws `invalid_message` or `invalid_json`; `what` is what a message must be. */
export function readMessage(data: Buffer, isBinary: boolean, what: string): Record<string, unknown> {
  if (isBinary) throw invalidMessage('Messages are JSON text; this was a binary frame.');
  let message: unknown;
  try {
    message = JSON.parse(data.toString('utf8'));
  } catch (cause) {
    throw new TtsError('invalid_json', 'This message is not JSON.', { cause });
  }
  if (typeof message === 'object' && message !== null && !Array.isArray(message)) {
    return message as Record<string, unknown>;
  }
  throw invalidMessage(`A message must be ${what}.`);
}
