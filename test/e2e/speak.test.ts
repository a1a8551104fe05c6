/** `tts speak` behind real pipes: what a script gets. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { until } from '../../testkit/server.js';
import { serverAtHome } from '../support/at-home.js';
import { makeHome, type RunOptions, tts } from '../support/processes/tts.js';

const { server, home, jobs, run, spokenBy } = await serverAtHome({ sine: { msPerChar: 5, failOn: 'broken' } });

const speak = (args: string[], options: Partial<RunOptions> = {}) => run(['speak', ...args], options);

describe('tts speak, what it says', () => {
  it('says its words, and writes a whole WAV', async () => {
    const text = await spokenBy(async () => {
      const ran = await speak(['Hello', 'there.', '-o', 'a.wav']);
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      expect(ran.stdout).toHaveLength(0);
    });
    expect(text).toBe('Hello there.');
    const wav = readFileSync(home.file('a.wav'));
    expect(wav.toString('latin1', 0, 4)).toBe('RIFF');
    expect(wav.readUInt32LE(40)).toBe(wav.length - 44);
    expect(readdirSync(home.dir).filter((name) => name.includes('.part'))).toEqual([]);
  });

  it('leaves the first sentence whole where it is written down, by either route, and cuts it where it is heard', async () => {
    const text = 'When the rain had stopped, we went outside to look around.';
    const pieces = async (...args: string[]) => {
      const before = jobs().length;
      expect((await speak([text, ...args])).code).toBe(0);
      return jobs()
        .slice(before)
        .map(({ segment }) => segment.text);
    };
    expect(await pieces('-o', 'kept.wav')).toEqual([text]);
    expect(await pieces('-o', 'kept.wav', '--seed', '1')).toEqual([text]);
    expect(await pieces('-o', '-', '--whole')).toEqual([text]);
    const heard = ['When the rain had stopped, ', 'we went outside to look around.'];
    expect(await pieces('-o', '-')).toEqual(heard);
    expect(await pieces('-o', '-', '--seed', '1')).toEqual(heard);
  });

  it('delivers a text in the style that is asked for, and names the styles where there is none', async () => {
    const delivered = async (style: string) => {
      const before = jobs().length;
      expect((await speak(['One thing. Another.', '--style', style, '-o', 'styled.wav'])).code).toBe(0);
      return jobs()[before]!.delivery;
    };
    expect((await delivered('narration'))?.rate).toBeLessThan(1);
    expect(await delivered('plain')).toBeUndefined();
    const ran = await speak(['One.', '--style', 'shouting', '-o', 'none.wav']);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('narration, assistant, news, plain') });
  });

  it('reads files one after the other, stdin among them', async () => {
    writeFileSync(home.file('one.txt'), 'First file.\n');
    writeFileSync(home.file('two.txt'), 'Second file.\n');
    const args = ['-f', 'one.txt', '-f', '-', '--file', 'two.txt', '-o', 'b.pcm'];
    const text = await spokenBy(() => speak(args, { stdin: 'From the pipe.' }));
    expect(text.replace(/\s+/g, ' ').trim()).toBe('First file. From the pipe. Second file.');
    expect(readFileSync(home.file('b.pcm')).length).toBeGreaterThan(1_000);
  });

  it('reads a pipe where nothing else is given, and for the word -', async () => {
    expect(await spokenBy(() => speak(['-o', 'c.pcm'], { stdin: 'Piped text.' }))).toBe('Piped text.');
    expect(await spokenBy(() => speak(['-', '-o', 'c.pcm'], { stdin: 'Dashed text.' }))).toBe('Dashed text.');
  });

  it('splits a long text into requests the interface takes, and loses nothing of it', async () => {
    const sentence = 'The quick brown fox jumps over the lazy dog, number ';
    const text = Array.from({ length: 120 }, (_, index) => `${sentence}${index}.`).join(' ');
    writeFileSync(home.file('long.txt'), text);
    const before = jobs().length;
    expect(await speak(['-f', 'long.txt', '-o', 'long.pcm'])).toMatchObject({ code: 0, stderr: '' });
    const said = jobs().slice(before);
    expect(said.map(({ segment }) => segment.text.trim()).join(' ')).toBe(text);
    const requests = said.filter(({ segment }) => segment.offset === 0).length;
    expect(requests).toBe(Math.ceil(text.length / 2048));
    expect(readFileSync(home.file('long.pcm')).length).toBeGreaterThan(text.length * 5 * 24);
  });

  it('passes on voice, model and language', async () => {
    const before = jobs().length;
    await speak([
      'Hello there.',
      '-v',
      'english_female_articulate',
      '-m',
      'base-tts',
      '--language',
      'en',
      '-o',
      'd.pcm',
    ]);
    expect(jobs()[before]).toMatchObject({ mix: [{ style: 'af_bella', weight: 1 }], model: 'base-tts', seed: 0 });
    await speak([
      'Hello there.',
      '--voice',
      'english_female_articulate',
      '--model',
      'base-tts-fast:free',
      '-o',
      'd.pcm',
    ]);
    expect(jobs().at(-1)).toMatchObject({ model: 'base-tts-fast' });
  });
});

describe('tts speak, where it goes', () => {
  it('writes a WAV of unknown length to stdout, or raw samples', async () => {
    const wav = await speak(['Hello there.', '-o', '-']);
    expect(wav).toMatchObject({ code: 0, stderr: '' });
    expect(wav.stdout.readUInt32LE(40)).toBe(0xffffffff);
    const raw = await speak(['Hello there.', '-o', '-', '--format', 'pcm']);
    expect(raw.stdout.equals(wav.stdout.subarray(44))).toBe(true);
  });

  it('writes the format asked for under any name, and refuses a name that says otherwise', async () => {
    expect(await speak(['Hi there.', '--output', 'sound', '--format', 'wav'])).toMatchObject({ code: 0 });
    expect(readFileSync(home.file('sound')).toString('latin1', 0, 4)).toBe('RIFF');
    expect(await speak(['Hi.', '-o', 'e.wav', '--format', 'pcm'])).toMatchObject({ code: 2, stderr: /agree/ });
    expect(await speak(['Hi.', '-o', 'e.doc'])).toMatchObject({ code: 2, stderr: /--format/ });
    expect(await speak(['Hi.', '--format', 'pcm'])).toMatchObject({ code: 2, stderr: /-o FILE/ });
  });

  it('goes over the WebSocket with a seed, and sounds different', async () => {
    await speak(['Hello there.', '-o', 's0.pcm']);
    const ran = await speak(['Hello there.', '--seed', '7', '-o', 's7.pcm']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(jobs().at(-1)).toMatchObject({ seed: 7 });
    expect(readFileSync(home.file('s7.pcm')).equals(readFileSync(home.file('s0.pcm')))).toBe(false);
    await speak(['Hello there.', '--seed', '0', '-o', 's1.pcm']);
    expect(readFileSync(home.file('s1.pcm')).equals(readFileSync(home.file('s0.pcm')))).toBe(true);
  });

  it('writes subtitles that cover the sound', async () => {
    const ran = await speak(['One sentence here. And another one.', '-o', 't.wav', '--srt', 't.srt', '--vtt', 't.vtt']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const srt = readFileSync(home.file('t.srt'), 'utf8');
    expect(srt).toMatch(/^1\n00:00:00,\d{3} --> 00:00:00,\d{3}\nOne sentence here\. And another one\.\n/);
    expect(readFileSync(home.file('t.vtt'), 'utf8')).toMatch(/^WEBVTT\n\n00:00:00\.\d{3} --> /);
  });

  it('is quiet when the reader leaves early', async () => {
    const ran = await speak(['A rather long text to read. '.repeat(400), '-o', '-'], {
      during: (child) => {
        child.stdout!.once('data', () => child.stdout!.destroy());
      },
    });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('tts speak, when it fails', () => {
  const fails = async (args: string[], code: number, stderr: RegExp, options: Partial<RunOptions> = {}) => {
    const ran = await speak(args, options);
    expect(ran.stderr).toMatch(stderr);
    expect(ran.code).toBe(code);
    expect(ran.stdout).toHaveLength(0);
  };

  it('2: there is nothing to say, or what it was told makes no sense', async () => {
    await fails(['-o', 'x.wav'], 2, /empty or white space/, { stdin: ' \n ' });
    await fails(['-f', 'no-such-file', '-o', 'x.wav'], 2, /there is no such file/);
    await fails(['-f', 'x', '-f', '-', '-f', '-'], 2, /once only/);
    await fails(['Hi.', '-v', 'nobody', '-o', 'x.wav'], 2, /voice/);
    await fails(['Hi.', '-m', 'gpt', '-o', 'x.wav'], 2, /There are: base-tts/);
    await fails(['Hi.', '--seed', '-1', '-o', 'x.wav'], 2, /whole number/);
    await fails(['Hi.', '--seed', '1', '-m', 'base-tts:free', '-o', 'x.wav'], 2, /WebSocket/);
    await fails(['Hi.', '--no-such-flag'], 2, /Unknown option/);
    expect(existsSync(home.file('x.wav'))).toBe(false);
  });

  it('2: the text is none', async () => {
    await fails(['-f', '-', '-o', 'x.wav'], 2, /zero bytes/, { stdin: Buffer.from([0, 1, 2]) });
    await fails(['-f', '-', '-o', 'x.wav'], 2, /UTF-8/, { stdin: Buffer.from([0x48, 0xe9, 0x6c]) });
  });

  it('1: the output cannot be written, which is found before any work', async () => {
    const before = jobs().length;
    await fails(['Hi.', '-o', 'no/such/folder.wav'], 1, /its folder does not exist/);
    expect(jobs().length).toBe(before);
  });

  it('3: no server is there, or it broke off, and then it says how much was made and leaves no file', async () => {
    await fails(['Hi.', '--server', 'http://127.0.0.1:1', '--api-key', 'k', '-o', 'x.wav'], 3, /nothing is listening/);
    const text = `${'This is fine and good. '.repeat(200)} And this is broken somehow.`;
    const ran = await speak([text, '-o', 'x.wav']);
    expect(ran.stderr).toMatch(/Until then \d+\.\d s were made, about \d+ characters, up to "… /);
    expect(ran.code).toBe(3);
    expect(existsSync(home.file('x.wav'))).toBe(false);
    expect(readdirSync(home.dir).filter((name) => name.includes('.part'))).toEqual([]);
  });

  it('4: the key is refused', async () => {
    await fails(['Hi.', '--server', server.baseUrl, '-o', 'x.wav'], 4, /--api-key/);
    const env = { ...home.env, TTS_BASE_URL: server.baseUrl, TTS_API_KEY: server.free.key };
    await fails(['Hi.', '-o', 'x.wav'], 4, /base-tts:free/, { env });
    expect(await speak(['Hi.', '-m', 'base-tts:free', '-o', 'x.wav'], { env })).toMatchObject({ code: 0 });
  });

  it('5: the credits are spent', async () => {
    const poor = await server.key({ credits: 3 });
    await fails(['Hello there.', '--server', server.baseUrl, '--api-key', poor.key, '-o', 'y.wav'], 5, /credits/i);
  });

  it('6: the model is missing and may not be fetched', async () => {
    const lonely = makeHome();
    const env = { ...lonely.env, TTS_ENGINE: 'kokoro' };
    const args = ['speak', 'Hi.', '--offline', '--model-dir', lonely.file('none'), '--lexicon', '', '--voices-dir', ''];
    const ran = await tts([...args, '-o', 'x.wav'], { env, cwd: lonely.dir });
    expect(ran.stderr).toMatch(/tts models pull/);
    expect(ran.code).toBe(6);
    expect(readdirSync(lonely.dir).filter((name) => name.includes('x.wav'))).toEqual([]);
    lonely.remove();
  });

  it('7: nothing can play, which is said before any work is done, with the way round', async () => {
    const before = jobs().length;
    const ran = await speak(['Hi.'], { env: { ...home.env, PATH: '/nonexistent', PULSE_SERVER: 'unix:/nonexistent' } });
    // On a machine with a sound card of its own there is nothing to fail.
    if (existsSync('/proc/asound/pcm') && readFileSync('/proc/asound/pcm', 'utf8').includes('playback'))
      return expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/^tts: Write a file with -o out\.wav, .*Nothing here can play it\./s);
    expect(ran.code).toBe(7);
    expect(jobs().length).toBe(before);
  });

  it('8: the engine fails over the WebSocket, and says so', async () => {
    const ran = await speak([
      'This sentence is broken in the middle of all that it has to say, so it fails.',
      '--seed',
      '1',
      '-o',
      'z.wav',
    ]);
    expect(ran.code).toBe(8);
    expect(existsSync(home.file('z.wav'))).toBe(false);
  });

  it('130: interrupted, at once and without a word, and no file is left', async () => {
    const text = 'A sentence to be spoken for a while. '.repeat(2_000);
    const ran = await speak(['-f', '-', '-o', 'w.wav'], {
      stdin: text,
      during: (child) => {
        const poll = setInterval(() => {
          if (readdirSync(home.dir).some((name) => name.startsWith('.w.wav'))) {
            clearInterval(poll);
            child.kill('SIGINT');
          }
        }, 20);
      },
    });
    expect(ran).toMatchObject({ code: 130, stderr: '' });
    expect(readdirSync(home.dir).filter((name) => name.includes('w.wav'))).toEqual([]);
  });
});

describe('tts speak beside tts serve', () => {
  it('speaks through the server that runs, and brings its own once that one is gone', async () => {
    const shared = makeHome();
    let address = '';
    const served = tts(['serve', '--port', '0'], {
      env: shared.env,
      during: async (child) => {
        child.stdout!.on('data', (part: Buffer) => {
          address += part.toString();
        });
        await until(() => address.includes('listening on'), 'the server');
        // A server of its own could not speak: this one has no model and may not fetch one.
        const env = { ...shared.env, TTS_ENGINE: 'kokoro' };
        const args = ['speak', 'Through the server.', '-o', shared.file('a.wav')];
        const offline = ['--offline', '--model-dir', shared.file('none')];
        expect(await tts([...args, ...offline], { env })).toMatchObject({ code: 0, stderr: '' });
        child.kill('SIGKILL');
        await new Promise((resolve) => child.once('exit', resolve));
        expect(await tts([...args, ...offline], { env })).toMatchObject({ code: 6 });
        expect(await tts(args, { env: shared.env })).toMatchObject({ code: 0, stderr: '' });
      },
    });
    expect(await served).toMatchObject({ signal: 'SIGKILL' });
    shared.remove();
  });
});

describe('tts speak, on its own', () => {
  it('brings a server where none runs, and ignores what a dead one left', async () => {
    const lonely = makeHome();
    lonely.publish({ baseUrl: 'http://127.0.0.1:9', apiKey: 'stale', pid: 999_999 });
    const flags = ['--device', 'cpu', '--threads', '1', '--model-dir', lonely.file('models'), '--offline', '-q'];
    const ran = await tts(['speak', 'All alone here.', '-o', 'a.wav', ...flags], { env: lonely.env, cwd: lonely.dir });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(lonely.file('a.wav')).length).toBeGreaterThan(10_000);
    lonely.remove();
  });
});
