/**
 * What a person meets in the first hour: in a terminal, beside a server, with texts and options
 * that are not quite right.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { until } from '../../testkit/server.js';
import { modelDirForTests } from '../../testkit/speech.js';
import { serverAtHome } from '../support/at-home.js';
import { makeHome, shellInTerminal, tts, ttsInTerminal } from '../support/processes/tts.js';

// Many commands one after the other, some with an engine of their own.
vi.setConfig({ testTimeout: 240_000 });

const { server, home, run, spokenBy } = await serverAtHome({ sine: { msPerChar: 20, pace: 20 } });

describe('a terminal', () => {
  it('shows no trace of the program, however soon a command ends', async () => {
    for (const args of [
      ['speak', 'Hi.', '-v', 'nobody', '-o', home.file('x.wav')],
      ['speak', 'Hi.', '-o', home.file('x.wav')],
      ['voices', '--preview', 'nobody', '-o', home.file('x.wav')],
    ]) {
      const terminal = ttsInTerminal(args, home.env);
      await terminal.ended();
      expect(terminal.text()).not.toMatch(/node:|TypeError|\n\s+at /);
    }
  });

  it('is told once which model, voice and server speak, and every file that was written', async () => {
    const files = ['-o', home.file('a.wav'), '--srt', home.file('a.srt')];
    const terminal = ttsInTerminal(['speak', 'Hello there.', ...files], home.env, 140);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain(`base-tts-fast · english_female_professional · tts serve at ${server.baseUrl}`);
    expect(terminal.text()).toMatch(/wrote \S+a\.wav, \d\.\d s\nwrote \S+a\.srt, 1 subtitle\n$/);
  });

  it('says that nothing was kept of a file when Ctrl-C stops it, or keeps a whole one with --keep-partial', async () => {
    const text = 'A sentence that takes a while. '.repeat(1_000);
    for (const keep of [false, true]) {
      const file = home.file(`kept-${keep}.wav`);
      const flags = keep ? ['--keep-partial', '--srt', home.file('kept.srt')] : [];
      const terminal = ttsInTerminal(['speak', text, '-o', file, ...flags], home.env, 200);
      await terminal.until(/% · \d+ (?:s|min) left · first sound/);
      terminal.type('\u0003');
      expect(await terminal.ended()).toBe(130);
      expect(existsSync(file)).toBe(keep);
      if (!keep) expect(terminal.text()).toMatch(/Nothing was kept of \S+; --keep-partial keeps what there is\.\n$/);
      else {
        expect(terminal.text()).toMatch(
          /Kept the first .+ in \S+kept-true\.wav\.\nwrote \S+kept\.srt, \d+ subtitles?\n$/,
        );
        const wav = readFileSync(file);
        expect(wav.readUInt32LE(40)).toBe(wav.length - 44);
        expect(wav.length).toBeGreaterThan(24_000);
        expect(readFileSync(home.file('kept.srt'), 'utf8')).toMatch(/^1\n00:00:00,\d+ --> .*\nA sentence/);
      }
    }
  });

  it('gets text broken between words', async () => {
    const terminal = ttsInTerminal(['speak', 'Hi.', '-m', 'a-model-that-there-is-not'], home.env, 40);
    expect(await terminal.ended()).toBe(2);
    expect(terminal.text()).toContain('tts: There is no model\n"a-model-that-there-is-not". There are:\n');
    const explained = ttsInTerminal(['explain', 'The quick brown fox jumps over the lazy dog.'], home.env, 40);
    expect(await explained.ended()).toBe(0);
    expect(explained.text()).toContain('  text        The quick brown fox jumps\n              over the lazy dog.\n');
    expect(
      explained
        .text()
        .split('\n')
        .filter((line) => line.length > 40),
    ).toEqual([]);
  });

  it('warns of a key that a process list would show', async () => {
    const flags = ['--server', server.baseUrl, '--api-key', server.partner.key];
    const terminal = ttsInTerminal(['voices', ...flags], home.env, 200);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toMatch(/^tts: .*process list; TTS_API_KEY or --api-key-file FILE/);
    expect((await run(['voices', ...flags])).stderr).toBe('');
  });
});

describe('a text', () => {
  it('of which nothing can be spoken is an error, and no file', async () => {
    // The real engine: the one for tests hums every character.
    const modelDir = await modelDirForTests();
    const env = {
      ...home.env,
      TTS_ENGINE: 'kokoro',
      TTS_MODEL_DIR: modelDir,
      TTS_MODEL: 'base-tts-fast',
      TTS_THREADS: '1',
    };
    for (const [args, stdin, line] of [
      [
        ['speak', '你好', '-o', 'none.wav'],
        '',
        /^tts: Nothing of the text can be spoken: it is Mandarin, .*mandarin_female_xiaobei/,
      ],
      [['speak', '!!!', '--seed', '1', '-o', 'none.wav'], '', /^tts: Nothing of the text can be spoken: /],
      [['stream', '-o', 'none.wav'], '😀', /^tts: Nothing of the text can be spoken \(1 emoji\): /],
    ] as const) {
      expect(await run([...args], { env, stdin })).toMatchObject({ code: 2, stderr: line });
    }
    expect(existsSync(home.file('none.wav'))).toBe(false);
  });

  it('of which something is left out is spoken, with the count of it', async () => {
    const expected = {
      code: 0,
      stderr: 'tts: Left out, because it cannot be spoken: 1 emoji and 2 characters of Han.\n',
    };
    expect(await run(['speak', 'Hi 😀 there, 你好.', '-o', 'b.wav'])).toMatchObject(expected);
    expect(await run(['stream', '-o', 'b.wav'], { stdin: 'Hi 😀 there, 你好.' })).toMatchObject(expected);
    expect(await run(['speak', 'Hi 😀 there.', '-q', '-o', 'b.wav'])).toMatchObject({ code: 0, stderr: '' });
    expect(await run(['speak', 'Café “naïve” – $5…', '-o', 'b.wav'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('may carry markup in tts speak, and what of it has no effect is told', async () => {
    const plain = await run(['speak', 'One two.', '--seed', '0', '-o', '-', '--format', 'pcm']);
    const text = '<speak>One <break time="1s"/>two.</speak>';
    const broken = await run(['speak', '--ssml', text, '-o', '-', '--format', 'pcm']);
    expect(broken).toMatchObject({ code: 0, stderr: '' });
    expect(broken.stdout.length - plain.stdout.length).toBe(48_000);
    const unknown = '<audio src="x.wav">Slowly</audio> <b>now</b>.';
    expect(await run(['speak', '--ssml', unknown, '-o', 'c.wav'])).toMatchObject({
      code: 0,
      stderr: 'tts: Without effect: <audio>, <b>; the text inside was spoken.\n',
    });
  });

  it('comes from all the files after one -f, and words before it', async () => {
    writeFileSync(home.file('one.txt'), 'First file.');
    writeFileSync(home.file('two.txt'), 'Second file.');
    const text = await spokenBy(() => run(['speak', 'Words.', '-f', 'one.txt', 'two.txt', '-o', 'd.wav']));
    expect(text.split(/\s*\n+/)).toEqual(['Words.', 'First file.', 'Second file.']);
    expect(await run(['speak', '-f', 'one.txt', 'one.txt', '-o', 'd.wav'])).toMatchObject({ code: 0 });
    const explained = await run(['explain', '-f', 'one.txt', 'two.txt', '--json']);
    expect(explained.stdout.toString()).toMatch(/First file[\s\S]*Second file/);
    expect(await run(['speak', '-f', 'one.txt', 'Hello there.', '-o', 'd.wav'])).toMatchObject({
      code: 2,
      stderr: /Hello there\. cannot be read: .*Words to say stand before -f/,
    });
  });
});

describe('outputs', () => {
  it('are each a place of their own; subtitles may go to stdout', async () => {
    const srt = await run(['speak', 'Hello there.', '-o', 'e.wav', '--srt', '-']);
    expect(srt.stdout.toString()).toMatch(/^1\n00:00:00,000 --> .*\nHello there\.\n\n$/);
    for (const flags of [
      ['-o', '-', '--srt', '-'],
      ['-o', 'f.wav', '--srt', 'same.txt', '--vtt', './same.txt'],
      ['-o', 'f.wav', '--srt', 'f.wav'],
      ['-f', 'one.txt', '-o', 'f.wav', '--srt', 'one.txt'],
    ]) {
      expect(await run(['speak', 'Hi.', ...flags])).toMatchObject({ code: 2, stderr: /both name/ });
    }
  });

  it('carry their length where stdout is a file', async () => {
    const terminal = shellInTerminal(`$TTS speak 'Hello there.' -o - > ${home.file('redirected.wav')}`, home.env);
    expect(await terminal.ended()).toBe(0);
    const wav = readFileSync(home.file('redirected.wav'));
    expect(wav.readUInt32LE(40)).toBe(wav.length - 44);
    expect(wav.length).toBeGreaterThan(10_000);
  });

  it('are as loud as asked', async () => {
    const at = async (volume: string) => {
      const ran = await run(['speak', 'Hello there.', '--volume', volume, '-o', '-', '--format', 'pcm']);
      return new Int16Array(new Uint8Array(ran.stdout).buffer);
    };
    const [half, whole] = [await at('50'), await at('100')];
    expect(half).toHaveLength(whole.length);
    expect([...half]).toEqual([...whole].map((sample) => Math.round(sample / 2)));
    expect(await run(['speak', 'Hi.', '--volume', '300'])).toMatchObject({ code: 2, stderr: /0 to 200/ });
  });

  it('can be sent to a device that is there, and only to such', async () => {
    // A machine with two devices: what the sound systems' own programs would say.
    const bin = home.file('bin');
    mkdirSync(bin);
    const script = (name: string, body: string) => {
      writeFileSync(path.join(bin, name), `#!/bin/sh\n${body}\n`);
      chmodSync(path.join(bin, name), 0o755);
    };
    script('pactl', 'printf "Sink #1\\n\\tName: usb.headset\\n\\tDescription: A headset\\n"');
    script('aplay', '[ "$1" = -L ] && printf "hw:0\\n    A card\\n    Direct\\n"');
    script('paplay', `echo "$@" > ${home.file('paplay.args')}; cat > ${home.file('paplay.pcm')}`);
    const env = { ...home.env, PATH: `${bin}:${home.env.PATH}` };
    const list = await run(['speak', '--list-devices'], { env });
    expect(list.stdout.toString()).toBe(
      'DEVICE       PLAYER  DESCRIPTION\nusb.headset  paplay  A headset\nhw:0         aplay   A card, Direct\n',
    );
    expect(await run(['speak', 'Hello there.', '--output-device', 'usb.headset'], { env })).toMatchObject({ code: 0 });
    expect(readFileSync(home.file('paplay.args'), 'utf8')).toMatch(/^--device=usb\.headset --raw/);
    expect(readFileSync(home.file('paplay.pcm')).length).toBeGreaterThan(10_000);
    expect(await run(['stream', '--output-device', 'nowhere'], { env, stdin: 'Hi.' })).toMatchObject({
      code: 7,
      stderr: /There is no sound device "nowhere"\. There are: usb\.headset, hw:0\./,
    });
  });
});

describe('a command line that is not quite right', () => {
  it('gets one style of line, and the command that was meant', async () => {
    writeFileSync(home.file('story.txt'), 'A story.');
    for (const [args, line] of [
      [
        ['speak', '-5 degrees'],
        'tts: Unknown option \'-5 degrees\'. A text that begins with a dash stands after two: tts speak -- "-5 degrees"\n',
      ],
      [['speak', 'Hi.', '--pitch', '2'], "tts: Unknown option '--pitch'. Pitch cannot be changed; --speed can.\n"],
      [['speak', 'Hi.', '--rate', '2'], "tts: Unknown option '--rate'. How fast it is spoken is set with --speed.\n"],
      [
        ['speak', 'Hi.', '--speed', '9'],
        "tts: Option '--speed <N>' argument '9' is invalid. It is a number from 0.25 to 4. See tts speak --help.\n",
      ],
      [
        ['speak', 'Hi.', '--format', 'ogg'],
        "tts: Option '--format <NAME>' argument 'ogg' is invalid. Allowed choices are wav, mp3, m4a, m4b, aac, opus, flac, pcm. See tts speak --help.\n",
      ],
      [['story.txt'], 'tts: story.txt is a file. To have it read: tts speak -f story.txt\n'],
      [['Hello there.'], 'tts: To say that: tts speak "Hello there."\n'],
      [['spaek'], "tts: Unknown command 'spaek'. Did you mean speak? See tts --help.\n"],
    ] as const) {
      expect(await run([...args])).toMatchObject({ code: 2, stderr: line });
    }
    expect(await spokenBy(() => run(['speak', '-o', 'g.wav', '--', '-5 degrees.']))).toBe('-5 degrees.');
    expect(await spokenBy(() => run(['say', 'Said.', '-o', 'g.wav']))).toBe('Said.');
    expect((await run(['version'])).stdout.toString()).toBe((await run(['--version'])).stdout.toString());
  });

  it('sets a setting, and refuses one that cannot be', async () => {
    const own = makeHome();
    const config = (...args: string[]) => tts(['config', ...args], { env: own.env, cwd: own.dir });
    const file = own.file('.config/tts/config.json');
    expect(await config('set', 'port', '9000')).toMatchObject({ code: 0 });
    expect(await config('set', 'voice', 'english_female_articulate')).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ port: 9000, voice: 'english_female_articulate' });
    expect(await config('set', 'port', 'many')).toMatchObject({ code: 2, stderr: /port must be a whole number/ });
    expect(await config('set', 'prot', '1')).toMatchObject({ code: 2, stderr: /no setting "prot".*port/ });
    expect((await config('--json')).stdout.toString()).toMatch(/"port": \{\s+"value": 9000,\s+"source": "file"/);
    expect(await config('unset', 'port')).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ voice: 'english_female_articulate' });
    own.remove();
  });
});

describe('beside a server that runs', () => {
  it('a command with engine settings of its own brings its own engine', async () => {
    writeFileSync(home.file('lexicon.txt'), 'nginx = engine x\n');
    mkdirSync(home.file('voices'), { recursive: true });
    for (const flags of [
      ['--lexicon', 'lexicon.txt'],
      ['--device', 'cpu'],
      ['--threads', '1'],
      ['--voices-dir', 'voices'],
    ]) {
      expect(await spokenBy(() => run(['speak', 'My nginx.', '-o', 'h.wav', ...flags]))).toBe('');
    }
    const env = { ...home.env, TTS_LEXICON: home.file('lexicon.txt') };
    expect(await spokenBy(() => run(['speak', 'My nginx.', '-o', 'h.wav'], { env }))).toBe('');
    expect(await spokenBy(() => run(['speak', 'My nginx.', '-o', 'h.wav']))).toBe('My nginx.');
  });

  it('a named server keeps its own settings, and the command says so', async () => {
    const named = { ...home.env, TTS_BASE_URL: server.baseUrl, TTS_API_KEY: server.partner.key };
    expect(await run(['speak', 'Hi there.', '-o', 'i.wav', '--lexicon', 'lexicon.txt'], { env: named })).toMatchObject({
      code: 0,
      stderr: `tts: --lexicon has no effect: ${server.baseUrl} speaks with settings of its own.\n`,
    });
  });

  it('one of another home is not found', async () => {
    const other = { ...home.env, HOME: home.file('elsewhere') };
    expect(await spokenBy(() => run(['speak', 'Hi there.', '-o', 'j.wav'], { env: other }))).toBe('');
    const data = { ...home.env, XDG_CACHE_HOME: home.file('cache') };
    expect(await spokenBy(() => run(['speak', 'Hi there.', '-o', 'j.wav'], { env: data }))).toBe('');
  });

  it('only a record of our own is believed: no link, no folder that others can write to', async () => {
    const runtime = home.env.TTS_RUNTIME_DIR!;
    const heard = () => spokenBy(() => run(['speak', 'Hi there.', '-o', 'k.wav']));
    const file = path.join(runtime, 'server.json');
    chmodSync(runtime, 0o777);
    expect(await heard()).toBe('');
    chmodSync(runtime, 0o700);
    renameSync(file, home.file('real.json'));
    symlinkSync(home.file('real.json'), file);
    expect(await heard()).toBe('');
    renameSync(home.file('real.json'), file);
    chmodSync(file, 0o666);
    expect(await heard()).toBe('');
    chmodSync(file, 0o600);
    renameSync(runtime, home.file('real-run'));
    symlinkSync(home.file('real-run'), runtime);
    expect(await heard()).toBe('');
    renameSync(home.file('real-run'), `${runtime}-real`);
  });
});

describe('a server that is not ours', () => {
  let hostile: Server;
  let url: string;
  beforeAll(async () => {
    const message = 'No.\u001b]0;owned\u0007\u001b[2J\u009b31m Really.';
    hostile = createServer((_, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { code: 'invalid_value', message } }));
    }).listen(0, '127.0.0.1');
    await until(() => hostile.address() !== null, 'the server');
    url = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}`;
  });
  afterAll(() => void hostile.close());

  it('cannot write to the terminal by its errors', async () => {
    const key = home.file('key.txt');
    writeFileSync(key, 'tts_some_key\n');
    for (const args of [['speak', 'Hi.', '-o', 'l.wav'], ['voices'], ['speak', 'Hi.', '--seed', '1', '-o', 'l.wav']]) {
      const ran = await run([...args, '--server', url, '--api-key-file', key]);
      expect(ran).toMatchObject({ code: 2, stderr: 'tts: No.]0;owned[2J31m Really.\n' });
    }
  });

  it('is given the key of a file', async () => {
    let given: string | undefined;
    hostile.once('request', (request) => {
      given = request.headers.authorization;
    });
    await run(['voices', '--server', url, '--api-key-file', home.file('key.txt')]);
    expect(given).toBe('Bearer tts_some_key');
    expect(await run(['voices', '--server', url, '--api-key-file', 'none'])).toMatchObject({ code: 2, stderr: /none/ });
  });

  it('tells a Free key in one sentence what it can be used for', async () => {
    const env = { ...home.env, TTS_BASE_URL: server.baseUrl, TTS_API_KEY: server.free.key };
    const ran = await run(['stream', '-o', 'm.wav'], { env, stdin: 'Hi there.' });
    expect(ran.code).toBe(4);
    expect(ran.stderr).toMatch(
      /^tts: tts stream, and .* need a Partner key; a Free key speaks with plain tts speak -m base-tts:free\. \(request \S+\)\n$/,
    );
    expect(await run(['speak', 'Hi there.', '-m', 'base-tts:free', '-o', 'm.wav'], { env })).toMatchObject({ code: 0 });
  });
});
