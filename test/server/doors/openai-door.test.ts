/**
 * OpenAI's dialect under /openai/v1: its names, formats, events, lists and errors, and the same
 * money as everywhere.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer, until } from '../../../testkit/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    settings: { corsOrigins: ['https://app.example'], docs: true },
    sine: { pace: 20 },
  });
});
afterAll(() => server.close());

const INPUT = 'Good evening. This is the second sentence, and it is a little longer.';

function speak(body: object, { key = server.partner.key, headers = {}, signal }: SpeakOptions = {}): Promise<Response> {
  return fetch(`${server.baseUrl}/openai/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}
interface SpeakOptions {
  key?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}
const get = (path: string) => fetch(`${server.baseUrl}/openai/v1${path}`);
const bytes = async (response: Response) => Buffer.from(await response.arrayBuffer());

async function errorOf(response: Response) {
  const body = (await response.json()) as { error: Record<string, unknown> };
  expect(Object.keys(body)).toEqual(['error']);
  expect(Object.keys(body.error)).toEqual(['message', 'type', 'param', 'code']);
  expect(body.error.message).toMatch(/^[A-Z].*\.$/s);
  const { type, param, code } = body.error;
  return { status: response.status, type, param, code };
}

/** The samples that the contract's own door gives for the same text. */
async function contractPcm(model: string, voice: string, input = INPUT): Promise<Buffer> {
  return bytes(await server.speak({ model, voice, input, response_format: 'pcm', stream: true }));
}

describe('names', () => {
  it.each([
    ['tts-1', 'base-tts-fast'],
    ['tts-1-1106', 'base-tts-fast'],
    ['gpt-4o-mini-tts', 'base-tts-fast'],
    ['gpt-4o-mini-tts-2025-12-15', 'base-tts-fast'],
    ['tts-1-hd', 'base-tts'],
    ['kokoro', 'base-tts'],
    ['base-tts', 'base-tts'],
    ['base-tts:free', 'base-tts:free'],
  ])('%s is %s', async (model, ours) => {
    const { key, id } = await server.key();
    await (await speak({ model, voice: 'nova', input: 'Hello.', response_format: 'pcm' }, { key })).arrayBuffer();
    await until(async () => (await server.ledger(id)).length === 1);
    expect((await server.ledger(id))[0]).toMatchObject({ model: ours, characters: 6, outcome: 'completed' });
  });

  it('of models are Free for a Free key, and cost it nothing', async () => {
    const response = await speak({ model: 'tts-1', voice: 'alloy', input: 'Hello.' }, { key: server.free.key });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-ratelimit-limit-requests')).toBe('200');
    await response.arrayBuffer();
    await until(async () => (await server.ledger(server.free.id)).length === 1);
    expect((await server.ledger(server.free.id))[0]).toMatchObject({ model: 'base-tts-fast:free', credits: 0 });
  });

  it('count towards the Free limits of the model they stand for', async () => {
    const { key } = await server.key({ tier: 'free', credits: 0 });
    const left = async (answer: Response) => {
      await answer.arrayBuffer();
      return answer.headers.get('x-ratelimit-remaining-requests');
    };
    expect(await left(await speak({ model: 'tts-1', voice: 'nova', input: 'Hi.' }, { key }))).toBe('199');
    expect(await left(await speak({ model: 'gpt-4o-mini-tts', voice: 'nova', input: 'Hi.' }, { key }))).toBe('198');
    expect(await left(await server.speak({ model: 'base-tts-fast:free', input: 'Hi.' }, { key }))).toBe('197');
    expect(await left(await speak({ model: 'tts-1-hd', voice: 'nova', input: 'Hi.' }, { key }))).toBe('199');
    expect(await left(await server.speak({ model: 'base-tts:free', input: 'Hi.' }, { key }))).toBe('198');
  });

  it.each([
    ['alloy', 'american_female_alloy'],
    ['ash', 'american_male_puck'],
    ['ballad', 'british_male_george'],
    ['cedar', 'american_male_michael'],
    ['coral', 'english_female_articulate'],
    ['echo', 'american_male_echo'],
    ['fable', 'british_male_fable'],
    ['marin', 'english_female_professional'],
    ['nova', 'american_female_nova'],
    ['onyx', 'american_male_onyx'],
    ['sage', 'american_female_kore'],
    ['shimmer', 'american_female_sarah'],
    ['verse', 'american_male_fenrir'],
  ])('%s is %s, plain or as an object', async (voice, ours) => {
    const order = { model: 'tts-1', input: 'Hi.', response_format: 'pcm' };
    const plain = await bytes(await speak({ ...order, voice }));
    expect(plain.length).toBeGreaterThan(0);
    expect(plain.equals(await bytes(await speak({ ...order, voice: { id: voice } })))).toBe(true);
    expect(plain.equals(await contractPcm('base-tts-fast', ours, 'Hi.'))).toBe(true);
  });

  it.each([
    ['Alloy', 'american_female_alloy'],
    ['NOVA', 'american_female_nova'],
    ['af_heart', 'american_female_heart'],
    ['af_bella(2)', 'american_female_bella'],
    ['af_bella+af_sky', 'af_bella+af_sky'],
    ['af_bella(2)+af_sky(1)', 'af_bella(2)+af_sky(1)'],
    ['af_bella(2) + Alloy', 'af_bella(2)+af_alloy'],
  ])('%s is %s, as it is at other servers with these voices', async (voice, ours) => {
    const response = await speak({ model: 'kokoro', voice, input: 'Hi.', response_format: 'pcm' });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-voice')).toBe(ours);
    await response.arrayBuffer();
  });

  it('of our own voices work, and a stranger is told which there are', async () => {
    const own = { model: 'base-tts', voice: 'english_female_articulate', input: INPUT, response_format: 'pcm' };
    const pcm = await bytes(await speak(own));
    expect(pcm.equals(await contractPcm('base-tts', 'english_female_articulate'))).toBe(true);
    const unknown = await errorOf(await speak({ ...own, voice: 'nobody' }));
    expect(unknown).toEqual({ status: 400, type: 'invalid_request_error', param: 'voice', code: 'voice_not_found' });
  });
});

interface Word {
  word: string;
  start: number;
  end: number;
}

/** Times of words: each ends after it began, and begins no earlier than the one before. */
function expectInOrder(times: readonly (readonly [number, number])[]): void {
  expect(times.length).toBeGreaterThan(0);
  for (const [at, [start, end]] of times.entries()) {
    expect(end).toBeGreaterThan(start);
    expect(start).toBeGreaterThanOrEqual(times[at - 1]?.[0] ?? 0);
  }
}

describe('captioned speech', () => {
  interface Captioned {
    audio: string;
    audio_format: string;
    timestamps: { word: string; start_time: number; end_time: number }[] | null;
  }
  const captioned = (body: object) =>
    fetch(`${server.baseUrl}/openai/dev/captioned_speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.partner.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const order = { input: INPUT, voice: 'af_bella+af_sky', response_format: 'wav' };

  it('comes in lines while it is made, and with kokoro where no model is named', async () => {
    const response = await captioned(order);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('transfer-encoding')).toBe('chunked');
    const lines = (await response.text())
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Captioned);
    expect(new Set(lines.map(({ audio_format }) => audio_format))).toEqual(new Set(['audio/wav']));
    const times = lines.flatMap(({ timestamps }) => timestamps ?? []);
    expect(times.map(({ word }) => word).join(' ')).toBe(INPUT);
    expectInOrder(times.map(({ start_time, end_time }) => [start_time, end_time]));
    const audio = Buffer.concat(lines.map(({ audio: base64 }) => Buffer.from(base64, 'base64')));
    expect(audio.toString('latin1', 0, 4)).toBe('RIFF');
    expect(times.at(-1)!.end_time).toBeLessThanOrEqual((audio.length - 44) / 48_000);
  });

  it('is one object where it is not streamed, whose audio tells its length', async () => {
    const whole = (await (await captioned({ ...order, model: 'tts-1', stream: false })).json()) as Captioned;
    expect(Object.keys(whole)).toEqual(['audio', 'audio_format', 'timestamps']);
    const audio = Buffer.from(whole.audio, 'base64');
    expect(audio.readUInt32LE(40)).toBe(audio.length - 44);
    expect(whole.timestamps!.map(({ word }) => word).join(' ')).toBe(INPUT);
    const silent = (await (await captioned({ ...order, stream: false, return_timestamps: false })).json()) as Captioned;
    expect(silent.timestamps).toBeNull();
  });

  it('has the errors of this dialect', async () => {
    expect(await errorOf(await captioned({ input: ' ' }))).toMatchObject({ status: 400, code: 'empty_input' });
    expect(await errorOf(await captioned({ input: 'Hi.', voice: 'af_nobody' }))).toMatchObject({ param: 'voice' });
  });
});

describe('a speech', () => {
  it('is an mp3 where nothing is said, streamed, and begins while the engine still works', async () => {
    const slow = await startTestServer({ sine: { pace: 4, msPerChar: 60 } });
    const response = await fetch(`${slow.baseUrl}/openai/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${slow.partner.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'tts-1', voice: 'nova', input: INPUT }),
    });
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(response.headers.get('transfer-encoding')).toBe('chunked');
    expect(response.headers.get('x-usage-input-characters')).toBe(String(INPUT.length));
    const reader = response.body!.getReader();
    expect((await reader.read()).value!.length).toBeGreaterThan(0);
    expect(slow.worker.running).toBeGreaterThan(0);
    while (!(await reader.read()).done);
    await slow.close();
  });

  it('as a WAV of a short text has its true length, and of a long one says that it is unknown', async () => {
    const short = await bytes(await speak({ model: 'tts-1', voice: 'nova', input: INPUT, response_format: 'wav' }));
    expect(short.readUInt32LE(40)).toBe(short.length - 44);
    const long = await bytes(
      await speak({ model: 'tts-1', voice: 'nova', input: INPUT.repeat(8), response_format: 'wav' }),
    );
    expect(long.readUInt32LE(40)).toBe(0xffff_ffff);
  });

  it('may be asked for whole: it then has its length, and a header that tells it', async () => {
    const order = { model: 'tts-1', voice: 'nova', input: INPUT, stream: false };
    const whole = async (format: string, input = INPUT) => {
      const response = await speak({ ...order, input, response_format: format });
      const body = await bytes(response);
      expect(response.headers.get('content-length')).toBe(String(body.length));
      return body;
    };
    const [pcm, flac, opus, wav] = await Promise.all([
      ...['pcm', 'flac', 'opus'].map((format) => whole(format)),
      whole('wav', INPUT.repeat(5)),
    ]);
    // STREAMINFO: 36 bits of samples at its end, before the checksum.
    expect(Number(flac!.readBigUInt64BE(18) & 0xf_ffff_ffffn)).toBe(pcm!.length / 2);
    expect(wav!.readUInt32LE(40)).toBe(wav!.length - 44);
    expect(opus!.toString('latin1', 0, 4)).toBe('OggS');
  });

  it('tells its words where they are asked for, in seconds', async () => {
    const order = { model: 'tts-1', voice: 'nova', input: INPUT, response_format: 'pcm', stream_format: 'sse' };
    const text = await (await speak({ ...order, timestamp_granularities: ['word'] })).text();
    const words = text
      .split('\n\n')
      .filter(Boolean)
      .flatMap((event) => (JSON.parse(event.slice('data: '.length)) as { words?: Word[] }).words ?? []);
    expect(words.map(({ word }) => word)).toEqual(INPUT.split(' '));
    expectInOrder(words.map(({ start, end }) => [start, end]));
    expect(await (await speak(order)).text()).not.toContain('"words"');
    const { stream_format: _, ...plain } = order;
    const refused = await errorOf(await speak({ ...plain, timestamp_granularities: ['word'] }));
    expect(refused).toMatchObject({ status: 400, param: 'timestamp_granularities' });
  });

  it('takes a speed as text', async () => {
    const order = { model: 'tts-1', voice: 'nova', input: INPUT, response_format: 'pcm' };
    const [plain, same, fast] = await Promise.all(
      [{}, { speed: '1.0' }, { speed: '2' }].map(async (more) => bytes(await speak({ ...order, ...more }))),
    );
    expect(plain!.equals(same!)).toBe(true);
    expect(fast!.length).toBeLessThan(plain!.length * 0.6);
  });

  it('comes as events where it is asked for, the last of which tells the usage', async () => {
    const order = { model: 'tts-1', voice: 'nova', input: INPUT, response_format: 'pcm' };
    const response = await speak({ ...order, stream_format: 'sse' });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const events = (await response.text())
      .split('\n\n')
      .filter(Boolean)
      .map((event) => JSON.parse(event.replace(/^data: /, '')) as { type: string; audio?: string; usage?: object });
    const audio = Buffer.concat(events.map(({ audio = '' }) => Buffer.from(audio, 'base64')));
    expect(audio.equals(await bytes(await speak(order)))).toBe(true);
    expect(new Set(events.slice(0, -1).map(({ type }) => type))).toEqual(new Set(['speech.audio.delta']));
    const chars = INPUT.length;
    const usage = { input_tokens: chars, output_tokens: 0, total_tokens: chars };
    expect(events.at(-1)).toEqual({ type: 'speech.audio.done', usage });
  });

  it('may have 4096 characters and no more', async () => {
    const free = { key: (await server.key()).key };
    const longest = await speak({ model: 'tts-1', voice: 'nova', input: 'a '.repeat(2047).concat('🙂b') }, free);
    expect(longest.headers.get('x-usage-input-characters')).toBe('4096');
    await longest.body!.cancel();
    const longer = await errorOf(await speak({ model: 'tts-1', voice: 'nova', input: 'a'.repeat(4097) }));
    expect(longer).toMatchObject({ status: 400, code: 'input_too_long', param: 'input' });
  });

  it('names what it ignores: instructions among it, fields that are null not', async () => {
    const body = { model: 'tts-1', voice: 'nova', input: 'Hello.', instructions: 'Whisper.', mood: 1, speed: null };
    const response = await speak(body);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-ignored-fields')).toBe('instructions,mood');
    await response.arrayBuffer();
  });

  it('costs a credit a character, and nothing where its client leaves', async () => {
    const { key, id } = await server.key({ credits: 1_000 });
    await (await speak({ model: 'tts-1', voice: 'nova', input: INPUT }, { key })).arrayBuffer();
    await until(async () => (await server.balance(id)).reserved === 0);
    expect(await server.balance(id)).toEqual({ credits: 1_000 - INPUT.length, reserved: 0 });
    const controller = new AbortController();
    const left = await speak(
      { model: 'tts-1', voice: 'nova', input: INPUT.repeat(10) },
      { key, signal: controller.signal },
    );
    await left.body!.getReader().read();
    controller.abort();
    await until(async () => (await server.ledger(id)).length === 2);
    expect((await server.ledger(id))[1]).toMatchObject({ outcome: 'cancelled', credits: 0 });
    expect(await server.balance(id)).toEqual({ credits: 1_000 - INPUT.length, reserved: 0 });
  });
});

describe('the lists', () => {
  it('tell models and voices without a key', async () => {
    const models = (await (await get('/models')).json()) as { object: string; data: { id: string; object: string }[] };
    expect(models.object).toBe('list');
    expect(models.data.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['tts-1', 'tts-1-hd', 'gpt-4o-mini-tts', 'base-tts', 'base-tts-fast:free']),
    );
    expect(await (await get('/models/tts-1-hd')).json()).toMatchObject({ id: 'tts-1-hd', object: 'model' });
    const audio = (await (await get('/audio/models')).json()) as { models: { id: string; name: string }[] };
    expect(audio.models.map(({ id }) => id)).toEqual(models.data.map(({ id }) => id));
    const { voices } = (await (await get('/audio/voices')).json()) as { voices: { id: string; name: string }[] };
    expect(voices[0]).toEqual({ id: 'english_female_professional', name: 'Professional' });
    expect(voices).toContainEqual({ id: 'alloy', name: 'Alloy' });
    expect(voices).toContainEqual({ id: 'af_heart', name: 'af_heart' });
    const legacy = (await (await get('/audio/voices?legacy=true')).json()) as { voices: string[] };
    expect(legacy.voices).toEqual(voices.map(({ id }) => id));
    expect(new Set(voices.map(({ id }) => id)).size).toBe(voices.length);
  });

  it('know no model that there is not', async () => {
    expect(await errorOf(await get('/models/gpt-5'))).toMatchObject({ status: 404, code: 'model_not_found' });
  });
});

describe('errors', () => {
  it.each([
    [{ model: 'gpt-5', voice: 'nova', input: 'Hi.' }, 404, 'model_not_found', 'model'],
    [{ voice: 'nova', input: 'Hi.' }, 400, 'missing_field', 'model'],
    [{ model: '', voice: 'nova', input: 'Hi.' }, 400, 'missing_field', 'model'],
    [{ model: 'tts-1', voice: '', input: 'Hi.' }, 400, 'voice_not_found', 'voice'],
    [{ model: 'tts-1', voice: 'nova', input: 'Hi.', speed: 'fast' }, 400, 'invalid_value', 'speed'],
    [{ model: 'tts-1', voice: 'nova', input: 'Hi.', speed: true }, 400, 'invalid_type', 'speed'],
    [{ model: 'tts-1', voice: 'nova', input: '  ' }, 400, 'empty_input', 'input'],
    [{ model: 'tts-1', voice: 7, input: 'Hi.' }, 400, 'invalid_type', 'voice'],
    [{ model: 'tts-1', voice: 'nova', input: 'Hi.', response_format: 'amr' }, 400, 'invalid_value', 'response_format'],
    [{ model: 'tts-1', voice: 'nova', input: 'Hi.', speed: 5 }, 400, 'invalid_value', 'speed'],
  ])('of %j are %i %s', async (body, status, code, param) => {
    expect(await errorOf(await speak(body))).toEqual({ status, type: 'invalid_request_error', param, code });
  });

  it('of keys and money are those that their clients know', async () => {
    const wrong = await speak({ model: 'tts-1', voice: 'nova', input: 'Hi.' }, { key: 'sk-wrong' });
    expect(await errorOf(wrong)).toMatchObject({ status: 401, code: 'invalid_api_key' });
    const { key } = await server.key({ credits: 2 });
    const poor = await speak({ model: 'tts-1', voice: 'nova', input: 'Hello.' }, { key });
    expect(poor.headers.get('x-should-retry')).toBe('false');
    expect(await errorOf(poor)).toMatchObject({ status: 429, type: 'insufficient_quota', code: 'insufficient_quota' });
    const partnerOnly = await speak({ model: 'base-tts', voice: 'nova', input: 'Hi.' }, { key: server.free.key });
    expect(await errorOf(partnerOnly)).toMatchObject({ status: 403, code: 'early_access_required' });
  });

  it('of paths and methods have the same shape, and the contract beside it keeps its own', async () => {
    expect(await errorOf(await get('/chat/completions'))).toMatchObject({ status: 404, code: 'not_found' });
    const method = await get('/audio/speech');
    expect(method.headers.get('allow')).toBe('POST');
    expect(await errorOf(method)).toMatchObject({ status: 405 });
    const long = await speak({ model: 'tts-1', voice: 'nova', input: 'a'.repeat(70_000) });
    expect(await errorOf(long)).toMatchObject({ status: 413, code: 'body_too_large' });
    const ours = (await (await server.get('/v1/models')).json()) as { error: object };
    expect(Object.keys(ours.error)).toEqual(['code', 'type', 'message', 'param', 'request_id']);
  });
});

describe("OpenAI's names at the contract's own door", () => {
  const message = async (response: Response) =>
    ((await response.json()) as { error: { message: string } }).error.message;

  it.each([
    [{ model: 'tts-1', input: 'Hi.' }, 'model_not_found', '/openai/v1'],
    [{ model: 'kokoro', input: 'Hi.' }, 'model_not_found', '/openai/v1'],
    [{ model: 'eleven_flash_v2_5', input: 'Hi.' }, 'model_not_found', '/elevenlabs'],
    [{ model: 'base-tts', voice: 'alloy', input: 'Hi.' }, 'voice_not_found', '/openai/v1'],
    [{ model: 'base-tts', voice: 'af_bella+af_sky', input: 'Hi.' }, 'voice_not_found', '/openai/v1'],
  ])('are refused with the way to where they are: %j', async (body, code, path) => {
    const response = await server.speak(body);
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe(code);
    expect(error.message).toContain(path);
  });

  it('are told for paths too, and no other path claims to be elsewhere', async () => {
    expect(await message(await server.get('/v1/models'))).toContain('/openai/v1/models');
    expect(await message(await server.get('/v1/audio/voices'))).toContain('base URL /openai/v1');
    expect(await message(await server.get('/openai/audio/voices'))).toContain('/openai/v1/audio/voices');
    expect(await message(await server.get('/v1/user'))).toContain('/elevenlabs/v1/user');
    expect(await message(await server.get('/v1/nothing'))).not.toContain('base URL');
    expect(await message(await server.get('/v1/voices?model=tts-1'))).toContain('/openai/v1');
  });
});

describe('a browser', () => {
  const preflight = async (path: string) => {
    const response = await fetch(`${server.baseUrl}${path}`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-stainless-lang,x-stainless-retry-count',
      },
    });
    return response.headers.get('access-control-allow-headers')!.split(', ');
  };

  it("may send what OpenAI's client does, here and not on the contract's door", async () => {
    const allowed = await preflight('/openai/v1/audio/speech');
    for (const name of [
      'arch',
      'lang',
      'os',
      'package-version',
      'retry-count',
      'runtime',
      'runtime-version',
      'timeout',
    ])
      expect(allowed).toContain(`x-stainless-${name}`);
    expect((await preflight('/v1/audio/speech')).join(', ')).toBe(
      'authorization, content-type, xi-api-key, x-request-id',
    );
  });

  it.each([
    'app://obsidian.md',
    'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
    'null',
    'http://127.0.0.1:5173',
  ])('whose page is of %s is told which setting allows it', async (origin) => {
    const ask = (baseUrl: string) =>
      fetch(`${baseUrl}/openai/v1/audio/speech`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
    const refused = await ask(server.baseUrl);
    expect(refused.status).toBe(403);
    const { error } = (await refused.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe('foreign_origin');
    expect(error.message).toContain(`--cors-origin ${origin}`);
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    const open = await startTestServer({ settings: { corsOrigins: [origin] } });
    const allowed = await ask(open.baseUrl);
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(origin);
    await open.close();
  });

  it('finds a page of its own in the documents', async () => {
    const page = await (await fetch(`${server.baseUrl}/docs/openai`)).text();
    for (const told of ['/openai/v1', 'tts-1-hd', 'shimmer', 'insufficient_quota', 'speech.audio.done'])
      expect(page).toContain(told);
  });
});
