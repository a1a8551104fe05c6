/**
 * The one shape of a door: an API dialect, or another part of the interface, with everything that
 * belongs to it. `doors/index.ts` lists them all.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify';
import type { KeyRecord } from '../accounts/types.js';
import type { Clock } from '../clock.js';
import type { TraceSpan } from '../trace.js';
import type { Authenticator } from './access/authenticate.js';
import type { ProxyTrust } from './access/client-address.js';
import type { ServerDeps } from './deps.js';
import type { ErrorShape } from './error-handler.js';
import type { DocPage } from './html-page.js';
import type { ServerSettings } from './settings.js';
import type { SpeechSessionOptions } from './sockets/speech-session.js';
import type { StreamTickets } from './sockets/stream-tickets.js';
import type { Permits } from './speech/permits.js';

/** The family whose dialect a door speaks. */
export interface Family {
  readonly name: string;
  /** What its clients take as their base URL, behind the server's address. */
  readonly basePath: string;
  knowsModel(name: string): boolean;
  knowsVoice(name: string): boolean;
}

export interface Door {
  /** What all its paths begin with; empty where they share no beginning. */
  readonly prefix: string;
  /** Adds its HTTP routes. Hooks and parsers that it adds to `app` hold within this door alone. */
  routes(app: FastifyInstance, parts: ServerParts): void | Promise<void>;
  /** Its paths that speak WebSocket. The server answers a plain GET of one with 426. */
  sockets?(parts: ServerParts): readonly SpeechSocket[];
  /** The shape of its errors; that of `/v1` where it is left out. */
  readonly errors?: ErrorShape;
  /** Its page in `/docs`. */
  readonly page?: DocPage;
  /** Request headers that its clients send from a browser, beside those that every client may. */
  readonly corsHeaders?: readonly string[];
  /** Methods that a browser may use there, beside GET, HEAD and POST. */
  readonly corsMethods?: readonly string[];
  /** The family whose names it knows, where it speaks the dialect of one. */
  readonly family?: Family;
  /** Takes `/prefix//path`, which clients make of a base URL that ends with a slash. */
  readonly forgivesSlashes?: boolean;
}

/** Loads the doors that a server with these settings has. */
export type DoorLoader = (settings: ServerSettings) => Promise<readonly Door[]>;

/** What every door is given: what the server was made of, and what its doors share. */
export interface ServerParts extends Omit<ServerDeps, 'settings' | 'clock'> {
  readonly clock: Clock;
  readonly settings: ServerSettings;
  readonly doors: readonly Door[];
  readonly permits: Permits;
  readonly tickets: StreamTickets;
  readonly proxies: ProxyTrust;
  readonly authenticator: Authenticator;
  /** A hook that puts the caller's key on the request. */
  readonly authenticate: (request: FastifyRequest) => Promise<void>;
}

/** A path that speaks WebSocket. */
export interface SpeechSocket {
  /** Behind the prefix of its door, with `:voice_id` in it. */
  readonly path: string;
  /** As metrics and the request log name it. */
  readonly route: string;
  /** How the OpenAPI document describes the path; left out of it where this is absent. */
  readonly schema?: FastifySchema;
  /** Of the subprotocols that a client offers; the first where it is left out. */
  chooseProtocol?(offered: Set<string>): string | false;
  /** Decides who may open a session, and how it speaks. Rejects where a handshake is refused. */
  accept(handshake: Handshake): Promise<AcceptedSocket>;
}

/** A WebSocket handshake that asks for a session. */
export interface Handshake {
  readonly request: IncomingMessage;
  readonly requestId: string;
  /** Decoded from the path. */
  readonly voiceId: string;
  readonly query: URLSearchParams;
  readonly trace: TraceSpan;
  /** The caller's key. `prove` looks at something other than the key of the request. */
  authenticate(prove?: () => Promise<KeyRecord>): Promise<KeyRecord>;
}

export interface AcceptedSocket extends SpeechSessionOptions {
  /** The label of its requests in the metrics. */
  readonly model: string;
  /** Gives back what the handshake took beside its permit. Called once, at the session's end. */
  release?(): void;
}

/** The part of a whole path behind the prefix of its door. */
export const behind = (prefix: string, path: string): string => path.slice(prefix.length);

/** The door that a path, with or without its query, belongs to. */
export const doorOf = (doors: readonly Door[], path: string): Door | undefined =>
  doors.find(({ prefix }) => prefix !== '' && path.startsWith(prefix) && /^(?:[/?]|$)/.test(behind(prefix, path)));
