/** The admin interface, which the dashboard uses: schemas for validation, types and OpenAPI. */
import type { Static } from 'typebox';
import { type FreeLimit, MAX_LIMIT, type OwnFreeLimit } from './free-limit.js';
import { BASE_MODELS, type BaseModel } from './job.js';
import { oneOf } from './one-of.js';
import { REQUEST_OUTCOMES } from './request-outcome.js';
import { Type } from './schema.js';

const MAX_CREDITS = 1_000_000_000_000;
const MAX_NAME_CHARS = 200;

const bounds = { minimum: 0, maximum: MAX_LIMIT };
const count = () => ({ type: 'integer', ...bounds });
export const orNull = <T extends 'integer' | 'string'>(type: T, options: object = {}) =>
  Type.Unsafe<(T extends 'integer' ? number : string) | null>({ type: [type, 'null'], ...options });
const byModel = { properties: Object.fromEntries(BASE_MODELS.map((model) => [model, count()])) };
const perModel = <T>(types: readonly string[], description: string) =>
  Type.Unsafe<T>({ type: ['integer', 'object', ...types], ...bounds, ...byModel, description });
const own = (description: string) =>
  perModel<OwnFreeLimit | null>(['null'], `${description}; null, or a model that is not named: the server's own limit`);
const Concurrency = own(
  'Sessions at once. A number holds for Partner access and for each `:free` model by itself; by model, such as ' +
    '`{"base-tts": 1}`, for Free access alone',
);
const FreeDaily = own(
  'Free requests a UTC day of each `:free` model by itself: a number, or by model such as `{"base-tts": 100}`',
);
const Name = orNull('string', { maxLength: MAX_NAME_CHARS, description: 'What the key is for' });
const Tier = oneOf(['free', 'partner'] as const);
export const Time = (description?: string) => Type.String({ ...(description && { description }) });

export const SignIn = Type.Object(
  { secret: Type.String({ maxLength: 200, description: 'The admin secret, or an API key to see its own part' }) },
  { $id: 'SignIn' },
);
export type SignIn = Static<typeof SignIn>;

const Counts = Type.Object({
  free_requests: Type.Integer({ description: 'Accepted requests with Free access, of all models' }),
  free_requests_by_model: Type.Unsafe<Record<BaseModel, number>>({
    type: 'object',
    ...byModel,
    description: 'What the daily limit of each `:free` model counts',
  }),
  requests: Type.Integer(),
  characters: Type.Integer(),
  credits: Type.Integer(),
});

export const AdminKey = Type.Object(
  {
    id: Type.String(),
    name: Name,
    tier: Tier,
    credits: Type.Integer(),
    reserved: Type.Integer({ description: 'What running requests hold of the credits' }),
    created_at: Time(),
    expires_at: orNull('string'),
    revoked: Type.Boolean(),
    expired: Type.Boolean({ description: "Whether `expires_at` has passed by the database's clock" }),
    rotated_at: orNull('string', { description: 'When its secret was last replaced' }),
    previous_ends_at: orNull('string', {
      description: 'Until when the secret before works too; null where it does not',
    }),
    concurrency: Concurrency,
    free_daily: FreeDaily,
    today: Type.Optional(Counts),
  },
  { $id: 'AdminKey' },
);
export type AdminKey = Static<typeof AdminKey>;
export const AdminKeys = Type.Object({ data: Type.Array(AdminKey) }, { $id: 'AdminKeys' });

export const NewAdminKey = Type.Object(
  {
    tier: Tier,
    name: Type.Optional(Name),
    credits: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_CREDITS, default: 0 })),
    expires_at: Type.Optional(orNull('string', { description: 'ISO 8601' })),
    concurrency: Type.Optional(Concurrency),
    free_daily: Type.Optional(FreeDaily),
  },
  { $id: 'NewAdminKey' },
);
export type NewAdminKey = Static<typeof NewAdminKey>;

export const CreatedAdminKey = Type.Object(
  { ...AdminKey.properties, key: Type.String({ description: 'The key itself; it is not shown again' }) },
  { $id: 'CreatedAdminKey' },
);
export type CreatedAdminKey = Static<typeof CreatedAdminKey>;

export const AdminKeyChange = Type.Object(
  { name: Type.Optional(Name), concurrency: Type.Optional(Concurrency), free_daily: Type.Optional(FreeDaily) },
  { $id: 'AdminKeyChange' },
);
export type AdminKeyChange = Static<typeof AdminKeyChange>;

const MAX_GRACE_S = 90 * 86_400;
export const AdminRotation = Type.Object(
  {
    grace_s: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_GRACE_S,
        default: 0,
        description: 'Seconds for which the secret before works too; 0 ends it at once, and what it is speaking',
      }),
    ),
  },
  { $id: 'AdminRotation' },
);
export type AdminRotation = Static<typeof AdminRotation>;

export const AdminGrant = Type.Object(
  { credits: Type.Integer({ minimum: 1, maximum: MAX_CREDITS, description: '1 per character' }) },
  { $id: 'AdminGrant' },
);
export type AdminGrant = Static<typeof AdminGrant>;

export const AdminIdentity = Type.Object(
  { role: oneOf(['admin', 'key'] as const), key: Type.Optional(AdminKey), version: Type.String() },
  { $id: 'AdminIdentity' },
);
export type AdminIdentity = Static<typeof AdminIdentity>;

export const UsageQuery = Type.Object({
  since: Type.Optional(Type.String({ description: 'From this UTC day on, YYYY-MM-DD; 30 days where it is left out' })),
  key: Type.Optional(Type.String({ description: 'Only this key id; `local` is the use on the server itself' })),
});
export type UsageQuery = Static<typeof UsageQuery>;

export const AdminUsage = Type.Object(
  {
    since: Type.String(),
    data: Type.Array(
      Type.Object({
        day: Type.String(),
        key_id: Type.String({
          description: '`local` is the use on the server itself, which has no row among the keys',
        }),
        model: Type.String(),
        requests: Type.Integer(),
        unfinished: Type.Integer(),
        characters: Type.Integer(),
        delivered_characters: Type.Integer(),
        credits: Type.Integer(),
        audio_ms: Type.Integer(),
      }),
    ),
  },
  { $id: 'AdminUsage' },
);
export type AdminUsage = Static<typeof AdminUsage>;

const Session = Type.Object(
  {
    id: Type.String(),
    request_id: Type.String(),
    key_id: Type.String(),
    route: Type.String(),
    model: Type.String(),
    voice: Type.String(),
    started_at: Time(),
    characters: Type.Integer(),
    first_audio_ms: orNull('integer'),
  },
  { $id: 'LiveSession' },
);
export type LiveSession = Static<typeof Session>;
export const LiveSessions = Type.Object({ data: Type.Array(Session) }, { $id: 'LiveSessions' });

export const AdminFailures = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        time: Time(),
        request_id: Type.String(),
        route: Type.String(),
        key_id: orNull('string'),
        status: Type.Integer(),
        code: Type.String(),
        message: Type.String(),
      }),
    ),
  },
  { $id: 'AdminFailures' },
);
export type AdminFailures = Static<typeof AdminFailures>;

export const RequestsQuery = Type.Object({
  key: Type.Optional(Type.String({ description: 'Only this key id; `local` is the use on the server itself' })),
  status: Type.Optional(oneOf(REQUEST_OUTCOMES)),
  request: Type.Optional(Type.String({ description: 'Only this request id' })),
  since: Type.Optional(Type.String({ description: 'Only what ended from this time on, ISO 8601' })),
  limit: Type.Optional(Type.String({ pattern: '^([1-9]\\d?|[1-4]\\d\\d|500)$', description: '1 to 500, else 50' })),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: 'The `next_cursor` of the page before' })),
});
export type RequestsQuery = Static<typeof RequestsQuery>;

const AdminRequest = Type.Object({
  time: Time('When it ended'),
  request_id: Type.String(),
  key_id: Type.String(),
  route: Type.String({ description: 'The API dialect and endpoint' }),
  model: orNull('string', { description: 'Null, as `voice`, where it was refused before that was known to exist' }),
  voice: orNull('string'),
  characters: Type.Integer(),
  credits: Type.Integer({ description: 'Credits debited' }),
  audio_ms: Type.Integer(),
  duration_ms: Type.Integer(),
  first_audio_ms: orNull('integer', { description: 'From its arrival, or that of its first text' }),
  breaks: Type.Integer({ description: 'Silences heard because audio came late' }),
  outcome: oneOf(REQUEST_OUTCOMES),
  error: orNull('string', { description: 'The error code' }),
  worker: orNull('string', { description: 'Ids of the workers that spoke it, comma-separated; for the operator' }),
  trace_id: orNull('string'),
});
export type AdminRequest = Static<typeof AdminRequest>;

export const AdminRequests = Type.Object(
  { data: Type.Array(AdminRequest), next_cursor: orNull('string', { description: 'Null on the last page' }) },
  { $id: 'AdminRequests' },
);
export type AdminRequests = Static<typeof AdminRequests>;

const number = (description: string) => Type.Unsafe<number | null>({ type: ['number', 'null'], description });

export const AdminStatus = Type.Object(
  {
    version: Type.String(),
    time: Time(),
    started_at: Time(),
    ready: Type.Boolean({ description: 'Whether there is a worker that can be used' }),
    readiness: Type.String({
      description: 'Why it is not ready, or what workers cannot be used for; empty where all is well',
    }),
    memory_bytes: Type.Integer(),
    text_version: Type.String({
      description: 'How this gateway reads text; a worker that reads otherwise cannot be used',
    }),
    places: Type.Object({ taken: Type.Integer(), limit: Type.Integer() }),
    segments: Type.Object({ queued: Type.Integer(), running: Type.Integer() }),
    limits: Type.Object({
      free_concurrency: perModel<FreeLimit>([], 'Sessions at once of a key on each `:free` model, or by model'),
      free_daily: perModel<FreeLimit>([], 'Requests of a key a UTC day on each `:free` model, or by model'),
      partner_concurrency: Type.Integer(),
    }),
    workers: Type.Array(
      Type.Object({
        id: Type.String(),
        state: Type.String(),
        device: orNull('string', { description: 'What the engine runs on, once it is ready' }),
        capacity: Type.Integer({ description: 'Steps it takes at once' }),
        busy: Type.Integer(),
        restarts: Type.Integer(),
        others: Type.Integer({ description: 'Steps that other gateways have in it' }),
        round_trip_ms: Type.Number({ description: 'Of a message; 0 for an engine process of this machine' }),
        models: Type.Array(Type.String(), { description: 'The models that it may be given' }),
        version: orNull('string', { description: 'Workers of one version make the same samples' }),
        text_version: orNull('string', { description: 'How it reads text, once that is known' }),
        error: orNull('string', { description: 'Why it is not ready' }),
        unusable: orNull('string', { description: 'Why it is given nothing though it is ready' }),
      }),
    ),
    speed: Type.Object({
      step_ms: Type.Integer(),
      points: Type.Array(
        Type.Object({
          at_ms: Type.Integer(),
          first_audio_p50_ms: number('Arrival to first audio'),
          first_audio_p95_ms: number('The slowest twentieth'),
          real_time_factor: number('Engine seconds a second of audio'),
          audio_ms: Type.Number(),
          sessions: Type.Integer(),
        }),
        { description: 'Of the last quarter of an hour, where something happened' },
      ),
    }),
  },
  { $id: 'AdminStatus' },
);
export type AdminStatus = Static<typeof AdminStatus>;
