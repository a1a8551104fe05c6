/** /admin/v1/keys: the operator makes and changes keys; the holder of a key sees that key alone. */
import type { FastifyInstance } from 'fastify';
import {
  AdminGrant,
  AdminKey,
  AdminKeyChange,
  AdminKeys,
  AdminRotation,
  CreatedAdminKey,
  NewAdminKey,
} from '../../../protocol/admin.js';
import { TtsError } from '../../../protocol/errors.js';
import { allowedFreeLimit, MAX_LIMIT, type OwnFreeLimit, parseFreeLimit } from '../../../protocol/free-limit.js';
import { checkBodyHeaders } from '../../json-body.js';
import { adminKey } from './admin-key.js';
import { type AdminParts, described, ID, onlyKey } from './parts.js';

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

export function addKeys(app: FastifyInstance, { admin: { keyring }, signedIn, operator }: AdminParts): void {
  const writes = [operator, checkBodyHeaders];
  app.get(
    '/keys',
    { schema: described('listKeys', "All keys with today's use", AdminKeys), onRequest: signedIn },
    async ({ caller }) => {
      const only = onlyKey(caller);
      const keys = await keyring.list();
      return { data: keys.filter(({ id }) => only === undefined || id === only).map(adminKey) };
    },
  );
  const made = described('createKey', 'Make a key; the key itself is shown this once', CreatedAdminKey, 201);
  app.post<{ Body: NewAdminKey }>(
    '/keys',
    { schema: { ...made, body: NewAdminKey }, onRequest: writes },
    async ({ body }, reply) => {
      const { tier, name, credits = 0 } = body;
      const { concurrency = null, freeDaily = null } = limitsIn(body);
      const { key, ...record } = await keyring.create({
        tier,
        credits,
        name: name?.trim() || undefined,
        expiresAt: moment(body.expires_at),
        limits: { concurrency, freeDaily },
      });
      const answer: CreatedAdminKey = { ...adminKey(record), key };
      return reply.code(201).send(answer);
    },
  );
  const changed = described('changeKey', 'Name and limit a key; what is left out stays', AdminKey);
  app.patch<OfKey & { Body: AdminKeyChange }>(
    '/keys/:id',
    { schema: { ...changed, params: ID, body: AdminKeyChange }, onRequest: writes },
    async ({ params, body }) => adminKey(await keyring.change(params.id, { name: body.name, ...limitsIn(body) })),
  );
  const granted = described('grantCredits', 'Add credits to a key', AdminKey);
  app.post<OfKey & { Body: AdminGrant }>(
    '/keys/:id/grants',
    { schema: { ...granted, params: ID, body: AdminGrant }, onRequest: writes },
    async ({ params, body }) => adminKey(await keyring.grantCredits(params.id, body.credits)),
  );
  const rotating = 'Replace the secret of a key; the new one is shown this once, and the id stays';
  app.post<OfKey & { Body: AdminRotation }>(
    '/keys/:id/rotate',
    {
      schema: { ...described('rotateKey', rotating, CreatedAdminKey), params: ID, body: AdminRotation },
      onRequest: writes,
    },
    async ({ params, body }): Promise<CreatedAdminKey> => {
      const { key, ...record } = await keyring.rotate(params.id, (body.grace_s ?? 0) * 1000);
      return { ...adminKey(record), key };
    },
  );
  const revoking = 'Revoke a key: refused from now on, and what it is speaking ends within 3 seconds';
  app.delete<OfKey>(
    '/keys/:id',
    { schema: { ...described('revokeKey', revoking, AdminKey), params: ID }, onRequest: operator },
    async ({ params }) => adminKey(await keyring.revoke(params.id)),
  );
}
