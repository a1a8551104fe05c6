/** The logger: structured, to stderr (stdout may be carrying audio), never with text, keys or samples in it. */
import { type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';

export type Logger = PinoLogger;

export interface LogOptions {
  level: string;
  /** Lines for people instead of JSON. */
  pretty?: boolean;
  color?: boolean;
}

const ERROR_LEVEL = 50;

const REDACT = [
  'key',
  'apiKey',
  'authorization',
  'headers.authorization',
  'headers["xi-api-key"]',
  'input',
  'text',
  '*.text',
  '*.input',
  '*.apiKey',
];

export async function createLogger({ level, pretty = false, color = false }: LogOptions): Promise<Logger> {
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    redact: { paths: REDACT, censor: '[redacted]' },
  };
  // Whoever read the log may leave; what is being served goes on.
  if (process.stderr.listenerCount('error', unread) === 0) process.stderr.on('error', unread);
  if (!pretty) return pino(options, process.stderr);
  const { default: prettyStream } = await import('pino-pretty');
  return pino(
    options,
    prettyStream({
      destination: process.stderr,
      colorize: color,
      translateTime: 'SYS:HH:MM:ss',
      ignore: 'pid,hostname',
      hideObject: true,
      messageFormat: oneLine,
    }),
  );
}

const unread = () => undefined;

/** A record for the eye: the message and its fields on a line, under it only the stack of an error. */
function oneLine(record: Record<string, unknown>, messageKey: string): string {
  const { [messageKey]: message, level, time: _time, err, requestId, ...fields } = record;
  const { message: why, stack } = (err ?? {}) as { message?: string; stack?: string };
  const shown = Object.entries({ ...fields, why, requestId })
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`);
  const line = [message, ...shown].join(' ').replaceAll(/\p{Cc}/gu, ' ');
  return Number(level) >= ERROR_LEVEL && stack !== undefined ? `${line}\n${stack}` : line;
}

export const silentLogger = (): Logger => pino({ level: 'silent' });
