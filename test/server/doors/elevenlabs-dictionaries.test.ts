/** ElevenLabs' pronunciation dictionaries, and dialogues of several voices. */
import { beforeAll, describe, expect, it } from 'vitest';
import { openEncoders } from '../../../src/audio/encoder.js';
import type { SegmentSpan } from '../../../src/protocol/job.js';
import { type TestServer, until } from '../../../testkit/server.js';
import { ElevenLabsClient as Client } from '../../support/elevenlabs-client.js';
import { testServers } from '../../support/processes/test-servers.js';

const VOICE = 'english_female_professional';
// Other suites of the same process may have left some.
const leftOpen = openEncoders();
const start = testServers(() => until(() => openEncoders() <= leftOpen, 'the end of the encoders'));
let server: TestServer;
beforeAll(async () => {
  server = await start();
});

async function ask(path: string, body?: object, { key = server.partner.key, method = body ? 'POST' : 'GET' } = {}) {
  const response = await fetch(`${server.baseUrl}/elevenlabs${path}`, {
    method,
    headers: { 'xi-api-key': key, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { response, status: response.status, json: () => response.json() as Promise<never> };
}

/** What the engine was told of words that are not read as they are written. */
const corrections = (): SegmentSpan[] =>
  server.worker.jobs.flatMap(({ segment }) => segment.spans.filter(({ kind }) => kind !== 'text'));

const PATH = '/v1/pronunciation-dictionaries';
const RULES = [
  { type: 'alias', string_to_replace: 'UN', alias: 'United Nations' },
  { type: 'phoneme', string_to_replace: 'tomato', phoneme: 'təˈmɑːtoʊ', alphabet: 'ipa' },
];
interface Made {
  id: string;
  version_id: string;
  version_rules_num: number;
}

describe('a pronunciation dictionary', () => {
  const make = async (key = server.partner.key, rules: object[] = RULES) =>
    (await (await ask(`${PATH}/add-from-rules`, { name: 'Mine', rules }, { key })).json()) as Made;

  it('is made of rules, listed, changed and put away, by the key that made it alone', async () => {
    const { key, id: keyId } = await server.key();
    const made = await make(key);
    expect(made).toMatchObject({ name: 'Mine', created_by: keyId, version_rules_num: 2 });
    const list = async (by: string) =>
      (await (await ask(PATH, undefined, { key: by })).json()) as { has_more: boolean };
    expect(await list(key)).toMatchObject({
      pronunciation_dictionaries: [{ id: made.id, latest_version_id: made.version_id }],
      has_more: false,
    });
    expect(await list(server.partner.key)).toMatchObject({ pronunciation_dictionaries: [] });
    expect((await ask(`${PATH}/${made.id}`)).status).toBe(404);
    const more = { rules: [{ type: 'alias', string_to_replace: 'WHO', alias: 'World Health Organization' }] };
    const added = (await (await ask(`${PATH}/${made.id}/add-rules`, more, { key })).json()) as Made;
    expect(added).toMatchObject({ id: made.id, version_rules_num: 3 });
    expect(added.version_id).not.toBe(made.version_id);
    await ask(`${PATH}/${made.id}/remove-rules`, { rule_strings: ['UN', 'tomato'] }, { key });
    const left = (await (await ask(`${PATH}/${made.id}`, undefined, { key })).json()) as { rules: object[] };
    expect(left.rules).toEqual(more.rules);
    await ask(`${PATH}/${made.id}`, { archived: true }, { key, method: 'PATCH' });
    expect(await list(key)).toMatchObject({ pronunciation_dictionaries: [] });
  });

  it.each([
    [{ type: 'alias', string_to_replace: 'x' }],
    [{ type: 'phoneme', string_to_replace: 'x', phoneme: 'T OW', alphabet: 'cmu-arpabet' }],
    [{ type: 'phoneme', string_to_replace: 'x', phoneme: '7', alphabet: 'ipa' }],
    [{ type: 'song', string_to_replace: 'x' }],
  ])('refuses the rule %j', async (rule) => {
    expect((await ask(`${PATH}/add-from-rules`, { name: 'Wrong', rules: [rule] })).status).toBe(422);
  });

  it('says how words are read, over HTTP and on the sockets, and not for other keys', async () => {
    const { id, version_id } = await make();
    const locators = [{ pronunciation_dictionary_id: id, version_id }];
    const body = { text: 'The UN ate a Tomato.', pronunciation_dictionary_locators: locators };
    const speak = async (key?: string) => {
      server.worker.jobs.length = 0;
      const { response, status } = await ask(
        `/v1/text-to-speech/${VOICE}?output_format=pcm_24000`,
        body,
        key ? { key } : {},
      );
      await response.arrayBuffer();
      return { status, ignored: response.headers.get('x-ignored-fields') };
    };
    const meant = [
      expect.objectContaining({ kind: 'sub', alias: 'United Nations' }),
      expect.objectContaining({ kind: 'phoneme', ipa: '/təˈmɑːtoʊ/' }),
    ];
    expect(await speak()).toEqual({ status: 200, ignored: null });
    expect(corrections()).toEqual(meant);
    const { key: other } = await server.key();
    expect(await speak(other)).toEqual({ status: 200, ignored: 'pronunciation_dictionary_locators' });
    expect(corrections()).toEqual([]);
    for (const kind of ['stream-input', 'multi-stream-input']) {
      server.worker.jobs.length = 0;
      const client = await Client.open(server, kind);
      client.send({ text: ' ', pronunciation_dictionary_locators: locators }, { text: body.text, flush: true });
      await until(() => client.audio().length > 0);
      client.socket.terminate();
      expect(corrections()).toEqual(meant);
    }
  });
});

describe('a dialogue', () => {
  const inputs = [
    { text: 'Good evening. How are you?', voice_id: '21m00Tcm4TlvDq8ikWAM' },
    { text: 'Very well, thank you.', voice_id: 'JBFqnCBsd6RMkjVDRZzb' },
    { text: 'I am glad.', voice_id: '21m00Tcm4TlvDq8ikWAM' },
  ];
  const chars = inputs.reduce((sum, { text }) => sum + text.length, 0);
  const text = inputs.map((input) => input.text).join('');
  const styles = () => server.worker.jobs.map(({ mix }) => mix[0]!.style);

  it('is spoken by its voices in turn, and is one request that costs what its texts cost', async () => {
    const { key, id } = await server.key({ credits: 1_000 });
    for (const path of ['', '/stream']) {
      server.worker.jobs.length = 0;
      const asked = await ask(`/v1/text-to-dialogue${path}?output_format=pcm_24000`, { inputs }, { key });
      expect(asked.status).toBe(200);
      expect(asked.response.headers.get('character-cost')).toBe(String(chars));
      // The sine engine takes 20 ms a character that is no space.
      const bytes = (await asked.response.arrayBuffer()).byteLength;
      expect(bytes).toBeGreaterThanOrEqual([...text].filter((char) => char !== ' ').length * 20 * 48);
      expect(styles().filter((style, at, all) => style !== all[at - 1])).toEqual(['af_heart', 'bm_george', 'af_heart']);
    }
    await until(async () => (await server.ledger(id)).length === 2);
    for (const row of await server.ledger(id)) expect(row).toMatchObject({ characters: chars, credits: chars });
    expect(await server.balance(id)).toEqual({ credits: 1_000 - 2 * chars, reserved: 0 });
  });

  it('tells who speaks when, whole and while it is made', async () => {
    interface Timed {
      audio_base64: string;
      alignment: { characters: string[]; character_start_times_seconds: number[] } | null;
      voice_segments: {
        voice_id: string;
        start_time_seconds: number;
        end_time_seconds: number;
        character_start_index: number;
        character_end_index: number;
        dialogue_input_index: number;
      }[];
    }
    const whole = (await (await ask('/v1/text-to-dialogue/with-timestamps', { inputs })).json()) as Timed;
    expect(whole.alignment!.characters.join('')).toBe(text);
    expect(whole.voice_segments.map(({ voice_id: id }) => id)).toEqual(inputs.map(({ voice_id: id }) => id));
    for (const [at, one] of whole.voice_segments.entries()) {
      expect(text.slice(one.character_start_index, one.character_end_index)).toBe(inputs[at]!.text);
      expect(one.dialogue_input_index).toBe(at);
      expect(one.end_time_seconds).toBeGreaterThan(one.start_time_seconds);
      expect(one.start_time_seconds).toBeGreaterThanOrEqual(whole.voice_segments[at - 1]?.end_time_seconds ?? 0);
    }
    const { response } = await ask('/v1/text-to-dialogue/stream/with-timestamps', { inputs });
    const lines = (await response.text())
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Timed);
    expect(lines.flatMap(({ alignment }) => alignment?.characters ?? []).join('')).toBe(text);
    expect([...new Set(lines.flatMap((line) => line.voice_segments.map((one) => one.dialogue_input_index)))]).toEqual([
      0, 1, 2,
    ]);
  });

  it('gives everything back where its client leaves in the middle', async () => {
    const slow = await start({ sine: { pace: 2 } });
    const left = new AbortController();
    const response = await fetch(`${slow.baseUrl}/elevenlabs/v1/text-to-dialogue/stream`, {
      method: 'POST',
      headers: { 'xi-api-key': slow.partner.key, 'content-type': 'application/json' },
      body: JSON.stringify({ inputs: [...inputs, ...inputs, ...inputs] }),
      signal: left.signal,
    });
    await response.body!.getReader().read();
    left.abort();
    await until(() => slow.accounts.active === 0 && slow.gateway.stats.open === 0);
    await until(async () => (await slow.ledger(slow.partner.id)).length === 1);
    expect((await slow.ledger(slow.partner.id))[0]).toMatchObject({ outcome: 'cancelled', credits: 0 });
  });

  it.each([
    [{ inputs: [] }, 422],
    [{ inputs: [{ text: ' ', voice_id: VOICE }] }, 422],
    [{ inputs: [{ text: 'Hi.', voice_id: 'nobody' }] }, 404],
    [{ inputs: Array.from({ length: 3 }, () => ({ text: 'a '.repeat(2_000), voice_id: VOICE })) }, 400],
  ])('refuses %#', async (body, status) => {
    expect((await ask('/v1/text-to-dialogue', body)).status).toBe(status);
  });
});
