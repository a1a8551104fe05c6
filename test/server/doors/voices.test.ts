/** GET /v1/voices, as the interface's tables have it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SPEECH_MODELS } from '../../../src/protocol/contract.js';
import type { VoiceCatalog } from '../../../src/protocol/http.js';
import { errorOf, startTestServer, type TestServer } from '../../../testkit/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ worker: { state: 'dead' }, gateway: { deadPatienceMs: 0 } });
});
afterAll(() => server.close());

describe('the voice catalogue', () => {
  it.each(SPEECH_MODELS)('of %s is whole, for a Free and a Partner key alike, with a dead engine', async (model) => {
    for (const key of [server.free.key, server.partner.key]) {
      const response = await server.get(`/v1/voices?model=${encodeURIComponent(model)}&search=x`, key);
      expect(response.status).toBe(200);
      expect(response.headers.get('x-request-id')).toMatch(/^req_/);
      const catalog = (await response.json()) as VoiceCatalog;
      expect(catalog).toMatchObject({ object: 'list', model });
      expect(catalog.catalog_version).toMatch(/./);
      const ids = catalog.data.map(({ id }) => id);
      expect(ids).toContain('english_female_articulate');
      expect(ids).toContain('english_female_professional');
      for (const voice of catalog.data) {
        expect(voice.object).toBe('voice');
        expect(['female', 'male', 'neutral']).toContain(voice.gender);
        expect(typeof voice.supports_instructions).toBe('boolean');
        for (const text of [voice.id, voice.display_name, voice.language, voice.description]) expect(text).toMatch(/./);
        if (voice.preview_url !== undefined) expect(voice.preview_url).toMatch(/^https:/);
      }
    }
  });

  it.each([
    ['no model', '', 'missing_field'],
    ['an unknown model', '?model=other', 'model_not_found'],
    ['an empty model', '?model=', 'model_not_found'],
    ['two models', '?model=base-tts&model=base-tts-fast', 'invalid_type'],
  ])('%s is 400', async (_name, query, code) => {
    const error = await errorOf(await server.get(`/v1/voices${query}`));
    expect(error).toMatchObject({ status: 400, code, param: 'model', type: 'invalid_request_error' });
  });

  it('uses no allowance, no slot and no credits', async () => {
    for (let i = 0; i < 5; i++) await (await server.get('/v1/voices?model=base-tts:free', server.free.key)).json();
    expect(await server.ledger()).toEqual([]);
    for (const { today } of await server.store.listKeys()) expect(today.freeRequests).toBe(0);
    const { key } = await server.key({ credits: 0 });
    expect((await server.get('/v1/voices?model=base-tts', key)).status).toBe(200);
  });

  it('is answered to HEAD without a body', async () => {
    const headers = { authorization: `Bearer ${server.partner.key}` };
    const response = await fetch(`${server.baseUrl}/v1/voices?model=base-tts`, { method: 'HEAD', headers });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });
});
