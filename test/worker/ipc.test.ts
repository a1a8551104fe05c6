/** An engine behind a message channel: how far it runs ahead, and that it stops when it is told to. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createSineEngine } from '../../src/engine/sine.js';
import type { SegmentJob } from '../../src/protocol/job.js';
import { serveEngine } from '../../src/worker/ipc.js';
import { AHEAD_SAMPLES, type FromWorker } from '../../src/worker/protocol.js';

const text = 'x'.repeat(60);
const job: SegmentJob = {
  id: 'a',
  model: 'base-tts',
  voice: 'v',
  seed: 0,
  segment: { text, offset: 0, spans: [{ kind: 'text', text, start: 0, end: 60 }], pause: 'sentence' },
};

async function served() {
  const messages: FromWorker[] = [];
  const engine = await createSineEngine({ msPerChar: 1_000 });
  const server = serveEngine({ engine, send: (message) => messages.push(message), rssBytes: () => 1 });
  const samples = () => messages.reduce((sum, message) => sum + (message.type === 'audio' ? message.pcm.length : 0), 0);
  const settled = async () => {
    for (let before = -1; before !== samples(); await sleep(20)) before = samples();
    return samples();
  };
  return { server, messages, settled };
}

it('waits for its listener once it is eight seconds ahead, and goes on as far as was taken', async () => {
  const { server, messages, settled } = await served();
  server.receive({ type: 'job', job });
  const ahead = await settled();
  expect(ahead).toBeGreaterThanOrEqual(AHEAD_SAMPLES);
  expect(ahead).toBeLessThan(AHEAD_SAMPLES + 24_000);
  server.receive({ type: 'taken', id: 'a', samples: 48_000 });
  expect((await settled()) - ahead).toBe(48_000);
  server.receive({ type: 'taken', id: 'a', samples: 60 * 24_000 });
  expect(await settled()).toBe(60 * 24_000);
  expect(messages.at(-1)).toEqual({ type: 'end', id: 'a', rssBytes: 1 });
});

it('stops a job that waits for its listener when it is cancelled', async () => {
  const { server, messages, settled } = await served();
  server.receive({ type: 'job', job });
  await settled();
  server.receive({ type: 'cancel', id: 'a' });
  await settled();
  expect(messages.at(-1)).toMatchObject({ type: 'error', id: 'a', code: 'aborted' });
  await server.close();
});
