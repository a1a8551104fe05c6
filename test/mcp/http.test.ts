/** Agents at /mcp of a server, with the client of the protocol's own SDK. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Progress, ResourceListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { rawExchange, startTestServer, type TestServer, until } from '../../testkit/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ settings: { corsOrigins: ['https://agent.example'] } });
});
afterAll(() => server.close());

const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function agent(key = server.partner.key, at = server) {
  const transport = new StreamableHTTPClientTransport(new URL(`${at.baseUrl}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport as never);
  clients.push(client);
  const call = async (name: string, args: Record<string, unknown>, options = {}) => {
    const result = await client.callTool({ name, arguments: args }, undefined, options);
    const content = result.content as { type: string; text?: string; uri?: string; mimeType?: string }[];
    return { isError: result.isError === true, text: content[0]?.text ?? '', link: content[1] };
  };
  return { client, transport, call };
}

const linkIn = (text: string) => /http:\S+/.exec(text)![0];

describe('the tools', () => {
  it('are listed with what they take', async () => {
    const { client } = await agent();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['speak', 'list_voices', 'explain_reading', 'make_audiobook']);
    expect(tools[0]!.inputSchema).toMatchObject({ type: 'object', required: ['text'], additionalProperties: false });
    expect(Object.keys(tools[0]!.inputSchema.properties!)).not.toContain('file');
  });

  it('speak through the gateway for credits, and answer with a link and a resource', async () => {
    const { client, call } = await agent();
    let changes = 0;
    client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void changes++);
    const before = await server.balance(server.partner.id);
    const { text, link } = await call('speak', { text: 'Hello there.' });
    expect(text).toMatch(/^Made 0\.\d s of speech by english_female_professional \(base-tts-fast\)\.\nListen: http/);
    expect(link).toMatchObject({ type: 'resource_link', mimeType: 'audio/mpeg' });
    expect((await server.balance(server.partner.id)).credits).toBe(before.credits - 12);
    expect((await server.ledger(server.partner.id)).at(-1)).toMatchObject({ characters: 12, outcome: 'completed' });
    const response = await fetch(linkIn(text));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    const file = Buffer.from(await response.arrayBuffer());
    const { resources } = await client.listResources();
    expect(resources).toContainEqual(expect.objectContaining({ uri: link!.uri, size: file.length }));
    const { contents } = await client.readResource({ uri: link!.uri! });
    expect(contents).toEqual([{ uri: link!.uri, mimeType: 'audio/mpeg', blob: file.toString('base64') }]);
    await until(() => changes > 0, 'the notice that there is a resource');
  });

  it('take a voice that reads the language of the text', async () => {
    const { call } = await agent();
    const { text } = await call('speak', { text: 'Bonjour tout le monde, comment allez-vous ?', format: 'wav' });
    expect(text).toContain('by french_female_siwis (base-tts-fast)');
  });

  it('list voices and explain readings without credits', async () => {
    const { call } = await agent();
    const before = await server.balance(server.partner.id);
    const { text: voices } = await call('list_voices', { language: 'en-GB', gender: 'male' });
    expect(voices).toContain('british_male_george | George | en-GB | male | ');
    expect(voices.split('\n').every((line) => line.startsWith('british_male_'))).toBe(true);
    const { text: reading } = await call('explain_reading', { text: 'Dr. Ng paid $5.' });
    expect(reading).toMatch(/ {2}Dr\. → Doctor \/.+\/\n/);
    expect(reading).toContain('$5 → five dollars');
    expect(await server.balance(server.partner.id)).toEqual(before);
  });

  it('make an audiobook with a chapter at each heading', async () => {
    const { call } = await agent();
    const progress: Progress[] = [];
    const text = '# One\n\nIt begins. It goes on.\n\n# Two\n\nIt ends.';
    const options = { onprogress: (each: Progress) => progress.push(each) };
    const made = await call('make_audiobook', { text, title: 'Short', format: 'mp3' }, options);
    expect(made.text).toContain('Chapters: One · Two');
    const file = Buffer.from(await (await fetch(linkIn(made.text))).arrayBuffer());
    expect(file.subarray(0, 3).toString('latin1')).toBe('ID3');
    expect(file.indexOf('CHAP')).toBeGreaterThan(0);
    expect(progress.at(-1)).toMatchObject({ progress: 5, total: 5, message: 'Two: sentence 5 of 5' });
    expect(progress.map((each) => each.progress)).toEqual([...new Set(progress.map((each) => each.progress))].sort());
  });
});

describe('failures', () => {
  it('are results that say what is allowed', async () => {
    const { call } = await agent();
    const of = async (name: string, args: Record<string, unknown>) => {
      const { isError, text } = await call(name, args);
      expect(isError).toBe(true);
      return text;
    };
    expect(await of('speak', {})).toBe('The argument "text" is required: What to say, at most 10000 characters.');
    expect(await of('speak', { txt: 'Hi.' })).toMatch(
      /^There is no argument "txt"\. Did you mean .*text.* There are: text, voice/,
    );
    expect(await of('speak', { text: 'Hi.', speed: 9 })).toBe('The argument "speed" must be from 0.25 to 4.');
    expect(await of('speak', { text: 5 })).toBe('The argument "text" must be a string.');
    expect(await of('speak', { text: 'Hi.', format: 'ogg' })).toBe(
      'The argument "format" must be one of: mp3, wav, opus, flac, m4a.',
    );
    expect(await of('speak', { text: 'Hi.', voice: 'british_male_gorge' })).toContain('british_male_george');
    expect(await of('speak', { text: '…' })).toContain('Nothing of the text can be spoken');
    expect(await of('list_voices', { search: 'klingon' })).toMatch(/^None of the \d+ voices matches\./);
  });

  it('are told for keys without credits, and nothing is kept', async () => {
    const { key, id } = await server.key({ credits: 3 });
    const { client, call } = await agent(key);
    const { isError, text } = await call('speak', { text: 'Hello there.' });
    expect(isError).toBe(true);
    expect(text).toMatch(/credits/);
    expect((await client.listResources()).resources).toEqual([]);
    expect(await server.balance(id)).toEqual({ credits: 3, reserved: 0 });
  });

  it('of the protocol itself are its errors', async () => {
    const { client } = await agent();
    await expect(client.callTool({ name: 'sing', arguments: {} })).rejects.toThrow(/There are: speak, list_voices/);
    await expect(client.readResource({ uri: 'tts://results/none' })).rejects.toMatchObject({ code: -32_002 });
  });
});

describe('a call', () => {
  it('that is cancelled ends its work, and costs nothing', async () => {
    const slow = await startTestServer({ sine: { pace: 4, msPerChar: 50 } });
    try {
      const { call } = await agent(slow.partner.key, slow);
      const stop = new AbortController();
      const before = await slow.balance(slow.partner.id);
      const text = 'This sentence is spoken slowly. '.repeat(60);
      const options = { signal: stop.signal, onprogress: () => stop.abort() };
      await expect(call('speak', { text }, options)).rejects.toThrow();
      await until(async () => (await slow.ledger(slow.partner.id)).length > 0, 'the row of the ledger');
      expect(await slow.ledger(slow.partner.id)).toMatchObject([{ outcome: 'cancelled', credits: 0 }]);
      expect(await slow.balance(slow.partner.id)).toEqual({ ...before, reserved: 0 });
    } finally {
      await Promise.all(clients.splice(0).map((client) => client.close()));
      await slow.close();
    }
  });
});

describe('sessions', () => {
  const post = (body: object, headers: Record<string, string> = {}) =>
    fetch(`${server.baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.partner.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(body),
    });
  const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

  it('need a key, and answer errors as JSON-RPC', async () => {
    const response = await fetch(`${server.baseUrl}/mcp`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { data: { code: 'missing_api_key' } },
    });
  });

  it('are of their key alone', async () => {
    const { transport } = await agent();
    const { key } = await server.key();
    const session = { 'mcp-session-id': transport.sessionId! };
    expect((await post(PING, session)).status).toBe(200);
    expect((await post(PING, { ...session, authorization: `Bearer ${key}` })).status).toBe(404);
    expect((await post(PING)).status).toBe(400);
  });

  it('end with DELETE', async () => {
    const { transport } = await agent();
    const session = { 'mcp-session-id': transport.sessionId! };
    await transport.terminateSession();
    expect((await post(PING, session)).status).toBe(404);
  });

  it('are bounded for a key: the one that was idle longest gives way', async () => {
    const { key } = await server.key();
    const all = [];
    for (let i = 0; i < 9; i++) all.push(await agent(key));
    await expect(all[0]!.client.ping()).rejects.toThrow();
    await expect(all[1]!.client.ping()).resolves.toEqual({});
    await expect(all[8]!.client.ping()).resolves.toEqual({});
  });

  it('end when their key is revoked', async () => {
    const { key, id } = await server.key();
    const { client } = await agent(key);
    await server.keyring.revoke(id);
    await expect(client.ping()).rejects.toThrow(/revoked/i);
  });

  it('are refused to pages of other sites, also under a name that points here', async () => {
    expect((await post(PING, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(PING, { origin: 'https://agent.example' })).status).toBe(400);
    const { status } = await rawExchange(
      server.port,
      'POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
    );
    expect(status).toBe(421);
  });

  it('may be begun by a page whose origin is allowed', async () => {
    const preflight = await fetch(`${server.baseUrl}/mcp`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://agent.example',
        'access-control-request-method': 'DELETE',
        'access-control-request-headers': 'authorization,mcp-session-id',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toContain('DELETE');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('mcp-session-id');
  });
});

describe('links', () => {
  it('lead nowhere for ids that are none', async () => {
    for (const path of ['results/none.mp3', 'results/..%2f..%2fetc%2fpasswd']) {
      expect((await fetch(`${server.baseUrl}/mcp/${path}`)).status).toBe(404);
    }
  });
});
