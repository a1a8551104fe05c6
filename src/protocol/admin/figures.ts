/** The admin interface's figures: usage over time, and how the server was started. */
import type { Static } from 'typebox';
import { orNull, Time } from '../admin.js';
import { oneOf } from '../one-of.js';
import { Type } from '../schema.js';

const USAGE_RANGES = ['hour', 'day', 'week', 'month', 'year'] as const;
export type UsageRange = (typeof USAGE_RANGES)[number];

export const UsageSeriesQuery = Type.Object({
  range: Type.Optional(oneOf(USAGE_RANGES)),
  key: Type.Optional(Type.String({ description: 'Only this key id; `local` is the use on the server itself' })),
});
export type UsageSeriesQuery = Static<typeof UsageSeriesQuery>;

const figures = {
  model: Type.String(),
  requests: Type.Integer(),
  unfinished: Type.Integer(),
  characters: Type.Integer(),
  delivered_characters: Type.Integer(),
  credits: Type.Integer(),
  audio_ms: Type.Integer(),
};
export const AdminUsageSeries = Type.Object(
  {
    range: oneOf(USAGE_RANGES),
    since: Time('The first step; a step without usage has no row'),
    until: Time('The last step, which has begun'),
    step_s: Type.Integer({ description: 'Length of a step: a minute, an hour or a UTC day' }),
    times: Type.Array(Type.Object({ time: Time('The start of a step'), ...figures })),
    keys: Type.Array(Type.Object({ key_id: Type.String(), ...figures })),
  },
  { $id: 'AdminUsageSeries' },
);
export type AdminUsageSeries = Static<typeof AdminUsageSeries>;

const Setting = Type.Object({
  name: Type.String(),
  group: Type.String(),
  description: Type.String(),
  value: orNull('string', { description: 'Null where it is secret' }),
  is_set: Type.Boolean({ description: 'Whether there is a value at all' }),
  source: oneOf(['flag', 'environment', 'file', 'default'] as const),
  origin: Type.String({ description: 'The flag, variable or file that the value came from' }),
});
export const AdminSettings = Type.Object(
  {
    version: Type.String(),
    node: Type.String(),
    platform: Type.String(),
    accounts: oneOf(['sqlite', 'postgresql'] as const),
    config_file: Type.Object({ path: Type.String(), found: Type.Boolean() }),
    voices: Type.Object({ version: Type.String(), count: Type.Integer() }),
    settings: Type.Array(Setting, { description: 'As this server was started; no secret is in it' }),
  },
  { $id: 'AdminSettings' },
);
export type AdminSettings = Static<typeof AdminSettings>;
