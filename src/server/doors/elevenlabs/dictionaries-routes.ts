/** /elevenlabs/v1/pronunciation-dictionaries: made, listed, changed and put away. */
import type { FastifyInstance } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { KeyRecord } from '../../../accounts/types.js';
import { Type } from '../../../protocol/schema.js';
import type { ServerParts } from '../../door.js';
import { checkBodyHeaders, dropNulls } from '../../json-body.js';
import { type Dictionaries, type Dictionary, Rule } from './dictionaries.js';

const MAX_PAGE = 100;
const Rules = Type.Object({ rules: Type.Array(Rule) });
const NewDictionary = Type.Object({
  rules: Type.Array(Rule),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  description: Type.Optional(Type.String({ maxLength: 1_000 })),
});
const RuleStrings = Type.Object({ rule_strings: Type.Array(Type.String()) });
const Changed = Type.Object({ name: Type.Optional(Type.String()), archived: Type.Optional(Type.Boolean()) });

interface Named {
  Params: { id: string };
}

const about = ({ id, name, description, createdUnix }: Dictionary, { id: createdBy }: KeyRecord) => ({
  id,
  name,
  created_by: createdBy,
  creation_time_unix: createdUnix,
  description,
  permission_on_resource: 'admin',
});
const metadata = (dictionary: Dictionary, key: KeyRecord) => ({
  ...about(dictionary, key),
  latest_version_id: dictionary.versionId,
  latest_version_rules_num: dictionary.rules.length,
  archived_time_unix: dictionary.archivedUnix,
});
const version = ({ id, versionId, rules }: Dictionary) => ({
  id,
  version_id: versionId,
  version_rules_num: rules.length,
});

export function addDictionaries(app: FastifyInstance, { authenticate }: ServerParts, dictionaries: Dictionaries): void {
  const reading = { onRequest: authenticate, schema: { hide: true } };
  const writing = (body: TSchema) => ({
    onRequest: [authenticate, checkBodyHeaders],
    preValidation: async (request: Parameters<typeof dropNulls>[0]) => dropNulls(request),
    schema: { hide: true, body },
  });
  const path = '/v1/pronunciation-dictionaries';

  app.get<{ Querystring: { page_size?: string; cursor?: string } }>(path, reading, async ({ key, query }) => {
    const all = (await dictionaries.list(key)).filter(({ archivedUnix }) => archivedUnix === null);
    const from = Math.max(0, Number.parseInt(query.cursor ?? '0', 10) || 0);
    const to = from + Math.min(MAX_PAGE, Math.max(1, Number(query.page_size) || MAX_PAGE));
    return {
      pronunciation_dictionaries: all.slice(from, to).map((one) => metadata(one, key)),
      next_cursor: to < all.length ? String(to) : null,
      has_more: to < all.length,
    };
  });
  app.get<Named>(`${path}/:id`, reading, async ({ key, params }) => {
    const found = await dictionaries.get(key, params.id);
    return { ...metadata(found, key), rules: found.rules };
  });
  app.post<{ Body: Static<typeof NewDictionary> }>(
    `${path}/add-from-rules`,
    writing(NewDictionary),
    async ({ key, body: { name, description = null, rules } }) => {
      const made = await dictionaries.create(key, { name, description, rules });
      return { ...about(made, key), ...version(made) };
    },
  );
  app.post<Named & { Body: Static<typeof Rules> }>(`${path}/:id/set-rules`, writing(Rules), async (request) =>
    version(await dictionaries.change(request.key, request.params.id, { rules: request.body.rules })),
  );
  app.post<Named & { Body: Static<typeof Rules> }>(`${path}/:id/add-rules`, writing(Rules), async (request) => {
    const { key, params, body } = request;
    const names = new Set(body.rules.map(({ string_to_replace: written }) => written));
    const others = (await dictionaries.get(key, params.id)).rules.filter((rule) => !names.has(rule.string_to_replace));
    return version(await dictionaries.change(key, params.id, { rules: [...others, ...body.rules] }));
  });
  app.post<Named & { Body: Static<typeof RuleStrings> }>(
    `${path}/:id/remove-rules`,
    writing(RuleStrings),
    async ({ key, params, body }) => {
      const { rules } = await dictionaries.get(key, params.id);
      const left = rules.filter((rule) => !body.rule_strings.includes(rule.string_to_replace));
      return version(await dictionaries.change(key, params.id, { rules: left }));
    },
  );
  app.patch<Named & { Body: Static<typeof Changed> }>(
    `${path}/:id`,
    writing(Changed),
    async ({ key, params, body: { name, archived } }) => {
      const change = {
        ...(name !== undefined && { name }),
        ...(archived !== undefined && { archivedUnix: archived ? dictionaries.nowUnix() : null }),
      };
      return metadata(await dictionaries.change(key, params.id, change), key);
    },
  );
}
