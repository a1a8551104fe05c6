/**
 * Work that takes long leaves the event loop to everybody else: text on a thread, encoding in
 * turns, explanations by number.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { createEncoder } from '../../../src/audio/encoder.js';
import { encodeInTurns } from '../../../src/server/speech/encode-in-turns.js';
import { createTexts } from '../../../src/text/thread/texts.js';
import { startTestServer, type TestServer, until } from '../../../testkit/server.js';
import { StreamClient, startStreamServer } from '../../stream-input/client.js';

/** Words that no dictionary has and nobody wrote before: the dearest text there is. */
let seed = 7;
const random = (most: number): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
  return seed % most;
};
const word = (): string => Array.from({ length: 4 + random(7) }, () => 'etaoinshrdlucmfw'[random(16)]).join('');
const newWords = (chars: number): string => {
  let text = '';
  while (text.length < chars) text += `${word()} `;
  return text.slice(0, chars).trim();
};

/** Turns of the event loop while `work` runs. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let over = false;
  const count = () => {
    turns++;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  await work;
  over = true;
  return turns;
}

describe('text', () => {
  it('is cut, judged and explained on another thread: this one does other things meanwhile', async () => {
    const texts = createTexts();
    await texts.ready();
    const cutter = texts.cutter({ language: 'en-US' });
    const cut = (async () => [...(await cutter.push(newWords(4_000))), ...(await cutter.end())])();
    expect(await turnsDuring(cut)).toBeGreaterThan(20);
    expect((await cut).length).toBeGreaterThan(2);
    expect(await turnsDuring(texts.explain(newWords(4_000), { language: 'en-US', ssml: false }))).toBeGreaterThan(20);
    await texts.close();
  });

  it('of one session is cut between the steps of another', async () => {
    const texts = createTexts();
    await texts.ready();
    const ends: string[] = [];
    const long = texts.explain(newWords(4_000), { language: 'en-US', ssml: false }).then(() => ends.push('long'));
    const cutter = texts.cutter({ language: 'en-US' });
    const short = Promise.resolve(cutter.push('Good evening, everybody.')).then(() => ends.push('short'));
    await Promise.all([long, short]);
    expect(ends).toEqual(['short', 'long']);
    await texts.close();
  });

  it('gives the errors of its thread back, and goes on after a thread that ended', async () => {
    const texts = createTexts();
    const cutter = texts.cutter({ language: 'en-US', ssml: true });
    await cutter.push('<speak>Hello');
    expect(cutter.pendingChars).toBe(12);
    await expect(cutter.end()).rejects.toMatchObject({ code: 'invalid_ssml' });
    cutter.close();
    const broken = texts.cutter({ language: 'en-US' });
    await broken.push('Hello there. And so');
    await texts.close();
    await expect(Promise.resolve(broken.push(' on.'))).rejects.toThrow(/session|ended/);
    const next = texts.cutter({ language: 'en-US' });
    expect(await next.push('Hello there. And so')).toMatchObject([{ text: 'Hello there. ' }]);
    await texts.close();
  });

  it('says at the start what is wrong with the pronunciations', async () => {
    const texts = createTexts({ lexicon: '/nonexistent/words.txt' });
    await expect(texts.ready()).rejects.toMatchObject({ message: expect.stringContaining('words.txt') });
    await texts.close();
  });
});

describe('encoding', () => {
  const samples = Int16Array.from({ length: 24_000 * 10 }, (_, i) => 8_000 * Math.sin(i / 20));

  it('of a long segment is done in turns, with the same bytes', async () => {
    const [whole, sliced] = [await createEncoder('mp3_44100_128'), await createEncoder('mp3_44100_128')];
    const expected = Buffer.concat([await whole.encode(samples), await whole.end()]);
    const encoded = encodeInTurns(sliced, samples);
    expect(await turnsDuring(encoded)).toBeGreaterThan(5);
    expect(Buffer.compare(Buffer.concat([await encoded, await sliced.end()]), expected)).toBe(0);
    whole.close();
    sliced.close();
  });

  it('of many requests is one slice a turn, of each of them in order', async () => {
    const encoders = await Promise.all(Array.from({ length: 4 }, () => createEncoder('mp3_44100_128')));
    // Slices since the last turn of the event loop, and the most of them.
    let slices = 0;
    let most = 0;
    const order: number[] = [];
    const counted = encoders.map((encoder, at) => ({
      ...encoder,
      encode(pcm: Int16Array) {
        if (order.at(-1) !== at) slices++;
        order.push(at);
        most = Math.max(most, slices);
        return encoder.encode(pcm);
      },
    }));
    let over = false;
    const reset = () => {
      slices = 0;
      if (!over) setImmediate(reset);
    };
    setImmediate(reset);
    await Promise.all(counted.map((encoder) => encodeInTurns(encoder, samples.subarray(0, 48_000))));
    over = true;
    expect(most).toBe(1);
    expect(new Set(order)).toEqual(new Set([0, 1, 2, 3]));
    for (const encoder of encoders) encoder.close();
  });
});

describe('a server that is asked for much at once', () => {
  let server: TestServer;
  afterEach(() => server.close());

  const explain = (text: string, key?: string) =>
    fetch(`${server.baseUrl}/playground/explain`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === undefined ? { origin: server.baseUrl } : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ text }),
    });

  it('explains two texts at once for a key, and answers the others 429 with Retry-After', async () => {
    server = await startTestServer({ settings: { web: 'key' } });
    const text = newWords(4_000);
    const answers = await Promise.all(Array.from({ length: 10 }, () => explain(text, server.partner.key)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(2);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(await answer.json()).toMatchObject({ error: { code: 'concurrency_limit_exceeded' } });
    }
    // Afterwards everything is free again.
    expect((await explain('Hello there.', server.partner.key)).status).toBe(200);
  });

  it('refuses no key for what another asks, and counts callers without a key by their address', async () => {
    server = await startTestServer({ settings: { web: 'auto' }, localKey: `tts_${'a'.repeat(43)}` });
    const text = newWords(4_000);
    const own = Array.from({ length: 6 }, () => explain(text));
    const other = await explain('Hello there.', server.partner.key);
    expect(other.status).toBe(200);
    const statuses = (await Promise.all(own)).map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(statuses).toContain(429);
  });

  it('answers others while it explains, and while a session has written 60,000 characters', async () => {
    server = await startStreamServer({ settings: { web: 'key' }, sine: { msPerChar: 1 } });
    const session = await StreamClient.open(server);
    session.send({ text: newWords(60_000) });
    const ends: string[] = [];
    const asked = explain(newWords(4_000), server.partner.key).then(() => ends.push('explained'));
    await until(() => server.gateway.stats.open > 0);
    for (let i = 0; i < 3; i++) {
      expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200);
      ends.push('health');
    }
    await asked;
    expect(ends.indexOf('health')).toBeLessThan(ends.indexOf('explained'));
    session.say('');
  });
});
