/** The built files of the site: read once, compressed once, sent with their cache and content security headers. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from './error-handler.js';

/** Seen from the sources and from what is built of them alike. */
export const WEB_DIR = path.resolve(import.meta.dirname, '../../dist/web');

/** Nothing but what this server serves, no script in the page itself; WebAssembly encodes MP3. */
const CSP = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};
/** Packed already. */
const PACKED = new Set(['.woff2']);

export interface Asset {
  readonly name: string;
  readonly bytes: Buffer;
  readonly etag: string;
  /** By coding, made when it is first asked for. */
  readonly packed: Map<string, Promise<Buffer>>;
}

const PACKERS: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
};

/** By path below the folder; empty where nothing was built. */
function loadAssets(folder = WEB_DIR): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>();
  if (!existsSync(folder)) return assets;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(folder, file).split(path.sep).join('/');
    if (TYPES[path.extname(name)] === undefined) continue;
    const bytes = readFileSync(file);
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    assets.set(name, { name, bytes, etag, packed: new Map() });
  }
  return assets;
}

export async function sendAsset(
  asset: Asset | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (asset === undefined) throw notFound(request);
  const extension = path.extname(asset.name);
  const isPage = extension === '.html';
  reply.headers({
    'content-type': TYPES[extension]!,
    etag: asset.etag,
    vary: 'accept-encoding',
    // A page is asked for anew every time; the rest has the hash of its content in its name.
    'cache-control': isPage ? 'no-cache' : 'public, max-age=31536000, immutable',
    ...(isPage && { 'content-security-policy': CSP, 'referrer-policy': 'no-referrer' }),
  });
  if (request.headers['if-none-match'] === asset.etag) return reply.code(304).send();
  const accepted = request.headers['accept-encoding'] ?? '';
  const coding = PACKED.has(extension) ? undefined : ['br', 'gzip'].find((name) => accepted.includes(name));
  if (coding === undefined) return reply.send(asset.bytes);
  let packed = asset.packed.get(coding);
  if (packed === undefined) {
    packed = PACKERS[coding]!(asset.bytes);
    asset.packed.set(coding, packed);
  }
  return reply.header('content-encoding', coding).send(await packed);
}

/** Options of routes that serve pages: not in the OpenAPI document, no line in the log. */
export const PAGE_ROUTE = { logLevel: 'warn', schema: { hide: true } } as const;

/** Serves `/assets/…` for every page of the site, and hands the files on to the routes of those pages. */
export function serveAssets(app: FastifyInstance): ReadonlyMap<string, Asset> {
  const assets = loadAssets();
  app.get<{ Params: { name: string } }>('/assets/:name', PAGE_ROUTE, (request, reply) =>
    sendAsset(assets.get(`assets/${request.params.name}`), request, reply),
  );
  return assets;
}
