/** Sends a file whole or in part (RFC 9110, section 14), so that a download can go on. */
import type { ReadStream } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TtsError } from '../../protocol/errors.js';

export interface SentFile {
  readonly bytes: number;
  /** Changes with the content. */
  readonly etag: string;
  readonly contentType: string;
  readonly filename: string;
  read(range?: Range): Promise<ReadStream>;
}

/** How long a reader may take nothing. */
const STALL_MS = 300_000;

interface Range {
  /** Both inclusive. */
  readonly start: number;
  readonly end: number;
}

/**
 * The one range that was asked for; undefined where the whole file is sent: for several ranges, and
 * for a unit that is not known.
 */
function rangeOf(header: string | undefined, bytes: number): Range | undefined | 'unsatisfiable' {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') {
    const length = Math.min(Number(last), bytes);
    return length === 0 ? 'unsatisfiable' : { start: bytes - length, end: bytes - 1 };
  }
  const start = Number(first);
  const end = last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= bytes ? 'unsatisfiable' : { start, end };
}

/** Any name in a header: RFC 6266, with a plain form for clients of old. */
const disposition = (name: string): string => {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const coded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${coded}`;
};

export async function sendFile(request: FastifyRequest, reply: FastifyReply, file: SentFile): Promise<FastifyReply> {
  const { bytes, etag } = file;
  reply.headers({ 'accept-ranges': 'bytes', etag, 'cache-control': 'private, no-cache' });
  const { range: asked, 'if-range': ifRange, 'if-none-match': noneMatch } = request.headers;
  const known = noneMatch?.split(',').map((each) => each.trim().replace(/^W\//, ''));
  if (known?.some((each) => each === etag || each === '*')) return reply.code(304).send();
  const range = ifRange === undefined || ifRange === etag ? rangeOf(asked, bytes) : undefined;
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${bytes}`);
    throw new TtsError('invalid_range', `The result has ${bytes} bytes; the range begins behind them.`);
  }
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${bytes}`);
  reply.header('content-disposition', disposition(file.filename));
  reply.type(file.contentType).header('content-length', range ? range.end - range.start + 1 : bytes);
  if (request.method === 'HEAD') return reply.send();
  // A reader that takes nothing for so long has gone; its download can go on where it broke.
  reply.raw.setTimeout(STALL_MS, () => reply.raw.destroy());
  return reply.send(await file.read(range));
}
