/** The account of a key as ElevenLabs' clients ask for it, and lists that are empty here. */
import type { FastifyInstance } from 'fastify';
import type { Accounts, KeyRecord } from '../../../accounts/types.js';
import { TtsError } from '../../../protocol/errors.js';
import { checkPartner } from '../../access/live-access.js';
import type { ServerParts } from '../../door.js';
import { SingleUseTokens, TOKEN_TYPE } from './single-use-tokens.js';
import { MAX_TEXT_CHARS } from './speech-request.js';

/** Stands for no bound: the largest whole number that JSON's readers keep exact. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

/**
 * What is left is the limit less the count. A Partner key has its credits; a Free key pays none,
 * and its limit is what its requests of a day could hold.
 */
function characters(key: KeyRecord, accounts: Pick<Accounts, 'freeDaily'>) {
  if (key.tier === 'free') {
    const limit = accounts.freeDaily(key, 'base-tts:free') * MAX_TEXT_CHARS;
    return { character_count: 0, character_limit: Math.min(UNBOUNDED, limit) };
  }
  return { character_count: key.reserved, character_limit: Math.min(UNBOUNDED, Math.max(0, key.credits)) };
}

const subscriptionOf = (key: KeyRecord, accounts: Pick<Accounts, 'freeDaily'>) => ({
  tier: key.tier,
  ...characters(key, accounts),
  max_character_limit_extension: null,
  max_credit_limit_extension: 0,
  can_extend_character_limit: false,
  allowed_to_extend_character_limit: false,
  next_character_count_reset_unix: null,
  voice_slots_used: 0,
  professional_voice_slots_used: 0,
  professional_voice_slots_used_in_workspace: 0,
  voice_limit: 0,
  max_voice_add_edits: null,
  voice_add_edit_counter: 0,
  professional_voice_limit: 0,
  can_extend_voice_limit: false,
  can_use_instant_voice_cloning: false,
  can_use_professional_voice_cloning: false,
  currency: null,
  current_overage: { amount: '0', currency: 'usd' },
  status: key.tier === 'free' ? 'free' : 'active',
  billing_period: null,
  character_refresh_period: null,
  next_invoice: null,
  open_invoices: [],
  has_open_invoices: false,
});

const userOf = (key: KeyRecord, accounts: Pick<Accounts, 'freeDaily'>) => ({
  user_id: key.id,
  workspace_id: key.id,
  subscription: subscriptionOf(key, accounts),
  is_new_user: false,
  xi_api_key: null,
  can_use_delayed_payment_methods: false,
  is_onboarding_completed: true,
  is_onboarding_checklist_completed: true,
  first_name: key.name,
  is_api_key_hashed: true,
  created_at: Math.floor(Date.parse(key.createdAt) / 1000),
  seat_type: 'workspace_member',
});

/** The route for Free keys. */
const FREE_WAY = 'POST /elevenlabs/v1/text-to-speech/{voice_id}';

export function addAccount(app: FastifyInstance, { accounts, authenticate }: ServerParts): void {
  const tokens = new SingleUseTokens(accounts);
  const options = { onRequest: authenticate, schema: { hide: true } };
  app.get('/v1/user', options, async ({ key }) => userOf(key, accounts));
  app.get('/v1/user/subscription', options, async ({ key }) => subscriptionOf(key, accounts));
  // No audio is kept, and nobody shares voices.
  const none = { has_more: false };
  app.get('/v1/history', options, async () => ({
    history: [],
    last_history_item_id: null,
    ...none,
    scanned_until: null,
  }));
  app.get('/v1/shared-voices', options, async () => ({ voices: [], ...none, total_count: 0, last_sort_id: null }));
  app.post<{ Params: { token_type: string } }>(
    '/v1/single-use-token/:token_type',
    options,
    async ({ key, params }, reply) => {
      if (params.token_type !== TOKEN_TYPE) {
        throw new TtsError('invalid_value', `Tokens are made for "${TOKEN_TYPE}" alone.`, { param: 'token_type' });
      }
      checkPartner(key, FREE_WAY);
      reply.header('cache-control', 'no-store');
      return { token: await tokens.create(key) };
    },
  );
}
