/** LiveKit's ElevenLabs plugin, unchanged, as a client: nobody here wrote it. */
import { initializeLogger } from '@livekit/agents';
import { TTS } from '@livekit/agents-plugin-elevenlabs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, until } from '../../testkit/server.js';
import { speak, startStreamServer, VOICE } from './client.js';

const TEXT = 'Hello there, this is a stock client. It sends one word a message, and every word ends with a space.';

describe("LiveKit's plugin", () => {
  let server: TestServer;
  beforeAll(async () => {
    initializeLogger({ pretty: false, level: 'silent' });
    // As a person speaks, so that no two messages arrive in one tick: the plugin loses those that
    // do.
    server = await startStreamServer({ sine: { msPerChar: 40, chunkMs: 100, pace: 3 } });
  });
  afterAll(() => server.close());

  it('speaks through the server as it does through the service it was written for', async () => {
    const options = {
      apiKey: server.partner.key,
      baseURL: `${server.baseUrl}/v1/`,
      modelID: 'base-tts',
      encoding: 'pcm_24000',
      inactivityTimeout: 180,
      voice: { id: VOICE, name: 'Professional', category: 'premade', settings: undefined },
    };
    // Its types know only the rates of the service it was written for; the encoding itself it takes
    // as it comes.
    const stream = new TTS(options as unknown as ConstructorParameters<typeof TTS>[0]).stream();
    const words = TEXT.split(' ').map((word) => `${word} `);
    stream.updateInputStream(ReadableStream.from(words) as Parameters<typeof stream.updateInputStream>[0]);
    let heard = 0;
    let ended = false;
    for await (const event of stream) {
      if (typeof event === 'symbol') {
        ended = true;
        break;
      }
      expect([event.frame.sampleRate, event.frame.channels]).toEqual([24_000, 1]);
      heard += event.frame.data.length;
    }
    stream.close();
    expect(ended).toBe(true);

    // It may lose what arrives in one tick, so the whole is judged by a client that loses nothing.
    const whole = (await speak(server, words)).length / 2;
    expect(heard).toBeGreaterThan(0);
    expect(heard).toBeLessThanOrEqual(whole);
    await until(async () => (await server.ledger()).length === 2);
    const [row, same] = await server.ledger();
    expect(row).toMatchObject({ outcome: 'completed', credits: same!.credits, audioMs: same!.audioMs });
    expect(row!.characters).toBe(words.join('').trim().length);
  });
});
