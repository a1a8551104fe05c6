/** Client messages of both sockets, taken leniently: unknown fields are ignored. */
import { checkMessageSize, invalidMessage, readMessage } from '../../sockets/json-message.js';

export interface ClientMessage {
  readonly text: string | undefined;
  readonly flush: boolean;
  readonly voiceSettings: unknown;
  readonly contextId: string | undefined;
  readonly closeContext: boolean;
  readonly closeSocket: boolean;
  /** A key in the first message, as browsers send it. */
  readonly apiKey: string | undefined;
  /** `pronunciation_dictionary_locators`, as they were sent. */
  readonly locators: unknown;
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
    apiKey: keyIn(message),
    locators: message.pronunciation_dictionary_locators,
  };
}

/** The fields in which ElevenLabs' clients send a key, in a first message or in a query. */
const KEY_FIELDS = ['xi_api_key', 'xi-api-key', 'authorization'];

function keyIn(message: Record<string, unknown>): string | undefined {
  return keyAmong((name) => message[name]);
}

/** A key among fields, plain or behind `Bearer`. */
export function keyAmong(field: (name: string) => unknown): string | undefined {
  for (const value of KEY_FIELDS.map(field)) {
    const key = typeof value === 'string' ? value.replace(/^\s*bearer\s+/i, '').trim() : '';
    if (key !== '') return key;
  }
  return undefined;
}

function optionalString(message: Record<string, unknown>, name: string): string | undefined {
  const value = message[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw invalidMessage(`"${name}" must be a string.`, name);
  return value;
}
