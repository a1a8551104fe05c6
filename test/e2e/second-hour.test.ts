/** What a person meets in the second hour at a terminal: names that are nearly right, and more than one server. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { serverAtHome } from '../support/at-home.js';

const { server, home, run, jobs } = await serverAtHome({ sine: { msPerChar: 5 } });
const speak = (...args: string[]) => run(['speak', 'Hello there.', '-o', 'x.wav', '-q', ...args]);

describe('a name that is nearly right', () => {
  it.each([
    [['-v', 'english_female_profesional'], 'Did you mean english_female_professional?'],
    [['-v', 'sarah'], 'Did you mean american_female_sarah?'],
    [['-v', 'af_srah'], 'tts voices lists all'],
    [['-v', 'sarah', '--srt', 'x.srt'], 'Did you mean american_female_sarah?'],
    [['-m', 'base-tts-fst'], 'Did you mean base-tts-fast?'],
  ])('gets a suggestion: tts speak %j', async (args, said) => {
    const ran = await speak(...args);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(`There is no ${args[0] === '-v' ? 'voice' : 'model'} "${args[1]}".`);
    expect(ran.stderr).toContain(said);
  });

  it.each([
    [['config', 'set', 'modle', 'base-tts'], 'There is no setting "modle". Did you mean model?'],
    [['explain', 'Hello.', '-v', 'gorge'], 'There is no voice "gorge". Did you mean british_male_george?'],
    [['voices', '--preview', 'sarah', '-o', 'x.wav'], 'Did you mean american_female_sarah?'],
    [['models', 'verify', 'base-tts-fst'], 'Did you mean base-tts-fast?'],
  ])('gets a suggestion: tts %j', async (args, said) => {
    expect(await run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
  });

  it("is Kokoro's own id of a voice: it is spoken, and previewed", async () => {
    expect(await speak('-v', 'af_sarah')).toMatchObject({ code: 0, stderr: '' });
    expect(jobs().at(-1)).toMatchObject({ mix: [{ style: 'af_sarah', weight: 1 }] });
    expect(await run(['voices', '--preview', 'bm_lewis', '-o', 'x.wav', '-q'])).toMatchObject({ code: 0 });
    expect(jobs().at(-1)).toMatchObject({ mix: [{ style: 'bm_lewis', weight: 1 }] });
    expect(readFileSync(home.file('x.wav')).length).toBeGreaterThan(1_000);
  });
});

describe("Kokoro's own ids", () => {
  const ask = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${server.partner.key}`, 'content-type': 'application/json' };
    const response = await fetch(`${server.baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, text: response.ok ? '' : await response.text() };
  };

  it("are accepted by OpenAI's and ElevenLabs' dialects, which suggest a voice for a mistake", async () => {
    const openai = (voice: string) => ask('/openai/v1/audio/speech', { model: 'tts-1', voice, input: 'Hello.' });
    expect(await openai('af_sarah')).toMatchObject({ status: 200 });
    expect(jobs().at(-1)).toMatchObject({ mix: [{ style: 'af_sarah', weight: 1 }] });
    expect((await openai('sarahh')).text).toContain('Did you mean american_female_sarah?');
    const elevenlabs = (voice: string) => ask(`/elevenlabs/v1/text-to-speech/${voice}`, { text: 'Hello.' });
    expect(await elevenlabs('bm_george')).toMatchObject({ status: 200 });
    expect(jobs().at(-1)).toMatchObject({ mix: [{ style: 'bm_george', weight: 1 }] });
    expect((await elevenlabs('bm_gorge')).status).toBe(404);
  });

  it('are not accepted by /v1, which keeps to the catalogue', async () => {
    const refused = await ask('/v1/audio/speech', { model: 'base-tts', voice: 'af_sarah', input: 'Hello.' });
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('voice_not_found') });
    expect(refused.text).not.toContain('Did you mean');
  });
});
