/** The HTTP interface: schemas for validation, types and OpenAPI alike. */
import Type, { type Static } from 'typebox';

export const SPEECH_MODELS = ['base-tts', 'base-tts-fast', 'base-tts:free', 'base-tts-fast:free'] as const;
export type SpeechModel = (typeof SPEECH_MODELS)[number];
export const LANGUAGES = ['auto', 'en'] as const;
export const RESPONSE_FORMATS = ['wav', 'pcm'] as const;
export const DEFAULT_VOICE = 'english_female_professional';
export const MAX_INPUT_CHARS = 2_048;
export const MAX_BODY_BYTES = 65_536;

export const SPEECH_PATH = '/v1/audio/speech';
export const VOICES_PATH = '/v1/voices';

const literals = <T extends string>(values: readonly T[]) => Type.Union(values.map((value) => Type.Literal(value)));

export const SpeechRequest = Type.Object(
  {
    model: literals(SPEECH_MODELS),
    input: Type.String({ description: `1 to ${MAX_INPUT_CHARS} characters once surrounding white space is removed` }),
    voice: Type.Optional(Type.String({ default: DEFAULT_VOICE, description: 'A voice id of the catalogue' })),
    language: Type.Optional(literals(LANGUAGES)),
    stream: Type.Optional(Type.Boolean({ default: false })),
    response_format: Type.Optional(literals(RESPONSE_FORMATS)),
  },
  { $id: 'SpeechRequest' },
);
export interface SpeechRequest {
  model: SpeechModel;
  input: string;
  voice?: string;
  language?: (typeof LANGUAGES)[number];
  stream?: boolean;
  response_format?: (typeof RESPONSE_FORMATS)[number];
}

export const Voice = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('voice'),
    display_name: Type.String(),
    language: Type.String(),
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

/** `base-tts-fast:free` → the model that speaks and whether Free access is used. */
export function parseModel(slug: SpeechModel): { base: 'base-tts' | 'base-tts-fast'; free: boolean } {
  const free = slug.endsWith(':free');
  return { base: (free ? slug.slice(0, -':free'.length) : slug) as 'base-tts' | 'base-tts-fast', free };
}
