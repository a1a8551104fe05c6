/** The official OpenAI client, unchanged, pointed at this server. */
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../../testkit/server.js';

let server: TestServer;
let client: OpenAI;
beforeAll(async () => {
  server = await startTestServer();
  client = new OpenAI({ baseURL: `${server.baseUrl}/v1`, apiKey: server.partner.key, maxRetries: 0 });
});
afterAll(() => server.close());

const input = 'Good evening. This sentence was asked for by a stock client.';
const voice = 'english_female_articulate';

describe('the openai client', () => {
  it('gets a whole WAV', async () => {
    const response = await client.audio.speech.create({ model: 'base-tts', voice, input, speed: 1 });
    const wav = Buffer.from(await response.arrayBuffer());
    expect(wav.readUInt32LE(40)).toBe(wav.length - 44);
    expect(response.headers.get('x-ignored-fields')).toBe('speed');
  });

  it('gets streamed PCM as it comes', async () => {
    const whole = await client.audio.speech.create({ model: 'base-tts', voice, input, response_format: 'pcm' });
    const body = { model: 'base-tts', voice, input, response_format: 'pcm' as const, stream: true };
    const streamed = await client.audio.speech.create(body);
    expect(streamed.headers.get('transfer-encoding')).toBe('chunked');
    const chunks = [];
    for await (const chunk of streamed.body!) chunks.push(Buffer.from(chunk));
    expect(Buffer.concat(chunks).equals(Buffer.from(await whole.arrayBuffer()))).toBe(true);
  });

  it('raises errors it knows, with our code, message and request id', async () => {
    const refused = client.audio.speech.create({ model: 'base-tts', voice: 'nobody', input });
    await expect(refused).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    await expect(refused).rejects.toMatchObject({ status: 400, code: 'voice_not_found', param: 'voice' });
    await expect(refused).rejects.toHaveProperty('requestID', expect.stringMatching(/^req_/));
    const stranger = new OpenAI({ baseURL: `${server.baseUrl}/v1`, apiKey: 'wrong', maxRetries: 0 });
    const unknown = stranger.audio.speech.create({ model: 'base-tts', voice, input });
    await expect(unknown).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });
});
