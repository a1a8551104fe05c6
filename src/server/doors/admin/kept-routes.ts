/** /admin/v1/lexicon and /admin/v1/voices: words and voices kept for all servers. */
import type { FastifyInstance } from 'fastify';
import { AdminLexicon, AdminVoices, KeptVoiceFile, KeptWord } from '../../../protocol/admin/kept.js';
import { checkBodyHeaders } from '../../json-body.js';
import { type AdminParts, described, NO_CONTENT } from './parts.js';

const NAME = { type: 'object', properties: { name: { type: 'string', maxLength: 100 } } };

interface Named {
  Params: { name: string };
}

export function addKept(app: FastifyInstance, { admin: { kept }, operator }: AdminParts): void {
  if (kept === undefined) return;
  const reading = (operationId: string, summary: string, answer: object) => ({
    logLevel: 'warn' as const,
    schema: described(operationId, summary, answer),
    onRequest: operator,
  });
  const writing = (operationId: string, summary: string, body?: object) => ({
    schema: { ...described(operationId, summary, NO_CONTENT, 204), params: NAME, ...(body && { body }) },
    onRequest: body ? [operator, checkBodyHeaders] : operator,
  });

  const read = 'Words that are read another way on every server of this database';
  app.get('/lexicon', reading('listLexicon', read, AdminLexicon), async () => ({
    data: [...kept.of('word')].map(([word, said]) => ({ word, said })),
  }));
  app.put<Named & { Body: KeptWord }>(
    '/lexicon/:name',
    writing('putWord', 'Keep how a word is read; other servers know it within a second', KeptWord),
    async ({ params, body }, reply) => {
      await kept.putWord(params.name, body.said.trim());
      return reply.code(204).send();
    },
  );
  app.delete<Named>(
    '/lexicon/:name',
    writing('removeWord', 'Read a word by the rules again'),
    async (request, reply) => {
      await kept.remove('word', request.params.name);
      return reply.code(204).send();
    },
  );

  app.get(
    '/voices',
    reading('listKeptVoices', 'Voices kept for every server of this database', AdminVoices),
    async () => ({
      data: [...kept.of('voice').values()].map((file) => JSON.parse(file) as KeptVoiceFile),
    }),
  );
  app.put<Named & { Body: KeptVoiceFile }>(
    '/voices/:name',
    writing('putVoice', 'Keep a voice; other servers know it within a second', KeptVoiceFile),
    async ({ params, body }, reply) => {
      await kept.putVoice(params.name, body);
      return reply.code(204).send();
    },
  );
  const gone = 'Remove a voice; streams that speak with it go on to their end';
  app.delete<Named>('/voices/:name', writing('removeVoice', gone), async (request, reply) => {
    await kept.remove('voice', request.params.name);
    return reply.code(204).send();
  });
}
