/**
 * What the playground's page asks for: whether it needs a key, voices, tickets, and how a text is
 * read. On a loopback address no key is needed, where the operator leaves that on.
 */
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DEFAULT_VOICE, parseModel, SPEECH_MODELS } from '../../../protocol/contract.js';
import { TtsError } from '../../../protocol/errors.js';
import { ErrorResponse, StreamTicket, StreamTicketRequest } from '../../../protocol/http.js';
import { MAX_EXPLAINED_CHARS } from '../../../protocol/pages.js';
import {
  ExplainRequest,
  ExplainResponse,
  PlaygroundSession,
  PlaygroundVoices,
} from '../../../protocol/playground/playground.js';
import { presentedKey } from '../../access/authenticate.js';
import { ExplainLimit } from '../../access/explain-limit.js';
import { addressGroup } from '../../access/failure-brake.js';
import { isLoopback } from '../../access/hosts.js';
import { checkOrigin } from '../../access/origins.js';
import type { ServerParts } from '../../door.js';
import { checkBodyHeaders, takeJson } from '../../json-body.js';
import { addComparisons } from './comparisons-route.js';
import { addMix } from './mix-route.js';

/** Headers that a proxy adds: its clients may be on other machines. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'] as const;

const described = (operationId: string, summary: string, answer: object) => ({
  operationId,
  summary,
  tags: ['playground'],
  response: { 200: answer, '4xx': ErrorResponse },
});

export function addPlayground(app: FastifyInstance, parts: ServerParts): void {
  const { admin, accounts, authenticate } = parts;
  takeJson(app);
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
  const isKeyless = keylessCheck(app, parts);
  /** A hook: puts the caller's key, or the machine's own, on the request. */
  const visitor = async (request: FastifyRequest): Promise<void> => {
    const { raw } = request;
    const keyed = presentedKey(raw) !== undefined;
    checkOrigin(raw, { named: !keyed && request.method === 'POST' });
    if (!keyed && isKeyless(raw)) request.key = accounts.local!;
    else await authenticate(request);
  };
  app.get(
    '/session',
    {
      schema: described('getPlayground', 'Whether the playground needs a key', PlaygroundSession),
      onRequest: async ({ raw }) => checkOrigin(raw),
    },
    async ({ raw }): Promise<PlaygroundSession> => ({
      keyless: isKeyless(raw),
      version: admin.version,
      default_voice: DEFAULT_VOICE,
      models: SPEECH_MODELS.filter((model) => !parseModel(model).free),
    }),
  );
  addWork(app, parts, visitor);
  addMix(app, parts, visitor);
  addComparisons(app, parts, visitor);
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

/** Voices, tickets and explanations, for visitors. */
function addWork(
  app: FastifyInstance,
  { accounts, catalogue, texts, tickets }: ServerParts,
  visitor: ServerParts['authenticate'],
): void {
  const explaining = new ExplainLimit();
  app.get(
    '/voices',
    {
      schema: described('listPlaygroundVoices', 'All voices, with words to choose by', PlaygroundVoices),
      onRequest: visitor,
    },
    async (): Promise<PlaygroundVoices> => ({
      data: catalogue.all.map(({ voice, character, uses, models }) => ({
        ...voice,
        character: [...character],
        uses: [...uses],
        models: [...models],
      })),
    }),
  );
  app.post<{ Body: StreamTicketRequest }>(
    '/stream-tickets',
    {
      schema: {
        ...described('createPlaygroundTicket', 'A ticket for a session, as POST /v1/stream-tickets', StreamTicket),
        body: StreamTicketRequest,
      },
      onRequest: [visitor, checkBodyHeaders],
    },
    async ({ key, body }) => tickets.answer(key, body),
  );
  const explained = 'How a text is read: each written form, its words and sounds; 429 beyond two at once';
  app.post<{ Body: ExplainRequest }>(
    '/explain',
    {
      schema: { ...described('explainText', explained, ExplainResponse), body: ExplainRequest },
      onRequest: [visitor, checkBodyHeaders],
    },
    async ({ body: { text, voice = DEFAULT_VOICE, ssml = false, words }, key, raw }) => {
      if ([...text].length > MAX_EXPLAINED_CHARS) {
        const message = `The field "text" is longer than ${MAX_EXPLAINED_CHARS} characters.`;
        throw new TtsError('input_too_long', message, { param: 'text' });
      }
      const { language } = catalogue.speaker('base-tts', voice);
      const caller = key === accounts.local ? addressGroup(raw.socket.remoteAddress) : key.id;
      return explaining.run(caller, () => texts.explain(text, { language, ssml, words }));
    },
  );
}
