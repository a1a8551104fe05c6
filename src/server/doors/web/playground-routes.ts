/**
 * What the playground's page asks: who may speak, voices, tickets, and how a text is read. On a loopback address without a
 * key, where the operator leaves that on; with a key, a page of any browser may as well.
 */
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { DEFAULT_VOICE, MAX_BODY_BYTES, parseModel, SPEECH_MODELS } from '../../../protocol/contract.js';
import { TtsError } from '../../../protocol/errors.js';
import { ErrorResponse, StreamTicket, StreamTicketRequest, VoiceCatalog, VoicesQuery } from '../../../protocol/http.js';
import { MAX_EXPLAINED_CHARS, PLAYGROUND_PATH } from '../../../protocol/pages.js';
import { ExplainRequest, ExplainResponse, PlaygroundSession } from '../../../protocol/playground.js';
import { presentedKey } from '../../access/authenticate.js';
import { ExplainLimit } from '../../access/explain-limit.js';
import { addressGroup } from '../../access/failure-brake.js';
import { isLoopback } from '../../access/hosts.js';
import { checkOrigin } from '../../access/origins.js';
import type { DoorOptions } from '../../deps.js';
import { checkBodyHeaders, takeJson } from '../../json-body.js';

/** Signs of a proxy: whoever is behind it is not on this machine. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'] as const;

const described = (operationId: string, summary: string) => ({ operationId, summary, tags: ['playground'] });
const answers = (ok: object) => ({ 200: ok, '4xx': ErrorResponse });

export const playgroundRoutes: FastifyPluginAsync<DoorOptions & { readonly version: string }> = async (app, door) => {
  const { deps, settings, tickets, authenticate, version } = door;
  const { accounts, catalogue, texts } = deps;
  const explaining = new ExplainLimit();
  takeJson(app);

  /** Only where the server itself can be reached from nowhere else, and no proxy opens it to others. */
  const isKeyless = ({ socket, headers }: IncomingMessage): boolean =>
    settings.web === 'auto' &&
    accounts.local !== undefined &&
    settings.allowedHosts.length === 0 &&
    isLoopback((app.server.address() as AddressInfo | null)?.address) &&
    isLoopback(socket.remoteAddress) &&
    FORWARDED.every((name) => headers[name] === undefined);

  const visitor = async (request: FastifyRequest): Promise<void> => {
    const { raw } = request;
    const keyed = presentedKey(raw) !== undefined;
    checkOrigin(raw, { named: !keyed && request.method === 'POST' });
    if (!keyed && isKeyless(raw)) request.key = accounts.local!;
    else await authenticate(request);
  };

  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });

  app.get(
    `${PLAYGROUND_PATH}/session`,
    {
      schema: {
        ...described('getPlayground', 'Whether the playground needs a key'),
        response: answers(PlaygroundSession),
      },
      onRequest: async ({ raw }) => checkOrigin(raw),
    },
    async ({ raw }): Promise<PlaygroundSession> => ({
      keyless: isKeyless(raw),
      version,
      default_voice: DEFAULT_VOICE,
      models: SPEECH_MODELS.filter((model) => !parseModel(model).free),
    }),
  );

  app.get<{ Querystring: VoicesQuery }>(
    `${PLAYGROUND_PATH}/voices`,
    {
      schema: {
        ...described('listPlaygroundVoices', 'The voices of a model, as GET /v1/voices'),
        querystring: VoicesQuery,
        response: answers(VoiceCatalog),
      },
      onRequest: visitor,
    },
    async ({ query: { model } }): Promise<VoiceCatalog> => ({
      object: 'list',
      model,
      catalog_version: catalogue.version,
      data: [...catalogue.voices(parseModel(model).base)],
    }),
  );

  app.post<{ Body: StreamTicketRequest }>(
    `${PLAYGROUND_PATH}/stream-tickets`,
    {
      bodyLimit: MAX_BODY_BYTES,
      schema: {
        ...described('createPlaygroundTicket', 'A ticket for a session, as POST /v1/stream-tickets'),
        body: StreamTicketRequest,
        response: answers(StreamTicket),
      },
      onRequest: [visitor, checkBodyHeaders],
    },
    async ({ key, body }) => tickets.answer(key, body.voice ?? DEFAULT_VOICE, body.query ?? {}),
  );

  app.post<{ Body: ExplainRequest }>(
    `${PLAYGROUND_PATH}/explain`,
    {
      bodyLimit: MAX_BODY_BYTES,
      schema: {
        ...described(
          'explainText',
          'How a text is read: each written form, its words and sounds; 429 beyond two at once',
        ),
        body: ExplainRequest,
        response: answers(ExplainResponse),
      },
      onRequest: [visitor, checkBodyHeaders],
    },
    async ({ body: { text, voice = DEFAULT_VOICE, ssml = false }, key, raw }) => {
      if ([...text].length > MAX_EXPLAINED_CHARS) {
        const message = `The field "text" is longer than ${MAX_EXPLAINED_CHARS} characters.`;
        throw new TtsError('input_too_long', message, { param: 'text' });
      }
      const { language } = catalogue.get('base-tts', voice);
      const caller = key === accounts.local ? addressGroup(raw.socket.remoteAddress) : key.id;
      return explaining.run(caller, () => texts.explain(text, { language, ssml }));
    },
  );
};
