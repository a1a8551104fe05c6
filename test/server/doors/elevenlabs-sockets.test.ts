/**
 * ElevenLabs' two sockets: one speech a connection, and many contexts on one; their money, their
 * limits, their ends.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { openEncoders } from '../../../src/audio/encoder.js';
import { startTestServer, type TestServer, until } from '../../../testkit/server.js';
import { VirtualClock } from '../../../testkit/virtual-clock.js';
import { ElevenLabsClient as Client } from '../../support/elevenlabs-client.js';
import { testServers } from '../../support/processes/test-servers.js';

const VOICE = 'english_female_professional';
const ONE = 'Good evening. ';
const TWO = 'This is the second sentence, and it is longer. ';

/** Of suites before this one in the same process. */
const leftOpen = openEncoders();
const start = testServers(() => until(() => openEncoders() <= leftOpen, 'the end of the encoders'));
let server: TestServer;
beforeAll(async () => {
  server = await start();
});

async function contractPcm(input: string, model = 'base-tts'): Promise<Buffer> {
  const response = await server.speak({ model, voice: VOICE, input, response_format: 'pcm', stream: true });
  return Buffer.from(await response.arrayBuffer());
}

describe('stream-input', () => {
  it('speaks what comes, tells each character once, ends with a final message and closes', async () => {
    const { key, id } = await server.key({ credits: 1_000 });
    const client = await Client.open(server, 'stream-input', { key });
    client.send({ text: ' ', voice_settings: { stability: 0.3, similarity_boost: 0.9 }, xi_api_key: 'ignored' });
    client.send({ text: ONE, try_trigger_generation: true }, { text: ' ' }, { text: TWO, flush: true }, { text: '' });
    expect(await client.closed).toBe(1000);
    expect(client.audio().equals(await contractPcm(ONE + TWO))).toBe(true);
    expect(client.messages.flatMap(({ alignment }) => alignment?.chars ?? []).join('')).toBe(ONE + TWO);
    expect(client.messages.at(-1)).toEqual({ isFinal: true });
    await until(async () => (await server.ledger(id)).length === 1);
    const chars = (ONE + TWO).trim().length;
    expect((await server.ledger(id))[0]).toMatchObject({ outcome: 'completed', characters: chars, credits: chars });
  });

  it('speaks the first clause while the sentence is being written, whatever the machine has in time', async () => {
    const quick = await start({ firstPieces: async () => 160 });
    for (const kind of ['stream-input', 'multi-stream-input'] as const) {
      const client = await Client.open(quick, kind);
      client.send({ text: ' ' }, { text: 'When the even' }, { text: 'ing comes, a speech' });
      await until(() => client.audio().length > 0);
      client.send({ text: ' service reads.', flush: true }, { text: 'If it is dark, we go' });
      await until(() =>
        client.messages
          .flatMap(({ alignment }) => alignment?.chars ?? [])
          .join('')
          .endsWith('dark, '),
      );
      client.socket.terminate();
    }
  });

  it.each(['pcm_8000', 'pcm_16000', 'pcm_22050', 'pcm_44100', 'pcm_48000', 'ulaw_8000'])(
    'gives %s, as long as the speech is',
    async (format) => {
      const client = await Client.open(server, 'stream-input', {
        query: `output_format=${format}&apply_text_normalization=auto&auto_mode=nonsense&inactivity_timeout=999`,
      });
      client.send({ text: ' ' }, { text: ONE }, { text: '' });
      expect(await client.closed).toBe(1000);
      const rate = Number(format.split('_')[1]);
      const samples = client.audio().length / (format.startsWith('pcm') ? 2 : 1);
      const expected = ((await contractPcm(ONE)).length / 2) * (rate / 24_000);
      expect(Math.abs(samples - expected)).toBeLessThanOrEqual(1);
    },
  );

  it('is found behind a base URL with a slash at its end', async () => {
    const client = await Client.open(server, 'stream-input', { base: '/elevenlabs/' });
    client.send({ text: ' ' }, { text: ONE }, { text: '' });
    expect(await client.closed).toBe(1000);
    expect(client.audio().equals(await contractPcm(ONE))).toBe(true);
  });

  it('is an mp3 where nothing is said, and the end straight after the beginning is no speech', async () => {
    const mp3 = await Client.open(server, 'stream-input', { query: '' });
    mp3.send({ text: 'Hello there. ' }, { text: '' });
    expect(await mp3.closed).toBe(1000);
    expect(mp3.audio().length).toBeGreaterThan(1_000);
    const nothing = await Client.open(server, 'stream-input');
    nothing.send({ text: ' ' }, { text: '' });
    expect(await nothing.closed).toBe(1000);
    expect(nothing.messages).toEqual([{ isFinal: true }]);
  });

  it('ends with an error where it is idle, broken or not paid for', async () => {
    const idle = await Client.open(server, 'stream-input', { query: 'output_format=pcm_24000&inactivity_timeout=1' });
    idle.send({ text: ' ' });
    expect(await idle.closed).toBe(1008);
    expect(idle.messages.at(-1)).toMatchObject({ error: 'inactivity_timeout' });
    const broken = await Client.open(server, 'stream-input');
    broken.socket.send('no JSON');
    expect(await broken.closed).toBe(1008);
    expect(broken.messages.at(-1)).toMatchObject({ error: 'invalid_json', code: 1008 });
    const { key, id } = await server.key({ credits: 20 });
    const poor = await Client.open(server, 'stream-input', { key });
    poor.send({ text: ' ' }, { text: ONE }, { text: TWO }, { text: '' });
    expect(await poor.closed).toBe(1008);
    expect(poor.messages.at(-1)).toMatchObject({ error: 'insufficient_credits' });
    await until(async () => (await server.balance(id)).reserved === 0);
    expect(await server.balance(id)).toEqual({ credits: 20, reserved: 0 });
  });

  it.each([
    [{ key: 'wrong' }, 401, 'invalid_api_key'],
    [{ voice: 'nobody' }, 404, 'voice_not_found'],
  ])('refuses a handshake with %j by %i', async (options, status, code) => {
    const refused = await Client.open(server, 'stream-input', options).catch((reason) => reason);
    expect(refused).toMatchObject({ status, body: { detail: { status: code } } });
  });
});

describe('multi-stream-input', () => {
  it('keeps contexts apart: audio, characters, final messages, rows of the ledger', async () => {
    const { key, id } = await server.key({ credits: 1_000 });
    const client = await Client.open(server, 'multi-stream-input', { key });
    client.send({ text: ' ', context_id: 'a' }, { text: ' ', context_id: 'b', voice_settings: {} });
    client.send({ text: ONE, context_id: 'a' }, { text: TWO, context_id: 'b' }, { text: TWO, context_id: 'a' });
    client.send({ context_id: 'a', close_context: true }, { text: '', context_id: 'b', flush: true });
    await client.final('a');
    expect(client.audio('a').equals(await contractPcm(ONE + TWO))).toBe(true);
    // The other one is still open, and goes on.
    expect(client.of('b').some(({ isFinal }) => isFinal)).toBe(false);
    client.send({ text: ONE, context_id: 'b' }, { context_id: 'b', close_context: true });
    await client.final('b');
    for (const [name, text] of [
      ['a', ONE + TWO],
      ['b', TWO + ONE],
    ] as const) {
      for (const field of ['alignment', 'normalizedAlignment'] as const)
        expect(
          client
            .of(name)
            .flatMap((message) => message[field]?.chars ?? [])
            .join(''),
        ).toBe(text);
    }
    client.send({ close_socket: true });
    expect(await client.closed).toBe(1000);
    await until(async () => (await server.ledger(id)).length === 2);
    const rows = await server.ledger(id);
    expect(rows.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
    expect(rows.reduce((sum, { credits }) => sum + credits, 0)).toBe(2 * (ONE + TWO).trim().length);
    expect((await server.balance(id)).reserved).toBe(0);
  });

  it('tells times as Pipecat adds them up and as LiveKit reads them', async () => {
    const client = await Client.open(server, 'multi-stream-input');
    client.send({ text: ' ', context_id: 'a' }, { text: ONE, context_id: 'a', flush: true });
    client.send({ text: TWO, context_id: 'a' }, { context_id: 'a', close_context: true });
    await client.final('a');
    const told = client.of('a').filter(({ alignment }) => alignment);
    // What follows a flush is a first sentence again, and cut at its clause.
    expect(told).toHaveLength(3);
    // LiveKit: from the beginning of the context. Pipecat: each from where the one before ended.
    const starts = told.flatMap(({ normalizedAlignment }) => normalizedAlignment!.charStartTimesMs);
    let clock = 0;
    const summed = told.flatMap(({ alignment }) => {
      const { charStartTimesMs, charDurationsMs } = alignment!;
      const here = charStartTimesMs.map((start) => clock + start);
      clock += charStartTimesMs.at(-1)! + charDurationsMs.at(-1)!;
      return here;
    });
    expect(summed).toEqual(starts);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    const audioMs = client.audio('a').length / 48;
    expect(starts.at(-1)!).toBeLessThanOrEqual(audioMs);
    expect(starts[ONE.length]!).toBeGreaterThan(100);
  });

  it('takes empty text as a keepalive, with a context or without, and closes what nobody writes to', async () => {
    const time = new VirtualClock();
    const client = await Client.open(await start({ clock: time }), 'multi-stream-input', {
      query: 'output_format=pcm_24000&inactivity_timeout=20',
    });
    client.send({ text: ' ', context_id: 'a' }, { text: 'Hello there', context_id: 'a' });
    for (let i = 0; i < 5; i++) {
      await client.read();
      await time.advance(15_000);
      client.send({ text: '' }, { text: '', context_id: 'a' });
    }
    await client.read();
    expect(client.messages).toEqual([]);
    // Nothing more for twenty seconds: the context ends as if it had been closed, then the
    // connection.
    await time.advance(20_000);
    await client.final('a');
    await until(async () => time.advance(20_000).then(() => client.socket.readyState === client.socket.CLOSED));
    expect(client.audio('a').equals(await contractPcm('Hello there'))).toBe(true);
    expect(await client.closed).toBe(1008);
  });

  it('drains what was written when the socket is to be closed', async () => {
    const client = await Client.open(server, 'multi-stream-input');
    client.send({ text: ' ', context_id: 'a' }, { text: ONE + TWO, context_id: 'a' }, { close_socket: true });
    expect(await client.closed).toBe(1000);
    expect(client.audio('a').equals(await contractPcm(ONE + TWO))).toBe(true);
    expect(client.of('a').at(-1)).toEqual({ isFinal: true, contextId: 'a' });
  });

  it('lets one context fail alone, and what was already sent for it opens no other', async () => {
    const { key, id } = await server.key({ credits: 60 });
    const client = await Client.open(server, 'multi-stream-input', { key });
    client.send({ text: ' ', context_id: 'rich' }, { text: ONE, context_id: 'rich' });
    client.send({ text: ' ', context_id: 'poor' }, { text: TWO.repeat(3), context_id: 'poor' });
    await client.final('poor');
    expect(client.of('poor').find(({ error }) => error)).toMatchObject({ error: 'insufficient_credits' });
    client.send({ text: ONE, context_id: 'poor' }, { context_id: 'rich', close_context: true });
    await client.final('rich');
    expect(client.audio('rich').equals(await contractPcm(ONE))).toBe(true);
    client.send({ close_socket: true });
    expect(await client.closed).toBe(1000);
    await until(async () => (await server.balance(id)).reserved === 0);
    expect(await server.balance(id)).toEqual({ credits: 60 - ONE.trim().length, reserved: 0 });
    expect(client.of('poor').filter(({ isFinal }) => isFinal)).toHaveLength(1);
  });

  it('holds a key to its limit of speeches at once, and a socket to its number of contexts', async () => {
    const few = await start({ limits: { partnerConcurrency: 1 } });
    const client = await Client.open(few, 'multi-stream-input');
    client.send({ text: ' ', context_id: 'a' });
    await until(() => few.accounts.active === 1);
    client.send({ text: ' ', context_id: 'b' });
    await client.final('b');
    expect(client.of('b')[0]).toMatchObject({ error: 'concurrency_limit_exceeded' });
    client.socket.close();
    const generous = await start({ limits: { partnerConcurrency: 100 } });
    const many = await Client.open(generous, 'multi-stream-input');
    for (let i = 0; i < 20; i++) many.send({ text: ' ', context_id: `c${i}` });
    await until(() => generous.accounts.active === 20);
    expect(many.messages).toEqual([]);
    many.send({ text: ' ', context_id: 'c20' });
    expect(await many.closed).toBe(1008);
    expect(many.messages.at(-1)).toMatchObject({
      error: 'invalid_message',
      message: expect.stringContaining('20 contexts'),
    });
    await until(() => generous.accounts.active === 0);
  });

  it('gives everything back when the client leaves in the middle', async () => {
    const slow = await start({ sine: { pace: 2 } });
    const client = await Client.open(slow, 'multi-stream-input', { query: 'output_format=mp3_44100_64' });
    for (const name of ['a', 'b'])
      client.send({ text: ' ', context_id: name }, { text: TWO.repeat(20), context_id: name });
    await until(() => client.of('a').length > 0 && client.of('b').length > 0);
    client.socket.terminate();
    await until(async () => (await slow.ledger()).length === 2);
    expect((await slow.ledger()).map(({ outcome, credits }) => [outcome, credits])).toEqual([
      ['cancelled', 0],
      ['cancelled', 0],
    ]);
    expect(await slow.balance(slow.partner.id)).toEqual({ credits: 1_000_000, reserved: 0 });
    expect([slow.accounts.active, slow.gateway.stats.open]).toEqual([0, 0]);
  });

  it.each([
    ['revoked', 'revoked_api_key'],
    ['expired', 'expired_api_key'],
  ] as const)('ends with a key that was %s, in the middle of contexts and without any', async (how, code) => {
    const slow = await start({ sine: { pace: 2 } });
    const { key, id } = await slow.key();
    const busy = await Client.open(slow, 'multi-stream-input', { key });
    const idle = await Client.open(slow, 'multi-stream-input', { key });
    const single = await Client.open(slow, 'stream-input', { key });
    busy.send({ text: ' ', context_id: 'a' }, { text: TWO.repeat(20), context_id: 'a' });
    await until(() => busy.of('a').length > 0);
    await (how === 'revoked' ? slow.keyring.revoke(id) : slow.expire(id));
    for (const client of [busy, idle, single]) {
      expect(await client.closed).toBe(1008);
      expect(client.messages.at(-1)).toMatchObject({ error: code });
    }
    await until(() => slow.accounts.active === 0);
    expect(await slow.balance(id)).toEqual({ credits: 1_000_000, reserved: 0 });
    await expect(Client.open(slow, 'multi-stream-input', { key })).rejects.toMatchObject({ status: 401 });
  });

  it('finishes what has begun when the server stops, and turns the idle away', async () => {
    const stopping = await startTestServer({ sine: { pace: 6 } });
    const idle = await Client.open(stopping, 'multi-stream-input');
    const busy = await Client.open(stopping, 'multi-stream-input');
    busy.send({ text: ' ', context_id: 'a' }, { text: TWO, context_id: 'a' });
    busy.send({ context_id: 'a', close_context: true });
    await until(() => busy.of('a').length > 0);
    stopping.shutdown.abort();
    expect(await idle.closed).toBe(1012);
    expect(await busy.closed).toBe(1012);
    expect(busy.of('a').at(-1)).toEqual({ isFinal: true, contextId: 'a' });
    await stopping.upgrades.drained();
    await until(async () => (await stopping.ledger()).length === 1);
    expect((await stopping.ledger())[0]).toMatchObject({ outcome: 'completed' });
    await stopping.close();
  });
});
