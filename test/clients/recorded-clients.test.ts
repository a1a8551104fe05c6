/** Programs that cannot run here: their requests as they send them, and what they read of the answers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startTestServer, type TestServer, until } from '../support/server.js';

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
/** What the openai package adds to every request. */
const stainless = {
  Accept: '*/*',
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

const SPEECHES: readonly [string, Recorded][] = [
  [
    'Open WebUI (OpenAI)',
    {
      path: '/openai/v1/audio/speech',
      headers: (key) => ({ ...bearer(key), 'X-OpenWebUI-User-Name': 'Ada', 'X-OpenWebUI-User-Role': 'admin' }),
      body: { input: TEXT, model: 'tts-1', voice: 'alloy' },
      type: 'audio/mpeg',
    },
  ],
  [
    'Open WebUI (ElevenLabs)',
    {
      path: `/elevenlabs/v1/text-to-speech/${VOICE}`,
      headers: elevenlabs,
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
      headers: (key) => ({ ...bearer(key), 'User-Agent': 'node-fetch' }),
      body: { input: TEXT, response_format: 'mp3', voice: 'fable', speed: 1, model: 'tts-1' },
      type: 'audio/mpeg',
    },
  ],
  [
    "Home Assistant's openai_tts",
    {
      path: '/openai/v1/audio/speech',
      headers: (key) => ({ ...bearer(key), 'User-Agent': 'python-requests/2.32.3' }),
      body: { model: 'tts-1', input: TEXT, voice: 'nova', response_format: 'wav', speed: 1 },
      type: 'audio/wav',
    },
  ],
  [
    "Home Assistant's openai_tts, streaming",
    {
      path: '/openai/v1/audio/speech',
      headers: bearer,
      body: {
        model: 'gpt-4o-mini-tts',
        input: TEXT,
        voice: 'sage',
        response_format: 'mp3',
        speed: 1.1,
        instructions: 'Speak calmly.',
        stream: true,
      },
      type: 'audio/mpeg',
    },
  ],
  [
    'LobeChat',
    {
      path: '/openai/v1/audio/speech',
      headers: (key) => ({ ...bearer(key), ...stainless }),
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
      headers: (key) => ({ ...bearer(key), ...stainless, 'X-Stainless-Lang': 'python', 'X-Stainless-Async': 'true' }),
      body: { input: TEXT, model: 'gpt-4o-mini-tts', voice: 'ballad', response_format: 'pcm' },
      type: 'audio/pcm',
    },
  ],
  [
    'elevenlabs-python, convert',
    {
      path: `/elevenlabs/v1/text-to-speech/${VOICE}?output_format=mp3_44100_128`,
      headers: (key) => ({
        'xi-api-key': key,
        'content-type': 'application/json',
        'X-Fern-Language': 'Python',
        'X-Fern-SDK-Name': 'elevenlabs',
      }),
      body: { text: TEXT, model_id: 'eleven_multilingual_v2' },
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
    // Python's wave module, which Home Assistant reads it with, believes the header.
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
    for (const line of (await response.text()).split('\n').filter(Boolean)) {
      const { alignment } = JSON.parse(line) as {
        alignment: { characters: string[]; character_start_times_seconds: number[] } | null;
      };
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
