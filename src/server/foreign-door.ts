/** What the door of another family brings along: everything under its prefix, so that neither bends the other. */
import type { FastifyInstance } from 'fastify';
import type { DoorOptions, ServerDeps, UpgradeHandler } from './deps.js';
import type { ErrorHandler } from './error-handler.js';
import type { DocPage } from './html-page.js';
import type { Grants } from './speech/grants.js';

/** A path that speaks WebSocket, with `:voice_id` in it. */
export interface SocketRoute {
  readonly path: string;
  readonly handler: UpgradeHandler;
}

export interface ForeignDoor {
  readonly prefix: string;
  /** Called within the prefix. */
  routes(app: FastifyInstance, door: DoorOptions): Promise<void>;
  readonly handleError: ErrorHandler;
  /** Headers its clients send from a browser beside those that every client may. */
  readonly corsHeaders: readonly string[];
  /** Its own page in /docs. */
  readonly page: DocPage;
  sockets?(deps: ServerDeps, grants: Grants): readonly SocketRoute[];
}
