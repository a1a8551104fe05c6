/** Sessions of agents: bounded for each key and in all, and closed when nobody uses them. */
import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyRecord } from '../../../accounts/types.js';
import type { Timer } from '../../../clock.js';
import type { McpHost } from '../../../mcp/host.js';
import { createMcpServer } from '../../../mcp/mcp-server.js';
import { Results } from '../../../mcp/results.js';
import { TtsError } from '../../../protocol/errors.js';
import { ExplainLimit } from '../../access/explain-limit.js';
import { authorityOf } from '../../access/hosts.js';
import type { ServerParts } from '../../door.js';
import { ServerHost } from './server-host.js';

const SESSIONS_PER_KEY = 8;
const SESSIONS_IN_ALL = 256;
const IDLE_MS = 30 * 60_000;
const SWEEP_MS = 60_000;
const KEEP_MS = 60 * 60_000;
const MAX_RESULT_BYTES = 512 * 1024 * 1024;
const RESULTS_PER_KEY = 32;

interface Session {
  readonly key: KeyRecord;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Calls of tools in progress. */
  running: number;
  usedAtMs: number;
  close(): Promise<void>;
}

export class McpSessions {
  readonly results: Results;
  readonly #parts: ServerParts;
  readonly #explaining = new ExplainLimit();
  readonly #sessions = new Map<string, Session>();
  readonly #sweeper: Timer;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    const { clock, settings, shutdown } = parts;
    this.results = new Results({
      dir: settings.heldDir ?? tmpdir(),
      keepMs: KEEP_MS,
      maxBytes: MAX_RESULT_BYTES,
      maxPerOwner: RESULTS_PER_KEY,
      clock,
    });
    this.#sweeper = clock.setInterval(() => this.#sweep(), SWEEP_MS).unref();
    shutdown.addEventListener('abort', () => this.#sweep(), { once: true });
    for (const route of ['mcp_speak', 'mcp_book']) parts.metrics.announce(route);
  }

  async answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const session = await this.#sessionOf(request);
    session.usedAtMs = this.#parts.clock.now();
    const { raw, method, body } = request;
    const headers = new Headers();
    for (const [name, value] of Object.entries(raw.headers)) headers.set(name, String(value));
    const asked = new Request(`http://localhost${request.url}`, { method, headers });
    const response = await session.transport.handleRequest(asked, { parsedBody: body });
    reply.hijack();
    const own = reply.getHeaders() as OutgoingHttpHeaders;
    reply.raw.writeHead(response.status, { ...own, ...Object.fromEntries(response.headers) });
    reply.raw.flushHeaders();
    if (response.body === null) reply.raw.end();
    // The client may leave at any time; that ends its stream and nothing else.
    else await pipeline(Readable.fromWeb(response.body as never), reply.raw).catch(() => undefined);
    if (this.#parts.shutdown.aborted) this.#sweep();
  }

  async close(): Promise<void> {
    this.#sweeper.cancel();
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
    await this.results.close();
  }

  async #sessionOf(request: FastifyRequest): Promise<Session> {
    const id = request.headers['mcp-session-id'];
    if (id === undefined) {
      const { method } = (request.body ?? {}) as { method?: unknown };
      if (method === 'initialize') return this.#open(request);
      const message = 'Begin with the request "initialize", and send the Mcp-Session-Id of its answer from then on.';
      throw new TtsError('invalid_value', message, { param: 'mcp-session-id' });
    }
    const session = this.#sessions.get(String(id));
    // A session is its key's: with another key there is none.
    if (session?.key.id === request.key.id) return session;
    throw new TtsError('not_found', 'There is no such session. Begin a new one with the request "initialize".');
  }

  async #open(request: FastifyRequest): Promise<Session> {
    const { key } = request;
    const { clock, log, admin, permits, shutdown } = this.#parts;
    if (shutdown.aborted) throw new TtsError('shutting_down', 'The server is stopping.', { retryAfterS: 5 });
    await this.#makeRoom(key);
    const id = randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id });
    const host = new ServerHost({
      parts: this.#parts,
      key,
      results: this.results,
      baseUrl: this.#baseUrlOf(request),
      explaining: this.#explaining,
    });
    const session: Session = {
      key,
      transport,
      running: 0,
      usedAtMs: clock.now(),
      close: async () => {
        if (!this.#sessions.delete(id)) return;
        unwatch();
        await server.close();
      },
    };
    const server = createMcpServer({
      version: admin.version,
      host: this.#counting(host, session),
      results: this.results,
      owner: key.id,
      onFailure: (error) => log.debug({ err: error, keyId: key.id }, 'a tool failed'),
    });
    server.onclose = () => void session.close();
    const unwatch = permits.keyWatch.watch(key, () => void session.close());
    this.#sessions.set(id, session);
    // The SDK's own types say `undefined` where exact optional types do not.
    await server.connect(transport as never);
    return session;
  }

  /** The host with its work counted, so that a session at work is not taken for an idle one. */
  #counting(host: McpHost, session: Session): McpHost {
    const counted =
      <Asked extends readonly unknown[], Told>(run: (...asked: Asked) => Promise<Told>) =>
      async (...asked: Asked): Promise<Told> => {
        session.running += 1;
        try {
          return await run(...asked);
        } finally {
          session.running -= 1;
          session.usedAtMs = this.#parts.clock.now();
        }
      };
    return {
      place: host.place,
      speak: counted((...asked) => host.speak(...asked)),
      makeBook: counted((...asked) => host.makeBook(...asked)),
      voices: counted((...asked) => host.voices(...asked)),
      explain: counted((...asked) => host.explain(...asked)),
    };
  }

  /** Closes the key's session that was idle longest, where the key or the server has too many. */
  async #makeRoom(key: KeyRecord): Promise<void> {
    const own = [...this.#sessions.values()].filter((session) => session.key.id === key.id);
    if (own.length < SESSIONS_PER_KEY && this.#sessions.size < SESSIONS_IN_ALL) return;
    const [idlest] = own.filter(({ running }) => running === 0).sort((a, b) => a.usedAtMs - b.usedAtMs);
    if (idlest !== undefined) return idlest.close();
    const message =
      own.length >= SESSIONS_PER_KEY
        ? `A key may have ${SESSIONS_PER_KEY} sessions of agents at once, and all of this one are at work.`
        : `This server has ${SESSIONS_IN_ALL} sessions of agents at once, and all are taken.`;
    throw new TtsError('concurrency_limit_exceeded', message, { retryAfterS: 10 });
  }

  /** Closes what nobody uses; when the server stops, all that is not at work. */
  #sweep(): void {
    const { clock, shutdown } = this.#parts;
    for (const session of this.#sessions.values()) {
      const isIdle = session.running === 0 && (shutdown.aborted || clock.now() - session.usedAtMs >= IDLE_MS);
      if (isIdle) void session.close();
    }
  }

  #baseUrlOf({ raw }: FastifyRequest): string {
    const { settings, proxies } = this.#parts;
    const isSecure = settings.tls !== undefined || proxies.isSecure(raw);
    return `${isSecure ? 'https' : 'http'}://${authorityOf(raw) ?? 'localhost'}`;
  }
}
