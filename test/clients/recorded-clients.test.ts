/**
 * Programs that cannot run here: their requests as their sources make them, and what they read of
 * the answers. Read in:
 * - Open WebUI: backend/open_webui/routers/audio.py, utils/headers.py, src/lib/apis/audio/index.ts (July 2026)
 * - LibreChat: api/server/services/Files/Audio/TTSService.js (August 2026)
 * - SillyTavern: src/endpoints/openai.js, public/scripts/extensions/tts/openai-compatible.js (September 2024; nothing newer was at hand)
 * - Home Assistant's openai_tts (sfortis/openai_tts): custom_components/openai_tts/openaitts_engine.py, tts.py (February 2026), and
 *   the engine of its first releases, which asks for WAV
 * - LobeChat: src/app/(backend)/webapi/tts/openai/route.ts, and @lobehub/tts: src/server/createOpenaiAudioSpeech.ts (December 2025)
 * - AnythingLLM: server/utils/TextToSpeech/openAiGeneric/index.js (August 2026)
 * - Pipecat: src/pipecat/services/openai/tts.py, services/elevenlabs/tts.py, tts_base.py (August 2026)
 * - elevenlabs-python: src/elevenlabs/text_to_speech/raw_client.py, core/http_client.py, core/client_wrapper.py, realtime_tts.py (2.59.0)
 * - the openai packages beneath them: resources/audio/speech in Node and Python
 * What a program's HTTP library adds of its own (User-Agent, Accept) is that library's default;
 * versions in it are examples.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startTestServer, type TestServer, until } from '../../testkit/server.js';

const TEXT = 'Good evening. This request was written down word for word.';
const VOICE = 'english_female_professional';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

interface Recorded {
  /** Behind the base URL that its user types in. */
  readonly path: string;
  readonly headers: (key: string) => Record<string, string>;
  readonly body: object;
  readonly type: string;
}

const json = { 'Content-Type': 'application/json' };
const bearer = (key: string) => ({ ...json, Authorization: `Bearer ${key}` });
const elevenlabs = (key: string) => ({ ...json, 'xi-api-key': key, Accept: 'audio/mpeg' });
const aiohttp = { Accept: '*/*', 'Accept-Encoding': 'gzip, deflate', 'User-Agent': 'Python/3.13 aiohttp/3.13.2' };
/** What the openai package adds to every request for speech. */
const stainless = {
  Accept: 'application/octet-stream',
  'User-Agent': 'OpenAI/JS 4.104.0',
  'X-Stainless-Lang': 'js',
  'X-Stainless-Package-Version': '4.104.0',
  'X-Stainless-OS': 'Linux',
  'X-Stainless-Arch': 'x64',
  'X-Stainless-Runtime': 'node',
  'X-Stainless-Runtime-Version': 'v22.17.0',
  'X-Stainless-Retry-Count': '0',
  'X-Stainless-Timeout': '600',
};
/** The same of the asynchronous one in Python, whose caller reads the body as it comes. */
const stainlessPython = {
  Accept: 'application/octet-stream',
  'User-Agent': 'AsyncOpenAI/Python 2.37.0',
  'X-Stainless-Lang': 'python',
  'X-Stainless-Package-Version': '2.37.0',
  'X-Stainless-OS': 'Linux',
  'X-Stainless-Arch': 'x64',
  'X-Stainless-Runtime': 'CPython',
  'X-Stainless-Runtime-Version': '3.13.5',
  'X-Stainless-Async': 'async:asyncio',
  'X-Stainless-Raw-Response': 'stream',
  'X-Stainless-Retry-Count': '0',
  'X-Stainless-Read-Timeout': '600',
};
const fern = (key: string) => ({
  Accept: '*/*',
  'User-Agent': 'elevenlabs/2.59.0',
  'X-Fern-Language': 'Python',
  'X-Fern-Runtime': 'python/3.13.5',
  'X-Fern-Platform': 'linux/6.12.0',
  'X-Fern-SDK-Name': 'elevenlabs',
  'X-Fern-SDK-Version': '2.59.0',
  'xi-api-key': key,
  'content-type': 'application/json',
});

const SPEECHES: readonly [string, Recorded][] = [
  [
    'Open WebUI (OpenAI)',
    {
      path: '/openai/v1/audio/speech',
      headers: (key) => ({
        ...aiohttp,
        ...bearer(key),
        'X-OpenWebUI-User-Name': 'Ada Lovelace',
        'X-OpenWebUI-User-Id': '5f0c8a52-8f2e-4f0c-9a5c-0c8f3b0f6d11',
        'X-OpenWebUI-User-Email': 'ada@example.org',
        'X-OpenWebUI-User-Role': 'admin',
      }),
      body: { input: TEXT, voice: 'alloy', model: 'tts-1' },
      type: 'audio/mpeg',
    },
  ],
  [
    'Open WebUI (ElevenLabs)',
    {
      path: `/elevenlabs/v1/text-to-speech/${VOICE}`,
      headers: (key) => ({ ...aiohttp, ...elevenlabs(key) }),
      body: {
        text: TEXT,
        model_id: 'eleven_multilingual_v2',
        voice_settings: { stability: 0.5, similarity_boost: 0.5 },
      },
      type: 'audio/mpeg',
    },
  ],
  [
    'LibreChat (OpenAI)',
    {
      path: '/openai/v1/audio/speech',
      headers: (key) => ({ ...bearer(key), Accept: 'application/json, text/plain, */*', 'User-Agent': 'axios/1.12.2' }),
      body: { input: TEXT, model: 'tts-1-hd', voice: 'shimmer', backend: 'any' },
      type: 'audio/mpeg',
    },
  ],
  [
    'LibreChat (ElevenLabs)',
    {
      path: `/elevenlabs/v1/text-to-speech/${VOICE}/stream`,
      headers: elevenlabs,
      body: {
        model_id: 'eleven_turbo_v2',
        text: TEXT,
        voice_settings: { similarity_boost: 0.7, stability: 0.4, style: 0, use_speaker_boost: true },
        pronunciation_dictionary_locators: [{ pronunciation_dictionary_id: 'x', version_id: 'y' }],
      },
      type: 'audio/mpeg',
    },
  ],
  [
    'SillyTavern',
    {
      path: '/openai/v1/audio/speech',
      headers: (key) => ({
        ...bearer(key),
        Accept: '*/*',
        'User-Agent': 'node-fetch/1.0 (+https://github.com/bitinn/node-fetch)',
      }),
      body: { input: TEXT, response_format: 'mp3', voice: 'fable', speed: 1, model: 'tts-1' },
      type: 'audio/mpeg',
    },
  ],
  [
    "Home Assistant's openai_tts",
    {
      path: '/openai/v1/audio/speech',
      headers: (key) => ({ ...bearer(key), 'Accept-Encoding': 'identity', 'User-Agent': 'HomeAssistant-OpenAI-TTS' }),
      body: { model: 'tts-1', input: TEXT, voice: 'nova', response_format: 'mp3', speed: 1.0 },
      type: 'audio/mpeg',
    },
  ],
  [
    "Home Assistant's openai_tts, streaming, with instructions and a payload of the user's",
    {
      path: '/openai/v1/audio/speech',
      headers: (key) => ({ ...aiohttp, ...bearer(key), 'User-Agent': 'HomeAssistant-OpenAI-TTS' }),
      body: {
        model: 'gpt-4o-mini-tts',
        input: TEXT,
        voice: 'sage',
        response_format: 'mp3',
        speed: 1.1,
        instructions: 'Speak calmly.',
        repetition_penalty: 1.2,
      },
      type: 'audio/mpeg',
    },
  ],
  [
    "Home Assistant's openai_tts in its first releases",
    {
      path: '/openai/v1/audio/speech',
      headers: (key) => ({ ...bearer(key), Accept: '*/*', 'User-Agent': 'python-requests/2.32.3' }),
      body: { model: 'tts-1', input: TEXT, voice: 'nova', response_format: 'wav', speed: 1 },
      type: 'audio/wav',
    },
  ],
  [
    'LobeChat',
    {
      path: '/openai/v1/audio/speech',
      headers: (key) => ({ ...bearer(key), ...stainless, Accept: '*/*' }),
      body: { input: TEXT, model: 'tts-1', voice: 'alloy' },
      type: 'audio/mpeg',
    },
  ],
  [
    'AnythingLLM',
    {
      path: '/openai/v1/audio/speech',
      headers: (key) => ({ ...bearer(key), ...stainless }),
      body: { model: 'tts-1', voice: 'alloy', input: TEXT },
      type: 'audio/mpeg',
    },
  ],
  [
    'Pipecat (OpenAI)',
    {
      path: '/openai/v1/audio/speech',
      headers: (key) => ({ ...bearer(key), ...stainlessPython }),
      body: { input: TEXT, model: 'gpt-4o-mini-tts', voice: 'alloy', response_format: 'pcm' },
      type: 'audio/pcm',
    },
  ],
  [
    'elevenlabs-python, convert',
    {
      path: `/elevenlabs/v1/text-to-speech/${VOICE}?output_format=mp3_44100_128`,
      headers: fern,
      body: { text: TEXT, model_id: 'eleven_multilingual_v2' },
      type: 'audio/mpeg',
    },
  ],
  [
    'elevenlabs-python before 2.59, convert without a format behind a base URL with a slash at its end',
    {
      path: `/elevenlabs//v1/text-to-speech/${VOICE}`,
      headers: fern,
      body: { text: TEXT },
      type: 'audio/mpeg',
    },
  ],
];

const post = ({ path, headers, body }: Pick<Recorded, 'path' | 'headers' | 'body'>, key = server.partner.key) =>
  fetch(`${server.baseUrl}${path}`, { method: 'POST', headers: headers(key), body: JSON.stringify(body) });

describe('a recorded request of', () => {
  it.each(SPEECHES)('%s is answered with audio', async (_name, recorded) => {
    const response = await post(recorded);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(recorded.type);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.length).toBeGreaterThan(2_000);
    // Whoever keeps a WAV believes its header.
    if (recorded.type === 'audio/wav') expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
  });

  it('Open WebUI for its lists needs no key at OpenAI’s door', async () => {
    const { models } = (await (await fetch(`${server.baseUrl}/openai/v1/audio/models`)).json()) as {
      models: { id: string }[];
    };
    expect(models.map(({ id }) => id)).toContain('tts-1');
    const { voices } = (await (await fetch(`${server.baseUrl}/openai/v1/audio/voices`)).json()) as {
      voices: { id: string; name: string }[];
    };
    expect(Object.fromEntries(voices.map(({ id, name }) => [id, name]))).toMatchObject({ alloy: 'Alloy' });
    const headers = { 'xi-api-key': server.partner.key, 'Content-Type': 'application/json' };
    const list = (await (await fetch(`${server.baseUrl}/elevenlabs/v1/voices`, { headers })).json()) as {
      voices: { voice_id: string; name: string }[];
    };
    expect(list.voices[0]).toMatchObject({ voice_id: VOICE, name: 'Professional' });
    const named = (await (await fetch(`${server.baseUrl}/elevenlabs/v1/models`, { headers })).json()) as {
      name: string;
      model_id: string;
    }[];
    expect(named[0]).toMatchObject({ model_id: 'eleven_multilingual_v2', name: expect.any(String) });
  });

  it('Pipecat over HTTP is answered with lines of audio and characters', async () => {
    const response = await post({
      path: `/elevenlabs/v1/text-to-speech/${VOICE}/stream/with-timestamps?output_format=pcm_24000`,
      headers: (key) => ({ ...json, 'xi-api-key': key }),
      body: { text: TEXT, model_id: 'eleven_turbo_v2_5', previous_text: 'Hello.', voice_settings: { speed: 1 } },
    });
    // As it adds words up: characters to the next space, from the start of the first.
    const words: [string, number][] = [];
    let word = '';
    let start = 0;
    let audioBytes = 0;
    for (const line of (await response.text()).split('\n').filter(Boolean)) {
      const { alignment, audio_base64: audio } = JSON.parse(line) as {
        audio_base64: string;
        alignment: { characters: string[]; character_start_times_seconds: number[] } | null;
      };
      audioBytes += Buffer.from(audio, 'base64').length;
      for (const [i, char] of (alignment?.characters ?? []).entries()) {
        if (char === ' ') {
          words.push([word, start]);
          word = '';
        } else {
          if (word === '') start = alignment!.character_start_times_seconds[i]!;
          word += char;
        }
      }
    }
    expect(words.map(([text]) => text)).toEqual(TEXT.split(' ').slice(0, -1));
    expect(audioBytes / 48_000).toBeGreaterThan(words.at(-1)![1]);
    const starts = words.map(([, at]) => at);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
  });
});

interface Message {
  audio?: string | null;
  isFinal?: boolean | null;
  contextId?: string;
  message?: string;
}

async function connect(path: string) {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/elevenlabs/v1/text-to-speech/${VOICE}/${path}`, {
    headers: { 'xi-api-key': server.partner.key },
  });
  const messages: Message[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data)) as Message));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => socket.once('open', resolve));
  const send = (message: object) => socket.send(JSON.stringify(message));
  return { messages, closed, send };
}

describe('a recorded session of', () => {
  it('Pipecat: contexts by turns, keepalives between them, an interruption, a polite end', async () => {
    const { messages, closed, send } = await connect(
      'multi-stream-input?model_id=eleven_flash_v2_5&output_format=pcm_24000&auto_mode=true',
    );
    const of = (id: string) => messages.filter(({ contextId }) => contextId === id);
    const finals = (id: string) => of(id).filter(({ isFinal }) => isFinal === true).length;
    send({ text: '' });
    for (const turn of ['8f0c', '91ab']) {
      send({ text: ' ', context_id: turn, voice_settings: { stability: 0.5, similarity_boost: 0.8, speed: 1.0 } });
      send({ text: 'Good evening.', context_id: turn });
      send({ text: ' This is the second sentence.', context_id: turn });
      send({ text: '', context_id: turn });
      send({ context_id: turn, flush: true });
      await until(() => of(turn).some(({ audio }) => audio));
      send({ context_id: turn, close_context: true });
      await until(() => finals(turn) === 1);
      send({ context_id: turn, close_context: true });
    }
    send({ text: ' ', context_id: 'cut' });
    send({ text: 'This will be interrupted before long.', context_id: 'cut' });
    send({ context_id: 'cut', close_context: true });
    await until(() => finals('cut') === 1);
    send({ close_socket: true });
    expect(await closed).toBe(1000);
    expect(messages.filter(({ message }) => message !== undefined)).toEqual([]);
  });

  it('elevenlabs-python: a word a message, read between them, an mp3', async () => {
    const { messages, closed, send } = await connect('stream-input?model_id=Ellipsis&output_format=mp3_44100_128');
    send({
      text: ' ',
      try_trigger_generation: true,
      voice_settings: null,
      generation_config: { chunk_length_schedule: [50] },
    });
    for (const word of TEXT.split(' ')) send({ text: `${word} `, try_trigger_generation: true });
    send({ text: '' });
    expect(await closed).toBe(1000);
    const audio = Buffer.concat(messages.map(({ audio }) => Buffer.from(audio ?? '', 'base64')));
    expect(audio.length).toBeGreaterThan(10_000);
    expect(messages.at(-1)).not.toHaveProperty('message');
  });
});
