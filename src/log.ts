/**
 * The logger: structured, to stderr since stdout may carry audio; without text, keys or samples.
 */
import type { Logger as PinoLogger } from 'pino';

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
  if (level === SILENT) return silentLogger();
  const { pino, stdTimeFunctions } = await import('pino');
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    redact: { paths: REDACT, censor: '[redacted]' },
  };
  // A reader of the log may end; the server goes on.
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

/** A record as one line: the message and its fields, with the stack of an error below. */
function oneLine(record: Record<string, unknown>, messageKey: string): string {
  const { [messageKey]: message, level, time: _time, err, requestId, ...fields } = record;
  const { message: why, stack } = (err ?? {}) as { message?: string; stack?: string };
  const shown = Object.entries({ ...fields, why, requestId })
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`);
  const line = [message, ...shown].join(' ').replaceAll(/\p{Cc}/gu, ' ');
  return Number(level) >= ERROR_LEVEL && stack !== undefined ? `${line}\n${stack}` : line;
}

/** The level of a command that was not asked to log: its logger writes nothing. */
export const SILENT = 'silent';

const nothing = (): void => undefined;

/** Without Pino, which takes 30 ms to load: a command would wait for it. */
export function silentLogger(): Logger {
  const levels = { fatal: nothing, error: nothing, warn: nothing, info: nothing, debug: nothing, trace: nothing };
  const logger = { ...levels, silent: nothing, level: SILENT, isLevelEnabled: () => false, child: () => logger };
  return logger as unknown as Logger;
}
