/**
 * The newest majors of clients that want a newer Node than the one of these suites: run by that
 * Node, with the address of a server and a key.
 */
import { writeSync } from 'node:fs';

const [baseUrl, apiKey] = process.argv.slice(2);
const baseURL = `${baseUrl}/openai/v1`;
const input = 'Good evening. This is the newest client.';
const isMp3 = (bytes) => Buffer.from(bytes).subarray(0, 3).toString('latin1') === 'ID3' || bytes[0] === 0xff;

const { default: OpenAI } = await import('openai-7');
const client = new OpenAI({ baseURL, apiKey });
const speech = await client.audio.speech.create({ model: 'tts-1', voice: 'Alloy', input });
const kokoro = await client.audio.speech.create({ model: 'kokoro', voice: 'af_bella(2)+af_sky(1)', input });
const refused = await client.audio.speech.create({ model: '', voice: 'nova', input }).catch(({ status }) => status);

const ai = await import('ai-7');
const { createOpenAI } = await import('ai-sdk-openai-4');
const generateSpeech = ai.generateSpeech ?? ai.experimental_generateSpeech;
const { audio } = await generateSpeech({ model: createOpenAI({ baseURL, apiKey }).speech('tts-1'), text: input });

const result = {
  node: process.versions.node,
  openai: isMp3(new Uint8Array(await speech.arrayBuffer())),
  kokoro: isMp3(new Uint8Array(await kokoro.arrayBuffer())),
  voice: kokoro.headers.get('x-voice'),
  refused,
  ai: isMp3(audio.uint8Array),
};
writeSync(1, JSON.stringify(result));
process.exit(0);
