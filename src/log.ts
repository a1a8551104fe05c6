/** The logger: structured, to stderr (stdout may be carrying audio), never with text, keys or samples in it. */
import { type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';

export type Logger = PinoLogger;

export interface LogOptions {
  level: string;
  /** Lines for people instead of JSON. */
  pretty?: boolean;
  color?: boolean;
}

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
  if (!pretty) return pino(options, process.stderr);
  const { default: prettyStream } = await import('pino-pretty');
  return pino(
    options,
    prettyStream({
      destination: 2,
      sync: true,
      colorize: color,
      translateTime: 'SYS:HH:MM:ss',
      ignore: 'pid,hostname',
    }),
  );
}

export const silentLogger = (): Logger => pino({ level: 'silent' });
