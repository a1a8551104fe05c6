/**
 * OpenAI's names for models and voices, and what they are here. `kokoro` is the model of other
 * servers that speak this dialect, with the ids of Kokoro's own voices and mixes of them.
 */
import { SPEECH_MODELS } from '../../../protocol/contract.js';
import type { ModelAlias, VoiceAliases } from '../../foreign-names.js';

/** The names that a list shows; dated ones (`tts-1-1106`) are understood as well. */
export const MODEL_NAMES = ['tts-1', 'tts-1-hd', 'gpt-4o-mini-tts', 'kokoro', ...SPEECH_MODELS] as const;

export const modelAlias: ModelAlias = (name) => {
  if (/^(?:kokoro|tts-1-hd(?:-[\d-]+)?)$/.test(name)) return 'base-tts';
  return /^(?:tts-1|gpt-4o-mini-tts)(?:-[\d-]+)?$/.test(name) ? 'base-tts-fast' : undefined;
};

/** Namesakes where Kokoro has one; else by gender and character, the better-graded style first. */
const STYLES = {
  alloy: 'af_alloy',
  ash: 'am_puck',
  ballad: 'bm_george',
  cedar: 'am_michael',
  coral: 'af_bella',
  echo: 'am_echo',
  fable: 'bm_fable',
  marin: 'af_heart',
  nova: 'af_nova',
  onyx: 'am_onyx',
  sage: 'af_kore',
  shimmer: 'af_sarah',
  verse: 'am_fenrir',
};

export const VOICE_ALIASES: VoiceAliases = new Map(
  Object.entries(STYLES).map(([id, style]) => [id, { name: id[0]!.toUpperCase() + id.slice(1), style }]),
);
