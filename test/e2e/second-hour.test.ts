/** What a person meets in the second hour at a terminal: nearly right names, several servers. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { writeMeasurement } from '../../src/engine/measure/remembered.js';
import { serverAtHome } from '../support/at-home.js';
import { makeHome as makeServeHome, startServe } from '../support/processes/serve-process.js';
import { shellInTerminal, tts, ttsInTerminal } from '../support/processes/tts.js';

// Many commands one after the other, some with an engine of their own.
vi.setConfig({ testTimeout: 240_000 });

const { server, home, run, jobs } = await serverAtHome({ sine: { msPerChar: 5 } });
/** An engine of the command, slow enough to be watched. */
const lonely = {
  TTS_RUNTIME_DIR: home.file('nowhere'),
  TTS_SINE_OPTIONS: JSON.stringify({ msPerChar: 40, pace: 25 }),
};
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

describe('tts alone', () => {
  it('welcomes a person at a terminal with the commands people want', async () => {
    const terminal = ttsInTerminal([], home.env);
    expect(await terminal.ended()).toBe(0);
    for (const command of ['tts speak', 'tts stream', 'tts serve']) expect(terminal.text()).toContain(command);
    expect(terminal.text().split('\n').length).toBeLessThan(12);
  });

  it('is a mistake in a script, and where something is piped into it', async () => {
    expect(await run([])).toMatchObject({ code: 2, stderr: expect.stringContaining('Usage: tts') });
    const piped = shellInTerminal('echo hello | $TTS', home.env);
    expect(await piped.ended()).toBe(2);
  });
});

describe('two servers of one user', () => {
  it('are both found: by port, else the first of them, which the command says; one that stops leaves the other', async () => {
    const at = makeServeHome();
    const first = await startServe(at, ['--port', '0']);
    const second = await startServe(at, ['--port', '0', '--data-dir', `${at.dir}/second`]);
    const port = new URL(second.baseUrl).port;
    const spokenBy = async (more: Record<string, string> = {}) => {
      const terminal = ttsInTerminal(
        ['speak', 'Hello.', '-o', `${at.dir}/x.wav`],
        { ...at.env, ...more } as never,
        200,
      );
      expect(await terminal.ended()).toBe(0);
      return terminal.text();
    };
    const text = await spokenBy();
    expect(text).toContain(`2 servers run here; this took ${first.baseUrl}. TTS_PORT=${port} takes the other.`);
    expect(text).toContain(`tts serve at ${first.baseUrl}`);
    const other = await spokenBy({ TTS_PORT: port });
    expect(other).toContain(`tts serve at ${second.baseUrl}`);
    expect(other).not.toContain('servers run here');
    await second.kill('SIGTERM');
    expect(await spokenBy()).toContain(`tts serve at ${first.baseUrl}`);
    // A server that was killed leaves its file; commands see that it is gone.
    await first.kill('SIGKILL');
    expect(await spokenBy()).toContain('an engine of this command');
    at.remove();
  });
});

describe('a terminal', () => {
  it.each([['speak'], ['serve'], ['bench'], ['keys', 'create'], []])(
    'of 60 columns breaks the help of tts %s between words',
    async (...command) => {
      const terminal = ttsInTerminal([...command, '--help'], home.env, 60);
      expect(await terminal.ended()).toBe(0);
      const tooWide = terminal
        .text()
        .split('\n')
        .filter((line) => line.length > 60 && /\S\s+\S/.test(line.slice(line.search(/\S/), 60)));
      expect(tooWide).toEqual([]);
    },
  );
});

describe('a book', () => {
  it('is called what its heading says, unless --title says otherwise', async () => {
    writeFileSync(home.file('story.md'), '# The Lighthouse\n\n## One\n\nIt began.\n\n## Two\n\nIt ended.\n');
    const make = (...more: string[]) =>
      run(['speak', '-f', 'story.md', '-o', 'story.flac', '--chapters', '-q', ...more]);
    expect(await make()).toMatchObject({ code: 0 });
    expect(readFileSync(home.file('story.flac')).toString('latin1')).toContain('TITLE=The Lighthouse');
    expect(await make('--title', 'Another')).toMatchObject({ code: 0 });
    expect(readFileSync(home.file('story.flac')).toString('latin1')).toContain('TITLE=Another');
  });

  it('with subtitles shows how much is left, also behind its first chapter', async () => {
    const chapter = 'A sentence that takes a while to say. '.repeat(40);
    writeFileSync(home.file('long.md'), ['One', 'Two', 'Three'].map((name) => `# ${name}\n\n${chapter}\n\n`).join(''));
    const files = ['-o', home.file('long.mp3'), '--vtt', home.file('long.vtt')];
    const args = ['speak', '-f', home.file('long.md'), '--chapters', ...files];
    const terminal = ttsInTerminal(args, { ...home.env, ...lonely }, 160);
    // Past the first third, which is the first chapter.
    await terminal.until(/ (?:4|5|6|7|8)\d % · \d+ (?:s|min) left/);
    expect(await terminal.ended()).toBe(0);
  });

  it('that takes long with base-tts is told, once, what base-tts-fast would take', async () => {
    const { config } = loadConfig({ env: { ...home.env } });
    // So slow a machine that a text of a few requests takes long.
    const measured = { realTimeFactor: 3, untilHeard: { 'base-tts': 3, 'base-tts-fast': 0.5 } };
    await writeMeasurement(config.modelDir, config, { vocoder: 'quantised', runtime: '1', ...measured });
    writeFileSync(home.file('book.txt'), 'A sentence of a long book, which is read aloud. '.repeat(120));
    const make = (model: string) => run(['speak', '-f', 'book.txt', '-o', 'book.pcm', '-m', model]);
    const { stderr, code } = await make('base-tts');
    expect(code).toBe(0);
    expect(stderr).toBe(
      'tts: With base-tts this takes about 20 min on this machine; -m base-tts-fast would take about 3 min.\n',
    );
    expect(await make('base-tts-fast')).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a voice of the user', () => {
  it('is made, spoken by commands and by a server that was running before, listed, and removed again', async () => {
    const at = makeServeHome();
    const started = await startServe(at);
    const key = (await at.run('keys', 'create', '--tier', 'partner', '--credits', '1000')).stdout.trim();
    const ask = async (path: string) =>
      (await fetch(`${started.baseUrl}${path}`, { headers: { authorization: `Bearer ${key}` } })).text();
    const speakCosy = (...more: string[]) => at.run('speak', 'Hello.', '-v', 'cosy', '-o', `${at.dir}/x.wav`, ...more);
    expect(await speakCosy()).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no voice "cosy".') });
    const made = await at.run('voices', 'mix', 'cosy=af_heart:60,bm_george:40');
    expect(made).toMatchObject({ code: 0, stderr: expect.stringMatching(/hear it: tts voices --preview cosy\n$/) });
    expect(await speakCosy()).toMatchObject({ code: 0, stderr: '' });
    expect(await ask('/v1/voices?model=base-tts')).toContain('"cosy"');
    expect(await ask('/openai/v1/audio/voices')).toContain('"cosy"');
    // Without that server too.
    const lonely = { ...at.env, TTS_RUNTIME_DIR: `${at.dir}/nowhere` } as Record<string, string>;
    expect(await tts(['explain', 'Hi.', '-v', 'cosy'], { env: lonely })).toMatchObject({ code: 0 });
    expect(await at.run('voices', 'remove', 'cosi')).toMatchObject({ code: 2, stderr: /Did you mean cosy\?/ });
    const shipped = await at.run('voices', 'remove', 'british_male_george');
    expect(shipped).toMatchObject({ code: 2, stderr: /ships with tts/ });
    expect(await at.run('voices', 'remove', 'cosy')).toMatchObject({ code: 0, stderr: /^removed .*cosy\.json\n$/ });
    expect(await speakCosy()).toMatchObject({ code: 2 });
    await started.kill('SIGTERM');
    at.remove();
  });
});
