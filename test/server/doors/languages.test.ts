/** Languages at every door: who speaks which, what is refused, and who is told to have spoken. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../../testkit/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({});
});
afterAll(() => server.close());

const post = (path: string, body: object) =>
  fetch(`${server.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${server.partner.key}` },
    body: JSON.stringify(body),
  });
const speech = (fields: object) => post('/v1/audio/speech', { model: 'base-tts', input: 'Buenos días.', ...fields });
const errorOf = async (response: Response) => ({
  status: response.status,
  ...((await response.json()) as { error: { code: string; message: string; param: string } }).error,
});

describe('/v1', () => {
  it('speaks with a voice of another language, named or by the code of the language', async () => {
    for (const language of [undefined, 'auto', 'es']) {
      const response = await speech({ voice: 'spanish_female_dora', language });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
  });

  it("refuses a language that is not the voice's, with those that are", async () => {
    expect(await errorOf(await speech({ voice: 'spanish_female_dora', language: 'fr' }))).toMatchObject({
      status: 400,
      code: 'invalid_value',
      param: 'language',
      message: expect.stringContaining('auto, es'),
    });
  });

  it('are spoken by either model', async () => {
    for (const model of ['base-tts', 'base-tts-fast'])
      expect((await speech({ model, voice: 'spanish_female_dora' })).status).toBe(200);
  });

  it('names a voice that fits a text of another script', async () => {
    const { code, message } = await errorOf(await speech({ voice: 'spanish_male_alex', input: 'おはようございます' }));
    expect(code).toBe('empty_input');
    expect(message).toMatch(/Japanese.*japanese_male_kumo/);
  });
});

describe("OpenAI's door", () => {
  const said = async (fields: object) => {
    const response = await post('/openai/v1/audio/speech', { model: 'tts-1', response_format: 'pcm', ...fields });
    await response.arrayBuffer();
    return [response.status, response.headers.get('x-voice')];
  };

  it('speaks the language of the text with a voice of that language and gender, and says which', async () => {
    const input = 'Buenos días, vamos a vivir en Madrid con la familia.';
    expect(await said({ voice: 'onyx', input })).toEqual([200, 'spanish_male_alex']);
    expect(await said({ voice: 'nova', input })).toEqual([200, 'spanish_female_dora']);
    expect(await said({ model: 'base-tts-fast', voice: 'onyx', input })).toEqual([200, 'spanish_male_alex']);
    expect(await said({ voice: 'spanish_male_santa', input })).toEqual([200, 'spanish_male_santa']);
  });

  it('stays with English where it is not sure, and where our own names are used', async () => {
    expect(await said({ voice: 'onyx', input: 'Madrid' })).toEqual([200, 'american_male_onyx']);
    expect(await said({ voice: 'british_male_george', input: 'Buenos días, ¿cómo está usted?' })).toEqual([
      200,
      'british_male_george',
    ]);
  });
});

describe("ElevenLabs' door", () => {
  const said = async (fields: object) => {
    const path = '/elevenlabs/v1/text-to-speech/nPczCjzI2devNBz1zQrb?output_format=pcm_24000';
    const response = await post(path, { text: 'Buongiorno a tutti.', ...fields });
    await response.arrayBuffer();
    return [response.status, response.headers.get('x-voice')];
  };

  it('takes language_code, also with the names of fast multilingual models', async () => {
    expect(await said({ language_code: 'it' })).toEqual([200, 'italian_male_nicola']);
    expect(await said({ language_code: 'it', model_id: 'eleven_flash_v2_5' })).toEqual([200, 'italian_male_nicola']);
    expect(await said({ language_code: 'es-419' })).toEqual([200, 'spanish_male_alex']);
    expect(await said({ language_code: 'tlh' })).toEqual([200, 'american_male_onyx']);
    expect(await said({})).toEqual([200, 'american_male_onyx']);
  });
});
