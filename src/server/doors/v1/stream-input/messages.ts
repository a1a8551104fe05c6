/** Client messages, parsed and checked once: each is one of three kinds of input. */
import { TtsError } from '../../../../protocol/errors.js';
import { VOICE_SETTINGS } from '../../../../protocol/stream.js';
import { checkMessageSize, invalidMessage, readMessage } from '../../../sockets/json-message.js';

export type Input =
  /** Exactly one space: Initialize when it comes first, a keepalive afterwards. */
  | { readonly kind: 'space'; readonly flush: boolean }
  | { readonly kind: 'text'; readonly text: string; readonly flush: boolean }
  | { readonly kind: 'end' };

const AN_OBJECT = 'a JSON object with the field "text"';
const IGNORED_KEY_FIELDS = ['x_api_key', 'x-api-key', 'authorization'] as const;
const NUMERIC = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

function checkVoiceSettings(settings: unknown): void {
  if (settings === undefined || settings === null) return;
  const refuse = (message: string) => new TtsError('invalid_voice_settings', message, { param: 'voice_settings' });
  if (typeof settings !== 'object' || Array.isArray(settings))
    throw refuse('"voice_settings" must be an object or null.');
  for (const [name, value] of Object.entries(settings)) {
    if (!Object.hasOwn(VOICE_SETTINGS, name)) {
      const known = Object.keys(VOICE_SETTINGS).join(', ');
      throw refuse(`"voice_settings" has a field that is not known here. Known: ${known}.`);
    }
    const allowed = VOICE_SETTINGS[name as keyof typeof VOICE_SETTINGS];
    const numeric = typeof allowed === 'number' && typeof value === 'string' && NUMERIC.test(value.trim());
    if ((numeric ? Number(value) : value) !== allowed) {
      throw refuse(`"voice_settings.${name}" has one allowed value, ${allowed}.`);
    }
  }
}

/** `first` says that only Initialize may come: whatever else arrives is `not_initialized`. */
export function parseMessage(data: Buffer, isBinary: boolean, first: boolean): Input {
  checkMessageSize(data);
  const message = first ? readFirst(data, isBinary) : readMessage(data, isBinary, AN_OBJECT);
  const { text, flush = false, voice_settings: settings } = message;
  if (first && text !== ' ') throw notInitialized();
  if (typeof text !== 'string') throw invalidMessage('"text" is required and must be a string.', 'text');
  checkVoiceSettings(settings);
  if (first) {
    for (const name of IGNORED_KEY_FIELDS) {
      const value = message[name];
      if (value !== undefined && value !== null && typeof value !== 'string') {
        throw invalidMessage(
          `"${name}" must be a string or null (and is ignored: the key comes with the handshake).`,
          name,
        );
      }
    }
    return { kind: 'space', flush: false };
  }
  // End ends the input whatever its flush says.
  if (text === '') return { kind: 'end' };
  if (typeof flush !== 'boolean') throw invalidMessage('"flush" must be true or false.', 'flush');
  return text === ' ' ? { kind: 'space', flush } : { kind: 'text', text, flush };
}

const notInitialized = () =>
  new TtsError('not_initialized', 'The first message must be Initialize, {"text":" "}: a text of exactly one space.');

function readFirst(data: Buffer, isBinary: boolean): Record<string, unknown> {
  try {
    return readMessage(data, isBinary, AN_OBJECT);
  } catch {
    throw notInitialized();
  }
}
