/** The playground's own requests: schemas for validation, types and OpenAPI. */
import type { Static } from 'typebox';
import { DEFAULT_VOICE } from './contract.js';
import { MAX_EXPLAINED_CHARS } from './pages.js';
import { Type } from './schema.js';

export const PlaygroundSession = Type.Object(
  {
    keyless: Type.Boolean({
      description: 'Whether this page may speak without a key, as the key `local` of this machine',
    }),
    version: Type.String(),
    default_voice: Type.String(),
    models: Type.Array(Type.String()),
  },
  { $id: 'PlaygroundSession' },
);
export type PlaygroundSession = Static<typeof PlaygroundSession>;

export const ExplainRequest = Type.Object(
  {
    text: Type.String({ description: `At most ${MAX_EXPLAINED_CHARS} characters` }),
    voice: Type.Optional(Type.String({ default: DEFAULT_VOICE, description: 'Whose language and accent' })),
    ssml: Type.Optional(Type.Boolean({ default: false })),
  },
  { $id: 'ExplainRequest' },
);
export type ExplainRequest = Static<typeof ExplainRequest>;

export const ExplainResponse = Type.Object(
  {
    segments: Type.Array(
      Type.Object({
        text: Type.String(),
        offset: Type.Integer({ description: 'In code points of the whole text' }),
        pause: Type.String(),
        forms: Type.Array(
          Type.Object({
            start: Type.Integer(),
            end: Type.Integer(),
            written: Type.String(),
            said: Type.String({ description: 'The words it is said as' }),
            phonemes: Type.String(),
          }),
        ),
      }),
    ),
    skipped: Type.Record(Type.String(), Type.Integer(), { description: 'Characters that are not spoken, by kind' }),
  },
  { $id: 'ExplainResponse' },
);
export type ExplainResponse = Static<typeof ExplainResponse>;
