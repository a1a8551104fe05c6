/**
 * ElevenLabs' dialect over HTTP: its names, formats, timestamps, lists and errors, and the same
 * money as everywhere.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEncoders } from '../../../src/audio/encoder.js';
import { startTestServer, type TestServer, until } from '../../../testkit/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ settings: { docs: true } });
});
afterAll(() => server.close());

const VOICE = 'english_female_professional';
const TEXT = 'Good evening. This is the second sentence, and it is a little longer.';

interface Alignment {
  characters: string[];
  character_start_times_seconds: number[];
  character_end_times_seconds: number[];
}
interface Timed {
  audio_base64: string;
  alignment: Alignment | null;
  normalized_alignment: Alignment | null;
}

interface Options {
  path?: string;
  voice?: string;
  query?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

function speak(body: object, { path = '', voice = VOICE, query = '', headers, signal }: Options = {}) {
  return fetch(`${server.baseUrl}/elevenlabs/v1/text-to-speech/${voice}${path}${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(headers ?? { 'xi-api-key': server.partner.key }) },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}
const get = (path: string) =>
  fetch(`${server.baseUrl}/elevenlabs${path}`, { headers: { 'xi-api-key': server.partner.key } });
const bytes = async (response: Response) => Buffer.from(await response.arrayBuffer());
const PCM = '?output_format=pcm_24000';

async function detailOf(response: Response) {
  const { detail } = (await response.json()) as { detail: Record<string, unknown> };
  expect(detail.message).toMatch(/^[A-Z].*\.$/s);
  return { http: response.status, status: detail.status };
}

describe('a speech', () => {
  it('is an mp3 where nothing is said, on both paths, with the key in either header', async () => {
    for (const path of ['', '/stream']) {
      const response = await speak(
        { text: TEXT },
        { path, headers: { authorization: `Bearer ${server.partner.key}` } },
      );
      expect(response.headers.get('content-type')).toBe('audio/mpeg');
      expect(response.headers.get('character-cost')).toBe(String(TEXT.length));
      expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'));
      expect((await bytes(response)).length).toBeGreaterThan(1_000);
    }
  });

  it('is found behind a base URL with a slash at its end, as the contract is not', async () => {
    const headers = { authorization: `Bearer ${server.partner.key}`, 'content-type': 'application/json' };
    const post = (path: string, body: object) =>
      fetch(`${server.baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    for (const base of ['/elevenlabs/', '/elevenlabs/v1/']) {
      const path = `${base}${base.endsWith('v1/') ? '' : '/v1'}/text-to-speech/${VOICE}${PCM}`;
      const response = await post(path, { text: TEXT });
      expect([path, response.status]).toEqual([path, 200]);
      await response.arrayBuffer();
    }
    expect((await fetch(`${server.baseUrl}/openai/v1//models`)).status).toBe(200);
    const ours = { model: 'base-tts', voice: VOICE, input: TEXT, response_format: 'pcm' };
    for (const path of ['//v1/audio/speech', '/v1//audio/speech']) {
      expect([path, (await post(path, ours)).status]).toEqual([path, 404]);
    }
    const unknown = await post(`/elevenlabs//v1/nothing`, {});
    expect(await detailOf(unknown)).toMatchObject({ http: 404 });
  });

  it('has the samples of the contract where PCM of 24 kHz is asked for', async () => {
    const pcm = await bytes(await speak({ text: TEXT, model_id: 'base-tts' }, { query: PCM }));
    const order = { model: 'base-tts', voice: VOICE, input: TEXT, response_format: 'pcm', stream: true };
    const ours = await server.speak(order);
    expect(pcm.equals(await bytes(ours))).toBe(true);
  });

  it.each([
    ['eleven_flash_v2_5', 'base-tts-fast'],
    ['eleven_turbo_v2', 'base-tts-fast'],
    ['eleven_multilingual_v2', 'base-tts'],
    ['eleven_v3', 'base-tts'],
    ['Ellipsis', 'base-tts'],
    [undefined, 'base-tts'],
    ['base-tts-fast:free', 'base-tts-fast:free'],
  ])('with %s speaks with %s', async (model, ours) => {
    const { key, id } = await server.key();
    const body = { text: 'Hello.', ...(model && { model_id: model }) };
    await (await speak(body, { query: PCM, headers: { 'xi-api-key': key } })).arrayBuffer();
    await until(async () => (await server.ledger(id)).length === 1);
    expect((await server.ledger(id))[0]).toMatchObject({ model: ours, characters: 6 });
  });

  it('takes any voice settings, nulls and unknown fields, and names what it ignores', async () => {
    const settings = { stability: 0.1, similarity_boost: null, style: 'x', speed: '1.1', more: true };
    const body = { text: 'Hello.', voice_settings: settings, previous_text: 'Well.', language_code: null, seed: 7 };
    const response = await speak(body, { query: `${PCM}&enable_logging=true&optimize_streaming_latency=3` });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-ignored-fields')).toBe('previous_text');
    await response.arrayBuffer();
  });

  it('knows the voices that clients have as their defaults', async () => {
    for (const voice of ['21m00Tcm4TlvDq8ikWAM', 'JBFqnCBsd6RMkjVDRZzb', 'bIHbv24MWmeRgasZH58o']) {
      expect((await bytes(await speak({ text: 'Hello.' }, { voice, query: PCM }))).length).toBeGreaterThan(0);
    }
  });

  it('costs a credit a character, and nothing where its client leaves; no encoder stays behind', async () => {
    const leftOpen = openEncoders();
    const { key, id } = await server.key({ credits: 100_000 });
    const headers = { 'xi-api-key': key };
    await (await speak({ text: TEXT }, { headers })).arrayBuffer();
    await until(async () => (await server.balance(id)).credits === 100_000 - TEXT.length);
    for (const format of ['mp3_44100_128', 'opus_48000_64', 'pcm_16000']) {
      const controller = new AbortController();
      const body = { text: TEXT.repeat(100) };
      const query = `?output_format=${format}`;
      const response = await speak(body, { headers, query, signal: controller.signal });
      await response.body!.getReader().read();
      controller.abort();
    }
    await until(async () => (await server.ledger(id)).length === 4);
    expect(await server.balance(id)).toEqual({ credits: 100_000 - TEXT.length, reserved: 0 });
    await until(() => openEncoders() <= leftOpen, 'the end of the encoders');
  });
});

describe('timestamps', () => {
  const check = (alignment: Alignment, samples: number) => {
    const { characters, character_start_times_seconds: starts, character_end_times_seconds: ends } = alignment;
    expect(characters.join('')).toBe(TEXT);
    expect([starts.length, ends.length]).toEqual([characters.length, characters.length]);
    for (const [i, start] of starts.entries()) {
      expect(ends[i]!).toBeGreaterThanOrEqual(start);
      if (i > 0) expect(start).toBeGreaterThanOrEqual(starts[i - 1]!);
    }
    expect(ends.at(-1)!).toBeLessThanOrEqual(samples / 24_000 + 0.001);
    expect(ends.at(-1)!).toBeGreaterThan((samples / 24_000) * 0.5);
  };

  it('come with the whole audio in one object', async () => {
    const response = await speak({ text: TEXT }, { path: '/with-timestamps', query: PCM });
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    const timed = (await response.json()) as Timed;
    const audio = Buffer.from(timed.audio_base64, 'base64');
    const ours = await server.speak({ model: 'base-tts', voice: VOICE, input: TEXT, response_format: 'pcm' });
    expect(audio.equals(await bytes(ours))).toBe(true);
    check(timed.alignment!, audio.length / 2);
    expect(timed.normalized_alignment).toEqual(timed.alignment);
  });

  it('come line by line with the stream, counted from its beginning', async () => {
    const response = await speak({ text: TEXT }, { path: '/stream/with-timestamps', query: PCM });
    const lines = (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Timed);
    expect(lines.length).toBeGreaterThan(1);
    const audio = Buffer.concat(lines.map(({ audio_base64: base64 }) => Buffer.from(base64, 'base64')));
    expect(audio.equals(await bytes(await speak({ text: TEXT }, { query: PCM })))).toBe(true);
    const parts = lines.flatMap(({ alignment }) => alignment ?? []);
    check(
      {
        characters: parts.flatMap(({ characters }) => characters),
        character_start_times_seconds: parts.flatMap((part) => part.character_start_times_seconds),
        character_end_times_seconds: parts.flatMap((part) => part.character_end_times_seconds),
      },
      audio.length / 2,
    );
  });
});

describe('the lists', () => {
  it('tell voices in their shape, in pages where asked', async () => {
    const { voices } = (await (await get('/v1/voices')).json()) as { voices: { voice_id: string; name: string }[] };
    expect(voices[0]).toMatchObject({ voice_id: VOICE, name: 'Professional', category: 'premade' });
    const first = (await (await get('/v2/voices?page_size=1')).json()) as Page;
    expect(first).toMatchObject({ has_more: voices.length > 1, total_count: voices.length });
    expect(first.voices).toEqual(voices.slice(0, 1));
    const next = (await (await get(`/v2/voices?page_size=1&next_page_token=${first.next_page_token}`)).json()) as Page;
    expect(next.voices).toEqual(voices.slice(1, 2));
    const found = (await (await get('/v2/voices?search=articulate')).json()) as Page;
    expect(found.voices.map(({ voice_id: id }) => id)).toContain('english_female_articulate');
    expect(await (await get(`/v1/voices/${VOICE}`)).json()).toEqual(voices[0]);
    expect(await (await get('/v1/voices/JBFqnCBsd6RMkjVDRZzb')).json()).toMatchObject({
      voice_id: 'JBFqnCBsd6RMkjVDRZzb',
    });
    expect(await detailOf(await get('/v1/voices/nobody'))).toEqual({ http: 404, status: 'voice_not_found' });
  });

  it('tell the models as a bare list', async () => {
    const models = (await (await get('/v1/models')).json()) as { model_id: string }[];
    expect(models.map(({ model_id: id }) => id)).toContain('eleven_flash_v2_5');
    expect(models[0]).toMatchObject({
      can_do_text_to_speech: true,
      languages: expect.arrayContaining([
        expect.objectContaining({ language_id: 'en' }),
        { language_id: 'es', name: 'Spanish' },
      ]),
    });
  });

  it('want a key', async () => {
    const response = await fetch(`${server.baseUrl}/elevenlabs/v1/voices`);
    expect(await detailOf(response)).toEqual({ http: 401, status: 'needs_authorization' });
  });
});
interface Page {
  voices: { voice_id: string }[];
  has_more: boolean;
  total_count: number;
  next_page_token: string | null;
}

describe('errors', () => {
  it('of fields are a list with 422', async () => {
    const missing = await speak({});
    expect(missing.status).toBe(422);
    expect(await missing.json()).toMatchObject({ detail: [{ loc: ['body', 'text'], type: 'missing_field' }] });
    const format = await speak({ text: 'Hi.' }, { query: '?output_format=mp3_1_1' });
    expect(format.status).toBe(422);
    expect(await format.json()).toMatchObject({ detail: [{ loc: ['query', 'output_format'] }] });
  });

  it('of everything else are one object with a status of theirs', async () => {
    const wrong = await speak({ text: 'Hi.' }, { headers: { 'xi-api-key': 'wrong' } });
    expect(await detailOf(wrong)).toEqual({ http: 401, status: 'invalid_api_key' });
    expect(await detailOf(await speak({ text: 'Hi.' }, { voice: 'nobody' }))).toEqual({
      http: 404,
      status: 'voice_not_found',
    });
    const { key } = await server.key({ credits: 1 });
    const poor = await speak({ text: 'Hello.' }, { headers: { 'xi-api-key': key } });
    expect(await detailOf(poor)).toEqual({ http: 401, status: 'quota_exceeded' });
    const long = await speak({ text: 'a'.repeat(10_001) });
    expect(await detailOf(long)).toEqual({ http: 400, status: 'max_character_limit_exceeded' });
    const huge = await speak({ text: 'a'.repeat(140_000) });
    expect(await detailOf(huge)).toEqual({ http: 413, status: 'body_too_large' });
    expect(await detailOf(await get('/v1/music'))).toEqual({ http: 404, status: 'not_found' });
    expect(await detailOf(await get(`/v1/text-to-speech/${VOICE}`))).toEqual({
      http: 405,
      status: 'method_not_allowed',
    });
    expect(await detailOf(await get(`/v1/text-to-speech/${VOICE}/stream-input`))).toEqual({
      http: 426,
      status: 'upgrade_required',
    });
  });

  it('are told on a page of their own', async () => {
    const page = await (await fetch(`${server.baseUrl}/docs/elevenlabs`)).text();
    for (const told of ['/elevenlabs', 'multi-stream-input', 'mp3_44100_128', 'quota_exceeded', 'Rachel'])
      expect(page).toContain(told);
  });
});
