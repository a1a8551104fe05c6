/** Bodies of speech requests in ElevenLabs' dialect, taken as leniently as there. */
import type { Static } from 'typebox';
import type { KeyRecord } from '../../../accounts/types.js';
import type { SpeechModel } from '../../../protocol/contract.js';
import { MAX_SPEED, MIN_SPEED } from '../../../protocol/job.js';
import { Type } from '../../../protocol/schema.js';
import { MAX_SEED } from '../../../protocol/stream.js';
import type { ServerDeps } from '../../deps.js';
import { namedSpeaker } from '../../foreign-names.js';
import { DEFAULT_MODEL, modelAlias, OUTPUT_FORMATS, VOICE_ALIASES } from './names.js';

export const MAX_TEXT_CHARS = 10_000;
/** The longest text with every character escaped, and the rest. */
export const MAX_REQUEST_BYTES = 131_072;

const VoiceSettings = Type.Object(
  {
    speed: Type.Optional(Type.Unknown({ description: `From ${MIN_SPEED} to ${MAX_SPEED}; 1 is the voice's own pace` })),
  },
  { description: 'Other settings change nothing', additionalProperties: true },
);

export const SpeechRequest = Type.Object(
  {
    text: Type.String({
      description: `1 to ${MAX_TEXT_CHARS} characters once surrounding white space (Unicode's White_Space) is removed, with something to say among them`,
    }),
    model_id: Type.Optional(
      Type.String({ default: DEFAULT_MODEL, description: '`eleven_*flash*` and `*turbo*` are the fast model' }),
    ),
    voice_settings: Type.Optional(VoiceSettings),
    seed: Type.Optional(Type.Unknown({ description: 'A whole number; 0 is the canonical reading' })),
    language_code: Type.Optional(
      Type.Unknown({
        description:
          'A well-known voice then speaks as one of that language and its gender; other voices have their own',
      }),
    ),
    pronunciation_dictionary_locators: Type.Optional(
      Type.Unknown({
        description: 'Up to three `{"pronunciation_dictionary_id": …}`, whose rules are read; of a version, its latest',
      }),
    ),
    apply_text_normalization: Type.Optional(
      Type.Unknown({ description: 'auto, on or off; the text is read as it is' }),
    ),
  },
  { $id: 'ElevenLabsSpeechRequest' },
);
export type SpeechRequest = Static<typeof SpeechRequest>;

export const SpeechQuery = Type.Object({
  output_format: Type.Optional(
    Type.String({ default: 'mp3_44100_128', description: `One of ${OUTPUT_FORMATS.join(', ')}` }),
  ),
});
export type SpeechQuery = Static<typeof SpeechQuery>;

/** Number-like and within what the model can do; anything else is the voice's own pace. */
export function speedOf(settings: unknown): number {
  const value = (settings as { speed?: unknown } | null | undefined)?.speed;
  const speed = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof speed !== 'number' || !Number.isFinite(speed)) return 1;
  return Math.min(MAX_SPEED, Math.max(MIN_SPEED, speed));
}

export function seedOf(value: unknown): number {
  const seed = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof seed === 'number' && Number.isInteger(seed) && seed >= 0 && seed <= MAX_SEED ? seed : 0;
}

interface Names {
  readonly voice: string;
  readonly model?: string | undefined;
  /** `language_code`, as it was sent. */
  readonly language?: unknown;
}

/** The model and voice of a path, a `model_id` and a `language_code`. */
export function namedVoice(
  catalogue: ServerDeps['catalogue'],
  key: Pick<KeyRecord, 'tier'>,
  { voice, model = DEFAULT_MODEL, language }: Names,
): { readonly model: SpeechModel; readonly voice: string; readonly language: string | undefined } {
  const code = typeof language === 'string' ? language : undefined;
  const speaker = namedSpeaker(catalogue, key, {
    model,
    modelParam: 'model_id',
    modelAlias,
    voice,
    voiceParam: 'voice_id',
    voiceAliases: VOICE_ALIASES,
    language: code,
  });
  return { ...speaker, language: code };
}
