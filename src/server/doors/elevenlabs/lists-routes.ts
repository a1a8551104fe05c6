/** Voices and models as ElevenLabs lists them. */
import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import type { CatalogueVoice } from '../../../models/voice-file.js';
import { BASE_MODELS, type BaseModel, type Language } from '../../../protocol/job.js';
import { LANGUAGE_CODES, LANGUAGE_NAMES } from '../../../protocol/languages.js';
import { matchesSearch } from '../../../protocol/playground/voice-words.js';
import { Type } from '../../../protocol/schema.js';
import type { ServerParts } from '../../door.js';
import { type VoiceAliases, voiceId } from '../../foreign-names.js';
import { DEFAULT_MODEL, OLDER_VOICES, PREMADE_VOICES, VOICE_ALIASES } from './names.js';
import { MAX_TEXT_CHARS } from './speech-request.js';

const MAX_PAGE = 100;
/** Accents as that family's lists name them. */
const ACCENTS: Readonly<Record<Language, string>> = {
  'en-US': 'american',
  'en-GB': 'british',
  'es-ES': 'peninsular',
  'es-419': 'latin american',
  'fr-FR': 'parisian',
  'it-IT': 'standard',
  'pt-BR': 'brazilian',
  'hi-IN': 'standard',
  'ja-JP': 'standard',
  'zh-CN': 'beijing mandarin',
};

/** As ElevenLabs has them for a voice that nobody changed; here `speed` alone has an effect. */
const DEFAULT_VOICE_SETTINGS = { stability: 0.5, similarity_boost: 0.75, style: 0, use_speaker_boost: true, speed: 1 };

const PageQuery = Type.Object({
  page_size: Type.Optional(Type.String()),
  next_page_token: Type.Optional(Type.String()),
  search: Type.Optional(Type.String()),
});
type PageQuery = Static<typeof PageQuery>;

function voiceEntry({ voice, language, character, uses }: CatalogueVoice) {
  const { id, display_name: name, gender, description, preview_url: preview = null } = voice;
  return {
    voice_id: id,
    name,
    category: 'premade',
    description,
    labels: {
      accent: ACCENTS[language],
      gender,
      language: voice.language,
      use_case: uses[0] ?? 'narration',
      ...(character[0] !== undefined && { descriptive: character[0] }),
    },
    preview_url: preview,
    samples: null,
    settings: null,
    sharing: null,
    available_for_tiers: [],
    high_quality_base_model_ids: [],
    verified_languages: [
      {
        language: voice.language,
        model_id: DEFAULT_MODEL,
        accent: ACCENTS[language],
        locale: language,
        preview_url: preview,
      },
    ],
    is_owner: false,
    is_legacy: false,
    is_mixed: false,
  };
}

const MODELS = [
  { id: 'eleven_multilingual_v2', base: 'base-tts' },
  { id: 'eleven_v3', base: 'base-tts' },
  { id: 'eleven_flash_v2_5', base: 'base-tts-fast' },
  { id: 'eleven_turbo_v2_5', base: 'base-tts-fast' },
  ...BASE_MODELS.map((base) => ({ id: base, base })),
];

const modelEntry = (
  { id, base }: { readonly id: string; readonly base: string },
  languages: readonly { readonly language_id: string; readonly name: string }[],
) => ({
  model_id: id,
  name: id === base ? base : `${id} (${base})`,
  description: base === 'base-tts' ? 'Kokoro-82M whole.' : 'Light networks of our own, trained on Kokoro-82M.',
  can_be_finetuned: false,
  can_do_text_to_speech: true,
  can_do_voice_conversion: false,
  can_use_style: false,
  can_use_speaker_boost: false,
  serves_pro_voices: false,
  requires_alpha_access: false,
  token_cost_factor: 1,
  max_characters_request_free_user: MAX_TEXT_CHARS,
  max_characters_request_subscribed_user: MAX_TEXT_CHARS,
  maximum_text_length_per_request: MAX_TEXT_CHARS,
  languages,
  model_rates: { character_cost_multiplier: 1 },
  concurrency_group: 'standard',
});

export function addLists(app: FastifyInstance, { catalogue, authenticate }: ServerParts): void {
  /** A voice under the id and name that it has at ElevenLabs. */
  const aliasEntry = (id: string) => {
    const ours = voiceId(catalogue, { base: 'base-tts', name: id, param: 'voice_id' }, VOICE_ALIASES);
    const { name } = VOICE_ALIASES.get(id) ?? {};
    const entry = voiceEntry(catalogue.get('base-tts', ours));
    return { ...entry, voice_id: id, ...(name !== undefined && { name }), is_legacy: OLDER_VOICES.has(id) };
  };
  const aliasEntries = (aliases: VoiceAliases) => [...aliases.keys()].map(aliasEntry);
  // An alias stands for the model that has the voice; our own names stand for themselves.
  const languagesOf = ({ id, base }: { readonly id: string; readonly base: string }) =>
    LANGUAGE_CODES.filter((code) =>
      catalogue.all.some(
        ({ voice, models }) => voice.language === code && (id !== base || models.includes(base as BaseModel)),
      ),
    ).map((code) => ({ language_id: code, name: LANGUAGE_NAMES[code] }));
  // Described on this door's page, not in the OpenAPI document of the contract.
  const options = { onRequest: authenticate, schema: { hide: true } };

  app.get<{ Querystring: { show_legacy?: string } }>('/v1/voices', options, async ({ query }) => ({
    voices: [
      ...catalogue.all.map(voiceEntry),
      ...aliasEntries(query.show_legacy === 'true' ? VOICE_ALIASES : PREMADE_VOICES),
    ],
  }));
  app.get<{ Querystring: PageQuery }>(
    '/v2/voices',
    { ...options, schema: { hide: true, querystring: PageQuery } },
    async ({ query }) => {
      const search = query.search ?? '';
      const found = [
        ...catalogue.all
          .filter(({ voice, character, uses }) => matchesSearch({ ...voice, character, uses }, search))
          .map(voiceEntry),
        ...aliasEntries(PREMADE_VOICES).filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase())),
      ];
      const size = Math.min(MAX_PAGE, Math.max(1, Number(query.page_size) || MAX_PAGE));
      const from = Math.max(0, Number.parseInt(query.next_page_token ?? '0', 10) || 0);
      const more = from + size < found.length;
      return {
        voices: found.slice(from, from + size),
        has_more: more,
        total_count: found.length,
        next_page_token: more ? String(from + size) : null,
      };
    },
  );
  app.get<{ Params: { voice_id: string } }>('/v1/voices/:voice_id', options, async ({ params }) => {
    return aliasEntry(params.voice_id);
  });
  app.get('/v1/voices/settings/default', options, async () => DEFAULT_VOICE_SETTINGS);
  app.get<{ Params: { voice_id: string } }>('/v1/voices/:voice_id/settings', options, async ({ params }) => {
    aliasEntry(params.voice_id);
    return DEFAULT_VOICE_SETTINGS;
  });
  app.get('/v1/models', options, async () => MODELS.map((model) => modelEntry(model, languagesOf(model))));
}
