/** What the operator keeps for all servers, and what listeners preferred: schemas and types. */
import type { Static } from 'typebox';
import { MAX_SAID_CHARS } from '../pages.js';
import { Compared } from '../playground/playground.js';
import { Type } from '../schema.js';

export const AdminComparisons = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        a: Compared,
        b: Compared,
        runs: Type.Integer({ description: 'Finished comparisons' }),
        a_preferred: Type.Integer({ description: 'Rounds' }),
        b_preferred: Type.Integer({ description: 'Rounds' }),
        low: Type.Number({ description: 'The 95 % Wilson interval of the share of `a`' }),
        high: Type.Number(),
        p: Type.Number({ description: 'Exact and two-sided: how often chance alone is as uneven' }),
      }),
      { description: 'The pairs with most rounds first' },
    ),
  },
  { $id: 'AdminComparisons' },
);
export type AdminComparisons = Static<typeof AdminComparisons>;

export const KeptWord = Type.Object(
  {
    said: Type.String({
      minLength: 1,
      maxLength: MAX_SAID_CHARS,
      description: 'A respelling or, between slashes, IPA',
    }),
  },
  { $id: 'KeptWord' },
);
export type KeptWord = Static<typeof KeptWord>;

export const AdminLexicon = Type.Object(
  { data: Type.Array(Type.Object({ word: Type.String(), said: Type.String() })) },
  { $id: 'AdminLexicon' },
);
export type AdminLexicon = Static<typeof AdminLexicon>;

/** The fields of a voice file; its parser says which is wrong. */
export const KeptVoiceFile = Type.Object(
  {
    id: Type.Optional(Type.String()),
    display_name: Type.String(),
    language: Type.String(),
    gender: Type.String(),
    description: Type.String(),
    character: Type.Optional(Type.Array(Type.String())),
    uses: Type.Optional(Type.Array(Type.String())),
    style: Type.Union([Type.String(), Type.Record(Type.String(), Type.Number())]),
    gain_db: Type.Optional(Type.Union([Type.Number(), Type.Record(Type.String(), Type.Number())])),
    models: Type.Optional(Type.Array(Type.String())),
  },
  { $id: 'KeptVoiceFile' },
);
export type KeptVoiceFile = Static<typeof KeptVoiceFile>;

export const AdminVoices = Type.Object({ data: Type.Array(KeptVoiceFile) }, { $id: 'AdminVoices' });
export type AdminVoices = Static<typeof AdminVoices>;
