/** A request becomes work: its grant, and the headers that tell a Free key what is left of its day. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Accounts, RateLimit } from '../accounts/types.js';
import { TtsError } from '../protocol/errors.js';
import type { Grant, GrantRequest, Grants } from './grants.js';

export type Admit = (
  request: FastifyRequest,
  reply: FastifyReply,
  order: Omit<GrantRequest, 'key' | 'requestId'>,
) => Promise<Grant>;

export const createAdmit =
  (grants: Grants, accounts: Pick<Accounts, 'limits'>): Admit =>
  async (request, reply, order) => {
    try {
      const grant = await grants.open({ ...order, key: request.key, requestId: request.id });
      request.granted = true;
      if (grant.admission.rateLimit !== undefined) reply.headers(rateLimitHeaders(grant.admission.rateLimit));
      return grant;
    } catch (error) {
      if (error instanceof TtsError && error.code === 'daily_limit_exceeded') {
        const { retryAfterS: resetS = 0 } = error;
        const limit = request.key.limits.freeDaily ?? accounts.limits.freeDaily;
        reply.headers(rateLimitHeaders({ limit, remaining: 0, resetS }));
      }
      throw error;
    }
  };

const rateLimitHeaders = ({ limit, remaining, resetS }: RateLimit) => ({
  'x-ratelimit-limit-requests': limit,
  'x-ratelimit-remaining-requests': remaining,
  'x-ratelimit-reset-requests': resetS,
});
