/**
 * Clients that others wrote, unmodified and with their own defaults, against a real server: the
 * base URL and the key alone are ours.
 */
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer, until } from '../../testkit/server.js';
import { installLocked } from '../support/locked-packages.js';
import { newerNode } from '../support/newer-node.js';

const TEXT = 'Good evening. This sentence was asked for by a client that nobody here wrote.';
const VOICE = 'english_female_professional';
const installed = await installLocked(import.meta.dirname);
const require = createRequire(path.join(import.meta.dirname, 'package.json'));

/**
 * A module of one of the clients. What is used of it is written down by whoever asks: it is not
 * there when types are checked.
 */
async function clientModule<Module>(name: string): Promise<Module> {
  const found = (await import(pathToFileURL(require.resolve(name)).href)) as Module & { default?: object };
  // Of a CommonJS module not every name is seen from outside.
  return { ...found.default, ...found };
}

let server: TestServer;
let openaiUrl: string;
let elevenlabsUrl: string;
let apiKey: string;
/** What the sine engine makes of the text, in milliseconds. */
let speechMs: number;
beforeAll(async () => {
  server = await startTestServer({ sine: { msPerChar: 20 } });
  openaiUrl = `${server.baseUrl}/openai/v1`;
  elevenlabsUrl = `${server.baseUrl}/elevenlabs`;
  apiKey = server.partner.key;
  const pcm = await server.speak({ model: 'base-tts', input: TEXT, response_format: 'pcm' });
  speechMs = (await pcm.arrayBuffer()).byteLength / 48;
});
afterAll(() => server.close());

/** An MPEG audio frame, or the tag that may stand before the first. */
const isMp3 = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, 3)).toString('latin1') === 'ID3' || (bytes[0] === 0xff && (bytes[1]! & 0xe0) === 0xe0);

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

it('the clients are installed wherever everything is tested', () => {
  if (!installed) expect(process.env.CI).not.toBe('true');
});

describe("OpenAI's own client", () => {
  it('speaks and lists with nothing but a base URL', async () => {
    const client = new OpenAI({ baseURL: openaiUrl, apiKey });
    const response = await client.audio.speech.create({ model: 'gpt-4o-mini-tts', voice: 'coral', input: TEXT });
    expect(isMp3(Buffer.from(await response.arrayBuffer()))).toBe(true);
    const models = [];
    for await (const { id } of client.models.list()) models.push(id);
    expect(models).toContain('tts-1');
    expect(await client.models.retrieve('tts-1-hd')).toMatchObject({ id: 'tts-1-hd' });
  });

  it('reads the events of a stream, and raises the errors it knows', async () => {
    const client = new OpenAI({ baseURL: openaiUrl, apiKey });
    const order = { model: 'tts-1', voice: 'nova', input: TEXT, stream_format: 'sse' } as const;
    const events = (await (await client.audio.speech.create(order)).text()).split('\n\n').filter(Boolean);
    expect(JSON.parse(events.at(-1)!.slice('data: '.length))).toMatchObject({ type: 'speech.audio.done' });
    const stranger = new OpenAI({ baseURL: openaiUrl, apiKey: 'sk-wrong', maxRetries: 0 });
    await expect(stranger.audio.speech.create({ ...order, stream_format: 'audio' })).rejects.toMatchObject({
      status: 401,
      code: 'invalid_api_key',
    });
    const { key } = await server.key({ credits: 1 });
    const poor = new OpenAI({ baseURL: openaiUrl, apiKey: key });
    await expect(poor.audio.speech.create({ ...order, stream_format: 'audio' })).rejects.toBeInstanceOf(
      OpenAI.RateLimitError,
    );
  });
});

describe.skipIf(!installed)('for OpenAI', () => {
  it('the AI SDK', async () => {
    interface Ai {
      experimental_generateSpeech(order: { model: unknown; text: string }): Promise<{
        audio: { uint8Array: Uint8Array; mediaType: string };
      }>;
    }
    interface Provider {
      createOpenAI(options: object): { speech(model: string): unknown };
    }
    const { experimental_generateSpeech: generateSpeech } = await clientModule<Ai>('ai');
    const { createOpenAI } = await clientModule<Provider>('@ai-sdk/openai');
    const openai = createOpenAI({ baseURL: openaiUrl, apiKey });
    const { audio } = await generateSpeech({ model: openai.speech('tts-1'), text: TEXT });
    expect(audio.mediaType).toBe('audio/mpeg');
    expect(isMp3(audio.uint8Array)).toBe(true);
  });

  it('modelfusion', async () => {
    interface ModelFusion {
      openai: { Api(options: object): unknown; SpeechGenerator(options: object): unknown };
      generateSpeech(order: { model: unknown; text: string }): Promise<Uint8Array>;
    }
    const { openai, generateSpeech } = await clientModule<ModelFusion>('modelfusion');
    const api = openai.Api({
      apiKey,
      baseUrl: { protocol: 'http', host: '127.0.0.1', port: String(server.port), path: '/openai/v1' },
    });
    const audio = await generateSpeech({
      model: openai.SpeechGenerator({ api, model: 'tts-1', voice: 'onyx' }),
      text: TEXT,
    });
    expect(isMp3(audio)).toBe(true);
  });

  it("Mastra's voice", async () => {
    interface Mastra {
      OpenAIVoice: new (options: object) => { speak(text: string): Promise<AsyncIterable<Uint8Array>> };
    }
    const { OpenAIVoice } = await clientModule<Mastra>('@mastra/voice-openai');
    // It wants a key for listening as well, though nobody speaks to it.
    const speechModel = { name: 'tts-1', apiKey, options: { baseURL: openaiUrl } };
    const voice = new OpenAIVoice({ speechModel, listeningModel: { apiKey } });
    expect(isMp3(await collect(await voice.speak(TEXT)))).toBe(true);
  });

  it("LiveKit's plugin", async () => {
    const { initializeLogger } = await clientModule<LiveKit>('@livekit/agents');
    initializeLogger({ pretty: false, level: 'silent' });
    const { TTS } = await clientModule<{ TTS: LiveKitTts }>('@livekit/agents-plugin-openai');
    const tts = new TTS({ apiKey, baseURL: openaiUrl });
    let samples = 0;
    for await (const { frame } of tts.synthesize(TEXT)) {
      expect([frame.sampleRate, frame.channels]).toEqual([24_000, 1]);
      samples += frame.samplesPerChannel;
    }
    // It cuts what it reads into frames of 100 ms and drops the last one if it is shorter.
    expect(Math.abs(samples / 24 - speechMs)).toBeLessThanOrEqual(100);
  });
});

interface Frame {
  frame: { sampleRate: number; channels: number; samplesPerChannel: number };
  timedTranscripts?: { text: string; startTime?: number; endTime?: number }[];
  final?: boolean;
}
interface LiveKit {
  initializeLogger(options: object): void;
}
interface LiveKitStream extends AsyncIterable<Frame | symbol> {
  pushText(text: string): void;
  flush(): void;
  endInput(): void;
  close(): void;
}
type LiveKitTts = new (
  options: object,
) => {
  synthesize(text: string): AsyncIterable<Frame>;
  stream(): LiveKitStream;
  close(): Promise<void>;
};

describe.skipIf(!installed)('for ElevenLabs', () => {
  interface Timed {
    audioBase64: string;
    alignment?: { characters: string[]; characterStartTimesSeconds: number[]; characterEndTimesSeconds: number[] };
  }
  interface ElevenLabs {
    ElevenLabsClient: new (
      options: object,
    ) => {
      textToSpeech: {
        convert(voice: string, order: object): Promise<AsyncIterable<Uint8Array>>;
        stream(voice: string, order: object): Promise<AsyncIterable<Uint8Array>>;
        convertWithTimestamps(voice: string, order: object): Promise<Timed>;
        streamWithTimestamps(voice: string, order: object): Promise<AsyncIterable<Timed>>;
      };
      voices: {
        getAll(): Promise<{ voices: { voiceId: string; name: string; labels: Record<string, string> }[] }>;
        search(): Promise<{ voices: { voiceId: string }[]; hasMore: boolean; totalCount: number }>;
        get(id: string): Promise<{ voiceId: string }>;
      };
      models: { list(): Promise<{ modelId: string; languages: { languageId: string }[] }[]> };
    };
  }
  let client: InstanceType<ElevenLabs['ElevenLabsClient']>;
  beforeAll(async () => {
    const { ElevenLabsClient } = await clientModule<ElevenLabs>('@elevenlabs/elevenlabs-js');
    client = new ElevenLabsClient({ baseUrl: elevenlabsUrl, apiKey });
  });

  it('their own client converts and streams', async () => {
    for (const speak of ['convert', 'stream'] as const) {
      const mp3 = await collect(await client.textToSpeech[speak](VOICE, { text: TEXT }));
      expect(isMp3(mp3)).toBe(true);
      const order = {
        text: TEXT,
        modelId: 'eleven_flash_v2_5',
        outputFormat: 'pcm_16000',
        voiceSettings: { stability: 1 },
      };
      const pcm = await collect(await client.textToSpeech[speak]('JBFqnCBsd6RMkjVDRZzb', order));
      expect(pcm.length).toBeGreaterThan(10_000);
    }
  });

  it('their own client reads timestamps, whole and as they come', async () => {
    const order = { text: TEXT, outputFormat: 'pcm_24000' };
    const whole = await client.textToSpeech.convertWithTimestamps(VOICE, order);
    const audio = Buffer.from(whole.audioBase64, 'base64');
    expect(audio.length / 48).toBeCloseTo(speechMs, 0);
    expect(whole.alignment!.characters.join('')).toBe(TEXT);
    let streamed = '';
    const chunks: Buffer[] = [];
    const starts: number[] = [];
    for await (const { audioBase64, alignment } of await client.textToSpeech.streamWithTimestamps(VOICE, order)) {
      chunks.push(Buffer.from(audioBase64, 'base64'));
      streamed += alignment?.characters.join('') ?? '';
      starts.push(...(alignment?.characterStartTimesSeconds ?? []));
    }
    expect(streamed).toBe(TEXT);
    expect(starts).toEqual(whole.alignment!.characterStartTimesSeconds);
    expect(Buffer.concat(chunks).length).toBe(audio.length);
  });

  it('their own client lists voices and models', async () => {
    const { voices } = await client.voices.getAll();
    expect(voices[0]).toMatchObject({ voiceId: VOICE, name: 'Professional', labels: { gender: 'female' } });
    const page = await client.voices.search();
    expect(page).toMatchObject({ totalCount: voices.length, hasMore: false });
    expect((await client.voices.get(VOICE)).voiceId).toBe(VOICE);
    const models = await client.models.list();
    expect(models.map(({ modelId }) => modelId)).toContain('eleven_multilingual_v2');
    expect(models[0]!.languages[0]!.languageId).toBe('en');
  });

  it('their own client reads the account, makes tokens, dictionaries and dialogues', async () => {
    const {
      user,
      tokens,
      history,
      voices,
      pronunciationDictionaries: dictionaries,
      textToDialogue,
    } = client as never as {
      user: { get(): Promise<{ subscription: { characterLimit: number } }>; subscription: { get(): Promise<object> } };
      tokens: { singleUse: { create(type: string): Promise<{ token: string }> } };
      history: { list(): Promise<{ history: object[] }> };
      voices: {
        settings: { getDefault(): Promise<{ similarityBoost: number }>; get(id: string): Promise<object> };
        getShared(): Promise<{ voices: object[] }>;
      };
      pronunciationDictionaries: {
        createFromRules(order: object): Promise<{ id: string; versionId: string }>;
        list(): Promise<{ pronunciationDictionaries: { id: string }[] }>;
        get(id: string): Promise<{ rules: object[] }>;
      };
      textToDialogue: {
        convert(order: object): Promise<AsyncIterable<Uint8Array>>;
        convertWithTimestamps(order: object): Promise<{ voiceSegments: { voiceId: string }[] }>;
      };
    };
    expect((await user.get()).subscription.characterLimit).toBeGreaterThan(0);
    expect(await user.subscription.get()).toMatchObject({ tier: 'partner' });
    expect((await tokens.singleUse.create('tts_websocket')).token).toMatch(/^[\w-]{43}$/);
    expect((await history.list()).history).toEqual([]);
    expect((await voices.getShared()).voices).toEqual([]);
    expect((await voices.settings.getDefault()).similarityBoost).toBe(0.75);
    expect(await voices.settings.get(VOICE)).toMatchObject({ speed: 1 });
    const rules = [
      { type: 'alias', stringToReplace: 'UN', alias: 'United Nations', caseSensitive: true, wordBoundaries: true },
    ];
    const made = await dictionaries.createFromRules({ name: 'Mine', rules });
    expect((await dictionaries.list()).pronunciationDictionaries).toEqual([expect.objectContaining({ id: made.id })]);
    expect((await dictionaries.get(made.id)).rules).toEqual([expect.objectContaining({ alias: 'United Nations' })]);
    const pronunciationDictionaryLocators = [{ pronunciationDictionaryId: made.id, versionId: made.versionId }];
    const spoken = await client.textToSpeech.convert(VOICE, { text: 'The UN met.', pronunciationDictionaryLocators });
    expect(isMp3(await collect(spoken))).toBe(true);
    const inputs = [
      { text: 'Good evening.', voiceId: VOICE },
      { text: 'Good morning.', voiceId: 'JBFqnCBsd6RMkjVDRZzb' },
    ];
    expect(isMp3(await collect(await textToDialogue.convert({ inputs })))).toBe(true);
    const { voiceSegments } = await textToDialogue.convertWithTimestamps({ inputs });
    expect(voiceSegments.map(({ voiceId }) => voiceId)).toEqual(inputs.map(({ voiceId }) => voiceId));
  });

  it('their own client raises errors it knows', async () => {
    const unknown = client.textToSpeech.convert('nobody', { text: TEXT });
    await expect(unknown).rejects.toMatchObject({ statusCode: 404, body: { detail: { status: 'voice_not_found' } } });
    await expect(client.textToSpeech.convert(VOICE, { text: ' ' })).rejects.toMatchObject({ statusCode: 422 });
  });

  it("LiveKit's plugin speaks over the socket of contexts, with the times of the words", async () => {
    const { initializeLogger } = await clientModule<LiveKit>('@livekit/agents');
    initializeLogger({ pretty: false, level: 'silent' });
    const { TTS } = await clientModule<{ TTS: LiveKitTts }>('@livekit/agents-plugin-elevenlabs');
    const { key, id } = await server.key();
    const tts = new TTS({ apiKey: key, baseURL: `${elevenlabsUrl}/v1` });
    // Two replies, one after another on the same connection, as an agent speaks them.
    for (let turn = 1; turn <= 2; turn++) {
      const stream = tts.stream();
      for (const word of TEXT.split(' ')) stream.pushText(`${word} `);
      stream.flush();
      stream.endInput();
      let samples = 0;
      const words: { text: string; startTime: number }[] = [];
      for await (const event of stream) {
        if (typeof event === 'symbol') break;
        expect(event.frame.sampleRate).toBe(22_050);
        samples += event.frame.samplesPerChannel;
        for (const { text, startTime = 0 } of event.timedTranscripts ?? []) words.push({ text, startTime });
      }
      stream.close();
      expect(samples / 22.05).toBeGreaterThan(speechMs * 0.8);
      expect(
        words
          .map(({ text }) => text)
          .join('')
          .replace(/\s+/g, ' ')
          .trim(),
      ).toBe(TEXT);
      const starts = words.map(({ startTime }) => startTime);
      expect(starts).toEqual([...starts].sort((a, b) => a - b));
      // Every word is spoken within the audio, the last one near its end.
      expect(starts.at(-1)! * 1000).toBeLessThan(samples / 22.05);
      expect(starts.at(-1)! * 1000).toBeGreaterThan((samples / 22.05) * 0.6);
      await until(async () => (await server.ledger(id)).length === turn);
      expect((await server.ledger(id)).at(-1)).toMatchObject({ outcome: 'completed', model: 'base-tts-fast' });
    }
    await tts.close();
  });

  it("LiveKit's plugin speaks over HTTP", async () => {
    const { TTS } = await clientModule<{ TTS: LiveKitTts }>('@livekit/agents-plugin-elevenlabs');
    const tts = new TTS({ apiKey, baseURL: `${elevenlabsUrl}/v1` });
    let samples = 0;
    for await (const { frame } of tts.synthesize(TEXT)) samples += frame.samplesPerChannel;
    expect(samples / 22.05).toBeGreaterThan(speechMs * 0.8);
  });
});

describe.skipIf(!installed)("for ElevenLabs, the older client's generate", () => {
  interface Older {
    ElevenLabsClient: new (options: object) => { generate(order: object): Promise<AsyncIterable<Uint8Array>> };
  }

  it.each(['Rachel', 'Domi', '21m00Tcm4TlvDq8ikWAM'])('speaks as %s', async (voice) => {
    const { ElevenLabsClient } = await clientModule<Older>('elevenlabs');
    const client = new ElevenLabsClient({ apiKey, baseUrl: elevenlabsUrl });
    expect(isMp3(await collect(await client.generate({ voice, text: TEXT, model_id: 'eleven_flash_v2_5' })))).toBe(
      true,
    );
    const stream = await client.generate({ voice, text: TEXT, stream: true });
    expect(isMp3(await collect(stream))).toBe(true);
  });
});

describe.skipIf(!installed).each(['22', '24'])('the newest clients on Node %s', (major) => {
  it('speak, know the names of Kokoro, and raise errors', { timeout: 300_000 }, async () => {
    const script = path.join(import.meta.dirname, 'newest-clients.mjs');
    const node = await newerNode(major);
    const { stdout } = await promisify(execFile)(node, [script, server.baseUrl, apiKey], { cwd: import.meta.dirname });
    expect(JSON.parse(stdout)).toEqual({
      node: expect.stringMatching(new RegExp(`^${major}\\.`)),
      openai: true,
      kokoro: true,
      voice: 'af_bella(2)+af_sky(1)',
      refused: 400,
      ai: true,
    });
  });
});
