/** The playground's own requests: schemas for validation, types and OpenAPI. */
import type { Static } from 'typebox';
import { DEFAULT_VOICE } from '../contract.js';
import { Voice } from '../http.js';
import { COMPARED_SPEEDS, MAX_COMPARED_ROUNDS, MAX_EXPLAINED_CHARS, MAX_SAID_CHARS } from '../pages.js';
import { Type } from '../schema.js';

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

/** A voice as the page shows it: what `GET /v1/voices` has, and words to choose by. */
const PlaygroundVoice = Type.Object(
  {
    ...Voice.properties,
    character: Type.Array(Type.String()),
    uses: Type.Array(Type.String()),
    models: Type.Array(Type.String(), { description: 'The models that have it' }),
  },
  { $id: 'PlaygroundVoice' },
);
export type PlaygroundVoice = Static<typeof PlaygroundVoice>;

export const PlaygroundVoices = Type.Object({ data: Type.Array(PlaygroundVoice) }, { $id: 'PlaygroundVoices' });
export type PlaygroundVoices = Static<typeof PlaygroundVoices>;

export const ExplainRequest = Type.Object(
  {
    text: Type.String({ description: `At most ${MAX_EXPLAINED_CHARS} characters` }),
    voice: Type.Optional(Type.String({ default: DEFAULT_VOICE, description: 'Whose language and accent' })),
    ssml: Type.Optional(Type.Boolean({ default: false })),
    words: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: MAX_SAID_CHARS }), {
        description: 'How words are read: a respelling each or, between slashes, IPA',
      }),
    ),
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

/** One of two that are compared by ear: who speaks, and how. */
export const Compared = Type.Object({
  model: Type.String(),
  voice: Type.String(),
  speed: Type.Optional(Type.Number({ default: 1, description: `One of ${COMPARED_SPEEDS.join(', ')}` })),
  style: Type.Optional(Type.String({ description: "How it is delivered; the server's default where absent" })),
});
export type Compared = Static<typeof Compared>;

export const ComparisonRun = Type.Object(
  {
    a: Compared,
    b: Compared,
    a_preferred: Type.Integer({ minimum: 0, maximum: MAX_COMPARED_ROUNDS }),
    b_preferred: Type.Integer({ minimum: 0, maximum: MAX_COMPARED_ROUNDS }),
  },
  { $id: 'ComparisonRun' },
);
export type ComparisonRun = Static<typeof ComparisonRun>;
