/** Jobs over HTTP: schemas for validation, types and OpenAPI. */
import type { Static } from 'typebox';
import { SPEECH_MODELS } from '../contract.js';
import { oneOf } from '../one-of.js';
import { Type } from '../schema.js';
import { JOB_FORMATS } from './names.js';

const NullOr = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
const Time = Type.String({ description: 'ISO 8601, UTC' });

const OPTIONS = {
  model: Type.Optional(oneOf(SPEECH_MODELS, { default: 'base-tts' })),
  voice: Type.Optional(
    Type.String({ description: "A voice id of the catalogue; left out, the default voice of the book's language" }),
  ),
  format: Type.Optional(oneOf(JOB_FORMATS, { default: 'm4b' })),
  chapters: Type.Optional(Type.String({ description: 'Only these: `3`, `3-7` or `1,4-`', maxLength: 200 })),
  notes: Type.Optional(oneOf(['skip', 'end'], { default: 'skip', description: 'Footnotes' })),
  filename: Type.Optional(
    Type.String({ description: 'Names the book where it has no title of its own', maxLength: 200 }),
  ),
  webhook_url: Type.Optional(
    Type.String({ description: 'Told when the job has ended, with a signed POST', maxLength: 2_000 }),
  ),
};

export const JobRequest = Type.Object(
  {
    input: Type.String({
      description: 'Plain text or Markdown; files are sent as they are, with options in the query',
    }),
    ...OPTIONS,
    speed: Type.Optional(Type.Number({ minimum: 0.25, maximum: 4, default: 1 })),
    skip_broken: Type.Optional(Type.Boolean({ default: false })),
    webhook_secret: Type.Optional(
      Type.String({
        pattern: '^whsec_[A-Za-z0-9+/]{32,88}={0,2}$',
        description: '`whsec_` and 24 to 64 bytes in base64; left out, one is drawn and told in the answer',
      }),
    ),
  },
  { $id: 'JobRequest' },
);
export type JobRequest = Static<typeof JobRequest>;

export const JobQuery = Type.Object({
  ...OPTIONS,
  speed: Type.Optional(Type.String({ description: '0.25 to 4; 1 where it is left out' })),
  skip_broken: Type.Optional(oneOf(['true', 'false'], { description: 'Go on without parts that cannot be read' })),
});
export type JobQuery = Static<typeof JobQuery>;

export const Job = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('speech.job'),
    status: oneOf(['queued', 'running', 'completed', 'failed', 'cancelled']),
    key_id: Type.String(),
    model: oneOf(SPEECH_MODELS),
    voice: Type.String(),
    speed: Type.Number(),
    format: oneOf(JOB_FORMATS),
    title: Type.String(),
    author: NullOr(Type.String()),
    chapters: Type.Array(Type.Object({ title: Type.String(), characters: Type.Integer() })),
    characters: Type.Integer({ description: 'Reserved at the beginning, 1 credit each with Partner access' }),
    credits: Type.Integer({ description: 'Debited; 0 until the job is completed' }),
    created_at: Time,
    started_at: NullOr(Time),
    ended_at: NullOr(Time),
    expires_at: NullOr(Type.String({ description: 'When the job and its result are removed' })),
    progress: Type.Object({
      percent: Type.Integer(),
      chapter: NullOr(Type.String()),
      characters: Type.Integer(),
      audio_ms: Type.Integer(),
      left_ms: NullOr(Type.Integer({ description: 'Estimate; null until some of it was made' })),
    }),
    result: NullOr(
      Type.Object({
        url: Type.String(),
        filename: Type.String(),
        content_type: Type.String(),
        bytes: Type.Integer(),
        audio_ms: Type.Integer(),
      }),
    ),
    error: NullOr(Type.Object({ code: Type.String(), message: Type.String() })),
    webhook: NullOr(
      Type.Object({
        url: Type.String(),
        status: oneOf(['waiting', 'due', 'delivered', 'failed']),
        attempts: Type.Integer(),
        error: NullOr(Type.String()),
        secret: Type.Optional(Type.String({ description: 'In the answer that made the job, and nowhere else' })),
      }),
    ),
  },
  { $id: 'Job' },
);
export type Job = Static<typeof Job>;

export const JobsQuery = Type.Object({
  limit: Type.Optional(
    Type.String({ pattern: '^(?:[1-9]\\d?|100)$', description: '1 to 100; 20 where it is left out' }),
  ),
  cursor: Type.Optional(Type.String({ pattern: '^\\d{1,15}$', description: '`next_cursor` of an earlier answer' })),
});
export type JobsQuery = Static<typeof JobsQuery>;

export const JobList = Type.Object(
  { object: Type.Literal('list'), data: Type.Array(Job), next_cursor: NullOr(Type.String()) },
  { $id: 'JobList' },
);
export type JobList = Static<typeof JobList>;
