/** Jobs of a `tts serve` on SQLite: orders, results, money, limits, and a kill at any moment. */

import { readdirSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Job } from '../../src/protocol/jobs/schemas.js';
import { epubOf } from '../../testkit/epub.js';
import { until } from '../../testkit/server.js';
import { unzip } from '../../testkit/unzip.js';
import { JobClient, longText } from '../support/books/job-client.js';
import { createKey } from '../support/browser/pages.js';
import { adminSecretOf, makeHome, type ServeProcess, startServe } from '../support/processes/serve-process.js';
import { hasFfmpeg, probe } from '../support/sound/ffmpeg.js';

const home = makeHome({ TTS_SINE_OPTIONS: '{"msPerChar":20,"delayMs":30}' });
const ARGS = ['--jobs-private-webhooks', '--jobs-per-key', '4', '--jobs-body-mb', '1', '--jobs-disk-mb', '500'];
const SHORT = '# A short book\n\n## One\n\nThe first chapter is short.\n\n## Two\n\nSo is the second.\n';
const SHORT_CHARS = 62;

let server: ServeProcess;
let secret: string;
const clientWith = async (credits: number, tier = 'partner') =>
  new JobClient(server.baseUrl, await createKey(server.baseUrl, secret, { tier, ...(credits > 0 && { credits }) }));

async function balance({ key }: JobClient): Promise<{ credits: number; reserved: number }> {
  const response = await fetch(`${server.baseUrl}/admin/v1/keys`, { headers: { authorization: `Bearer ${secret}` } });
  const { data } = (await response.json()) as { data: { id: string; credits: number; reserved: number }[] };
  const { credits, reserved } = data.find(({ id }) => id === key.slice(4, 12))!;
  return { credits, reserved };
}

const errorOf = async (response: Response) => ({
  status: response.status,
  ...((await response.json()) as { error: { code: string; message: string } }).error,
});

beforeAll(async () => {
  server = await startServe(home, ARGS);
  secret = adminSecretOf(home);
});
afterAll(async () => {
  await server.kill('SIGKILL');
  home.remove();
});

describe('a job', () => {
  it('is answered at once, made in the background, paid by what was made, and fetched', async () => {
    const client = await clientWith(1_000);
    const response = await client.post(SHORT, 'text/markdown', '?format=m4b&filename=short.md');
    expect([response.status, response.headers.get('location')]).toEqual([202, expect.stringMatching(/^\/jobs\/v1\//)]);
    const order = (await response.json()) as Job;
    expect(order).toMatchObject({ title: 'A short book', characters: SHORT_CHARS, credits: 0 });
    // It may have begun before its answer was written.
    expect(['queued', 'running']).toContain(order.status);
    expect(await balance(client)).toEqual({ credits: 1_000, reserved: SHORT_CHARS });
    const job = await client.ended(order.id);
    expect(job).toMatchObject({
      status: 'completed',
      credits: SHORT_CHARS,
      progress: { percent: 100 },
      result: { filename: 'A short book.m4b', content_type: 'audio/mp4' },
    });
    expect(await balance(client)).toEqual({ credits: 1_000 - SHORT_CHARS, reserved: 0 });
    const [file] = readdirSync(path.join(home.dataDir, 'jobs', order.id));
    expect(readdirSync(path.join(home.dataDir, 'jobs', order.id))).toHaveLength(1);
    if (hasFfmpeg()) {
      const { chapters } = probe(path.join(home.dataDir, 'jobs', order.id, file!));
      expect(chapters.map(({ tags: { title } }) => title)).toEqual(['A short book: One', 'Two']);
    }
    const usage = await home.run('usage', '--json', '--key', client.key.slice(4, 12));
    expect(usage.stdout).toContain(`"credits":${SHORT_CHARS}`);
  });

  it('takes an EPUB and JSON, and reads what it was asked for', async () => {
    const client = await clientWith(1_000);
    const epub = epubOf({
      title: 'The Lamp',
      author: 'A. Writer',
      documents: { 'a.xhtml': '<h1>Dusk</h1><p>It grew dark.</p>', 'b.xhtml': '<h1>Dawn</h1><p>It grew light.</p>' },
      contents: [
        ['I. Dusk', 'a.xhtml'],
        ['II. Dawn', 'b.xhtml'],
      ],
    });
    const ordered = await client.post(epub, 'application/epub+zip', '?chapters=2&format=opus&speed=2');
    const book = (await ordered.json()) as Job;
    expect(book).toMatchObject({ title: 'The Lamp', author: 'A. Writer', chapters: [{ title: 'II. Dawn' }] });
    const body = {
      input: 'Good morning.',
      format: 'flac',
      voice: 'british_male_george',
      model: 'base-tts-fast',
    };
    const json = await client.post(JSON.stringify(body), 'application/json');
    const job = await client.ended(((await json.json()) as Job).id);
    expect(job).toMatchObject({ status: 'completed', model: 'base-tts-fast', credits: 13, format: 'flac' });
    const list = (await (await client.request('?limit=1')).json()) as { data: Job[]; next_cursor: string };
    expect(list.data.map(({ id }) => id)).toEqual([job.id]);
    const next = (await (await client.request(`?limit=1&cursor=${list.next_cursor}`)).json()) as { data: Job[] };
    expect(next.data.map(({ title }) => title)).toEqual(['The Lamp']);
    // The next test counts jobs that end.
    expect(await client.ended(book.id)).toMatchObject({ status: 'completed', format: 'opus' });
  });

  it('is a book to read along where it was asked for, and counts in the metrics', async () => {
    const client = await clientWith(1_000);
    const seriesOf = async () => {
      const text = await (await fetch(`${server.baseUrl}/metrics`)).text();
      return (name: string) =>
        Number(
          text
            .split('\n')
            .find((line) => line.startsWith(`${name} `))
            ?.split(' ')[1],
        );
    };
    const before = await seriesOf();
    const ordered = await client.post(SHORT, 'text/markdown', '?format=epub');
    const { id } = (await ordered.json()) as Job;
    const job = await client.ended(id);
    expect(job.result).toMatchObject({ filename: 'A short book.epub', content_type: 'application/epub+zip' });
    const files = unzip(Buffer.from(await (await client.request(`/${id}/result`)).arrayBuffer()));
    const overlays = [...files].filter(([name]) => name.endsWith('.smil')).map(([, bytes]) => String(bytes));
    const clips = overlays.map((smil) => [...smil.matchAll(/clipBegin="([^"]+)"/g)].map(([, at]) => at));
    // Title, heading and sentence of the first chapter, heading and sentence of the second.
    expect(clips.map(({ length }) => length)).toEqual([3, 2]);
    expect(clips.map((begins) => new Set(begins).size)).toEqual([3, 2]);
    const after = await seriesOf();
    const ended = 'tts_jobs_ended_total{outcome="completed"}';
    expect(after(ended)).toBe(before(ended) + 1);
    const audio = 'tts_job_audio_seconds_total';
    expect(after(audio) - before(audio)).toBeCloseTo(job.result!.audio_ms / 1000, 2);
    expect(after('tts_job_disk_bytes')).toBeGreaterThanOrEqual(before('tts_job_disk_bytes') + job.result!.bytes);
    expect([after('tts_jobs{state="queued"}'), after('tts_jobs{state="running"}')]).toEqual([0, 0]);
  });

  it('sends its result whole, in parts, and not at all where the client has it', async () => {
    const client = await clientWith(1_000);
    const { id } = await client.ended((await client.order(SHORT, '?format=mp3')).id);
    const get = (headers: Record<string, string>, method = 'GET') =>
      client.request(`/${id}/result`, { method, headers });
    const whole = await get({});
    const bytes = Buffer.from(await whole.arrayBuffer());
    const etag = whole.headers.get('etag')!;
    expect(whole.headers.get('content-disposition')).toContain('filename="A short book.mp3"');
    const part = await get({ range: 'bytes=100-199' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-199/${bytes.length}`]);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100, 200))).toBe(true);
    const last = Buffer.from(await (await get({ range: 'bytes=-50' })).arrayBuffer());
    expect(last.equals(bytes.subarray(-50))).toBe(true);
    const rest = await get({ range: `bytes=${bytes.length - 7}-`, 'if-range': etag });
    expect([rest.status, (await rest.arrayBuffer()).byteLength]).toEqual([206, 7]);
    const changed = await get({ range: 'bytes=5-', 'if-range': '"another"' });
    expect([changed.status, (await changed.arrayBuffer()).byteLength]).toEqual([200, bytes.length]);
    const beyond = await get({ range: `bytes=${bytes.length}-` });
    expect([beyond.headers.get('content-range'), await errorOf(beyond)]).toMatchObject([
      `bytes */${bytes.length}`,
      { status: 416, code: 'invalid_range' },
    ]);
    expect((await get({ 'if-none-match': etag })).status).toBe(304);
    const head = await get({}, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
    expect((await client.request(`/${id}/result`, { method: 'DELETE' })).status).toBe(204);
    expect(await errorOf(await get({}))).toMatchObject({ status: 409, code: 'job_without_result' });
    expect(await client.find(id)).toMatchObject({ status: 'completed', result: null });
  });

  it('is of its key alone', async () => {
    const [one, other] = [await clientWith(100), await clientWith(100)];
    const { id } = await one.order(SHORT);
    for (const [where, method] of [
      [`/${id}`, 'GET'],
      [`/${id}`, 'DELETE'],
      [`/${id}/result`, 'GET'],
      [`/${id}/result`, 'DELETE'],
    ]) {
      expect(await errorOf(await other.request(where!, { method: method! }))).toMatchObject({ code: 'not_found' });
    }
    expect(((await (await other.request('')).json()) as { data: Job[] }).data).toEqual([]);
    expect((await one.ended(id)).status).toBe('completed');
  });

  it('is refused, and costs nothing, where it cannot be made', async () => {
    const [client, poor, free] = [await clientWith(1_000), await clientWith(5), await clientWith(0, 'free')];
    const refusals: [JobClient, string | Uint8Array, string, string, object][] = [
      [free, SHORT, 'text/markdown', '', { status: 403, code: 'early_access_required' }],
      [client, SHORT, 'text/markdown', '?model=base-tts:free', { status: 403, code: 'early_access_required' }],
      [poor, SHORT, 'text/markdown', '', { status: 402, code: 'insufficient_credits' }],
      [client, 'PK broken', 'application/epub+zip', '', { status: 400, code: 'invalid_value', param: 'input' }],
      [client, ' \n', 'text/plain', '', { status: 400 }],
      [client, '…!', 'text/plain', '', { status: 400, code: 'empty_input' }],
      [client, SHORT, 'image/png', '', { status: 415, code: 'unsupported_media_type' }],
      [client, SHORT, 'text/plain', '?voice=nobody', { status: 400, code: 'voice_not_found' }],
      [client, SHORT, 'text/plain', '?format=wav', { status: 400, code: 'invalid_value', param: 'format' }],
      [client, SHORT, 'text/plain', '?speed=9', { status: 400, code: 'invalid_value', param: 'speed' }],
      [client, SHORT, 'text/plain', '?chapters=9', { status: 400, code: 'invalid_value' }],
      [client, '{"format":"mp3"}', 'application/json', '', { status: 400, code: 'missing_field', param: 'input' }],
      [client, 'x'.repeat(1_000_001), 'text/plain', '', { status: 413, code: 'body_too_large' }],
      [client, longText(20_000), 'text/plain', '?format=flac', { status: 400, code: 'input_too_long' }],
      [client, SHORT, 'text/plain', '?webhook_url=ftp%3A%2F%2Fx', { status: 400, param: 'webhook_url' }],
    ];
    for (const [by, body, type, query, answer] of refusals) {
      const told = await errorOf(await by.post(body, type, query));
      expect(told).toMatchObject(answer);
      expect(told.message).not.toContain(home.dir);
    }
    expect(await balance(client)).toEqual({ credits: 1_000, reserved: 0 });
    expect(await balance(poor)).toEqual({ credits: 5, reserved: 0 });
    expect(((await (await client.request('')).json()) as { data: Job[] }).data).toEqual([]);
  });

  it('tells its webhook, signed with the secret that the order was answered with', async () => {
    const heard: { headers: IncomingHttpHeaders; body: string }[] = [];
    const receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on('end', () => {
        heard.push({ headers: request.headers, body });
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const client = await clientWith(100);
    const order = await client.order(SHORT, `?format=flac&webhook_url=${encodeURIComponent(url)}`);
    expect(order.webhook).toMatchObject({ url, status: 'waiting', secret: expect.stringMatching(/^whsec_/) });
    await until(async () => (await client.find(order.id)).webhook!.status === 'delivered', 'the webhook');
    receiver.close();
    expect(JSON.parse(heard[0]!.body)).toMatchObject({
      type: 'speech.job.completed',
      data: { id: order.id, credits: SHORT_CHARS, result: { url: `/jobs/v1/speech/${order.id}/result` } },
    });
    expect(heard[0]!.headers['webhook-id']).toBe(`msg_${order.id}`);
    expect((await client.find(order.id)).webhook).not.toHaveProperty('secret');
  });

  it('is bounded in number by key, and a cancelled one makes room and debits nothing', async () => {
    const client = await clientWith(100_000);
    const jobs = [];
    for (let n = 0; n < 4; n++) jobs.push(await client.order(longText(300)));
    expect(await errorOf(await client.post(SHORT, 'text/plain'))).toMatchObject({
      status: 429,
      code: 'job_limit_exceeded',
    });
    for (const { id } of jobs) expect(await client.cancel(id)).toMatchObject({ status: 'cancelled', credits: 0 });
    expect(await client.cancel(jobs[0]!.id)).toMatchObject({ status: 'cancelled' });
    expect(await balance(client)).toEqual({ credits: 100_000, reserved: 0 });
    expect((await client.ended((await client.order(SHORT)).id)).status).toBe('completed');
  });

  it('is either paid or cancelled where both happen at once', async () => {
    const client = await clientWith(10_000);
    let debited = 0;
    const outcomes = new Set<string>();
    for (let round = 0; round < 12; round++) {
      const { id } = await client.order('One sentence, and it is short.');
      await sleep(round * 25);
      const [told] = await Promise.all([client.cancel(id), client.cancel(id)]);
      const job = told.status === 'cancelled' ? told : await client.ended(id);
      expect(await client.find(id)).toMatchObject({ status: job.status, credits: job.credits });
      expect(job.credits).toBe(job.status === 'completed' ? 30 : 0);
      outcomes.add(job.status);
      debited += job.credits;
    }
    expect(await balance(client)).toEqual({ credits: 10_000 - debited, reserved: 0 });
    expect(outcomes).toContain('cancelled');
  });

  it('goes on after kill -9 where it broke, and comes to the same bytes and the same price', async () => {
    const client = await clientWith(100_000);
    const text = longText(120);
    const order = await client.order(text);
    for (let kills = 0; kills < 2; kills++) {
      const before = (await client.find(order.id)).progress.characters;
      await until(async () => (await client.find(order.id)).progress.characters > before, 'progress');
      await server.kill('SIGKILL');
      server = await startServe(home, ARGS);
      client.baseUrl = server.baseUrl;
    }
    expect(await balance(client)).toEqual({ credits: 100_000, reserved: order.characters });
    const job = await client.ended(order.id);
    expect(job).toMatchObject({ status: 'completed', credits: order.characters });
    const undisturbed = await client.ended((await client.order(text)).id);
    expect(await client.digest(undisturbed.id)).toBe(await client.digest(order.id));
    expect(await balance(client)).toEqual({ credits: 100_000 - 2 * order.characters, reserved: 0 });
    expect(await home.run('db', 'check')).toMatchObject({ code: 0 });
  }, 120_000);

  it('is given back by a server that stops, and fails with its key', async () => {
    const client = await clientWith(100_000);
    const order = await client.order(longText(300));
    await until(async () => (await client.find(order.id)).status === 'running', 'the job');
    expect(await server.kill('SIGTERM')).toBe(0);
    server = await startServe(home, ARGS);
    client.baseUrl = server.baseUrl;
    await until(async () => (await client.find(order.id)).status === 'running', 'the job');
    await home.run('keys', 'revoke', client.key.slice(4, 12));
    const admin = async () => {
      const headers = { authorization: `Bearer ${secret}` };
      const { data } = (await (await fetch(`${server.baseUrl}/admin/v1/jobs`, { headers })).json()) as { data: Job[] };
      return data.find(({ id }) => id === order.id)!;
    };
    await until(async () => (await admin()).status === 'failed', 'the failure');
    expect(await admin()).toMatchObject({ credits: 0, error: { code: 'revoked_api_key' } });
    expect(await balance(client)).toEqual({ credits: 100_000, reserved: 0 });
  });
});
