/**
 * ElevenLabs' sockets are for Partner keys; each context is a request, and what a client makes the
 * server keep is bounded.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Accounts } from '../../../src/accounts/types.js';
import {
  LIMITS_A_KEY,
  LIMITS_IN_ALL,
  type WaitingContext,
  WaitingContexts,
} from '../../../src/server/sockets/waiting-contexts.js';
import { type TestServer, until } from '../../../testkit/server.js';
import { ElevenLabsClient as Client } from '../../support/elevenlabs-client.js';
import { testServers } from '../../support/processes/test-servers.js';

const ONE = 'Good evening. ';
const KINDS = ['stream-input', 'multi-stream-input'] as const;
const PCM = 'output_format=pcm_24000';

const start = testServers();
let server: TestServer;
beforeAll(async () => {
  server = await start();
});

const refusal = (kind: string, options: { query?: string; key?: string }) =>
  Client.open(server, kind, options).then(
    () => 'opened',
    (reason: { status: number; body: { detail: { status: string; message: string } } }) => ({
      status: reason.status,
      code: reason.body.detail.status,
      message: reason.body.detail.message,
    }),
  );

describe.each(KINDS)('%s', (kind) => {
  it.each(['', 'model_id=eleven_flash_v2_5', 'model_id=base-tts', 'model_id=base-tts:free', 'model_id=made_up'])(
    'refuses a Free key at the handshake (%s), and says what it can use',
    async (query) => {
      expect(await refusal(kind, { key: server.free.key, query })).toEqual({
        status: 403,
        code: 'early_access_required',
        message: expect.stringMatching(/Partner key.*":free" model over POST \/elevenlabs\/v1\/text-to-speech/),
      });
      expect(await server.ledger(server.free.id)).toEqual([]);
    },
  );

  it.each(['base-tts:free', 'base-tts-fast:free'])('refuses the model %s, and names what there is', async (model) => {
    expect(await refusal(kind, { query: `model_id=${model}` })).toEqual({
      status: 400,
      code: 'model_not_found',
      message: expect.stringMatching(/must be one of base-tts, base-tts-fast\..*POST \/elevenlabs/),
    });
  });

  it('bounds the sockets of a key, and lets others in', async () => {
    const crowd = await start({ limits: { partnerConcurrency: 2 } });
    const first = await crowd.key();
    const other = await crowd.key();
    const open: Client[] = [];
    for (let i = 0; i < 64; i++) open.push(await Client.open(crowd, kind, { key: first.key }));
    const refused = await Client.open(crowd, kind, { key: first.key }).catch((reason) => reason);
    expect(refused).toMatchObject({ status: 429, body: { detail: { status: 'too_many_concurrent_requests' } } });
    const guest = await Client.open(crowd, kind, { key: other.key });
    guest.send({ text: ONE, context_id: 'a' }, kind === 'stream-input' ? { text: '' } : { close_socket: true });
    expect(await guest.closed).toBe(1000);
    open[0]!.socket.close();
    await open[0]!.closed;
    let again: Client | undefined;
    await until(async () => {
      again = await Client.open(crowd, kind, { key: first.key }).catch(() => undefined);
      return again !== undefined;
    });
    for (const client of [...open, again!]) client.socket.terminate();
  });
});

describe('a connection to stream-input', () => {
  it('is one request, however often it is flushed', async () => {
    const { key, id } = await server.key({ credits: 1_000 });
    const client = await Client.open(server, 'stream-input', { key });
    for (let i = 0; i < 8; i++) {
      client.send({ text: ONE, flush: true });
      await until(
        () => client.messages.flatMap(({ alignment }) => alignment?.chars ?? []).length >= ONE.length * (i + 1),
      );
    }
    expect(server.accounts.active).toBe(1);
    client.send({ text: '' });
    expect(await client.closed).toBe(1000);
    await until(async () => (await server.ledger(id)).length > 0);
    expect(await server.ledger(id)).toMatchObject([{ outcome: 'completed', characters: ONE.repeat(8).trim().length }]);
  });
});

describe('a context', () => {
  it('is a request of its own: a slot, a reservation, a row with its own request id', async () => {
    const { key, id } = await server.key({ credits: 1_000 });
    const client = await Client.open(server, 'multi-stream-input', { key });
    client.send({ text: ONE, context_id: 'a' }, { text: ONE, context_id: 'b' });
    await until(async () => (await server.balance(id)).reserved === 2 * ONE.trim().length);
    expect(server.accounts.active).toBe(2);
    client.send({ close_socket: true });
    expect(await client.closed).toBe(1000);
    await until(async () => (await server.ledger(id)).length === 2);
    const rows = await server.ledger(id);
    expect(new Set(rows.map(({ requestId }) => requestId)).size).toBe(2);
    expect(rows.map(({ credits }) => credits)).toEqual([ONE.trim().length, ONE.trim().length]);
  });

  it('that ended may be opened again by its name at once, as another request', async () => {
    const strict = await start({ limits: { partnerConcurrency: 1 } });
    const { key, id } = await strict.key({ credits: 1_000 });
    const client = await Client.open(strict, 'multi-stream-input', { key });
    for (let i = 1; i <= 5; i++) {
      client.send({ text: ONE, context_id: 'a' }, { context_id: 'a', close_context: true });
      // The very message that says it is over may be answered with the next beginning.
      await until(() => client.of('a').filter(({ isFinal }) => isFinal).length === i);
    }
    expect(client.messages.filter(({ error }) => error)).toEqual([]);
    await until(async () => (await strict.ledger(id)).length === 5);
    const rows = await strict.ledger(id);
    expect(new Set(rows.map(({ requestId }) => requestId)).size).toBe(5);
    expect(rows.every(({ outcome, credits }) => outcome === 'completed' && credits === ONE.trim().length)).toBe(true);
    client.socket.close();
  });

  it('that failed is opened again by a message with settings, and by none that was on its way', async () => {
    const strict = await start({ limits: { partnerConcurrency: 1 }, sine: { pace: 4 } });
    const client = await Client.open(strict, 'multi-stream-input');
    client.send({ text: ONE, context_id: 'a' });
    await until(() => strict.accounts.active === 1);
    client.send({ text: ' ', context_id: 'b', voice_settings: {} });
    await client.final('b');
    expect(client.of('b')[0]).toMatchObject({ error: 'concurrency_limit_exceeded' });
    client.send({ context_id: 'a', close_context: true });
    await client.final('a');
    client.send({ text: ONE, context_id: 'b' });
    client.send({ text: ' ', context_id: 'b', voice_settings: {} }, { text: ONE, context_id: 'b' });
    client.send({ close_socket: true });
    expect(await client.closed).toBe(1000);
    expect(
      client
        .of('b')
        .flatMap(({ alignment }) => alignment?.chars ?? [])
        .join(''),
    ).toBe(ONE);
  });
});

/** Grants are asked for and not given until `open` is called. */
function held(one: TestServer): () => void {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const accounts = one.accounts as { admit: Accounts['admit'] };
  const admit = accounts.admit.bind(accounts);
  accounts.admit = async (request) => {
    await gate;
    return admit(request);
  };
  return open;
}

describe('contexts that wait for their grant', () => {
  it('are bounded a key, on however many sockets; others are let in', async () => {
    const slow = await start({ limits: { partnerConcurrency: 100 } });
    const open = held(slow);
    const greedy = await slow.key();
    const sockets = await Promise.all(
      [1, 2, 3].map(() => Client.open(slow, 'multi-stream-input', { key: greedy.key })),
    );
    for (const [n, socket] of sockets.entries())
      for (let i = 0; i < 15; i++) socket.send({ text: ONE, context_id: `${n}-${i}` });
    await until(() => sockets.flatMap(({ messages }) => messages).filter(({ error }) => error).length === 25);
    for (const { messages } of sockets)
      for (const { error, message } of messages.filter((told) => told.error)) {
        expect([error, message]).toEqual(['overloaded', expect.stringMatching(/20 contexts of this key/)]);
      }
    const guest = await Client.open(slow, 'multi-stream-input', { key: (await slow.key()).key });
    guest.send({ text: ONE, context_id: 'g' }, { context_id: 'g', close_context: true });
    await sleep(100);
    expect(guest.messages).toEqual([]);
    open();
    await guest.final('g');
    expect(guest.of('g').some(({ audio }) => audio)).toBe(true);
    for (const socket of sockets) socket.send({ close_socket: true });
    for (const socket of sockets) expect(await socket.closed).toBe(1000);
    await until(async () => (await slow.ledger(greedy.id)).length === 20);
  });

  it('hold so much text of a key, flushes included, and speak what they held in order', async () => {
    const slow = await start({ sine: { msPerChar: 1 } });
    const open = held(slow);
    const client = await Client.open(slow, 'multi-stream-input');
    for (let i = 0; i < 50; i++) client.send({ text: 'a. ', context_id: 'a', flush: true });
    client.send({ text: `${'word '.repeat(9_000)}end. `, context_id: 'b' });
    client.send({ text: `${'word '.repeat(9_000)}end. `, context_id: 'c' });
    await sleep(50);
    expect(client.messages).toEqual([]);
    client.send({ text: `${'word '.repeat(9_000)}end. `, context_id: 'd' });
    await client.final('d');
    expect(client.of('d')[0]).toMatchObject({ error: 'text_too_long', message: expect.stringContaining('100000') });
    open();
    client.send({ context_id: 'a', close_context: true });
    await client.final('a');
    expect(
      client
        .of('a')
        .flatMap(({ alignment }) => alignment?.chars ?? [])
        .join(''),
    ).toBe('a. '.repeat(50));
    client.socket.terminate();
    await until(() => slow.accounts.active === 0);
  });

  it('give back what they held when they leave, and are bounded in all', () => {
    const waiting = new WaitingContexts();
    const places: WaitingContext[] = [];
    for (let i = 0; i < LIMITS_IN_ALL.contexts; i++) places.push(waiting.enter(`key ${i}`));
    expect(() => waiting.enter('one more')).toThrow(/this server/);
    const share = LIMITS_IN_ALL.units / LIMITS_A_KEY.units;
    for (let i = 0; i < share; i++) places[i]!.hold(LIMITS_A_KEY.units);
    expect(() => places[0]!.hold(1)).toThrow(/of this key/);
    expect(() => places[share]!.hold(1)).toThrow(/this server/);
    for (const place of [...places, ...places]) place.leave();
    expect(waiting.counts).toEqual({ contexts: 0, units: 0 });
  });
});

describe('silent text', () => {
  it('is told as it comes where no audio follows that it could be told with', async () => {
    const client = await Client.open(server, 'stream-input', { query: PCM });
    for (let i = 0; i < 60; i++) client.send({ text: '… '.repeat(50), flush: true });
    await until(() => client.messages.length >= 5);
    expect(client.audio()).toHaveLength(0);
    client.send({ text: '' });
    expect(await client.closed).toBe(1000);
    expect(client.messages.flatMap(({ alignment }) => alignment?.chars ?? [])).toHaveLength(60 * 100);
  });
});

describe('demand', () => {
  it.each(KINDS)('of %s is told to admission as text that arrives over time', async (kind) => {
    const seen: (number | undefined)[] = [];
    const watched = await start();
    const { gateway } = watched;
    const { open } = gateway;
    gateway.open = (order) => {
      seen.push(order.chars);
      return open.call(gateway, order);
    };
    const client = await Client.open(watched, kind);
    client.send({ text: ONE, context_id: 'a' }, kind === 'stream-input' ? { text: '' } : { close_socket: true });
    expect(await client.closed).toBe(1000);
    expect(seen).toEqual([undefined]);
    await (await watched.speak({ model: 'base-tts', input: 'Hello there.' })).arrayBuffer();
    expect(seen).toEqual([undefined, 12]);
  });
});
