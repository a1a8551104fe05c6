/** Every transition of a session, and every message that does not belong in a state. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, until } from '../../testkit/server.js';
import { VirtualClock } from '../../testkit/virtual-clock.js';
import { END, SPACE, StreamClient, speak, startStreamServer } from './client.js';

const CLOSES: Record<string, number> = {
  not_initialized: 1008,
  invalid_json: 1008,
  invalid_message: 1008,
  invalid_voice_settings: 1008,
  message_too_large: 1009,
};

/** Sends it as it stands where it is a string or bytes. */
const sendRaw = (client: StreamClient, message: unknown) => {
  if (typeof message === 'string' || Buffer.isBuffer(message)) client.socket.send(message);
  else client.send(message);
};

const MALFORMED: [string, unknown, string][] = [
  ['text that is no JSON', 'hello', 'invalid_json'],
  ['half of a JSON object', '{"text":"a', 'invalid_json'],
  ['an empty frame', '', 'invalid_json'],
  ['a JSON array', [], 'invalid_message'],
  ['a JSON string', '"text"', 'invalid_message'],
  ['a JSON null', 'null', 'invalid_message'],
  ['an object without text', {}, 'invalid_message'],
  ['a text that is null', { text: null }, 'invalid_message'],
  ['a text that is a number', { text: 5 }, 'invalid_message'],
  ['a text that is a list', { text: ['a'] }, 'invalid_message'],
  ['a flush that is no boolean', { text: 'a', flush: 'true' }, 'invalid_message'],
  ['a flush that is null', { text: 'a', flush: null }, 'invalid_message'],
  ['a binary frame', Buffer.from('{"text":"a"}'), 'invalid_message'],
  ['settings that are a list', { text: 'a', voice_settings: [] }, 'invalid_voice_settings'],
  ['settings that are a string', { text: 'a', voice_settings: 'x' }, 'invalid_voice_settings'],
  ['another stability', { text: 'a', voice_settings: { stability: 0.6 } }, 'invalid_voice_settings'],
  ['an unknown setting', { text: 'a', voice_settings: { pitch: 1 } }, 'invalid_voice_settings'],
  ['a setting that is null', { text: 'a', voice_settings: { speed: null } }, 'invalid_voice_settings'],
  ['a boost that is a string', { text: 'a', voice_settings: { use_speaker_boost: 'true' } }, 'invalid_voice_settings'],
  ['a boost that is false', { text: 'a', voice_settings: { use_speaker_boost: false } }, 'invalid_voice_settings'],
  ['a blank for a number', { text: 'a', voice_settings: { style: '' } }, 'invalid_voice_settings'],
  ['End with other settings', { text: '', voice_settings: { speed: 2 } }, 'invalid_voice_settings'],
  ['a message of 65,537 bytes', JSON.stringify({ text: 'a'.repeat(65_537 - 11) }), 'message_too_large'],
];
const ALL_SETTINGS = { stability: 0.5, similarity_boost: 0.75, style: 0, use_speaker_boost: true, speed: 1 };
const AS_STRINGS = {
  stability: '0.5',
  similarity_boost: '7.5e-1',
  style: '0.0',
  use_speaker_boost: true,
  speed: '1.00',
};

describe('a stream-input session', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startStreamServer({ limits: { partnerConcurrency: 1000 } });
  });
  afterAll(() => server.close());

  const endsWith = async (client: StreamClient, code: string) => {
    const { error, code: close, final } = await client.ended();
    expect({ error, close, final }).toEqual({ error: code, close: CLOSES[code], final: false });
    expect(client.error).toEqual({
      error: code,
      message: expect.stringMatching(/^["A-Z].*\.$/),
      requestId: client.requestId,
    });
  };

  describe('in Connected', () => {
    it('becomes Initialized by a single space, with or without settings', async () => {
      for (const message of [
        SPACE,
        { text: ' ', voice_settings: null },
        { text: ' ', voice_settings: {} },
        { text: ' ', voice_settings: ALL_SETTINGS },
        { text: ' ', voice_settings: AS_STRINGS },
        { text: ' ', generation_config: { chunk_length_schedule: [50] }, flush: 7, unknown: [1] },
      ]) {
        const client = await StreamClient.connect(server);
        client.send(message);
        expect(await client.finish()).toMatchObject({ code: 1000, final: true, error: undefined });
      }
    });

    it('ends with not_initialized whatever else comes first', async () => {
      const others: [string, unknown][] = [
        ['a text', { text: 'Hello.' }],
        ['a flush', { text: 'Hello.', flush: true }],
        ['two spaces', { text: '  ' }],
        ['End', END],
        ['no JSON', 'hello'],
        ['a binary frame', Buffer.from('{"text":" "}')],
        ['no text', { voice_settings: null }],
      ];
      for (const [, message] of others) {
        const client = await StreamClient.connect(server);
        sendRaw(client, message);
        await endsWith(client, 'not_initialized');
      }
    });

    it('ends when Initialize itself is wrong', async () => {
      const wrong: [unknown, string][] = [
        [{ text: ' ', voice_settings: { stability: 1 } }, 'invalid_voice_settings'],
        [{ text: ' ', x_api_key: 5 }, 'invalid_message'],
        [{ text: ' ', padding: 'x'.repeat(65_536) }, 'message_too_large'],
      ];
      for (const [message, code] of wrong) {
        const client = await StreamClient.connect(server);
        client.send(message);
        await endsWith(client, code);
      }
    });
  });

  for (const [state, before] of [
    ['Initialized', []],
    ['Streaming', ['Hello there. How are you']],
  ] as const) {
    describe(`in ${state}`, () => {
      for (const [what, message, code] of MALFORMED) {
        it(`ends at ${what} with ${code}`, async () => {
          const client = await StreamClient.open(server);
          client.say(...before);
          sendRaw(client, message);
          await endsWith(client, code);
        });
      }

      it('stays at a keepalive, an Initialize sent twice and a flushing space', async () => {
        const client = await StreamClient.open(server);
        client.say(...before);
        for (const message of [SPACE, { text: ' ', flush: true }, { text: ' ', voice_settings: ALL_SETTINGS }]) {
          client.send(message);
        }
        client.send({ text: ' ', x_api_key: 5 });
        expect(await client.finish()).toMatchObject({ code: 1000, final: true });
        expect(client.audio.length > 0).toBe(before.length > 0);
      });

      it('drains at End with any flush and repeated settings, sends Final and closes with 1000', async () => {
        for (const end of [END, { text: '', flush: true }, { text: '', flush: false, voice_settings: ALL_SETTINGS }]) {
          const client = await StreamClient.open(server);
          client.say(...before);
          client.send(end);
          expect(await client.ended()).toMatchObject({ code: 1000, final: true, error: undefined });
          expect(client.messages.filter((message) => message.isFinal)).toEqual([{ isFinal: true }]);
          expect(client.audio.length > 0).toBe(before.length > 0);
        }
      });

      it('accepts unknown top-level fields and settings that repeat the allowed values', async () => {
        const client = await StreamClient.open(server);
        client.say(...before);
        client.send({ text: 'One more.', try_trigger_generation: true, voice_settings: AS_STRINGS, foo: {} });
        expect(await client.finish()).toMatchObject({ code: 1000, final: true });
        expect(client.audio.length).toBeGreaterThan(0);
      });
    });
  }

  it('takes a message of exactly 65,536 bytes', async () => {
    const client = await StreamClient.open(server);
    const message = JSON.stringify({ text: 'Hi.', x: '' });
    client.socket.send(message.replace('"x":""', `"x":"${'y'.repeat(65_536 - message.length)}"`));
    expect(await client.finish()).toMatchObject({ code: 1000, final: true });
  });

  describe('in Draining', () => {
    it('ignores every message', async () => {
      const text = 'This is spoken while more is sent. It goes on for a while.';
      const expected = await speak(server, [text]);
      const client = await StreamClient.open(server);
      client.say(text);
      client.send(END);
      for (const [, message] of MALFORMED) sendRaw(client, message);
      client.say('Never spoken.', '', ' ');
      const { audio, code, final } = await client.ended();
      expect({ code, final }).toEqual({ code: 1000, final: true });
      expect(audio.equals(expected)).toBe(true);
    });
  });

  describe('flush', () => {
    it('sends the audio of what is pending while the session goes on, with no message of its own', async () => {
      const client = await StreamClient.open(server);
      client.send({ text: 'No end mark here', flush: true });
      await client.untilAudio();
      const { audio } = await (async () => {
        client.say(' and the rest.');
        return client.finish();
      })();
      expect(client.messages.every((message) => message.audio !== undefined || message.isFinal)).toBe(true);
      expect(audio.equals(await speak(server, [{ text: 'No end mark here', flush: true }, ' and the rest.']))).toBe(
        true,
      );
    });

    it('works with a single space, which is neither spoken nor billed', async () => {
      const client = await StreamClient.open(server);
      client.say('No end mark here');
      client.send({ text: ' ', flush: true });
      await client.untilAudio();
      await client.finish();
      expect((await server.ledger()).at(-1)).toMatchObject({ requestId: client.requestId, characters: 16 });
      expect(client.audio.equals(await speak(server, [{ text: 'No end mark here', flush: true }]))).toBe(true);
    });
  });

  describe('audio', () => {
    it('comes before any flush once a sentence has surely ended', async () => {
      const client = await StreamClient.open(server);
      client.say('Hello there, this is a sentence. N');
      await client.untilAudio();
      expect(client.final).toBe(false);
      await client.finish();
    });

    it('comes in messages of 20 to 200 ms, the last of a segment possibly shorter', async () => {
      const client = await StreamClient.open(server);
      client.say('Hello there, this is a sentence. And here is another one, a little longer. A third.');
      await client.finish();
      const sizes = client.messages.slice(0, -1).map(({ audio }) => Buffer.from(audio!, 'base64').length / 48);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(200);
      expect(sizes.filter((ms) => ms < 20).length).toBeLessThanOrEqual(3);
      expect(client.messages.slice(0, -1).every((message) => message.isFinal === false)).toBe(true);
      expect(client.messages.every((message) => !('alignment' in message))).toBe(true);
    });
  });

  describe('a seed', () => {
    it('gives the same bytes again, and another gives others', async () => {
      const [a, b, c] = await Promise.all(
        [7, 7, 8].map((seed) => speak(server, ['Hello there. Bye now.'], { query: { seed } })),
      );
      expect(a!.equals(b!)).toBe(true);
      expect(a!.equals(c!)).toBe(false);
      const [zero, none] = [await speak(server, ['Hello.'], { query: { seed: 0 } }), await speak(server, ['Hello.'])];
      expect(zero.equals(none)).toBe(true);
    });
  });

  describe('a client that leaves', () => {
    it('frees its slot, drops its segments and is not debited', async () => {
      const slow = await startStreamServer({ sine: { pace: 1 }, limits: { partnerConcurrency: 1 } });
      const client = await StreamClient.open(slow);
      client.say('One sentence to speak. Two sentences to speak. Three sentences to speak. Four of them. ');
      await client.untilAudio();
      expect(slow.gateway.stats.open).toBe(1);
      client.socket.terminate();
      await until(() => slow.accounts.active === 0 && slow.gateway.stats.open === 0);
      await until(() => slow.gateway.stats.queuedSegments === 0 && slow.gateway.stats.runningSegments === 0);
      expect(slow.worker.jobs.length).toBeLessThanOrEqual(2);
      await until(async () => (await slow.ledger()).length === 1);
      expect((await slow.ledger())[0]).toMatchObject({ credits: 0, outcome: 'cancelled' });
      expect(await slow.balance(slow.partner.id)).toEqual({ credits: 1_000_000, reserved: 0 });
      const next = await StreamClient.open(slow);
      expect(await next.finish()).toMatchObject({ code: 1000 });
      await slow.close();
    });
  });

  describe('inactivity', () => {
    it('ends a session that neither speaks nor is spoken to, in every waiting state', async () => {
      const clients = [
        await StreamClient.connect(server, { query: { inactivity_timeout: 1 } }),
        await StreamClient.open(server, { query: { inactivity_timeout: 1 } }),
        await StreamClient.open(server, { query: { inactivity_timeout: 1 } }),
      ];
      clients[2]!.say('Not yet cut');
      for (const client of clients) {
        expect(await client.ended()).toMatchObject({ error: 'inactivity_timeout', code: 1008, final: false });
        expect(client.audio.length).toBe(0);
      }
    });

    it('is put off by keepalives', async () => {
      const clock = new VirtualClock();
      const timed = await startStreamServer({ clock });
      const client = await StreamClient.open(timed, { query: { inactivity_timeout: 10 } });
      for (let i = 0; i < 8; i++) {
        await client.read();
        await clock.advance(9_000);
        client.send(SPACE);
      }
      expect(await client.finish()).toMatchObject({ code: 1000, final: true });
      await timed.close();
    });

    it('never cuts audio off', async () => {
      const slow = await startStreamServer({ sine: { pace: 1 } });
      const client = await StreamClient.open(slow, { query: { inactivity_timeout: 1 } });
      client.send({
        text: 'This takes more than two seconds to say, as slowly as it is spoken here, you see. '.repeat(2),
        flush: true,
      });
      const { error, code, audio } = await client.ended();
      expect({ error, code }).toEqual({ error: 'inactivity_timeout', code: 1008 });
      const whole = await speak(server, [
        {
          text: 'This takes more than two seconds to say, as slowly as it is spoken here, you see. '.repeat(2),
          flush: true,
        },
      ]);
      expect(whole.length).toBeGreaterThan(48_000 * 2);
      expect(audio.equals(whole)).toBe(true);
      await slow.close();
    });
  });
});
