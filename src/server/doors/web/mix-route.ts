/** GET /playground/mix: a mix of voices as a voice file, to take along. */
import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { mixVoice } from '../../../models/voice-mix.js';
import { KeptVoiceFile } from '../../../protocol/admin/kept.js';
import { TtsError } from '../../../protocol/errors.js';
import { ErrorResponse } from '../../../protocol/http.js';
import { Type } from '../../../protocol/schema.js';
import type { ServerParts } from '../../door.js';

const MixQuery = Type.Object({
  name: Type.String({ maxLength: 64 }),
  mix: Type.String({ maxLength: 400, description: 'Voices with shares: `af_heart(60)+bm_george(40)`' }),
});
type MixQuery = Static<typeof MixQuery>;

export function addMix(app: FastifyInstance, { catalogue }: ServerParts, visitor: ServerParts['authenticate']): void {
  app.get<{ Querystring: MixQuery }>(
    '/mix',
    {
      schema: {
        operationId: 'getMix',
        summary: 'A mix of voices as a voice file',
        tags: ['playground'],
        querystring: MixQuery,
        response: { 200: KeptVoiceFile, '4xx': ErrorResponse },
      },
      onRequest: visitor,
    },
    async ({ query: { name, mix } }) => {
      const shares = mix
        .split('+')
        .map((part) => part.replace(/\((.+)\)$/, ':$1'))
        .filter((part) => !part.endsWith(':0'));
      try {
        return mixVoice(`${name}=${shares.join(',')}`, catalogue);
      } catch (error) {
        if (!(error instanceof TtsError)) throw error;
        throw new TtsError('invalid_value', error.message, { param: 'mix' });
      }
    },
  );
}
