/**
 * The Model Context Protocol at /mcp (streamable HTTP), with our keys, limits and credits. What it
 * needs is loaded with the first session: most servers never have one.
 */
import { createReadStream } from 'node:fs';
import type { FastifyRequest } from 'fastify';
import { TtsError } from '../../../protocol/errors.js';
import { checkOrigin } from '../../access/origins.js';
import type { Door, ServerParts } from '../../door.js';
import type { ErrorShape } from '../../error-handler.js';
import { checkBodyHeaders, takeJson } from '../../json-body.js';
import { RESULTS_PATH } from './results-path.js';
import type { McpSessions } from './sessions.js';

/** A book of the longest kind, in UTF-8 and escaped. */
const MAX_MESSAGE_BYTES = 1_048_576;
/** "Server error" of JSON-RPC 2.0, 5.1. */
const SERVER_ERROR = -32_000;

const HIDDEN = { schema: { hide: true } } as const;

export const MCP: Door = {
  prefix: '/mcp',
  routes(app, parts) {
    takeJson(app, MAX_MESSAGE_BYTES);
    let loading: Promise<McpSessions> | undefined;
    const sessions = () => {
      loading ??= import('./sessions.js').then(({ McpSessions: Sessions }) => new Sessions(parts));
      return loading;
    };
    app.addHook('onClose', async () => (await loading)?.close());
    const onRequest = [originCheck(parts), parts.authenticate];
    app.post('/', { ...HIDDEN, onRequest: [...onRequest, checkBodyHeaders] }, async (request, reply) =>
      (await sessions()).answer(request, reply),
    );
    for (const method of ['GET', 'DELETE'] as const) {
      app.route({
        method,
        url: '/',
        ...HIDDEN,
        onRequest,
        handler: async (...both) => (await sessions()).answer(...both),
      });
    }
    app.get<{ Params: { id: string } }>(`${RESULTS_PATH}/:id`, HIDDEN, async ({ params }, reply) => {
      const result = (await loading)?.results.get(params.id.replace(/\..*$/, ''));
      if (result === undefined) throw new TtsError('not_found', 'There is no such result, or it was removed by now.');
      reply.headers({
        'content-type': result.mimeType,
        'content-length': result.bytes,
        'content-disposition': `inline; filename="${result.name}"`,
        'cache-control': 'private, no-store',
      });
      return reply.send(createReadStream(result.file));
    });
  },
  errors: (error, requestId) => rpcError(error, requestId),
  corsHeaders: ['mcp-session-id', 'mcp-protocol-version', 'last-event-id'],
  corsMethods: ['DELETE'],
};

const rpcError: ErrorShape = ({ row, code, message }, requestId) => ({
  status: row.status,
  body: { jsonrpc: '2.0', id: null, error: { code: SERVER_ERROR, message, data: { code, request_id: requestId } } },
});

/**
 * A hook: pages of other sites may not call, even with a name that was pointed at this machine (DNS
 * rebinding), unless the operator allows their origin. The host of every request is checked before.
 */
const originCheck =
  ({ settings: { corsOrigins } }: ServerParts) =>
  async ({ raw }: FastifyRequest): Promise<void> => {
    const { origin } = raw.headers;
    const isAllowed = origin !== undefined && (corsOrigins.includes('*') || corsOrigins.includes(origin));
    if (!isAllowed) checkOrigin(raw);
  };
