/** The HTTP interface: schemas for validation, types and OpenAPI. */
import type { Static } from 'typebox';
import { DEFAULT_VOICE, MAX_INPUT_CHARS, REQUEST_LANGUAGES, RESPONSE_FORMATS, SPEECH_MODELS } from './contract.js';
import { ERROR_TYPES, type TtsError } from './errors.js';
import { oneOf } from './one-of.js';
import { Type } from './schema.js';

const Model = oneOf(SPEECH_MODELS, { description: '`:free` selects Free access' });

export const SpeechRequest = Type.Object(
  {
    model: Model,
    input: Type.String({
      description: `1 to ${MAX_INPUT_CHARS} characters once surrounding white space (Unicode's White_Space) is removed, with something to say among them`,
      examples: ['Hello there.'],
    }),
    voice: Type.Optional(Type.String({ default: DEFAULT_VOICE, description: 'A voice id of the catalogue' })),
    language: Type.Optional(
      oneOf(REQUEST_LANGUAGES, { default: 'auto', description: '`auto` is the language of the voice' }),
    ),
    stream: Type.Optional(
      Type.Boolean({ default: false, description: 'Send the audio as it is generated instead of when all of it is' }),
    ),
    response_format: Type.Optional(oneOf(RESPONSE_FORMATS, { default: 'wav' })),
  },
  { $id: 'SpeechRequest' },
);
export type SpeechRequest = Static<typeof SpeechRequest>;

export const VoicesQuery = Type.Object({ model: Model });
export type VoicesQuery = Static<typeof VoicesQuery>;

export const StreamTicketRequest = Type.Object(
  {
    voice: Type.Optional(Type.String({ default: DEFAULT_VOICE, description: 'A voice id of the catalogue' })),
    query: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
        description: 'The query parameters of the session, by name; the handshake has to carry the same',
      }),
    ),
  },
  { $id: 'StreamTicketRequest' },
);
export type StreamTicketRequest = Static<typeof StreamTicketRequest>;

export const StreamTicket = Type.Object(
  { ticket: Type.String(), expires_at: Type.String({ description: 'ISO 8601, UTC' }) },
  { $id: 'StreamTicket' },
);
export type StreamTicket = Static<typeof StreamTicket>;

export const ErrorResponse = Type.Object(
  {
    error: Type.Object({
      code: Type.String(),
      type: oneOf(ERROR_TYPES),
      message: Type.String(),
      param: Type.Union([Type.String(), Type.Null()]),
      request_id: Type.String(),
    }),
  },
  { $id: 'Error' },
);
/** The JSON body of every HTTP error. */
export type ErrorResponse = Static<typeof ErrorResponse>;

export const errorBody = ({ code, message, param, row }: TtsError, requestId: string): ErrorResponse => ({
  error: { code, type: row.type, message, param, request_id: requestId },
});

export const Voice = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('voice'),
    display_name: Type.String(),
    language: Type.String({ description: 'ISO 639-1' }),
    locale: Type.Optional(Type.String({ description: 'BCP 47: the language with the accent it is read in' })),
    gender: Type.Union([Type.Literal('female'), Type.Literal('male'), Type.Literal('neutral')]),
    description: Type.String(),
    supports_instructions: Type.Boolean(),
    preview_url: Type.Optional(Type.String()),
  },
  { $id: 'Voice' },
);
export type Voice = Static<typeof Voice>;

export const VoiceCatalog = Type.Object(
  {
    object: Type.Literal('list'),
    model: Type.String(),
    catalog_version: Type.String(),
    data: Type.Array(Voice),
  },
  { $id: 'VoiceCatalog' },
);
export type VoiceCatalog = Static<typeof VoiceCatalog>;
