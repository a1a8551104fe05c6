/** Client messages of both sockets, taken leniently: what is unknown or of no use here is passed over. */
import { TtsError } from '../../../protocol/errors.js';
import { MAX_MESSAGE_BYTES } from '../../../protocol/stream.js';

export interface ClientMessage {
  readonly text: string | undefined;
  readonly flush: boolean;
  readonly voiceSettings: unknown;
  readonly contextId: string | undefined;
  readonly closeContext: boolean;
  readonly closeSocket: boolean;
}

const MAX_CONTEXT_ID_UNITS = 256;

const invalid = (message: string, param?: string) =>
  new TtsError('invalid_message', message, param === undefined ? {} : { param });

export function parseMessage(data: Buffer, isBinary: boolean): ClientMessage {
  if (data.byteLength > MAX_MESSAGE_BYTES) {
    const what = `A message may hold at most ${MAX_MESSAGE_BYTES} bytes`;
    throw new TtsError('message_too_large', `${what}. Send longer text in several messages.`);
  }
  const message = readObject(data, isBinary);
  const text = optionalString(message, 'text');
  const contextId = optionalString(message, 'context_id') ?? optionalString(message, 'contextId');
  if (contextId !== undefined && contextId.length > MAX_CONTEXT_ID_UNITS) {
    throw invalid(`"context_id" may hold at most ${MAX_CONTEXT_ID_UNITS} characters.`, 'context_id');
  }
  return {
    text,
    flush: message.flush === true,
    voiceSettings: message.voice_settings,
    contextId,
    closeContext: message.close_context === true,
    closeSocket: message.close_socket === true,
  };
}

function optionalString(message: Record<string, unknown>, name: string): string | undefined {
  const value = message[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw invalid(`"${name}" must be a string.`, name);
  return value;
}

function readObject(data: Buffer, isBinary: boolean): Record<string, unknown> {
  if (isBinary) throw invalid('Messages are JSON text; this was a binary frame.');
  let message: unknown;
  try {
    message = JSON.parse(data.toString('utf8'));
  } catch (cause) {
    throw new TtsError('invalid_json', 'This message is not JSON.', { cause });
  }
  if (typeof message === 'object' && message !== null && !Array.isArray(message)) {
    return message as Record<string, unknown>;
  }
  throw invalid('A message must be a JSON object.');
}
