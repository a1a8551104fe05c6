/** The pages as they were built: read once, packed once, sent with what a browser may keep and what it may load. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Seen from the sources and from what is built of them alike. */
const WEB_DIR = path.resolve(import.meta.dirname, '../../../dist/web');

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
export function loadAssets(folder = WEB_DIR): ReadonlyMap<string, Asset> {
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

export async function sendAsset(asset: Asset, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
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
