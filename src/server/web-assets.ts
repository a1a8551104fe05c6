/** The built files of the site, served with their cache and content security headers. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import fastifyStatic, { type FastifyStaticOptions } from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from './error-handler.js';

/** The same folder seen from the sources and from what is built of them. */
export const WEB_DIR = path.resolve(import.meta.dirname, '../../dist/web');

/** Nothing but what this server serves, no script in the page itself; WebAssembly encodes files. */
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

/** Options of routes that serve pages: not in the OpenAPI document, no line in the log. */
export const PAGE_ROUTE = { logLevel: 'warn', schema: { hide: true } } as const;

/**
 * Serves `/assets/…` for every page of the site; a file's name holds the hash of its content. The
 * build lays a `.br` and a `.gz` beside each file that gains by it (`web/packed-files.ts`).
 */
export async function serveAssets(app: FastifyInstance): Promise<void> {
  const root = path.join(WEB_DIR, 'assets');
  if (!existsSync(root)) return;
  const options: FastifyStaticOptions = {
    root,
    prefix: '/assets/',
    preCompressed: true,
    // One route for each file: no other path exists, and none can lead out of the folder.
    wildcard: false,
    globIgnore: ['**/*.{br,gz}'],
    index: false,
    setHeaders: (response) => void response.setHeader('vary', 'accept-encoding'),
    immutable: true,
    maxAge: '365d',
    logLevel: PAGE_ROUTE.logLevel,
  };
  // What `sendPage` sends with.
  await app.register(fastifyStatic, { ...options, serve: false });
  await app.register(async (scope) => {
    // A worker's policy is the one that its script was sent with.
    scope.addHook('onSend', async (_request, reply) => void reply.header('content-security-policy', CSP));
    await scope.register(fastifyStatic, { ...options, decorateReply: false });
  });
}

/** Sends a page, which browsers revalidate: its name stays while its content changes. */
export function sendPage(name: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!existsSync(path.join(WEB_DIR, name))) throw notFound(request);
  reply.headers({
    'cache-control': 'no-cache',
    'content-security-policy': CSP,
    'referrer-policy': 'no-referrer',
  });
  return reply.sendFile(name, WEB_DIR, { cacheControl: false });
}
