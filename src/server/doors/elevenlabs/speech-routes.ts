/** POST /elevenlabs/v1/text-to-speech/{voice} and its three companions: streamed, and with the times of the characters. */
import type { FastifyPluginAsync } from 'fastify';
import { type AudioEncoder, createEncoder } from '../../../audio/encoder.js';
import type { DoorOptions } from '../../deps.js';
import { ignoredFields } from '../../ignored-fields.js';
import { bodyHeadersCheck, dropNulls, takeJson } from '../../json-body.js';
import { answerSize } from '../../speech/answer-size.js';
import { encodedBody } from '../../speech/encoded-body.js';
import { type SpeechBody, SpeechReply } from '../../speech/speech-reply.js';
import {
  KNOWN_FIELDS,
  MAX_REQUEST_BYTES,
  namedVoice,
  parseSpeechRequest,
  SpeechQuery,
  SpeechRequest,
} from './speech-request.js';
import { timedLines, timedObject, timedObjectSize } from './timed-body.js';

interface Route {
  readonly path: string;
  readonly body: (encoder: AudioEncoder) => SpeechBody;
  readonly whole?: boolean;
  /** Its callers take it as one: it leaves as it is made, and is not cut to be heard sooner. */
  readonly unheard?: boolean;
}

const SPEECH_PATH = '/v1/text-to-speech/:voice_id';
const ROUTES: readonly Route[] = [
  { path: SPEECH_PATH, body: encodedBody, unheard: true },
  { path: `${SPEECH_PATH}/stream`, body: encodedBody },
  {
    path: `${SPEECH_PATH}/with-timestamps`,
    body: timedObject,
    whole: true,
  },
  {
    path: `${SPEECH_PATH}/stream/with-timestamps`,
    body: timedLines,
  },
];

export const speechRoutes: FastifyPluginAsync<DoorOptions> = async (app, { deps, settings, authenticate, admit }) => {
  takeJson(app, MAX_REQUEST_BYTES);
  for (const { path, body, whole = false, unheard = whole } of ROUTES) {
    app.post<{ Body: SpeechRequest; Querystring: SpeechQuery; Params: { voice_id: string } }>(
      path,
      {
        bodyLimit: MAX_REQUEST_BYTES,
        schema: { hide: true, body: SpeechRequest, querystring: SpeechQuery },
        config: { speechRoute: 'elevenlabs_speech' },
        onRequest: [authenticate, bodyHeadersCheck(MAX_REQUEST_BYTES)],
        preValidation: async (request) => dropNulls(request),
      },
      async (request, reply) => {
        const { input, speed, seed, format } = parseSpeechRequest(request.body, request.query);
        const { text, chars } = input;
        const { voice_id: voice } = request.params;
        const { model_id: model, language_code: language } = request.body;
        const named = namedVoice(deps.catalogue, request.key, { voice, model, language });
        const ignored = ignoredFields(request.body, KNOWN_FIELDS);
        if (ignored !== undefined) reply.header('x-ignored-fields', ignored);
        reply.headers({ 'request-id': request.id, 'character-cost': chars, 'x-voice': named.voice });
        const grant = await admit(request, reply, {
          route: 'elevenlabs_speech',
          ...named,
          input,
          speed,
          seed,
          whole: whole ? answerSize(input, { speed, ...timedObjectSize(format) }) : undefined,
          unheard,
        });
        return new SpeechReply({
          request,
          reply,
          text,
          chars,
          stream: !whole,
          body: async () => body(await createEncoder(format)),
          grant,
          settings,
          stop: deps.shutdown,
        }).run();
      },
    );
  }
};
