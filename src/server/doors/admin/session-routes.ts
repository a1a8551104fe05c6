/** /admin/v1/session: sign in, who is signed in, sign out. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { AdminIdentity, SignIn } from '../../../protocol/admin.js';
import { ADMIN_PATH, SESSION_COOKIE } from '../../../protocol/pages.js';
import { checkOrigin } from '../../access/origins.js';
import { checkBodyHeaders } from '../../json-body.js';
import { adminKey } from './admin-key.js';
import { type AdminParts, described, NO_CONTENT } from './parts.js';
import { type Caller, SIGN_IN_S } from './sign-ins.js';

const PATH = '/session';

export function addSession(app: FastifyInstance, parts: AdminParts): void {
  const { admin, signIns, signedIn, settings, proxies } = parts;
  // Sent to these routes alone, hidden from scripts and other sites; over TLS only where there is
  // TLS.
  const cookie = (request: IncomingMessage, token: string, maxAgeS: number) =>
    `${SESSION_COOKIE}=${token}; Path=${ADMIN_PATH}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict` +
    (settings.tls !== undefined || proxies.isSecure(request) ? '; Secure' : '');
  const identity = (caller: Caller): AdminIdentity => ({
    role: caller.role,
    ...(caller.role === 'key' && { key: adminKey(caller.key) }),
    version: admin.version,
  });

  app.post<{ Body: SignIn }>(
    PATH,
    {
      schema: {
        ...described('signIn', 'Sign in with the admin secret, or with a key to see its own part', AdminIdentity),
        description: 'Sets a session cookie (HttpOnly, SameSite=Strict) that is good for 12 hours.',
        body: SignIn,
      },
      onRequest: [async ({ raw }) => checkOrigin(raw), checkBodyHeaders],
    },
    async (request, reply) => {
      const { token, caller } = await signIns.signIn(request.raw, request.body.secret.trim());
      reply.header('set-cookie', cookie(request.raw, token, SIGN_IN_S));
      return identity(caller);
    },
  );

  app.get(
    PATH,
    { schema: described('whoAmI', 'Who is signed in', AdminIdentity), onRequest: signedIn },
    async (request) => identity(request.caller),
  );

  app.delete(
    PATH,
    {
      schema: described('signOut', 'Sign out', NO_CONTENT, 204),
      onRequest: async ({ raw }) => checkOrigin(raw),
    },
    async (request, reply) => {
      await signIns.signOut(request.raw);
      return reply
        .header('set-cookie', cookie(request.raw, '', 0))
        .code(204)
        .send();
    },
  );
}
