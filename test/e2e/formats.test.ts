/**
 * `tts speak` into every format, with tags and chapters, and at another pace: what another program
 * finds in the files.
 */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { serverAtHome } from '../support/at-home.js';
import { decodeFile, hasFfmpeg, probe } from '../support/sound/ffmpeg.js';

const { server, home, run } = await serverAtHome({ sine: { msPerChar: 20 } });

const BOOK = `# The Lamp

## One: Dusk

The keeper climbed the stairs.

## Two: Night

Nobody saw the ship.

\`\`\`
## not a heading
\`\`\`
`;

if (!hasFfmpeg()) {
  it('leaves the formats of files out: ffmpeg is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe.each(['mp3', 'opus', 'flac'])('tts speak -o book.%s --chapters', (ending) => {
    it('makes an audiobook: title, voice, a chapter at every heading, each as long as it sounds', async () => {
      writeFileSync(home.file('The Lamp.md'), BOOK);
      const ran = await run(['speak', '-f', 'The Lamp.md', '-o', `book.${ending}`, '--chapters', '--quiet']);
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      await run(['speak', '-f', 'The Lamp.md', '-o', 'book.wav', '--quiet']);
      const { chapters, format, streams } = probe(home.file(`book.${ending}`));
      const tags = { ...format.tags, ...(streams[0] as { tags?: Record<string, string> }).tags };
      expect(
        Object.fromEntries(Object.entries(tags).map(([name, value]) => [name.toLowerCase(), value])),
      ).toMatchObject({
        title: 'The Lamp',
        artist: 'english_female_professional',
      });
      expect(chapters.map(({ tags: { title } }) => title)).toEqual(['The Lamp: One: Dusk', 'Two: Night']);
      const wav = decodeFile(home.file('book.wav'));
      const sound = decodeFile(home.file(`book.${ending}`));
      expect(Math.abs(sound.length - wav.length)).toBeLessThanOrEqual(1);
      // The sine rests between characters that are written and never within a word: a chapter
      // begins with its heading.
      const second = Number(chapters[1]!.start_time);
      expect(second).toBeGreaterThan(0.3);
      expect(second).toBeLessThan(wav.length / 24_000);
      expect(Number(chapters[0]!.start_time)).toBe(0);
    });
  });

  it('tells the format by --format as well, and refuses what cannot be', async () => {
    expect(
      await run(['speak', 'Hello.', '-o', 'plain', '--format', 'flac', '--title', 'A greeting', '-q']),
    ).toMatchObject({ code: 0 });
    expect(probe(home.file('plain')).format.tags).toMatchObject({ TITLE: 'A greeting' });
    expect(probe(home.file('plain')).streams[0]).toMatchObject({ codec_name: 'flac', sample_rate: '24000' });
    expect(await run(['speak', 'Hello.', '-o', 'x.mp3', '--format', 'flac'])).toMatchObject({
      code: 2,
      stderr: /agree/,
    });
    expect(await run(['speak', 'Hello.', '-o', 'x.doc'])).toMatchObject({ code: 2, stderr: /\.mp3/ });
    expect(await run(['speak', 'Hello.', '-o', 'x.wav', '--chapters'])).toMatchObject({ code: 2, stderr: /book\.mp3/ });
    expect(await run(['speak', 'Hello.', '--whole'])).toMatchObject({ code: 2, stderr: /-o -/ });
  });
}

describe('tts speak -o -', () => {
  it('has a header of unknown length, or with --whole the exact one', async () => {
    const open = (await run(['speak', 'Hello there.', '-o', '-', '-q'])).stdout;
    const whole = (await run(['speak', 'Hello there.', '-o', '-', '-q', '--whole'])).stdout;
    expect(open.readUInt32LE(40)).toBe(0xffff_ffff);
    expect(whole.readUInt32LE(40)).toBe(whole.length - 44);
    expect(whole.subarray(44)).toEqual(open.subarray(44));
  });
});

describe('--speed', () => {
  it.each([
    ['speak, for a Free key as well', ['speak', 'Hello there.']],
    ['stream', ['stream']],
  ])('reaches the engine from tts %s, and the sound is as much shorter', async (_name, args) => {
    const samples = async (...more: string[]) => {
      const ran = await run([...args, '-o', 's.pcm', '-q', ...more], { stdin: 'Hello there.' });
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      return readFileSync(home.file('s.pcm')).length;
    };
    const plain = await samples();
    expect(server.worker.jobs.at(-1)).toMatchObject({ speed: 1 });
    expect(await samples('--speed', '2')).toBe(plain / 2);
    expect(server.worker.jobs.at(-1)).toMatchObject({ speed: 2, segment: { text: 'Hello there.' } });
    const free = ['--server', server.baseUrl, '--api-key', server.free.key, '-m', 'base-tts:free'];
    if (args[0] === 'speak') expect(await samples('--speed', '0.5', ...free)).toBe(plain * 2);
    else
      expect(await run(['stream', '-o', 's.pcm', '--speed', '2', ...free])).toMatchObject({
        code: 2,
        stderr: /WebSocket/,
      });
  });

  it('keeps subtitles in time', async () => {
    const text = 'One two three. Four five six.';
    const cues = async (...more: string[]) => {
      await run(['speak', text, '-o', 's.pcm', '--srt', 's.srt', '-q', ...more]);
      return [...readFileSync(home.file('s.srt'), 'utf8').matchAll(/--> \d\d:\d\d:(\d\d),(\d{3})/g)].map(
        ([, s, ms]) => Number(s) * 1000 + Number(ms),
      );
    };
    const [plain, slow] = [await cues(), await cues('--speed', '0.5')];
    expect(slow.length).toBe(plain.length);
    expect(Math.abs(slow.at(-1)! - 2 * plain.at(-1)!)).toBeLessThan(60);
  });

  it('says so where a server has no door for it', async () => {
    const older = createServer().listen(0, '127.0.0.1');
    older.on('upgrade', (_request, socket) => {
      socket.end(
        'HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{"error":{"code":"not_found"}}',
      );
    });
    await once(older, 'listening');
    const { port } = older.address() as AddressInfo;
    const args = [
      'speak',
      'Hello.',
      '-o',
      'x.wav',
      '--speed',
      '2',
      '-m',
      'base-tts',
      '--server',
      `http://127.0.0.1:${port}`,
    ];
    const ran = await run([...args, '--api-key', 'x']);
    older.close();
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toMatch(/one speed and in one style only.*--speed/);
  });

  it('is refused where it is no speed', async () => {
    for (const speed of ['0', '5', 'fast', '']) {
      expect(await run(['speak', 'Hello.', '-o', 'x.wav', '--speed', speed])).toMatchObject({
        code: 2,
        stderr: /0\.25 to 4/,
      });
    }
  });
});
