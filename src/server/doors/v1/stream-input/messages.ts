/** Client messages, parsed and checked once: past this file a message is one of three kinds of input. */
import { TtsError } from '../../../../protocol/errors.js';
import { MAX_MESSAGE_BYTES, VOICE_SETTINGS } from '../../../../protocol/stream.js';

export type Input =
  /** Exactly one space: Initialize when it comes first, a keepalive afterwards. */
  | { readonly kind: 'space'; readonly flush: boolean }
  | { readonly kind: 'text'; readonly text: string; readonly flush: boolean }
  | { readonly kind: 'end' };

const IGNORED_KEY_FIELDS = ['x_api_key', 'x-api-key', 'authorization'] as const;
const NUMERIC = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

const invalid = (message: string, param?: string) =>
  new TtsError('invalid_message', message, param === undefined ? {} : { param });

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
  if (data.byteLength > MAX_MESSAGE_BYTES) {
    throw new TtsError(
      'message_too_large',
      `A message may hold at most ${MAX_MESSAGE_BYTES} bytes. Send longer text in several messages.`,
    );
  }
  const message = readObject(data, isBinary, first);
  const { text, flush = false, voice_settings: settings } = message;
  if (first && text !== ' ') throw notInitialized();
  if (typeof text !== 'string') throw invalid('"text" is required and must be a string.', 'text');
  checkVoiceSettings(settings);
  if (first) {
    for (const name of IGNORED_KEY_FIELDS) {
      const value = message[name];
      if (value !== undefined && value !== null && typeof value !== 'string') {
        throw invalid(`"${name}" must be a string or null (and is ignored: the key comes with the handshake).`, name);
      }
    }
    return { kind: 'space', flush: false };
  }
  // End ends the input whatever its flush says.
  if (text === '') return { kind: 'end' };
  if (typeof flush !== 'boolean') throw invalid('"flush" must be true or false.', 'flush');
  return text === ' ' ? { kind: 'space', flush } : { kind: 'text', text, flush };
}

const notInitialized = () =>
  new TtsError('not_initialized', 'The first message must be Initialize, {"text":" "}: a text of exactly one space.');

function readObject(data: Buffer, isBinary: boolean, first: boolean): Record<string, unknown> {
  if (isBinary) throw first ? notInitialized() : invalid('Messages are JSON text; this was a binary frame.');
  let message: unknown;
  try {
    message = JSON.parse(data.toString('utf8'));
  } catch (cause) {
    throw first ? notInitialized() : new TtsError('invalid_json', 'This message is not JSON.', { cause });
  }
  if (typeof message === 'object' && message !== null && !Array.isArray(message)) {
    return message as Record<string, unknown>;
  }
  throw first ? notInitialized() : invalid('A message must be a JSON object with the field "text".');
}
