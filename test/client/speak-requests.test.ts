/** Long texts over HTTP, and servers that are busy for a moment. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpClient } from '../../src/client/http.js';
import { Progress } from '../../src/client/progress.js';
import { createNullSink } from '../../src/client/sinks/null.js';
import { speakRequests } from '../../src/client/speak-requests.js';

const never = new AbortController().signal;
const open: Array<() => void> = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** Answers with what `answer` makes of each request's text. */
async function serve(answer: (input: string, response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => {
      body += part.toString();
    });
    request.on('end', () => answer((JSON.parse(body) as { input: string }).input, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = createHttpClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: 'k',
  });
  open.push(() => {
    client.close();
    server.close();
  });
  return client;
}

const refuse = (response: ServerResponse, status: number, code: string, retryAfter: string) =>
  response
    .writeHead(status, { 'retry-after': retryAfter })
    .end(JSON.stringify({ error: { code, type: 'server_error', message: 'Busy.', param: null, request_id: 'req_1' } }));

describe('a long text over HTTP', () => {
  it('becomes one request after the other into one sink', async () => {
    const inputs: string[] = [];
    const client = await serve((input, response) => {
      inputs.push(input);
      response.end(Buffer.alloc(input.length * 2));
    });
    const sink = createNullSink();
    const text = 'A sentence of some words. '.repeat(300).trim();
    await speakRequests(
      { client, sections: [{ text }], fields: { model: 'base-tts' }, sink, progress: new Progress() },
      never,
    );
    expect(inputs.join(' ')).toBe(text);
    expect(inputs.length).toBe(Math.ceil(text.length / 2048));
    expect(sink.heardSamples).toBe(inputs.join('').length);
  });

  it('waits for a server that is busy for a moment, and says nothing twice', async () => {
    const attempts: string[] = [];
    const client = await serve((input, response) => {
      attempts.push(input);
      if (attempts.length === 1) refuse(response, 503, 'overloaded', '0');
      else if (attempts.length === 2) refuse(response, 429, 'concurrency_limit_exceeded', '0');
      else response.end(Buffer.alloc(200));
    });
    const sink = createNullSink();
    await speakRequests(
      { client, sections: [{ text: 'Hello.' }], fields: { model: 'base-tts' }, sink, progress: new Progress() },
      never,
    );
    expect(attempts).toEqual(['Hello.', 'Hello.', 'Hello.']);
    expect(sink.heardSamples).toBe(100);
  });

  it('goes on behind a stretch of which nothing can be spoken', async () => {
    const client = await serve((input, response) => {
      if (/[a-z]/.test(input)) response.end(Buffer.alloc(200));
      else refuse(response, 400, 'empty_input', '');
    });
    const sink = createNullSink();
    const text = `Hello. ${'😀 '.repeat(4_000)} Goodbye.`;
    await speakRequests(
      { client, sections: [{ text }], fields: { model: 'base-tts' }, sink, progress: new Progress() },
      never,
    );
    expect(sink.heardSamples).toBe(200);
  });

  it('does not wait for what will not pass soon, nor for what will not pass at all', async () => {
    const speak = (client: Awaited<ReturnType<typeof serve>>) =>
      speakRequests(
        {
          client,
          sections: [{ text: 'Hello.' }],
          fields: { model: 'base-tts' },
          sink: createNullSink(),
          progress: new Progress(),
        },
        never,
      );
    const daily = await serve((_input, response) => refuse(response, 429, 'daily_limit_exceeded', '40000'));
    await expect(speak(daily)).rejects.toMatchObject({ code: 'daily_limit_exceeded', message: /12 hours/ });
    const poor = await serve((_input, response) => refuse(response, 402, 'insufficient_credits', ''));
    await expect(speak(poor)).rejects.toMatchObject({ code: 'insufficient_credits' });
  });
});
