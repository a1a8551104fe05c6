/**
 * What the playground's page asks for: whether it needs a key, voices, tickets, and how a text is
 * read. On a loopback address no key is needed, where the operator leaves that on.
 */
import type { FastifyInstance } from 'fastify';
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
import { ExplainLimit } from '../../access/explain-limit.js';
import { addressGroup } from '../../access/failure-brake.js';
import { checkOrigin } from '../../access/origins.js';
import type { ServerParts } from '../../door.js';
import { checkBodyHeaders, takeJson } from '../../json-body.js';
import { addComparisons } from './comparisons-route.js';
import { addMix } from './mix-route.js';
import { visitorsOf } from './visitors.js';

const described = (operationId: string, summary: string, answer: object) => ({
  operationId,
  summary,
  tags: ['playground'],
  response: { 200: answer, '4xx': ErrorResponse },
});

export function addPlayground(app: FastifyInstance, parts: ServerParts): void {
  const { admin } = parts;
  takeJson(app);
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
  const { isKeyless, visitor } = visitorsOf(app, parts);
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
