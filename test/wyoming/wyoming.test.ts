/** Wyoming clients at a real server: what they are told, what they hear, and what is booked. */
import { networkInterfaces } from 'node:os';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/log.js';
import { pcmSamples } from '../../src/protocol/audio.js';
import { Networks } from '../../src/protocol/networks.js';
import { WyomingServer } from '../../src/wyoming/server.js';
import { Speaker } from '../../src/wyoming/speaker.js';
import { until } from '../../testkit/server.js';
import { startStreamServer, VOICE } from '../stream-input/client.js';
import { WyomingClient } from '../support/wyoming-client.js';

const server = await startStreamServer({ sine: { msPerChar: 20 } });
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
afterAll(() => server.close());

async function listen({
  key = server.partner.key,
  model = 'base-tts-fast' as const,
  host = '127.0.0.1',
  allow = [] as string[],
} = {}) {
  const speaker = new Speaker({
    address: { baseUrl: server.baseUrl, apiKey: key },
    voice: VOICE,
    model: async () => model,
    version: '1.2.3',
  });
  const wyoming = new WyomingServer({
    speaker,
    allow: new Networks(allow, '--wyoming-allow', 'them'),
    log: silentLogger(),
  });
  const port = await wyoming.listen(host, 0);
  stops.push(() => wyoming.stop(0));
  return { port, wyoming, connect: () => WyomingClient.connect(port) };
}

const spokenSince = (count: number): string =>
  server.worker.jobs
    .slice(count)
    .map(({ segment }) => segment.text)
    .join('');

describe('describe', () => {
  it('is answered with every voice, its language, and that text may be streamed', async () => {
    const client = await (await listen()).connect();
    client.send('describe');
    const { data } = await client.until('info');
    const catalogue = (await (await server.get('/v1/voices?model=base-tts')).json()) as {
      data: { id: string; locale: string }[];
    };
    const [program] = data.tts as {
      installed: boolean;
      version: string;
      voices: { name: string; languages: string[] }[];
    }[];
    expect(program).toMatchObject({ installed: true, version: '1.2.3', supports_synthesize_streaming: true });
    expect(program!.voices.map(({ name, languages }) => [name, ...languages])).toEqual(
      catalogue.data.map(({ id, locale }) => [id, locale]),
    );
    expect(new Set(program!.voices.flatMap(({ languages }) => languages)).size).toBeGreaterThan(8);
    for (const kind of ['asr', 'handle', 'intent', 'wake', 'mic', 'snd']) expect(data[kind]).toEqual([]);
  });

  it('is one of several things a connection may ask', async () => {
    const client = await (await listen()).connect();
    client.send('ping', { text: 'x' });
    client.send('no-such-event', { a: 1 }, Buffer.from('payload'));
    client.send('describe');
    client.send('synthesize', { text: 'Hello.' });
    await client.until('audio-stop');
    expect(client.events[0]).toMatchObject({ type: 'pong', data: { text: 'x' } });
    expect(client.types().slice(0, 3)).toEqual(['pong', 'info', 'audio-start']);
  });
});

describe('synthesize', () => {
  it('is spoken as chunks of PCM with their times, and booked to the key', async () => {
    const { key, id } = await server.key();
    const client = await (await listen({ key })).connect();
    const before = server.worker.jobs.length;
    client.send('synthesize', { text: 'It is raining today.', voice: { name: 'british_male_george' } });
    await client.until('audio-stop');
    const [start, ...chunks] = client.events.slice(0, -1);
    const format = { rate: 24_000, width: 2, channels: 1 };
    expect(start).toMatchObject({ type: 'audio-start', data: { ...format, timestamp: 0 } });
    let bytes = 0;
    for (const { type, data, payload } of chunks) {
      expect(type).toBe('audio-chunk');
      expect(data).toEqual({ ...format, timestamp: Math.round(bytes / 48) });
      expect(payload.length).toBeLessThanOrEqual(9_600);
      bytes += payload.length;
    }
    expect(client.events.at(-1)).toMatchObject({ data: { timestamp: Math.round(bytes / 48) } });
    expect(pcmSamples(client.audio).some((sample) => sample > 1_000)).toBe(true);
    expect(spokenSince(before)).toBe('It is raining today.');
    expect(server.worker.jobs.at(-1)).toMatchObject({ model: 'base-tts-fast' });
    await until(async () => (await server.ledger(id)).length === 1, 'the ledger');
    expect(await server.ledger(id)).toMatchObject([
      { characters: 20, outcome: 'completed', voice: 'british_male_george' },
    ]);
  });

  it.each([
    [{ language: 'en-GB' }, /^british_/, 'base-tts-fast'],
    [{ language: 'en_US' }, new RegExp(VOICE), 'base-tts-fast'],
    [{ language: 'fr' }, /^french_/, 'base-tts-fast'],
    [undefined, new RegExp(VOICE), 'base-tts-fast'],
    [{ name: 'italian_female_sara' }, /^italian_female_sara$/, 'base-tts-fast'],
  ])('with the voice %j takes one that fits', async (voice, id, model) => {
    const key = await server.key();
    const client = await (await listen({ key: key.key })).connect();
    client.send('synthesize', { text: 'Bonjour.', ...(voice && { voice }) });
    await client.until('audio-stop');
    await until(async () => (await server.ledger(key.id)).length === 1, 'the ledger');
    const [row] = await server.ledger(key.id);
    expect(row).toMatchObject({ model });
    expect(row!.voice).toMatch(id);
  });

  it('reads SSML where it is said to be SSML', async () => {
    const { connect } = await listen();
    const [plain, marked] = [await connect(), await connect()];
    const text = 'One <break time="never"/> two.';
    plain.send('synthesize', { text });
    marked.send('synthesize', { text, text_format: 'ssml' });
    await plain.until('audio-stop');
    expect((await marked.until('error')).data).toMatchObject({ code: 'invalid_ssml' });
  });

  it('of a text without a word is an empty stretch of audio', async () => {
    const client = await (await listen()).connect();
    client.send('synthesize', { text: '  \n ' });
    client.send('synthesize', { text: 'Still here.' });
    await client.until('audio-chunk');
    expect(client.types().slice(0, 4)).toEqual(['audio-start', 'audio-stop', 'audio-start', 'audio-chunk']);
  });

  it('goes over HTTP with a Free model', async () => {
    const client = await (await listen({ key: server.free.key, model: 'base-tts-fast:free' as never })).connect();
    client.send('synthesize', { text: 'For nothing.' });
    await client.until('audio-stop');
    expect(client.audio.length).toBeGreaterThan(0);
  });

  it('is answered to its end for a client that closes its side', async () => {
    const client = await (await listen()).connect();
    client.socket.end(Buffer.from('{"type":"synthesize","data":{"text":"All of it, please."}}\n'));
    await client.until('audio-stop');
    await client.ended();
  });
});

describe('a text that is still being written', () => {
  it('is heard before its end, once, and ends with synthesize-stopped', async () => {
    const client = await (await listen()).connect();
    const before = server.worker.jobs.length;
    client.send('synthesize-start', { voice: { name: VOICE } });
    for (const text of ['The bed ', 'light is off. The kitchen', ' lights are '])
      client.send('synthesize-chunk', { text });
    await client.until('audio-chunk');
    expect(client.types()).not.toContain('audio-stop');
    client.send('synthesize-chunk', { text: 'on.' });
    client.send('synthesize', { text: 'The bed light is off. The kitchen lights are on.' });
    client.send('synthesize-stop');
    await client.until('synthesize-stopped');
    expect(spokenSince(before)).toBe('The bed light is off. The kitchen lights are on.');
    const types = client.types();
    expect(types.filter((type) => type !== 'audio-chunk')).toEqual(['audio-start', 'audio-stop', 'synthesize-stopped']);
    // The connection takes the next request.
    client.send('synthesize', { text: 'And one more.' });
    await until(() => client.types().filter((type) => type === 'audio-stop').length === 2, 'the next answer');
  });

  it('is no more than a start and an end where nothing was written', async () => {
    const client = await (await listen()).connect();
    client.send('synthesize-start');
    client.send('synthesize-stop');
    await client.until('synthesize-stopped');
    expect(client.types()).toEqual(['audio-start', 'audio-stop', 'synthesize-stopped']);
  });
});

describe('what fails', () => {
  it.each([
    [
      'an unknown voice',
      [['synthesize', { text: 'Hi.', voice: { name: 'british_male_gorge' } }]],
      'voice_not_found',
      /george/,
    ],
    ['an unknown language', [['synthesize', { text: 'Hi.', voice: { language: 'tlh' } }]], 'voice_not_found', /tlh/],
    ['a synthesize without text', [['synthesize', {}]], 'missing_field', /text/],
    ['a chunk without a start', [['synthesize-chunk', { text: 'x' }]], 'invalid_message', /synthesize-start/],
    ['a stop without a start', [['synthesize-stop', {}]], 'invalid_message', /synthesize-start/],
    [
      'two starts',
      [
        ['synthesize-start', {}],
        ['synthesize-start', {}],
      ],
      'invalid_message',
      /not ended/,
    ],
  ] as const)('is told for %s, and ends the connection', async (_, events, code, text) => {
    const client = await (await listen()).connect();
    for (const [type, data] of events) client.send(type, data);
    const { data } = await client.until('error');
    expect(data).toMatchObject({ code, text: expect.stringMatching(text) });
    await client.ended();
  });

  it('is told for bytes of another protocol', async () => {
    const client = await (await listen()).connect();
    client.socket.write('GET / HTTP/1.1\r\n\r\n');
    expect((await client.until('error')).data).toMatchObject({ code: 'invalid_message' });
    await client.ended();
  });

  it('is told for a key without credits, also in the middle of a stream', async () => {
    const { key } = await server.key({ credits: 12 });
    const client = await (await listen({ key })).connect();
    client.send('synthesize-start');
    client.send('synthesize-chunk', { text: 'Twelve chars are paid for, and no more than that. ' });
    expect((await client.until('error')).data).toMatchObject({ code: 'insufficient_credits' });
    await client.ended();
  });

  it('is told for a key that is none', async () => {
    const client = await (await listen({ key: 'tts_nobody' })).connect();
    client.send('describe');
    expect((await client.until('error')).data).toMatchObject({ code: 'invalid_api_key' });
  });
});

describe('a client that leaves', () => {
  it('in the middle of a sentence stops the speech and gives back what it held', async () => {
    const { key, id } = await server.key({ credits: 100_000 });
    const client = await (await listen({ key })).connect();
    client.send('synthesize', { text: 'A long sentence of many words. '.repeat(400) });
    await client.until('audio-chunk');
    client.socket.resetAndDestroy();
    await until(async () => (await server.ledger(id)).length === 1, 'the ledger');
    expect((await server.ledger(id))[0]!.outcome).not.toBe('completed');
    expect((await server.balance(id)).reserved).toBe(0);
  });

  it('or reads nothing holds no more than a few seconds of audio', async () => {
    const client = await (await listen()).connect();
    client.socket.pause();
    const before = server.worker.jobs.length;
    const text = 'A sentence that is not read by anybody at all. '.repeat(1_000);
    client.send('synthesize', { text });
    await until(() => server.worker.jobs.length > before + 5, 'speech');
    let last = -1;
    await until(async () => {
      const now = server.worker.jobs.length;
      const still = now === last;
      last = now;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return still;
    }, 'a halt');
    expect(server.worker.jobs.length - before).toBeLessThan(900);
    client.socket.destroy();
    await until(() => server.accounts.active === 0, 'the end');
  });
});

describe('the listener', () => {
  it('lets what is spoken end when it stops', async () => {
    const { wyoming, connect } = await listen();
    const [talking, silent] = [await connect(), await connect()];
    talking.send('synthesize', { text: 'This is said to its end. '.repeat(20) });
    await talking.until('audio-chunk');
    await wyoming.stop(20_000);
    await talking.until('audio-stop');
    await Promise.all([talking.ended(), silent.ended()]);
    await expect(connect()).rejects.toThrow();
  });

  const [outer] = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4');

  it.skipIf(!outer)('answers the networks that are allowed, and this machine, and nobody else', async () => {
    const closed = await listen({ host: '0.0.0.0', allow: ['198.51.100.0/24'] });
    const refused = await WyomingClient.connect(closed.port, outer!.address);
    refused.send('describe');
    await refused.ended();
    expect(refused.events).toEqual([]);
    const home = await closed.connect();
    home.send('describe');
    await home.until('info');
    const open = await listen({ host: '0.0.0.0', allow: ['198.51.100.0/24', outer!.cidr!] });
    const let_in = await WyomingClient.connect(open.port, outer!.address);
    let_in.send('describe');
    await let_in.until('info');
  });
});
