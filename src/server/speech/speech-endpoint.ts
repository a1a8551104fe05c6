/** A route that speaks complete text, at any door: from its body to the order and the response. */
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { TObject } from 'typebox';
import type { RateLimit } from '../../accounts/types.js';
import { parseModel } from '../../protocol/contract.js';
import { TtsError } from '../../protocol/errors.js';
import type { ServerParts } from '../door.js';
import { ignoredFields } from '../ignored-fields.js';
import { checkBodyHeaders, dropNulls } from '../json-body.js';
import type { Permit } from './permit.js';
import { type HttpOrder, SpeechReply } from './speech-reply.js';
import { checkSounds } from './spoken-input.js';

/** The types of a request's parts, as Fastify names them. */
interface Asked {
  Body: object;
  Querystring?: unknown;
  Params?: unknown;
}

export interface SpeechEndpoint<Request extends Asked> {
  readonly path: string;
  /** As metrics and the request log name it. */
  readonly route: string;
  readonly schema: FastifySchema & { readonly body: TObject };
  /** Fields of the schema that change nothing; unknown fields change nothing either. */
  readonly unused?: readonly string[];
  /** Takes a field that is null for one that is left out. */
  readonly dropsNulls?: boolean;
  /** Looks at the body before its schema is checked. What it throws refuses the request. */
  readonly look?: (body: unknown) => void;
  /** A hook before the key is looked at. */
  readonly first?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** Reads the request once its schema has been checked. */
  order(request: FastifyRequest<Request>): HttpOrder | Promise<HttpOrder>;
}

/** Key, media type and size are checked by the headers, in this order, before the body is read. */
export function addSpeechRoute<Request extends Asked>(
  app: FastifyInstance,
  parts: ServerParts,
  endpoint: SpeechEndpoint<Request>,
): void {
  const { path, route, schema, unused = [], dropsNulls = false, first, look } = endpoint;
  const known = new Set(Object.keys(schema.body.properties).filter((name) => !unused.includes(name)));
  parts.metrics.announce(route);
  app.post(
    path,
    {
      schema,
      config: { speechRoute: route },
      onRequest: [...(first === undefined ? [] : [first]), parts.authenticate, checkBodyHeaders],
      preValidation: async (request) => {
        if (dropsNulls) dropNulls(request);
        look?.(request.body);
      },
    },
    async (request, reply) => {
      const order = await endpoint.order(request as FastifyRequest<Request>);
      const { unused: unusedNow = [] } = order;
      const used = unusedNow.length === 0 ? known : new Set([...known].filter((name) => !unusedNow.includes(name)));
      const ignored = ignoredFields(request.body as object, used);
      if (ignored !== undefined) reply.header('x-ignored-fields', ignored);
      if (order.headers !== undefined) reply.headers(order.headers);
      const permit = await permitFor(request, reply, { ...order, route }, parts);
      return new SpeechReply({ request, reply, order, permit, parts }).run();
    },
  );
}

/** Also tells a Free key, in headers, what is left of its day. */
async function permitFor(
  request: FastifyRequest,
  reply: FastifyReply,
  order: HttpOrder & { readonly route: string },
  { permits, accounts, catalogue, texts }: ServerParts,
): Promise<Permit> {
  const { model, input, turns = [{ voice: order.voice, text: input.text }] } = order;
  for (const turn of turns) {
    const { voice, language } = catalogue.speaker(parseModel(model).base, turn.voice);
    const fitting = (wanted: string) => catalogue.fitting(wanted, { gender: voice.gender })?.voice.id;
    await checkSounds({ ...input, text: turn.text }, texts, { voice: voice.id, language, fitting });
  }
  const { key, id: requestId, trace } = request;
  try {
    const permit = await permits.open({ ...order, key, requestId, trace });
    request.permitted = true;
    if (permit.admission.rateLimit !== undefined) reply.headers(rateLimitHeaders(permit.admission.rateLimit));
    return permit;
  } catch (error) {
    if (error instanceof TtsError && error.code === 'daily_limit_exceeded') {
      const { retryAfterS: resetS = 0 } = error;
      reply.headers(rateLimitHeaders({ limit: accounts.freeDaily(key, model), remaining: 0, resetS }));
    }
    throw error;
  }
}

const rateLimitHeaders = ({ limit, remaining, resetS }: RateLimit) => ({
  'x-ratelimit-limit-requests': limit,
  'x-ratelimit-remaining-requests': remaining,
  'x-ratelimit-reset-requests': resetS,
});
