/** Speaking while the text still arrives: what is sent, how far ahead, and what a pause does. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { Progress } from '../../src/client/progress.js';
import { createNullSink } from '../../src/client/sinks/null.js';
import { MAX_AHEAD_CHARS, type SpeakStreamOptions, speakStream } from '../../src/client/speak-stream.js';
import { openSpeechSocket } from '../../src/client/speech-socket.js';
import { DEFAULT_VOICE } from '../../src/protocol/contract.js';
import { until } from '../../testkit/server.js';
import { startStreamServer } from '../stream-input/client.js';

const never = new AbortController().signal;

/** A server that keeps every message and speaks only when the test says so. */
async function startScriptedServer({ lastWordsMs = 0 } = {}) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  const sessions: Array<{
    texts: string[];
    query: URLSearchParams;
    speak(chars: number): void;
    final(): void;
    drop(): void;
  }> = [];
  server.on('connection', (socket, request) => {
    const texts: string[] = [];
    const send = (message: unknown) => socket.send(JSON.stringify(message));
    const final = () => {
      send({ isFinal: true });
      socket.close(1000);
    };
    sessions.push({
      texts,
      query: new URL(request.url!, 'ws://x').searchParams,
      speak: (chars) =>
        send({
          audio: Buffer.alloc(960).toString('base64'),
          isFinal: false,
          alignment: {
            chars: Array(chars).fill('x'),
            charStartTimesMs: Array(chars).fill(0),
            charDurationsMs: Array(chars).fill(0),
          },
        }),
      final,
      drop: () => socket.terminate(),
    });
    socket.on('message', (data) => {
      const { text } = JSON.parse(String(data)) as { text: string };
      texts.push(text);
      if (text === '') setTimeout(final, lastWordsMs);
    });
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { sessions, baseUrl: `http://127.0.0.1:${port}`, close: () => server.close() };
}

const open: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function scripted(options: { lastWordsMs?: number } = {}) {
  const server = await startScriptedServer(options);
  open.push(server.close);
  return server;
}

const run = (baseUrl: string, text: AsyncIterable<string>, more: Partial<SpeakStreamOptions> = {}, signal = never) =>
  speakStream(
    {
      address: { baseUrl, apiKey: 'k' },
      voice: DEFAULT_VOICE,
      params: { model_id: 'base-tts' },
      text,
      flushOnNewline: false,
      sink: createNullSink(),
      progress: new Progress(),
      ...more,
    },
    signal,
  );

describe('speaking while the text arrives', () => {
  it('sends Initialize once, then the text as it comes, then End, and no lone space or empty text of its own', async () => {
    const server = await scripted();
    await run(
      server.baseUrl,
      (async function* () {
        for (const part of ['Hello', ' ', 'world', '', '.', ' ']) yield part;
      })(),
    );
    expect(server.sessions.map(({ texts }) => texts)).toEqual([[' ', 'Hello', ' world', '.', '']]);
    expect(Object.fromEntries(server.sessions[0]!.query)).toMatchObject({
      sync_alignment: 'true',
      inactivity_timeout: '180',
    });
  });

  it('opens no session for nothing', async () => {
    const server = await scripted();
    await run(
      server.baseUrl,
      (async function* () {
        yield ' ';
      })(),
    );
    expect(server.sessions).toHaveLength(0);
  });

  it('keeps at most 20,000 characters ahead of what it has heard', async () => {
    const server = await scripted();
    const text = 'x'.repeat(50_000);
    const running = run(
      server.baseUrl,
      (async function* () {
        for (let at = 0; at < text.length; at += 1_000) yield text.slice(at, at + 1_000);
      })(),
    );
    const sent = () => (server.sessions[0]?.texts ?? []).slice(1).join('').length;
    await until(() => sent() === MAX_AHEAD_CHARS, 'the first 20,000 characters');
    await sleep(50);
    expect(sent()).toBe(MAX_AHEAD_CHARS);
    server.sessions[0]!.speak(5_000);
    await until(() => sent() === MAX_AHEAD_CHARS + 5_000, 'the next 5,000');
    await sleep(50);
    expect(sent()).toBe(MAX_AHEAD_CHARS + 5_000);
    for (let i = 0; i < 9; i++) server.sessions[0]!.speak(5_000);
    await running;
    expect(sent()).toBe(50_000);
  });

  it('ends the session when the writer rests, so that the last sentence is spoken, and opens another at the next text', async () => {
    const server = await scripted();
    await run(
      server.baseUrl,
      (async function* () {
        yield 'First line.\n';
        await until(() => server.sessions[0]?.texts.at(-1) === '', 'the end of the first session');
        yield 'Second';
        await sleep(120);
        yield ' line.\n';
      })(),
      { pauses: { finishedMs: 60, unfinishedMs: 10_000 } },
    );
    expect(server.sessions.map(({ texts }) => texts)).toEqual([
      [' ', 'First line.\n', ''],
      [' ', 'Second', ' line.\n', ''],
    ]);
  });

  it('keeps what is written while the last of a session is still being spoken', async () => {
    const server = await scripted({ lastWordsMs: 300 });
    await run(
      server.baseUrl,
      (async function* () {
        yield 'First line.\n';
        await until(() => server.sessions[0]?.texts.at(-1) === '', 'the end of the first session');
        yield 'Second line.\n';
        yield 'Third line.\n';
      })(),
      { pauses: { finishedMs: 60, unfinishedMs: 10_000 } },
    );
    expect(server.sessions.flatMap(({ texts }) => texts).join('')).toBe(' First line.\n Second line.\nThird line.\n');
  });

  it('is stopped without a stray failure, although its text breaks in the same moment', async () => {
    const server = await scripted();
    const stray: unknown[] = [];
    const note = (reason: unknown) => stray.push(reason);
    process.on('unhandledRejection', note);
    const stop = new AbortController();
    let asked = 0;
    // As stdin does: Ctrl-C destroys it, and whoever was reading is told of a premature close.
    const text: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({
        async next() {
          if (asked++ === 0) return { value: 'A line.\n' };
          stop.abort();
          await sleep(5);
          throw new Error('Premature close');
        },
      }),
    };
    await expect(run(server.baseUrl, text, {}, stop.signal)).rejects.toMatchObject({ name: 'AbortError' });
    await sleep(50);
    process.off('unhandledRejection', note);
    expect(stray).toEqual([]);
  });

  it('ends with an error when the connection breaks, and stops waiting for text', async () => {
    const server = await scripted();
    const running = run(
      server.baseUrl,
      (async function* () {
        yield 'Hello there.';
        await new Promise(() => undefined);
      })(),
    );
    const outcome = expect(running).rejects.toMatchObject({ code: 'connection_lost' });
    await until(() => server.sessions[0]?.texts.length === 2, 'the text');
    server.sessions[0]!.drop();
    await outcome;
  });

  it('stops at once when it is told to', async () => {
    const server = await scripted();
    const stop = new AbortController();
    const running = run(
      server.baseUrl,
      (async function* () {
        yield 'Hello there.';
        await new Promise(() => undefined);
      })(),
      {},
      stop.signal,
    );
    const outcome = expect(running).rejects.toMatchObject({ name: 'AbortError' });
    await until(() => server.sessions[0]?.texts.length === 2, 'the text');
    stop.abort();
    await outcome;
  });

  it('waits for a server that has no place for another session yet', async () => {
    const server = await startStreamServer({ limits: { partnerConcurrency: 1 } });
    open.push(() => server.close());
    const address = { baseUrl: server.baseUrl, apiKey: server.partner.key };
    const other = await openSpeechSocket({ ...address, voice: DEFAULT_VOICE, params: {} }, never);
    const sink = createNullSink();
    const running = run(
      server.baseUrl,
      (async function* () {
        yield 'Hello there.';
      })(),
      { address, sink },
    );
    await sleep(100);
    expect(sink.heardSamples).toBe(0);
    other.close();
    await running;
    expect(sink.heardSamples).toBeGreaterThan(0);
  });

  it('gets every character of a long text back from the real server, the unspeakable ones included', async () => {
    const server = await startStreamServer({ sine: { msPerChar: 1 } });
    open.push(() => server.close());
    const text = `${'A sentence to be read. '.repeat(1_500)}${'😀✨ … \n\n'.repeat(1_500)}The end.`;
    const sink = createNullSink();
    const progress = new Progress();
    await run(
      server.baseUrl,
      (async function* () {
        yield text;
      })(),
      { address: { baseUrl: server.baseUrl, apiKey: server.partner.key }, sink, progress },
    );
    expect(progress.timeline.charsAt(sink.heardSamples)).toBe([...text].length);
  });
});
