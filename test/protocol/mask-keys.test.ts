/** What a message may not repeat of a caller's words: keys and tokens, and nothing but those. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { drawKey } from '../../src/accounts/api-key.js';
import { excerpt, maskKeys } from '../../src/protocol/errors.js';

const base64url = (chars: number) => randomBytes(64).toString('base64url').slice(0, chars);
const hex = (chars: number) => randomBytes(64).toString('hex').slice(0, chars);

describe('maskKeys', () => {
  it('hides whole keys of ours, the admin secret, and keys of other families', () => {
    for (let i = 0; i < 500; i++) {
      const { key } = drawKey();
      for (const secret of [key, `ttsadmin_${base64url(43)}`, `sk-proj-${base64url(60)}`, `sk_${hex(48)}`, hex(32)]) {
        expect(maskKeys(`GET /v1/${secret}/x?key=${secret}`)).toBe('GET /v1/[key]/x?key=[key]');
      }
    }
  });

  it('hides a key that was glued to something, and one that was cut', () => {
    for (let i = 0; i < 500; i++) {
      // The public id, the 8 characters behind the prefix, is no secret.
      const key = `tts_${'aB3dE6gH'}${base64url(35)}`;
      for (const around of [
        `x${key}`,
        `${key}${key}`,
        `key-${key}`,
        `voice_${key}`,
        `%74${key.slice(1)}`,
        key.slice(0, 20),
      ]) {
        expect(maskKeys(around)).not.toContain(key.slice(12, 18));
      }
    }
  });

  it.each([
    '/elevenlabs/v1/single-use-token/tts_websocket',
    'tts_process_resident_memory_bytes',
    'tts_active_sessions_by_route_and_model_and_tier_total',
    'tts_stream_input_v2',
    'english_female_professional',
    'eleven_multilingual_v2_experimental_2024',
    'gpt-4o-mini-tts-2025-12-15',
    'realtime_scribe_v2_websocket_token',
    'textToSpeechWithTimestampsStream24',
    'SINGLE_USE_TOKEN_TTS_WEBSOCKET_V2',
    '2026-10-10-morning-report-final-v3',
    'risk-assessment-of-the-year-2024',
    '21m00Tcm4TlvDq8ikWAM',
    'x'.repeat(60),
    '1234567890'.repeat(4),
  ])('leaves %s alone', (words) => {
    expect(maskKeys(words)).toBe(words);
    expect(excerpt(words, 200)).toBe(words);
  });
});
