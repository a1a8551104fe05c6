/** The body of an order for a job: JSON with a text, or a file, written to the disk as it comes. */
import { createWriteStream } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sourceName } from '../../jobs/job-source.js';
import type { JobOrder } from '../../jobs/order.js';
import { TtsError } from '../../protocol/errors.js';
import { ANY_SOURCE_TYPE, JOB_SOURCE_TYPES } from '../../protocol/jobs/names.js';
import type { JobQuery, JobRequest } from '../../protocol/jobs/schemas.js';

/** JSON is parsed on the thread that answers everybody. */
const MAX_JSON_BYTES = 4_000_000;
const JSON_TYPE = 'application/json';
const [MIN_SPEED, MAX_SPEED] = [0.25, 4];

const typeOf = ({ headers }: FastifyRequest): string | undefined =>
  headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();

/** The routes that are added to `app` from here on take JSON and files. */
export function takeSources(app: FastifyInstance): void {
  app.addContentTypeParser(JSON_TYPE, { parseAs: 'buffer', bodyLimit: MAX_JSON_BYTES }, (_request, body, done) => {
    try {
      done(null, JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body as Buffer)));
    } catch (cause) {
      done(new TtsError('invalid_json', 'The body is not valid JSON in UTF-8.', { cause }));
    }
  });
  app.addContentTypeParser('*', (_request, body, done) => done(null, body));
}

/** A hook, behind the one that asks for the key: looks at the headers before a byte is read. */
export const checkSource =
  (maxBytes: number) =>
  async (request: FastifyRequest): Promise<void> => {
    const { headers } = request;
    const type = typeOf(request);
    const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
    const known = [JSON_TYPE, ...Object.keys(JOB_SOURCE_TYPES), ANY_SOURCE_TYPE];
    if (type === undefined || !known.includes(type) || encoding !== 'identity') {
      throw new TtsError('unsupported_media_type', `The body must be one of: ${known.join(', ')}, not compressed.`);
    }
    if (Number(headers['content-length'] ?? 0) > (type === JSON_TYPE ? MAX_JSON_BYTES : maxBytes)) {
      throw tooLarge(type === JSON_TYPE ? MAX_JSON_BYTES : maxBytes);
    }
  };

const tooLarge = (maxBytes: number): TtsError =>
  new TtsError('body_too_large', `The body is larger than ${maxBytes} bytes. A file may be larger than JSON.`);

/** What a request orders, and how its source is written to the disk. */
export interface Ordered {
  readonly order: JobOrder;
  /** The name of the source. */
  readonly name: string;
  /** Resolves with its bytes. */
  write(file: string): Promise<number>;
}

export function orderedBy(request: FastifyRequest, maxBytes: number): Ordered {
  const type = typeOf(request)!;
  if (type === JSON_TYPE) {
    const {
      input,
      filename,
      speed = 1,
      skip_broken: skipBroken = false,
      webhook_secret: secret,
      ...rest
    } = request.body as JobRequest;
    return {
      order: orderOf(rest, speed, skipBroken, secret),
      name: sourceName(filename, '.md'),
      async write(file) {
        await writeFile(file, input, { mode: 0o600 });
        return Buffer.byteLength(input);
      },
    };
  }
  const { filename, speed = '1', skip_broken: skipBroken, ...rest } = request.query as JobQuery;
  const ending = JOB_SOURCE_TYPES[type] ?? (/\.\w{1,8}$/.exec(filename ?? '')?.[0].toLowerCase() || '.txt');
  return {
    order: orderOf(rest, speedOf(speed), skipBroken === 'true', undefined),
    name: sourceName(filename, ending),
    write: (file) => receive(request.body as Readable, file, maxBytes),
  };
}

function orderOf(
  { model = 'base-tts', voice, format = 'm4b', chapters, notes = 'skip', webhook_url: url }: Omit<JobQuery, 'speed'>,
  speed: number,
  skipBroken: boolean,
  secret: string | undefined,
): JobOrder {
  const webhook = url === undefined ? undefined : { url, secret };
  return { model, voice, format, chapters, notes, speed, skipBroken, webhook };
}

function speedOf(text: string): number {
  const speed = text.trim() === '' ? Number.NaN : Number(text);
  if (speed >= MIN_SPEED && speed <= MAX_SPEED) return speed;
  const message = `The query parameter "speed" must be a number from ${MIN_SPEED} to ${MAX_SPEED}.`;
  throw new TtsError('invalid_value', message, { param: 'speed' });
}

async function receive(body: Readable | null | undefined, file: string, maxBytes: number): Promise<number> {
  if (body == null) throw new TtsError('empty_input', 'The body is empty.', { param: 'input' });
  let bytes = 0;
  await pipeline(
    body,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > maxBytes) throw tooLarge(maxBytes);
        yield chunk;
      }
    },
    createWriteStream(file, { mode: 0o600 }),
  );
  if ((await stat(file)).size === 0) throw new TtsError('empty_input', 'The body is empty.', { param: 'input' });
  return bytes;
}
