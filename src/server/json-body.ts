/** JSON bodies of a bounded size. The headers are checked before a byte is read. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MAX_BODY_BYTES } from '../protocol/contract.js';
import { TtsError } from '../protocol/errors.js';
import { bodyTooLarge, unsupportedMediaType } from './error-handler.js';

/** The routes that are added to `app` from here on take JSON. */
export function takeJson(app: FastifyInstance, bodyLimit = MAX_BODY_BYTES): void {
  app.addHook('onRoute', (route) => {
    route.bodyLimit = bodyLimit;
  });
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) => {
    try {
      done(null, JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body as Buffer)));
    } catch (cause) {
      done(new TtsError('invalid_json', 'The body is not valid JSON in UTF-8.', { cause }));
    }
  });
}

/** A hook, behind the one that asks for the key. */
export async function checkBodyHeaders({ headers, routeOptions }: FastifyRequest): Promise<void> {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (type !== 'application/json' || encoding !== 'identity') throw unsupportedMediaType();
  const { bodyLimit = MAX_BODY_BYTES } = routeOptions;
  if (Number(headers['content-length'] ?? 0) > bodyLimit) throw bodyTooLarge(bodyLimit);
}

/** Clients that write every field they know send `null` for those that were not set. */
export function dropNulls(request: FastifyRequest): void {
  const { body } = request;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return;
  request.body = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}
