/**
 * Buffered responses at the doors: nobody's unread answers shut out another key, and what was
 * written is what is billed.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorOf, startTestServer, type TestServer, type TestServerOptions, until } from '../../testkit/server.js';

const VOICE = 'english_female_professional';
const SENTENCE = 'This is a sentence of some eighty characters, and it is said again and again. ';
const LONG = SENTENCE.repeat(20).trim();
const MB = 1_000_000;

let server: TestServer;
let heldDir: string;
const sockets: Socket[] = [];
beforeEach(() => {
  heldDir = mkdtempSync(path.join(tmpdir(), 'tts-buffered-'));
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
  rmSync(heldDir, { recursive: true });
});

const start = async (options: TestServerOptions = {}) => {
  server = await startTestServer({ ...options, settings: { heldDir, ...options.settings } });
};

interface Post {
  readonly path?: string;
  readonly key?: string;
  /** Bytes after which it stops reading. */
  readonly reads?: number;
}

const timed = (format = 'mp3_44100_128') =>
  `/elevenlabs/v1/text-to-speech/${VOICE}/with-timestamps?output_format=${format}`;

/** Asks, reads so many bytes, and then no more. */
function askDeaf(
  body: object,
  { path: to = '/v1/audio/speech', key = server.partner.key, reads = 0 }: Post = {},
): Socket {
  const json = JSON.stringify(body);
  const socket = createConnection({ port: server.port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  if (reads === 0) socket.pause();
  else {
    let read = 0;
    socket.on('data', (chunk) => {
      read += chunk.length;
      if (read >= reads) socket.pause();
    });
  }
  socket.write(
    `POST ${to} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
  );
  sockets.push(socket);
  return socket;
}

const post = (to: string, body: object, key = server.partner.key) =>
  fetch(`${server.baseUrl}${to}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('buffered responses', () => {
  it('of one Free key that nobody reads leave everybody else their room', async () => {
    await start({ sine: { msPerChar: 40 }, settings: { maxHeldBytes: 4 * MB } });
    const { key } = server.free;
    for (const chars of [9_990, 2_830]) {
      askDeaf({ text: SENTENCE.repeat(130).slice(0, chars) }, { path: timed('pcm_24000'), key });
    }
    // What memory does not hold is in files, and the operating system takes a part of it off our
    // hands.
    await until(() => readdirSync(heldDir).length > 0);
    await until(() => server.worker.running === 0 && server.accounts.active > 0);
    const answer = await server.speak({ model: 'base-tts', input: SENTENCE.slice(0, 62) });
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
    for (const socket of sockets.splice(0)) socket.destroy();
    await until(() => readdirSync(heldDir).length === 0, 'the end of the files');
  });

  it('beyond the share of a key are 503 with Retry-After at the beginning, and leave no row', async () => {
    await start({ sine: { delayMs: 1_000 }, settings: { maxHeldBytes: 1.2 * MB, maxHeldDiskBytes: 1.2 * MB } });
    // Not quite 300 kB each, of a share of 600.
    for (let i = 0; i < 2; i++) askDeaf({ model: 'base-tts', input: SENTENCE });
    await until(() => server.accounts.active === 2);
    const refused = await server.speak({ model: 'base-tts', input: SENTENCE });
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(await errorOf(refused)).toMatchObject({ status: 503, code: 'overloaded' });
    expect(await server.ledger()).toEqual([]);
    const { key } = await server.key();
    const other = server.speak({ model: 'base-tts', input: SENTENCE }, { key });
    // A stream takes no room.
    const stream = server.speak({ model: 'base-tts', input: SENTENCE, stream: true });
    const answers = [await other, await stream];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    for (const answer of answers) await answer.arrayBuffer();
  });

  it('that could never be held are 400 before any work', async () => {
    await start();
    const text = SENTENCE.repeat(130).slice(0, 9_900);
    const speed = { voice_settings: { speed: 0.25 } };
    for (const key of [server.free.key, server.partner.key]) {
      const refused = await post(timed(), { text, ...speed }, key);
      expect(refused.status).toBe(400);
      const { detail } = (await refused.json()) as { detail: { code: string; message: string } };
      expect(detail).toMatchObject({ code: 'max_character_limit_exceeded', message: expect.stringMatching(/\d+ MB/) });
    }
    expect(await server.ledger()).toEqual([]);
    expect(server.worker.jobs).toEqual([]);
  });

  it('are told how long they may be', async () => {
    await start({ settings: { maxHeldBytes: MB, maxHeldDiskBytes: MB } });
    const refused = await errorOf(await server.speak({ model: 'base-tts', input: LONG }));
    expect(refused).toMatchObject({ status: 400, code: 'input_too_long', param: 'input' });
    const allowed = Number(/at most (\d+) such characters/.exec(refused.message)![1]);
    const taken = await server.speak({ model: 'base-tts', input: LONG.slice(0, allowed - 1) });
    expect(taken.status).toBe(200);
    await taken.arrayBuffer();
  });

  it('come whole out of memory and file, to the byte', async () => {
    await start({ sine: { msPerChar: 60 }, settings: { maxHeldBytes: 400_000 } });
    const streamed = await server.speak(
      { model: 'base-tts', input: LONG, stream: true, response_format: 'pcm' },
      { headers: { prefer: 'whole-sentences' } },
    );
    const expected = Buffer.from(await streamed.arrayBuffer());
    const whole = await server.speak({ model: 'base-tts', input: LONG });
    const wav = Buffer.from(await whole.arrayBuffer());
    expect(Number(whole.headers.get('content-length'))).toBe(wav.length);
    expect(wav.readUInt32LE(40)).toBe(wav.length - 44);
    expect(wav.length - 44).toBe(expected.length);
    expect(expected.length).toBeGreaterThan(1.5 * MB);
    expect(Buffer.compare(wav.subarray(44), expected)).toBe(0);
    await until(() => readdirSync(heldDir).length === 0);
  });

  it('that outgrow what was expected wait for room, and come to their end', async () => {
    // 500 ms a character: seven times as long as speech is.
    await start({ sine: { msPerChar: 500 }, settings: { maxHeldBytes: MB, maxHeldDiskBytes: 12 * MB } });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => server.speak({ model: 'base-tts', input: SENTENCE })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
    for (const answer of answers) expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(1.4 * MB);
  });

  it('are taken from a reader that takes nothing once others wait for room', async () => {
    const settings = { heldStallMs: 500, maxHeldBytes: MB, maxHeldDiskBytes: 52 * MB };
    await start({ sine: { msPerChar: 500 }, settings });
    const keys = await Promise.all(Array.from({ length: 4 }, () => server.key()));
    // More than 12 MB each when they are spoken: next to nothing is left of the room.
    for (const { key } of keys) askDeaf({ model: 'base-tts', input: SENTENCE.repeat(8) }, { key });
    await until(() => server.accounts.active === 4);
    const { key } = await server.key();
    await until(async () => {
      const answer = await server.speak({ model: 'base-tts', input: SENTENCE.repeat(16) }, { key });
      await answer.arrayBuffer();
      return answer.status === 200;
    });
    const rows = await server.ledger();
    expect(rows.filter(({ outcome }) => outcome === 'cancelled').length).toBeGreaterThan(0);
  });

  it('are taken back from a reader that takes nothing for very long', async () => {
    // Tens of megabytes, more than the operating system takes off our hands.
    await start({ sine: { msPerChar: 500 }, settings: { stallTimeoutMs: 500 } });
    askDeaf({ model: 'base-tts', input: LONG });
    await until(() => server.accounts.active === 1);
    await until(async () => (await server.ledger()).length === 1, 'an end of the wait');
    expect((await server.ledger())[0]).toMatchObject({ outcome: 'cancelled', credits: 0 });
  });

  it('leave no file when the server stops', async () => {
    await start({ sine: { msPerChar: 500 }, settings: { maxHeldBytes: MB } });
    askDeaf({ model: 'base-tts', input: LONG });
    await until(() => readdirSync(heldDir).length === 1);
    server.shutdown.abort();
    server.app.server.closeAllConnections();
    await server.app.close();
    expect(readdirSync(heldDir)).toEqual([]);
  });
});

describe('a buffered response whose reader leaves, where what was delivered is billed', () => {
  const bodies: [string, string, object, number][] = [
    ['as WAV', '/v1/audio/speech', { model: 'base-tts', input: LONG }, 48_000],
    ['as JSON with PCM', timed('pcm_24000'), { text: LONG }, 64_000],
  ];
  for (const [name, to, body, bytesPerSecond] of bodies) {
    it(`pays for the segments that were written: ${name}`, async () => {
      await start({ sine: { msPerChar: 250 }, billDelivered: true });
      const total = (LONG.replaceAll(' ', '').length * 0.25 * bytesPerSecond) / MB;
      const socket = askDeaf(body, { path: to, reads: (total / 3) * MB });
      await until(() => server.accounts.active === 1);
      await until(() => socket.isPaused(), 'a third of the answer');
      socket.destroy();
      await until(async () => (await server.ledger()).length === 1);
      const [row] = await server.ledger();
      const chars = LONG.length;
      expect(row).toMatchObject({ outcome: 'cancelled', characters: chars });
      expect(row!.deliveredCharacters).toBeGreaterThanOrEqual(SENTENCE.length);
      expect(row!.deliveredCharacters).toBeLessThan(chars);
      expect(row!.credits).toBe(row!.deliveredCharacters);
      expect(await server.balance(server.partner.id)).toEqual({ credits: MB - row!.credits, reserved: 0 });
    });
  }

  it('pays nothing where it failed by the fault of the server, or nothing was written', async () => {
    await start({ sine: { failOn: 'again' }, billDelivered: true });
    const failed = await server.speak({ model: 'base-tts', input: SENTENCE });
    expect(failed.status).toBe(500);
    await until(async () => (await server.ledger()).length === 1);
    expect((await server.ledger())[0]).toMatchObject({ credits: 0, deliveredCharacters: 0 });
  });
});
