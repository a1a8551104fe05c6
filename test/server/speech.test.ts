/** POST /v1/audio/speech, as the interface's tables have it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SPEECH_MODELS } from '../../src/protocol/contract.js';
import { startTestServer, type TestServer, until } from '../../testkit/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const TEXT = 'Good evening. The train to the north leaves at seven, from platform two.';
const bytes = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe('a speech request', () => {
  it.each(SPEECH_MODELS)('is spoken by %s', async (model) => {
    const response = await server.speak({ model, input: TEXT });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('audio/wav');
    expect((await bytes(response)).length).toBeGreaterThan(1_000);
  });

  it('is a whole WAV by default: 24 kHz, 16 bit, mono, with its true sizes', async () => {
    const response = await server.speak({ model: 'base-tts', input: TEXT });
    const wav = await bytes(response);
    expect(Number(response.headers.get('content-length'))).toBe(wav.length);
    expect(wav.toString('latin1', 0, 4)).toBe('RIFF');
    expect(wav.readUInt32LE(4)).toBe(wav.length - 8);
    expect(wav.toString('latin1', 8, 16)).toBe('WAVEfmt ');
    expect(wav.readUInt16LE(20)).toBe(1);
    expect(wav.readUInt16LE(22)).toBe(1);
    expect(wav.readUInt32LE(24)).toBe(24_000);
    expect(wav.readUInt32LE(28)).toBe(48_000);
    expect(wav.readUInt16LE(34)).toBe(16);
    expect(wav.readUInt32LE(40)).toBe(wav.length - 44);
  });

  it('streams a WAV with a header of unknown length and the same samples', async () => {
    const whole = await bytes(await server.speak({ model: 'base-tts', input: TEXT }));
    const response = await server.speak({ model: 'base-tts', input: TEXT, stream: true });
    expect(response.headers.get('content-type')).toBe('audio/wav');
    expect(response.headers.get('content-length')).toBeNull();
    const streamed = await bytes(response);
    expect(streamed.readUInt32LE(4)).toBe(0xffff_ffff);
    expect(streamed.readUInt32LE(40)).toBe(0xffff_ffff);
    expect(streamed.subarray(44).equals(whole.subarray(44))).toBe(true);
  });

  it('gives raw PCM with no header, the same samples whole and streamed', async () => {
    const wav = await bytes(await server.speak({ model: 'base-tts', input: TEXT }));
    for (const stream of [false, true]) {
      const response = await server.speak({ model: 'base-tts', input: TEXT, response_format: 'pcm', stream });
      expect(response.headers.get('content-type')).toBe('audio/pcm');
      expect((await bytes(response)).equals(wav.subarray(44))).toBe(true);
    }
  });

  it('takes the default voice, and others sound otherwise', async () => {
    const speak = async (voice?: string) =>
      bytes(await server.speak({ model: 'base-tts', input: TEXT, ...(voice ? { voice } : {}) }));
    const [standard, professional, articulate] = [
      await speak(),
      await speak('english_female_professional'),
      await speak('english_female_articulate'),
    ];
    expect(standard.equals(professional)).toBe(true);
    expect(standard.equals(articulate)).toBe(false);
  });

  it.each(['auto', 'en'])('takes the language %s', async (language) => {
    const response = await server.speak({ model: 'base-tts', input: TEXT, language });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  });

  it('counts code points of the trimmed text', async () => {
    const response = await server.speak({ model: 'base-tts', input: '\n  \u{1F600} héllo \u{1D11E}\t ' });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-usage-input-characters')).toBe('9');
    await response.arrayBuffer();
    await until(async () => (await server.ledger()).at(-1)?.characters === 9);
  });

  it('takes 2,048 code points, all outside the basic plane', async () => {
    const planes = await server.speak({ model: 'base-tts', input: `\u{1D41A}${'\u{1F600}'.repeat(2_047)}` });
    expect(planes.status).toBe(200);
    expect(planes.headers.get('x-usage-input-characters')).toBe('2048');
    await planes.arrayBuffer();
  });

  it('names the fields it ignored, encoded, ten at most and cut at 64 characters', async () => {
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`field ${i},`, i]));
    const first = await server.speak({ model: 'base-tts', input: 'Hello.', speed: 1, instructions: null });
    expect(first.headers.get('x-ignored-fields')).toBe('speed,instructions');
    await first.arrayBuffer();
    const second = await server.speak({
      model: 'base-tts',
      input: 'Hello.',
      ['x'.repeat(100)]: 1,
      'ü\ud800': 1,
      ...many,
    });
    const names = second.headers.get('x-ignored-fields')!.split(',');
    expect(names.length).toBe(10);
    expect(names.slice(0, 3)).toEqual(['x'.repeat(64), '%C3%BC%EF%BF%BD', 'field%200%2C']);
    await second.arrayBuffer();
    const none = await server.speak({ model: 'base-tts', input: 'Hello.' });
    expect(none.headers.get('x-ignored-fields')).toBeNull();
    await none.arrayBuffer();
  });

  it('reports its times in Server-Timing', async () => {
    const whole = await server.speak({ model: 'base-tts', input: TEXT });
    expect(whole.headers.get('server-timing')).toMatch(/^queue;dur=[\d.]+, text;dur=[\d.]+, synth;dur=[\d.]+$/);
    await whole.arrayBuffer();
    const streamed = await server.speak({ model: 'base-tts', input: TEXT, stream: true });
    expect(streamed.headers.get('server-timing')).toMatch(/^queue;dur=[\d.]+, first;dur=[\d.]+$/);
    await streamed.arrayBuffer();
  });

  it('says what is left of the day with Free access alone', async () => {
    const { key } = await server.key({ tier: 'free', credits: 0 });
    const response = await server.speak({ model: 'base-tts:free', input: TEXT }, { key });
    expect(response.headers.get('x-ratelimit-limit-requests')).toBe('200');
    expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('199');
    const reset = Number(response.headers.get('x-ratelimit-reset-requests'));
    expect(reset).toBeGreaterThan(0);
    expect(reset).toBeLessThanOrEqual(86_400);
    await response.arrayBuffer();
    const partner = await server.speak({ model: 'base-tts', input: TEXT });
    expect(partner.headers.get('x-ratelimit-limit-requests')).toBeNull();
    await partner.arrayBuffer();
  });

  it('accepts the key in xi-api-key too', async () => {
    const response = await fetch(`${server.baseUrl}/v1/audio/speech`, {
      method: 'POST',
      headers: { 'xi-api-key': server.partner.key, 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify({ model: 'base-tts', input: 'Hello.' }),
    });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  });

  it('keeps the label of a caller, and makes sortable ones for the rest', async () => {
    const id = async (sent?: string) => {
      const headers = sent === undefined ? {} : { 'x-request-id': sent };
      const response = await server.speak({ model: 'base-tts', input: 'Hello.' }, { headers });
      await response.arrayBuffer();
      return response.headers.get('x-request-id')!;
    };
    expect(await id('My.label-1_x')).toBe('My.label-1_x');
    expect(await id('a'.repeat(128))).toBe('a'.repeat(128));
    const made = [await id(), await id('a'.repeat(129)), await id('not ok'), await id('nö')];
    for (const one of made) expect(one).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(made.map((one) => one.slice(0, 14))).toEqual(made.map((one) => one.slice(0, 14)).sort());
  });
});
