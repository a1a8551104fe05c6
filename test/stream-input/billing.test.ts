/** What a session costs: the characters of its Text messages, once, when Final has been sent. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, until } from '../../testkit/server.js';
import { END, SPACE, StreamClient, startStreamServer } from './client.js';

describe('billing of a session', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startStreamServer({ sine: { failOn: 'FAIL' } });
  });
  afterAll(() => server.close());

  it('counts all Text messages joined and trimmed, in code points, without Initialize, keepalives and End', async () => {
    const key = await server.key({ credits: 100 });
    const client = await StreamClient.open(server, { key: key.key });
    client.send(SPACE);
    // Eighteen characters of white space around nine that count; the emoji comes in two halves.
    client.say(
      '\u0085\n   ',
      '\u3000',
      'Hé\ud83d',
      '\ude00. ',
      '  ',
      '\n',
      'x',
      '  ',
      '\t\u2029 \u00a0\r\n\u0085',
      '   ',
    );
    client.send({ text: ' ', flush: true });
    client.send(SPACE);
    await client.finish();
    expect(await server.balance(key.id)).toEqual({ credits: 91, reserved: 0 });
    expect(await server.ledger(key.id)).toEqual([
      {
        time: expect.any(String),
        requestId: client.requestId,
        keyId: key.id,
        model: 'base-tts',
        voice: 'english_female_professional',
        characters: 9,
        credits: 9,
        audioMs: Math.round(client.audio.length / 48),
        outcome: 'completed',
        deliveredCharacters: 9,
      },
    ]);
  });

  it('bills nothing for a session that holds nothing but white space, and holds none of it against the balance', async () => {
    const key = await server.key({ credits: 1 });
    const client = await StreamClient.open(server, { key: key.key });
    client.say('\n\n  ', '\u0085\u2003'.repeat(50));
    expect(await client.finish()).toMatchObject({ code: 1000, final: true, audio: Buffer.alloc(0) });
    expect(await server.balance(key.id)).toEqual({ credits: 1, reserved: 0 });
    expect(await server.ledger(key.id)).toMatchObject([{ characters: 0, credits: 0, outcome: 'completed' }]);
  });

  it('counts U+FEFF, which is no white space, and white space between words', async () => {
    const key = await server.key({ credits: 100 });
    const client = await StreamClient.open(server, { key: key.key });
    client.say('  \ufeffa', '   ', '\n', 'b.\ufeff ');
    await client.finish();
    expect(await server.balance(key.id)).toEqual({ credits: 91, reserved: 0 });
  });

  it('bills nothing for End straight after Initialize', async () => {
    const key = await server.key({ credits: 5 });
    const client = await StreamClient.open(server, { key: key.key });
    expect(await client.finish()).toMatchObject({ code: 1000, final: true, audio: Buffer.alloc(0) });
    expect(await server.balance(key.id)).toEqual({ credits: 5, reserved: 0 });
    expect(await server.ledger(key.id)).toMatchObject([{ characters: 0, credits: 0, outcome: 'completed' }]);
  });

  it('reserves as text arrives and ends at the append that goes beyond the balance', async () => {
    const key = await server.key({ credits: 10 });
    const client = await StreamClient.open(server, { key: key.key });
    client.say('12345', '67890');
    await until(async () => (await server.balance(key.id)).reserved === 10);
    client.say('!');
    expect(await client.ended()).toMatchObject({ error: 'insufficient_credits', code: 1008, final: false });
    expect(client.error?.requestId).toBe(client.requestId);
    await until(async () => (await server.ledger(key.id)).length === 1);
    expect(await server.balance(key.id)).toEqual({ credits: 10, reserved: 0 });
    expect(await server.ledger(key.id)).toMatchObject([{ credits: 0, outcome: 'failed' }]);
  });

  it('lets sessions of one key hold no more together than there is', async () => {
    const key = await server.key({ credits: 100 });
    const two = [await StreamClient.open(server, { key: key.key }), await StreamClient.open(server, { key: key.key })];
    two[0]!.say('a'.repeat(60));
    await until(async () => (await server.balance(key.id)).reserved === 60);
    two[1]!.say('b'.repeat(41));
    expect(await two[1]!.ended()).toMatchObject({ error: 'insufficient_credits' });
    expect(await two[0]!.finish()).toMatchObject({ code: 1000 });
    expect(await server.balance(key.id)).toEqual({ credits: 40, reserved: 0 });
  });

  it('debits nothing for a session that failed, was broken off or idled away', async () => {
    const key = await server.key({ credits: 1000 });
    const open = (query = {}) => StreamClient.open(server, { key: key.key, query });
    const failing = await open();
    failing.say('This will FAIL halfway through. ');
    failing.send(END);
    expect(await failing.ended()).toMatchObject({ error: 'synthesis_failed', code: 1011, final: false });
    const left = await open();
    left.say('Hello there. And more of it.');
    await left.untilAudio();
    left.socket.close();
    const rude = await open();
    rude.say('Hello there. And more of it.');
    rude.send({ text: 7 });
    const idle = await open({ inactivity_timeout: 1 });
    idle.say('Hello there. And more');
    await Promise.all([left, rude, idle].map((client) => client.closed));
    await until(async () => (await server.ledger(key.id)).length === 4);
    expect((await server.ledger(key.id)).map((row) => row.credits)).toEqual([0, 0, 0, 0]);
    expect(await server.balance(key.id)).toEqual({ credits: 1000, reserved: 0 });
  });

  it('settles before the connection closes, so that whoever waits for it sees the ledger', async () => {
    const key = await server.key({ credits: 1000 });
    for (let i = 1; i <= 10; i++) {
      const client = await StreamClient.open(server, { key: key.key });
      client.say('Ten chars.');
      await client.finish();
      expect(await server.balance(key.id)).toEqual({ credits: 1000 - 10 * i, reserved: 0 });
    }
  });

  it('tells in ledger and metrics what a client heard that left without End, and bills it only where told to', async () => {
    const heard = 'Heard by the client. ';
    const complete = await StreamClient.open(server);
    complete.say(heard);
    const wholeBytes = (await complete.finish()).audio.length;
    const play = async (on: TestServer, left: (client: StreamClient) => void, query = {}) => {
      const key = await on.key({ credits: 1000 });
      const client = await StreamClient.open(on, { key: key.key, query });
      client.send({ text: heard, flush: true });
      await client.untilAudio(wholeBytes);
      await until(() => on.gateway.stats.runningSegments === 0);
      client.say('Never cut, never spoken');
      left(client);
      await client.closed;
      await until(async () => (await on.ledger(key.id)).length === 1);
      const [row] = await on.ledger(key.id);
      const { credits, reserved } = await on.balance(key.id);
      return {
        outcome: row!.outcome,
        delivered: row!.deliveredCharacters,
        billed: row!.credits,
        spent: 1000 - credits,
        reserved,
      };
    };
    const leave = (client: StreamClient) => client.socket.close();
    const free = { outcome: 'cancelled', delivered: heard.trim().length, billed: 0, spent: 0, reserved: 0 };
    const plain = await startStreamServer();
    expect(await play(plain, leave)).toEqual(free);
    expect(await plain.metrics.text()).toContain(
      `tts_unfinished_delivered_characters_total{model="base-tts",outcome="cancelled"} ${heard.trim().length}`,
    );
    await plain.close();
    const billing = await startStreamServer({ billDelivered: true });
    try {
      const paid = { ...free, billed: heard.trim().length, spent: heard.trim().length };
      expect(await play(billing, leave)).toEqual(paid);
      expect(await play(billing, (client) => client.send({ text: 7 }))).toEqual({ ...paid, outcome: 'failed' });
      expect(await play(billing, () => undefined, { inactivity_timeout: 1 })).toEqual({ ...paid, outcome: 'failed' });
    } finally {
      await billing.close();
    }
  });
});
