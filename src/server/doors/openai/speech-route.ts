/** POST /openai/v1/audio/speech: complete text in, audio out while it is made, in any of five formats. */
import type { FastifyPluginAsync } from 'fastify';
import { createEncoder } from '../../../audio/encoder.js';
import { bytesPerSecond } from '../../../audio/format.js';
import { MAX_BODY_BYTES } from '../../../protocol/contract.js';
import type { DoorOptions } from '../../deps.js';
import { ignoredFields } from '../../ignored-fields.js';
import { checkBodyHeaders, dropNulls, takeJson } from '../../json-body.js';
import { answerSize } from '../../speech/answer-size.js';
import { encodedBody } from '../../speech/encoded-body.js';
import { pcmBody } from '../../speech/pcm-body.js';
import { SpeechReply } from '../../speech/speech-reply.js';
import { eventBody } from './event-body.js';
import { KNOWN_FIELDS, parseSpeechRequest, SpeechRequest } from './speech-request.js';

export const speechRoute: FastifyPluginAsync<DoorOptions> = async (app, { deps, settings, authenticate, admit }) => {
  takeJson(app);
  app.post<{ Body: SpeechRequest }>(
    '/audio/speech',
    {
      bodyLimit: MAX_BODY_BYTES,
      schema: { hide: true, body: SpeechRequest },
      config: { speechRoute: 'openai_speech' },
      onRequest: [authenticate, checkBodyHeaders],
      preValidation: async (request) => dropNulls(request),
    },
    async (request, reply) => {
      const spoken = parseSpeechRequest(request.body, request.key, deps.catalogue);
      const ignored = ignoredFields(request.body, KNOWN_FIELDS);
      if (ignored !== undefined) reply.header('x-ignored-fields', ignored);
      const { model, voice, input, speed, format, events, whole } = spoken;
      const { text, chars } = input;
      reply.header('x-voice', voice);
      const grant = await admit(request, reply, {
        route: 'openai_speech',
        model,
        voice,
        input,
        speed,
        whole: whole ? answerSize(input, { speed, bytesPerSecond: bytesPerSecond(format) }) : undefined,
      });
      return new SpeechReply({
        request,
        reply,
        text,
        chars,
        stream: !whole,
        grant,
        settings,
        stop: deps.shutdown,
        body: async () => {
          if (whole) return pcmBody('wav');
          const encoder = await createEncoder(format);
          return events ? eventBody(encoder, chars) : encodedBody(encoder);
        },
      }).run();
    },
  );
};
