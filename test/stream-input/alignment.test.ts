/**
 * `sync_alignment`, `enable_ssml_parsing` and `auto_mode`: what they add, and that they change
 * nothing else.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GatewayEvent } from '../../src/gateway/types.js';
import { AudioFramer } from '../../src/server/doors/v1/stream-input/audio-framer.js';
import type { TestServer } from '../../testkit/server.js';
import { type Received, StreamClient, speak, startStreamServer } from './client.js';

/** The characters of all messages with their times from the start of the session, in ms. */
function timeline(messages: readonly Received[]) {
  const chars: { char: string; start: number; duration: number }[] = [];
  let at = 0;
  for (const { audio, alignment } of messages) {
    if (audio === undefined) continue;
    alignment!.chars.forEach((char, i) => {
      chars.push({ char, start: at + alignment!.charStartTimesMs[i]!, duration: alignment!.charDurationsMs[i]! });
    });
    at += Buffer.from(audio, 'base64').length / 48;
  }
  return { chars, ms: at };
}

describe('alignment', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startStreamServer({ limits: { partnerConcurrency: 64 } });
  });
  afterAll(() => server.close());

  const aligned = async (pieces: readonly string[], query = {}) => {
    const client = await StreamClient.open(server, { query: { sync_alignment: true, ...query } });
    client.say(...pieces);
    const { code, audio } = await client.finish();
    expect(code).toBe(1000);
    return { ...timeline(client.messages), audio, messages: client.messages };
  };

  it('names every character of the text once, in order, where it sounds', async () => {
    const text = 'Hé 😀 there, Dr. Smith.  How are you?\n\nFine! (Said she.)  \n';
    const { chars, ms } = await aligned([text]);
    expect(chars.map(({ char }) => char).join('')).toBe(text);
    expect(chars.map(({ char }) => char)).toEqual([...text]);
    chars.reduce((previous, current) => {
      expect(current.start).toBeGreaterThanOrEqual(previous.start - 1);
      return current;
    });
    const spoken = chars.filter(({ char }) => /\S/.test(char));
    // 20 ms a character, rounded to whole ms relative to a message that may begin between two.
    for (const { duration } of spoken) expect(duration).toBe(20);
    spoken.forEach(({ start }, i) => {
      expect(Math.abs(start - i * 20)).toBeLessThanOrEqual(1);
    });
    expect(chars.filter(({ char }) => !/\S/.test(char)).every(({ duration }) => duration === 0)).toBe(true);
    expect(Math.round(ms)).toBe(spoken.length * 20);
  });

  it('is sent without audio where nothing sounds for long, so that nothing piles up', async () => {
    const client = await StreamClient.open(server, { query: { sync_alignment: true } });
    for (let i = 0; i < 60; i++) client.send({ text: '… '.repeat(50), flush: true });
    await client.until(() => client.messages.length >= 5);
    expect(client.audioBytes).toBe(0);
    expect(await client.finish()).toMatchObject({ code: 1000, final: true });
    expect(
      timeline(client.messages)
        .chars.map(({ char }) => char)
        .join(''),
    ).toBe('… '.repeat(3_000));
  });

  it('puts a character into the message in which it begins', async () => {
    const { messages } = await aligned(['This is one sentence of some length. And this is another one.']);
    for (const { audio, alignment } of messages) {
      if (audio === undefined) continue;
      const ms = Buffer.from(audio, 'base64').length / 48;
      for (const start of alignment!.charStartTimesMs) expect(start >= 0 && start <= Math.ceil(ms)).toBe(true);
    }
  });

  it('changes no byte of the audio, and is absent without the parameter', async () => {
    const text = 'Hello there. How are you today?';
    expect((await aligned([text])).audio.equals(await speak(server, [text]))).toBe(true);
  });

  it('tells even of characters that make no sound at all', async () => {
    const { chars } = await aligned(['   \n\n', '…  ']);
    expect(chars.map(({ char }) => char).join('')).toBe('   \n\n…  ');
  });

  it('holds for any text in any pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ minLength: 2, maxLength: 30, unit: 'grapheme' }), { maxLength: 12 }),
        async (pieces) => {
          const kept = pieces.filter((piece) => piece !== '' && piece !== ' ');
          const { chars } = await aligned(kept);
          expect(chars.map(({ char }) => char).join('')).toBe(kept.join(''));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('has the characters as sent, tags included, with SSML', async () => {
    const text = '<speak>Hello <break time="500ms"/>there, <sub alias="World Wide Web">WWW</sub>.</speak>';
    const { chars } = await aligned([text], { enable_ssml_parsing: true });
    expect(chars.map(({ char }) => char).join('')).toBe(text);
  });
});

describe('the framer', () => {
  const pcm = (samples: number, from = 0) => Int16Array.from({ length: samples }, (_, i) => (from + i) % 30_000);
  const segment = { text: 'ab', offset: 0, spans: [], pause: 'none' } as const;
  const run = (sizes: readonly number[]) => {
    const framer = new AudioFramer({ aligned: true });
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const timings = { startSamples: [0, total], durationSamples: [10, 0] };
    const events: GatewayEvent[] = [{ type: 'segment', segment, timings }];
    let at = 0;
    for (const size of sizes) {
      events.push({ type: 'audio', pcm: pcm(size, at) });
      at += size;
    }
    events.push({ type: 'segment-end', segment });
    return { messages: [...events.flatMap((event) => [...framer.encode(event)]), ...framer.finish()], total };
  };

  it('keeps every message within 20 to 200 ms whatever the engine hands it, and loses nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20_000), { maxLength: 20 }), (sizes) => {
        const { messages, total } = run(sizes);
        const spoken = messages.map(({ audio }) => Buffer.from(audio, 'base64')).filter((bytes) => bytes.length > 0);
        const all = Buffer.concat(spoken);
        expect(all.equals(Buffer.from(pcm(total).buffer))).toBe(true);
        spoken.forEach((bytes, i) => {
          expect(bytes.length).toBeLessThanOrEqual(9600);
          if (i < spoken.length - 1) expect(bytes.length).toBeGreaterThanOrEqual(960);
        });
        expect(messages.flatMap(({ alignment }) => alignment!.chars).join('')).toBe('ab');
      }),
    );
  });
});

describe('parameters that shape the speech', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startStreamServer();
  });
  afterAll(() => server.close());

  it('read SSML only where it is asked for', async () => {
    const text = 'Hello <break time="1s"/> there.';
    const plain = await speak(server, [text]);
    const marked = await speak(server, [text], { query: { enable_ssml_parsing: true } });
    const bare = await speak(server, ['Hello there.']);
    expect(marked.length).toBe(bare.length + 48_000);
    expect(plain.equals(marked)).toBe(false);
    expect(
      (
        await speak(server, ['Hello <br', 'eak time="1s"', '/> there.'], { query: { enable_ssml_parsing: true } })
      ).equals(marked),
    ).toBe(true);
  });

  it('end a session whose SSML is broken with invalid_ssml', async () => {
    const client = await StreamClient.open(server, { query: { enable_ssml_parsing: true } });
    client.say('Hello <break time="1s" there. ', 'And <sub>more</phoneme>. ');
    client.send({ text: '' });
    expect(await client.ended()).toMatchObject({ error: 'invalid_ssml', code: 1008, final: false });
  });

  it('cut at sentence ends by themselves, whatever auto_mode says', async () => {
    const sentences = 'The first sentence is here. The second one follows it. And the third begins';
    const segmentsOf = async (query: Record<string, boolean>) => {
      const before = server.worker.jobs.length;
      const client = await StreamClient.open(server, { query });
      client.say(sentences);
      // Before any flush or End.
      await client.untilAudio();
      await client.finish();
      return server.worker.jobs.slice(before).map((job) => job.segment.text);
    };
    const segments = await segmentsOf({});
    expect(segments.length).toBeGreaterThan(1);
    expect(await segmentsOf({ auto_mode: true })).toEqual(segments);
    expect(await segmentsOf({ auto_mode: false })).toEqual(segments);
  });
});
