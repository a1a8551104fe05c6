/** What the routes of the admin door share. */
import type { FastifyRequest } from 'fastify';
import { ErrorResponse } from '../../../protocol/http.js';
import type { ServerParts } from '../../door.js';
import type { Caller, SignIns } from './sign-ins.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is signed in, on the routes of the admin door. */
    caller: Caller;
  }
}

export interface AdminParts extends ServerParts {
  readonly signIns: SignIns;
  /** A hook: the operator, or the holder of a key. */
  readonly signedIn: (request: FastifyRequest) => Promise<void>;
  /** A hook: the operator alone. */
  readonly operator: (request: FastifyRequest) => Promise<void>;
}

/** The key whose part a caller sees; undefined for the operator, who sees all. */
export const onlyKey = (caller: Caller): string | undefined => (caller.role === 'key' ? caller.key.id : undefined);

/** The schema of a route that answers with `answer`, or with an error of the table. */
export const described = (operationId: string, summary: string, answer: object, status = 200) => ({
  operationId,
  summary,
  tags: ['admin'],
  response: { [status]: answer, '4xx': ErrorResponse },
});

export const NO_CONTENT = { type: 'null' };
/** Path parameters of a route with an id. */
export const ID = { type: 'object', properties: { id: { type: 'string' } } };
