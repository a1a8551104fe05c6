/** What every room of the admin door is given, and whose part a caller sees. */
import type { FastifyRequest } from 'fastify';
import type { AdminDeps, DoorOptions } from '../../deps.js';
import type { Caller, SignIns } from './sign-ins.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is signed in, on the routes of the admin door. */
    caller: Caller;
  }
}

export interface AdminDoor extends DoorOptions {
  readonly admin: AdminDeps;
  readonly signIns: SignIns;
  /** A hook: the operator, or the holder of a key. */
  readonly signedIn: (request: FastifyRequest) => Promise<void>;
  /** A hook: the operator alone. */
  readonly operator: (request: FastifyRequest) => Promise<void>;
}

/** The key whose part a caller sees; undefined for the operator, who sees all. */
export const onlyKey = (caller: Caller): string | undefined => (caller.role === 'key' ? caller.key.id : undefined);
