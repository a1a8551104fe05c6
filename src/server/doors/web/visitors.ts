/** Who visits the playground: the holder of a key, or the user of this machine, who needs none. */
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { presentedKey } from '../../access/authenticate.js';
import { isLoopback } from '../../access/hosts.js';
import { checkOrigin } from '../../access/origins.js';
import type { ServerParts } from '../../door.js';

/** Headers that a proxy adds: its clients may be on other machines. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'] as const;

export function visitorsOf(app: FastifyInstance, parts: ServerParts) {
  const { accounts, authenticate } = parts;
  const isKeyless = keylessCheck(app, parts);
  /** A hook: puts the caller's key, or the machine's own, on the request. */
  const visitor = async (request: FastifyRequest): Promise<void> => {
    const { raw, method } = request;
    const keyed = presentedKey(raw) !== undefined;
    checkOrigin(raw, { named: !keyed && method !== 'GET' && method !== 'HEAD' });
    if (!keyed && isKeyless(raw)) request.key = accounts.local!;
    else await authenticate(request);
  };
  return { isKeyless, visitor };
}

/** Whether nobody but the machine's own user can have sent the request. */
function keylessCheck(app: FastifyInstance, { settings, accounts }: ServerParts) {
  return ({ socket, headers }: IncomingMessage): boolean =>
    settings.web === 'auto' &&
    accounts.local !== undefined &&
    settings.allowedHosts.length === 0 &&
    isLoopback((app.server.address() as AddressInfo | null)?.address) &&
    isLoopback(socket.remoteAddress) &&
    FORWARDED.every((name) => headers[name] === undefined);
}
