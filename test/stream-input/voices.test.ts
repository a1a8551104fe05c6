/** A text whose voice changes, over the WebSocket: each segment in its own voice. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../src/models/catalogue.js';
import type { TestServer } from '../../testkit/server.js';
import { StreamClient, speak, startStreamServer, VOICE } from './client.js';

const OTHER = 'british_male_george';
const ssml = { query: { enable_ssml_parsing: true, sync_alignment: true } };

describe('voices in a text', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startStreamServer({ sine: { msPerChar: 4 }, limits: { partnerConcurrency: 64 } });
  });
  afterAll(() => server.close());

  it('are each what that voice says by itself', async () => {
    const [mixed, first, second, third] = await Promise.all([
      speak(server, [`It is he. <voice name="${OTHER}">Good day to you. </voice>And so on.`], ssml),
      speak(server, ['It is he. '], ssml),
      speak(server, ['Good day to you. '], { ...ssml, voice: OTHER }),
      speak(server, ['And so on.'], ssml),
    ]);
    expect(mixed.equals(Buffer.concat([first, second, third]))).toBe(true);
    expect(second.equals(await speak(server, ['Good day to you. '], ssml))).toBe(false);
  });

  it('give the same bytes and times however the text was cut into messages', async () => {
    const text = `One <voice name="${OTHER}">and “two” here.</voice>\n\n<voice name="american_male_adam">Three.</voice> End.`;
    const once = await StreamClient.open(server, ssml);
    once.say(text);
    await once.finish();
    const many = await StreamClient.open(server, ssml);
    // A space alone is a keepalive: it travels with the unit before it.
    many.say(...text.split(/(?<=.)(?! )/su));
    await many.finish();
    const { audio } = once;
    expect(many.audio.equals(audio)).toBe(true);
    const chars = (client: StreamClient) => client.messages.flatMap(({ alignment }) => alignment?.chars ?? []).join('');
    expect(chars(many)).toBe(chars(once));
    expect(chars(once).trimStart()).toBe(text);
  });

  it('are checked: a name that is none ends the session with near ones', async () => {
    const client = await StreamClient.open(server, ssml);
    client.say('Hello there, all of you. <voice name="british_male_gorge">Hi.</voice>');
    const { error } = await client.finish();
    expect(error).toBe('invalid_ssml');
    expect(client.error?.message).toContain('did you mean british_male_george');
  });

  it('may be of another language, in either model', async () => {
    const spanish = loadCatalogue().all.find(({ language }) => language === 'es-ES')!.voice.id;
    const said = `<voice name="${spanish}">Hola a todos.</voice>`;
    for (const model_id of ['base-tts', 'base-tts-fast'])
      expect((await speak(server, [said], { query: { ...ssml.query, model_id } })).length).toBeGreaterThan(0);
  });

  it('deliver as they are asked to, and a mark has its time', async () => {
    const text = 'One here <prosody rate="50%">and</prosody> <mark name="m"/>two here.';
    const client = await StreamClient.open(server, ssml);
    client.say(text);
    const { audio } = await client.finish();
    const plain = await speak(server, ['One here and two here.'], ssml);
    // Three characters of 4 ms twice as long, and the tags that stand inside a stretch of text.
    expect(audio.length).toBeGreaterThan(plain.length + 3 * 4 * 48 - 1);
    let atMs = 0;
    const times: { char: string; ms: number }[] = [];
    for (const { alignment, audio: part } of client.messages) {
      const chars = alignment?.chars ?? [];
      for (const [i, char] of chars.entries()) times.push({ char, ms: atMs + alignment!.charStartTimesMs[i]! });
      atMs += Buffer.byteLength(part ?? '', 'base64') / 48;
    }
    const sent = times.map(({ char }) => char).join('');
    const mark = times[sent.indexOf('<mark')]!;
    expect(mark.ms).toBeGreaterThanOrEqual(times[sent.indexOf('and')]!.ms + 3 * 8 - 1);
    expect(mark.ms).toBeLessThanOrEqual(times[sent.indexOf('two')]!.ms);
  });

  it('are names in a text that is not SSML', async () => {
    const text = `<voice name="${OTHER}">Good day.</voice>`;
    const plain = await speak(server, [text]);
    expect(plain.equals(await speak(server, [text], { voice: VOICE }))).toBe(true);
  });
});
