/** Client messages of both sockets, taken leniently: unknown fields are ignored. */
import { checkMessageSize, invalidMessage, readMessage } from '../../sockets/json-message.js';

export interface ClientMessage {
  readonly text: string | undefined;
  readonly flush: boolean;
  readonly voiceSettings: unknown;
  readonly contextId: string | undefined;
  readonly closeContext: boolean;
  readonly closeSocket: boolean;
}

const MAX_CONTEXT_ID_UNITS = 256;

export function parseMessage(data: Buffer, isBinary: boolean): ClientMessage {
  checkMessageSize(data);
  const message = readMessage(data, isBinary, 'a JSON object');
  const text = optionalString(message, 'text');
  const contextId = optionalString(message, 'context_id') ?? optionalString(message, 'contextId');
  if (contextId !== undefined && contextId.length > MAX_CONTEXT_ID_UNITS) {
    throw invalidMessage(`"context_id" may hold at most ${MAX_CONTEXT_ID_UNITS} characters.`, 'context_id');
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
  if (typeof value !== 'string') throw invalidMessage(`"${name}" must be a string.`, name);
  return value;
}
