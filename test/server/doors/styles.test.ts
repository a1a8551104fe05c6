/** The style of a request reaches the engine, from the doors that have a place for it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHttpClient } from '../../../src/client/http.js';
import { openSpeechSocket } from '../../../src/client/speech-socket.js';
import { createSineEngine } from '../../../src/engine/sine.js';
import { WorkerPool } from '../../../src/gateway/workers/pool.js';
import type { Delivery, DeliveryStyle } from '../../../src/protocol/delivery/delivery.js';
import type { SegmentJob } from '../../../src/protocol/job.js';
import { STYLES } from '../../../src/text/delivery/styles.js';
import { createEngineWorker } from '../../../testkit/engine-worker.js';
import { startTestServer, type TestServer } from '../../../testkit/server.js';

const INPUT = 'The train was late again. Nobody minded it much.';
const jobs: SegmentJob[] = [];
const servers: TestServer[] = [];
const { signal } = new AbortController();

async function start(style?: DeliveryStyle): Promise<TestServer> {
  const sine = await createSineEngine({ msPerChar: 2 });
  const speak: typeof sine.speak = (job, ...more) => {
    jobs.push(job);
    return sine.speak(job, ...more);
  };
  const pool = new WorkerPool([createEngineWorker({ ...sine, speak })]);
  const server = await startTestServer({ gateway: { pool }, ...(style && { settings: { style } }) });
  servers.push(server);
  return server;
}

let server: TestServer;
beforeAll(async () => {
  server = await start();
});
afterAll(async () => {
  for (const each of servers) await each.close();
});

/** What the engine was asked for meanwhile. */
async function deliveries(speaking: () => Promise<unknown>): Promise<(Delivery | undefined)[]> {
  jobs.length = 0;
  await speaking();
  return jobs.map(({ delivery }) => delivery);
}

/** The style of deliveries, by the one number that no place changes. */
const styleOf = (all: readonly (Delivery | undefined)[]): string => {
  expect(all.length).toBeGreaterThan(0);
  const named = Object.entries(STYLES).find(([, { spread }]) => all.every((each) => each?.spread === spread));
  return named?.[0] ?? (all.every((each) => each === undefined) ? 'plain' : 'mixed');
};

const body = { model: 'base-tts-fast', input: INPUT };

it('is the server’s default at /v1, whatever a client prefers', async () => {
  const prefer = { prefer: 'style=news' };
  const spoken = () => server.speak(body, { headers: prefer }).then((response) => response.arrayBuffer());
  expect(styleOf(await deliveries(spoken))).toBe('assistant');
  const news = await start('news');
  expect(styleOf(await deliveries(() => news.speak(body).then((response) => response.arrayBuffer())))).toBe('news');
});

it('is what instructions name at OpenAI’s door, and other words are ignored and told', async () => {
  for (const [instructions, style, ignored] of [
    ['news', 'news', null],
    ['Narration.', 'narration', null],
    ['plain', 'plain', null],
    ['Read it like the news, please.', 'news', 'instructions'],
    ['Neither news nor narration.', 'assistant', 'instructions'],
    ['Whisper.', 'assistant', 'instructions'],
    ['', 'assistant', null],
  ] as const) {
    let told: string | null = '';
    const spoken = await deliveries(async () => {
      const response = await fetch(`${server.baseUrl}/openai/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.partner.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, voice: 'nova', response_format: 'pcm', instructions }),
      });
      told = response.headers.get('x-ignored-fields');
      await response.arrayBuffer();
    });
    expect([instructions, styleOf(spoken), told]).toEqual([instructions, style, ignored]);
  }
});

it('is what a command asks for, with the place of a sentence that is sent alone', async () => {
  const address = { baseUrl: server.baseUrl, apiKey: server.partner.key };
  const client = createHttpClient({ ...address, delivery: { style: 'narration' } });
  const overHttp = await deliveries(async () => {
    const { audio } = await client.speech({ model: 'base-tts-fast', input: INPUT }, signal);
    for await (const _ of audio);
  });
  client.close();
  expect(styleOf(overHttp)).toBe('narration');
  const params = { model_id: 'base-tts-fast' as const };
  const voice = 'english_female_professional';
  const overSocket = (sentence: number) =>
    deliveries(async () => {
      const delivery = { style: 'news' as const, place: { sentence, last: false } };
      const socket = await openSpeechSocket({ ...address, voice, params, delivery }, signal);
      socket.send('Nobody minded it much.');
      socket.end();
      for await (const _ of socket.audio);
    });
  const [[first], [third]] = [await overSocket(0), await overSocket(3)];
  expect(styleOf([first, third])).toBe('news');
  expect(first!.pitch).toBeGreaterThan(third!.pitch);
});
