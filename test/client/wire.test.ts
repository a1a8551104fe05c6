/** The client on the wire: against the real server, and against servers that break off. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoint, parseBaseUrl, socketEndpoint } from '../../src/client/address.js';
import { createHttpClient } from '../../src/client/http.js';
import { openSpeechSocket } from '../../src/client/speech-socket.js';
import { DEFAULT_VOICE } from '../../src/protocol/contract.js';
import type { TestServer } from '../../testkit/server.js';
import { startStreamServer } from '../stream-input/client.js';

const never = new AbortController().signal;

async function collect(audio: AsyncIterable<Int16Array>): Promise<number> {
  let samples = 0;
  for await (const pcm of audio) samples += pcm.length;
  return samples;
}

describe('addresses', () => {
  it('takes what people type', () => {
    expect(parseBaseUrl('localhost:8787').href).toBe('http://localhost:8787/');
    expect(endpoint('https://host/tts/v1/', '/v1/voices').href).toBe('https://host/tts/v1/voices');
    expect(socketEndpoint('https://host', '/v1/x').href).toBe('wss://host/v1/x');
    expect(endpoint('wss://host/', '/v1/x').href).toBe('https://host/v1/x');
  });

  it('says what is wrong with the rest', () => {
    expect(() => parseBaseUrl('ftp://host')).toThrow(/http/);
    expect(() => parseBaseUrl('http://')).toThrow(/address/);
  });
});

describe('the client against the real server', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startStreamServer({ sine: { failOn: 'broken', pace: 20 } });
  });
  afterAll(() => server.close());
  const client = (apiKey = server.partner.key) => createHttpClient({ baseUrl: server.baseUrl, apiKey });

  it('streams speech as whole samples', async () => {
    const http = client();
    const response = await http.speech({ model: 'base-tts', input: 'Hello there.' }, never);
    expect(response.inputChars).toBe(12);
    expect(response.requestId).toMatch(/^req_/);
    expect(await collect(response.audio)).toBeGreaterThan(1_000);
    http.close();
  });

  it('lists the voices', async () => {
    const http = client();
    const catalog = await http.voices('base-tts', never);
    expect(catalog.data.map(({ id }) => id)).toContain(DEFAULT_VOICE);
    http.close();
  });

  it('names failures by the code the server sent, with its request id and with advice', async () => {
    const refused = client('tts_wrong');
    await expect(refused.voices('base-tts', never)).rejects.toMatchObject({
      code: 'invalid_api_key',
      requestId: /^req_/,
    });
    const none = client('');
    await expect(none.speech({ model: 'base-tts', input: 'Hi.' }, never)).rejects.toThrow(/--api-key/);
    const free = client(server.free.key);
    await expect(free.speech({ model: 'base-tts', input: 'Hi.' }, never)).rejects.toThrow(/base-tts:free/);
    const good = client();
    await expect(good.speech({ model: 'base-tts', input: 'Hi.', voice: 'nobody' }, never)).rejects.toMatchObject({
      code: 'voice_not_found',
      param: 'voice',
    });
    for (const http of [refused, none, free, good]) http.close();
  });

  it('takes a body that broke off for what it is, although it began with 200', async () => {
    const http = client();
    const response = await http.speech(
      { model: 'base-tts', input: 'This one is broken halfway through it all.' },
      never,
    );
    await expect(collect(response.audio)).rejects.toMatchObject({ code: 'connection_lost' });
    http.close();
  });

  it('speaks over the WebSocket, and gives the same sound as over HTTP', async () => {
    const http = client();
    const expected = await collect(
      (await http.speech({ model: 'base-tts', input: 'Hello there. And more.' }, never)).audio,
    );
    http.close();
    const socket = await openSpeechSocket(
      { baseUrl: server.baseUrl, apiKey: server.partner.key, voice: DEFAULT_VOICE, params: { sync_alignment: true } },
      never,
    );
    expect(socket.requestId).toMatch(/^req_/);
    socket.send('Hello there. ');
    socket.send('And more.');
    socket.end();
    let samples = 0;
    let text = '';
    for await (const { pcm, alignment } of socket.audio) {
      samples += pcm.length;
      text += alignment?.chars.join('') ?? '';
    }
    expect(samples).toBe(expected);
    expect(text).toBe('Hello there. And more.');
  });

  it('refuses to send what means something else there', async () => {
    const socket = await openSpeechSocket(
      { baseUrl: server.baseUrl, apiKey: server.partner.key, voice: DEFAULT_VOICE, params: {} },
      never,
    );
    expect(() => socket.send(' ')).toThrow(RangeError);
    expect(() => socket.send('')).toThrow(RangeError);
    socket.close();
  });

  it('names a refused handshake by its code', async () => {
    const open = (apiKey: string, voice = DEFAULT_VOICE) =>
      openSpeechSocket({ baseUrl: server.baseUrl, apiKey, voice, params: {} }, never);
    await expect(open('')).rejects.toMatchObject({ code: 'missing_api_key' });
    await expect(open(server.free.key)).rejects.toMatchObject({ code: 'early_access_required' });
    await expect(open(server.partner.key, 'nobody')).rejects.toMatchObject({ code: 'voice_not_found' });
  });

  it('ends with the error the server sent', async () => {
    const socket = await openSpeechSocket(
      { baseUrl: server.baseUrl, apiKey: server.partner.key, voice: DEFAULT_VOICE, params: {} },
      never,
    );
    socket.send('This is broken.');
    socket.end();
    const hear = async () => {
      for await (const { pcm } of socket.audio) expect(pcm.length).toBeGreaterThan(0);
    };
    await expect(hear()).rejects.toMatchObject({ code: 'synthesis_failed', requestId: /^req_/ });
  });

  it('stops when it is told to', async () => {
    const stop = new AbortController();
    const socket = await openSpeechSocket(
      { baseUrl: server.baseUrl, apiKey: server.partner.key, voice: DEFAULT_VOICE, params: {} },
      stop.signal,
    );
    const waiting = (async () => {
      for await (const _ of socket.audio) expect.unreachable('nothing was asked for');
    })();
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('the client against servers that are none', () => {
  const serve = async (handler: Parameters<typeof createServer>[1]): Promise<[Server, string]> => {
    const server = createServer(handler as never);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return [server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
  };

  it('says that nothing listens', async () => {
    const [server, baseUrl] = await serve(() => undefined);
    await new Promise((resolve) => server.close(resolve));
    const http = createHttpClient({ baseUrl, apiKey: '' });
    await expect(http.voices('base-tts', never)).rejects.toMatchObject({
      code: 'connection_failed',
      message: expect.stringMatching(/nothing is listening.*tts serve/),
    });
    await expect(openSpeechSocket({ baseUrl, apiKey: '', voice: 'x', params: {} }, never)).rejects.toMatchObject({
      code: 'connection_failed',
    });
  });

  it('puts samples together that were cut in two, and refuses half a sample at the end', async () => {
    const [server, baseUrl] = await serve((_request: unknown, response: import('node:http').ServerResponse) => {
      response.write(Buffer.from([1, 0, 2]));
      setTimeout(() => response.end(Buffer.from([0, 3, 0, 4])), 30);
    });
    const http = createHttpClient({ baseUrl, apiKey: '' });
    const { audio } = await http.speech({ model: 'base-tts', input: 'x' }, never);
    const samples: number[] = [];
    await expect(
      (async () => {
        for await (const pcm of audio) samples.push(...pcm);
      })(),
    ).rejects.toMatchObject({ code: 'connection_lost' });
    expect(samples).toEqual([1, 2, 3]);
    http.close();
    server.close();
  });

  it('makes the best of an answer in another shape', async () => {
    const [server, baseUrl] = await serve((_request: unknown, response: import('node:http').ServerResponse) => {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
    });
    const http = createHttpClient({ baseUrl, apiKey: '' });
    await expect(http.voices('base-tts', never)).rejects.toMatchObject({ code: 'internal_error', message: /502/ });
    http.close();
    server.close();
  });
});
