/** `tts voices`: a table for people, JSON for scripts, and no more loaded than that needs. */
import { mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { serverAtHome } from '../support/at-home.js';
import { modulesIn } from '../support/bundle.js';
import { makeHome, tts, ttsInTerminal } from '../support/processes/tts.js';

const { server, home, run } = await serverAtHome({ sine: { msPerChar: 5 } });
const voices = (...args: string[]) => run(['voices', ...args]);
const ids = async (...args: string[]) =>
  (JSON.parse((await voices('--json', ...args)).stdout.toString()) as { data: Array<{ id: string }> }).data.map(
    ({ id }) => id,
  );

describe('tts voices', () => {
  it('prints a table', async () => {
    const { stdout, stderr, code } = await voices();
    const lines = stdout.toString().trimEnd().split('\n');
    expect(lines[0]).toMatch(/^VOICE +NAME +LANGUAGE +GENDER +DESCRIPTION$/);
    expect(lines.slice(1).map((line) => line.split(' ')[0])).toEqual(
      expect.arrayContaining(['english_female_professional', 'english_female_articulate']),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('fits the terminal', async () => {
    const terminal = ttsInTerminal(['voices'], home.env, 64);
    expect(await terminal.ended()).toBe(0);
    const lines = terminal.text().trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(64);
  });

  it('filters by words, gender and language', async () => {
    expect(await ids('--search', 'ARTIC', '--gender', 'female', '--language', 'en', '-m', 'base-tts-fast')).toEqual([
      'english_female_articulate',
    ]);
    expect(await ids('--gender', 'neutral')).toEqual([]);
    expect(await ids('--search', 'british', '--gender', 'male')).toEqual([
      'british_male_daniel',
      'british_male_fable',
      'british_male_george',
      'british_male_lewis',
    ]);
    expect(await ids('--language', 'fr')).toEqual(['french_female_siwis']);
    expect(await ids('--language', 'fr', '-m', 'base-tts-fast')).toEqual(['french_female_siwis']);
    expect(await ids('--language', 'en-GB')).toHaveLength(8);
    expect(await voices('--language', 'xx')).toMatchObject({
      code: 2,
      stderr: /no language "xx" here. There are: en, es/,
    });
    const none = await voices('--search', 'nobody at all');
    expect(none).toMatchObject({ code: 0, stderr: /None of the \d+ voices/ });
    expect(none.stdout).toHaveLength(0);
    expect(await voices('--gender', 'robot')).toMatchObject({ code: 2, stderr: /female, male, neutral/ });
  });

  it('speaks a sample', async () => {
    const ran = await voices('--preview', 'english_female_articulate', '-o', 'sample.wav', '--quiet');
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(server.worker.jobs.at(-1)).toMatchObject({ mix: [{ style: 'af_bella', weight: 1 }] });
    expect(readFileSync(home.file('sample.wav')).length).toBeGreaterThan(10_000);
    expect(await voices('--preview', 'nobody', '-o', 'x.wav')).toMatchObject({
      code: 2,
      stderr: /There is no voice "nobody"\. tts voices lists all \d+\./,
    });
  });

  it('speaks a sample with each that is listed, into one file', async () => {
    const before = server.worker.jobs.length;
    expect(
      await voices('--preview', '--search', 'british', '--gender', 'male', '-o', 'all.wav', '--quiet'),
    ).toMatchObject({
      code: 0,
      stderr: '',
    });
    const styles = server.worker.jobs.slice(before).map(({ mix }) => mix[0]!.style);
    expect([...new Set(styles)]).toEqual(['bm_daniel', 'bm_fable', 'bm_george', 'bm_lewis']);
  });

  it('mixes a voice into a file that the next command speaks with, and never over another', async () => {
    const made = await voices('mix', 'evening=af_heart:60,bm_george:40', '--voices-dir', home.dir);
    expect(made).toMatchObject({ code: 0, stderr: /evening\.json[\s\S]*tts voices --preview evening/ });
    expect(JSON.parse(readFileSync(home.file('evening.json'), 'utf8'))).toMatchObject({
      style: { af_heart: 60, bm_george: 40 },
    });
    const lonely = { ...home.env, TTS_RUNTIME_DIR: home.file('nowhere'), TTS_VOICES_DIR: home.file('mixed') };
    mkdirSync(home.file('mixed'));
    renameSync(home.file('evening.json'), home.file('mixed/evening.json'));
    const spoken = await tts(['voices', '--preview', 'evening', '-o', 'e.wav', '-q'], { env: lonely, cwd: home.dir });
    expect(spoken).toMatchObject({ code: 0, stderr: '' });
    const again = await voices('mix', 'evening=af_heart', '--voices-dir', home.file('mixed'));
    expect(again).toMatchObject({ code: 2, stderr: /already/ });
    expect(await voices('mix', 'evening')).toMatchObject({ code: 2, stderr: /NAME=STYLE:SHARE/ });
  });

  it('asks a server that is named, and says when the key is refused', async () => {
    const flags = ['--server', server.baseUrl, '--api-key'];
    expect(await voices(...flags, server.free.key)).toMatchObject({ code: 0 });
    expect(await voices(...flags, 'wrong')).toMatchObject({ code: 4, stderr: /key/ });
  });

  it('brings a server of its own where none runs, with no model loaded', async () => {
    const lonely = makeHome();
    const flags = ['--model-dir', lonely.file('none'), '--offline'];
    const ran = await tts(['voices', ...flags], { env: { ...lonely.env, TTS_ENGINE: 'kokoro' }, cwd: lonely.dir });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout.toString()).toContain('english_female_professional');
    lonely.remove();
  });

  it('loads neither terminal library, nor inference, nor server, nor validator to ask a running server', async () => {
    const coverage = home.file('coverage');
    mkdirSync(coverage);
    await tts(['voices'], { env: { ...home.env, NODE_V8_COVERAGE: coverage } });
    const loaded = readdirSync(coverage).flatMap((name) => {
      const { result } = JSON.parse(readFileSync(`${coverage}/${name}`, 'utf8')) as { result: Array<{ url: string }> };
      return result.map(({ url }) => url).filter((url) => url.startsWith('file:'));
    });
    const modules = loaded.flatMap((url) => [url, ...modulesIn(url)]);
    expect(modules.some((url) => url.endsWith('/cli/commands/voices.js'))).toBe(true);
    const packages = new Set(loaded.flatMap((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []));
    expect([...packages]).toEqual([]);
    expect(loaded.filter((url) => /\/dist\/bundle\/(?:server|engine|reading)-/.test(url))).toEqual([]);
    expect(loaded.length).toBeLessThan(45);
  });
});
