/** /admin/v1/keys: list, make, name, limit, revoke and grant. The holder of a key sees it and changes nothing. */
import type { FastifyPluginAsync } from 'fastify';
import {
  AdminGrant,
  AdminKey,
  AdminKeyChange,
  AdminKeys,
  CreatedAdminKey,
  NewAdminKey,
} from '../../../protocol/admin.js';
import { TtsError } from '../../../protocol/errors.js';
import { allowedFreeLimit, MAX_LIMIT, type OwnFreeLimit, parseFreeLimit } from '../../../protocol/free-limit.js';
import { ErrorResponse } from '../../../protocol/http.js';
import { checkBodyHeaders } from '../../json-body.js';
import { adminKey } from './admin-key.js';
import { type AdminDoor, onlyKey } from './door.js';

const described = (operationId: string, summary: string) => ({ operationId, summary, tags: ['admin'] });
const answers = (ok: object, status = 200) => ({ [status]: ok, '4xx': ErrorResponse });
const ID = { type: 'object', properties: { id: { type: 'string' } } };

interface OfKey {
  Params: { id: string };
}

function moment(text: string | null | undefined): Date | undefined {
  if (text === undefined || text === null) return undefined;
  const date = new Date(text);
  if (!Number.isNaN(date.getTime())) return date;
  throw new TtsError('invalid_value', 'The field "expires_at" must be a time such as 2027-01-31T00:00:00Z.', {
    param: 'expires_at',
  });
}

/** The limits that a body names; null is the server's own, undefined what it leaves out. */
function limitsIn(body: Pick<NewAdminKey, 'concurrency' | 'free_daily'>) {
  const checked = (param: 'concurrency' | 'free_daily'): OwnFreeLimit | null | undefined => {
    const limit = body[param];
    if (limit === undefined || limit === null) return limit;
    const known = parseFreeLimit(limit, MAX_LIMIT);
    if (known !== undefined) return known;
    throw new TtsError('invalid_value', `The field "${param}" must be ${allowedFreeLimit(MAX_LIMIT)}, as JSON.`, {
      param,
    });
  };
  return { concurrency: checked('concurrency'), freeDaily: checked('free_daily') };
}

export const keysRoutes: FastifyPluginAsync<AdminDoor> = async (app, { admin, signedIn, operator }) => {
  const { keyring } = admin;
  const writes = [operator, checkBodyHeaders];

  app.get(
    '/keys',
    {
      schema: { ...described('listKeys', "All keys with today's use"), response: answers(AdminKeys) },
      onRequest: signedIn,
    },
    async ({ caller }) => {
      const only = onlyKey(caller);
      const keys = await keyring.list();
      return { data: keys.filter(({ id }) => only === undefined || id === only).map(adminKey) };
    },
  );

  app.post<{ Body: NewAdminKey }>(
    '/keys',
    {
      schema: {
        ...described('createKey', 'Make a key; the key itself is shown this once'),
        body: NewAdminKey,
        response: answers(CreatedAdminKey, 201),
      },
      onRequest: writes,
    },
    async ({ body }, reply) => {
      const { tier, name, credits = 0 } = body;
      const { concurrency = null, freeDaily = null } = limitsIn(body);
      const { key, ...made } = await keyring.create({
        tier,
        credits,
        name: name?.trim() || undefined,
        expiresAt: moment(body.expires_at),
        limits: { concurrency, freeDaily },
      });
      const answer: CreatedAdminKey = { ...adminKey(made), key };
      return reply.code(201).send(answer);
    },
  );

  app.patch<OfKey & { Body: AdminKeyChange }>(
    '/keys/:id',
    {
      schema: {
        ...described('changeKey', 'Name and limit a key; what is left out stays'),
        params: ID,
        body: AdminKeyChange,
        response: answers(AdminKey),
      },
      onRequest: writes,
    },
    async ({ params, body }) => {
      return adminKey(await keyring.change(params.id, { name: body.name, ...limitsIn(body) }));
    },
  );

  app.post<OfKey & { Body: AdminGrant }>(
    '/keys/:id/grants',
    {
      schema: {
        ...described('grantCredits', 'Add credits to a key'),
        params: ID,
        body: AdminGrant,
        response: answers(AdminKey),
      },
      onRequest: writes,
    },
    async ({ params, body }) => adminKey(await keyring.grantCredits(params.id, body.credits)),
  );

  app.delete<OfKey>(
    '/keys/:id',
    {
      schema: {
        ...described('revokeKey', 'Revoke a key: refused from now on, and what it is speaking ends within 3 seconds'),
        params: ID,
        response: answers(AdminKey),
      },
      onRequest: operator,
    },
    async ({ params }) => adminKey(await keyring.revoke(params.id)),
  );
};
