/**
 * The same text gives the same bytes, however it is cut into messages and whichever way it comes.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestServer } from '../../testkit/server.js';
import { speak, startStreamServer } from './client.js';

const WORDS = [
  'Hello',
  'there',
  'Dr.',
  'Smith',
  '3.14',
  'naïve',
  '😀',
  '“quoted”',
  'e.g.',
  'U.S.A.',
  'well-known',
  '<b>',
];
const text = fc
  .array(
    fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(' ', '. ', ', ', '! ', '\n\n', '; ', ' — ', '…  ', '\n- ')),
    {
      minLength: 1,
      maxLength: 60,
    },
  )
  .map((pairs) => pairs.map(([word, gap]) => word + gap).join(''));

/**
 * Pieces of a text at the given places; one that is exactly a space is a keepalive, so it joins its
 * neighbour.
 */
function pieces(whole: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((cut) => cut % whole.length))].sort((a, b) => a - b);
  const all: string[] = [];
  let from = 0;
  for (const to of [...places, whole.length]) {
    const piece = whole.slice(from, to);
    if (piece === '' || piece === ' ') continue;
    all.push(piece);
    from = to;
  }
  if (from < whole.length) all.push((all.pop() ?? '') + whole.slice(from));
  return all;
}

describe('the same text', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startStreamServer({ sine: { msPerChar: 4 }, limits: { partnerConcurrency: 64 } });
  });
  afterAll(() => server.close());

  const overHttp = async (input: string, stream: boolean, from = server) => {
    const response = await from.speak({ model: 'base-tts', input, stream, response_format: 'pcm' });
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  };

  it('gives the same bytes in any fragments', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(4000), { maxLength: 40 }), async (whole, cuts) => {
        const [once, many] = await Promise.all([speak(server, [whole]), speak(server, pieces(whole, cuts))]);
        expect(many.equals(once)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('gives the same bytes in any fragments between the same flushes', async () => {
    const sentence = fc.constantFrom(
      'When the rain had stopped, we went outside. ',
      'A speech service that runs on your own machine reads every text that you give it in any voice. ',
      'For example, the committee that met on Monday in the old town hall could not agree on a plan. ',
      'Of course! ',
    );
    const stretch = fc.array(sentence, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(stretch, { minLength: 1, maxLength: 4 }), fc.array(fc.nat(4000)), async (all, cuts) => {
        const flushed = (parts: readonly string[]) =>
          parts.map((part, i) => (i === parts.length - 1 ? { text: part, flush: true } : { text: part }));
        const [once, many] = await Promise.all([
          speak(
            server,
            all.flatMap((one) => flushed([one])),
          ),
          speak(
            server,
            all.flatMap((one) => flushed(pieces(one, cuts))),
          ),
        ]);
        expect(many.equals(once)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('gives the same bytes one unit at a time, surrogate pairs parted', async () => {
    const whole = 'Hello 😀 there, Dr. Smith paid $3.14. “Did he?” Yes!\n\nA new paragraph: 日本語 too.';
    const units = Array.from({ length: whole.length }, (_, i) => whole[i]!);
    // A space alone is a keepalive: it travels with the unit after it.
    const sent: string[] = [];
    let held = '';
    for (const unit of units) {
      held += unit;
      if (held === ' ') continue;
      sent.push(held);
      held = '';
    }
    expect((await speak(server, sent)).equals(await speak(server, [whole]))).toBe(true);
  });

  it('gives the same bytes behind the first sentence over HTTP as over the socket, and the same whole answer each time', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (padded) => {
        // HTTP trims; an item mark at the very end is one only with the space behind it.
        const whole = `Say it now!\n\n${padded}`.trim();
        const [socket, streamed] = await Promise.all([speak(server, [whole]), overHttp(whole, true)]);
        expect(streamed.equals(socket)).toBe(true);
        const [once, again] = await Promise.all([overHttp(whole, false), overHttp(whole, false)]);
        expect(again.equals(once)).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it('gives the same bytes over the socket on every machine; streamed over HTTP it is cut as the machine allows', async () => {
    const quick = await startStreamServer({ sine: { msPerChar: 4 }, firstPieces: async () => 80 });
    try {
      const whole = 'When the rain had stopped, we went outside to look around, but nobody was there. It was late.';
      const [socket, streamed, answer] = await Promise.all([
        speak(quick, whole.match(/.{1,7}/gs)!),
        overHttp(whole, true, quick),
        overHttp(whole, false, quick),
      ]);
      expect(socket.equals(await speak(server, [whole]))).toBe(true);
      expect(streamed.equals(socket)).toBe(false);
      expect(streamed.equals(await overHttp(whole, true))).toBe(false);
      expect(answer.equals(await overHttp(whole, false))).toBe(true);
    } finally {
      await quick.close();
    }
  });

  it('gives the same bytes with white space around it', async () => {
    const whole = 'Hello there. How are you today?';
    const padded = await speak(server, ['  \n', `\n${whole}`, ' \n\n ', ' \t']);
    expect(padded.equals(await overHttp(whole, false))).toBe(true);
  });

  it('gives the same bytes after keepalives in between', async () => {
    const plain = await speak(server, ['Hello there. How', ' are you?']);
    expect((await speak(server, [' ', 'Hello there. How', ' ', ' ', ' are you?', ' '])).equals(plain)).toBe(true);
  });

  it('gives each of many sessions at once its own', async () => {
    const texts = Array.from(
      { length: 24 },
      (_, i) => `Session number ${i} speaks. It says ${'word '.repeat(i + 1)}and ends.`,
    );
    const alone: Buffer[] = [];
    for (const one of texts) alone.push(await speak(server, [one]));
    const together = await Promise.all(
      texts.map((one) =>
        speak(
          server,
          one.match(/.{1,7}/gs)!.filter((p) => p !== ' '),
        ),
      ),
    );
    expect(together.map((audio, i) => audio.equals(alone[i]!))).toEqual(texts.map(() => true));
  });
});
