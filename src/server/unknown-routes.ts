/** A known path with another method is 405 and names its methods; any other path is 404. */
import type { FastifyInstance } from 'fastify';
import { TtsError } from '../protocol/errors.js';
import { type Door, doorOf } from './door.js';
import { createErrorHandler, defaultShape, notFound } from './error-handler.js';
import { servedElsewhere } from './families.js';
import { parameterIn } from './sockets/upgrades.js';

/** A path as the router reads it. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** To be called before the routes are added. */
export function answerUnknownRoutes(app: FastifyInstance, doors: readonly Door[]): void {
  const methods = new Map<string, string[]>();
  const methodsAt = (path: string) =>
    methods.get(decoded(path)) ??
    [...methods].find(([template]) => template.includes(':') && parameterIn(path, template) !== undefined)?.[1];
  app.addHook('onRoute', ({ url, method }) => {
    methods.set(url, [...(methods.get(url) ?? []), ...[method].flat()]);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.raw.url?.split('?', 1)[0] ?? '';
    const allowed = methodsAt(path);
    const answer = createErrorHandler(doorOf(doors, path)?.errors ?? defaultShape);
    if (allowed === undefined) {
      const elsewhere = servedElsewhere(path, doors, (there) => methodsAt(there) !== undefined);
      return answer(notFound(request, elsewhere), request, reply);
    }
    const allow = [...new Set(allowed)].sort().join(', ');
    reply.header('allow', allow);
    const message = `${request.method} is not possible here. This path takes ${allow}.`;
    answer(new TtsError('method_not_allowed', message), request, reply);
  });
}
