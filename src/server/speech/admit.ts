/** A request becomes work: something to say, a grant, and the headers that tell a Free key what is left of its day. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Accounts, RateLimit } from '../../accounts/types.js';
import type { VoiceCatalogue } from '../../models/catalogue.js';
import { parseModel } from '../../protocol/contract.js';
import { TtsError } from '../../protocol/errors.js';
import type { Texts } from '../../text/thread/texts.js';
import type { Grant, GrantRequest, Grants } from './grants.js';
import { checkSounds, type SpokenInput } from './spoken-input.js';

export type Admit = (
  request: FastifyRequest,
  reply: FastifyReply,
  order: Omit<GrantRequest, 'key' | 'requestId' | 'chars' | 'trace'> & { readonly input: SpokenInput },
) => Promise<Grant>;

interface AdmitDeps {
  readonly accounts: Pick<Accounts, 'freeDaily'>;
  readonly catalogue: Pick<VoiceCatalogue, 'get' | 'fitting'>;
  readonly texts: Texts;
}

export const createAdmit =
  (grants: Grants, { accounts, catalogue, texts }: AdmitDeps): Admit =>
  async (request, reply, { input, ...order }) => {
    const { voice, language } = catalogue.get(parseModel(order.model).base, order.voice);
    const fitting = (wanted: string) => catalogue.fitting(wanted, { gender: voice.gender })?.voice.id;
    await checkSounds(input, texts, { voice: voice.id, language, fitting });
    try {
      const grant = await grants.open({
        ...order,
        chars: input.chars,
        key: request.key,
        requestId: request.id,
        trace: request.trace,
      });
      request.granted = true;
      if (grant.admission.rateLimit !== undefined) reply.headers(rateLimitHeaders(grant.admission.rateLimit));
      return grant;
    } catch (error) {
      if (error instanceof TtsError && error.code === 'daily_limit_exceeded') {
        const { retryAfterS: resetS = 0 } = error;
        const limit = accounts.freeDaily(request.key, order.model);
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
