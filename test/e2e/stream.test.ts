/** `tts stream` behind real pipes: text goes out as it comes in, sound comes back. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { until } from '../../testkit/server.js';
import { serverAtHome } from '../support/at-home.js';
import type { RunOptions } from '../support/processes/tts.js';

const { home, jobs, run, textsSince } = await serverAtHome({ sine: { msPerChar: 5, failOn: 'broken' } });

const stream = (args: string[], options: Partial<RunOptions> = {}) => run(['stream', ...args], options);

describe('tts stream', () => {
  it('speaks what comes through a pipe, in whatever pieces it comes', async () => {
    const before = jobs().length;
    const euro = Buffer.from('€');
    const ran = await stream(['-o', 'a.wav'], {
      stdin: ['Hello', ' ', 'there. It costs five ', euro.subarray(0, 1), 20, euro.subarray(1), ' in all.', ' '],
    });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toHaveLength(0);
    expect(textsSince(before).join('').trimEnd()).toBe('Hello there. It costs five € in all.');
    const wav = readFileSync(home.file('a.wav'));
    expect(wav.readUInt32LE(40)).toBe(wav.length - 44);
  });

  it('speaks the first sentence while the second is still being written', async () => {
    const before = jobs().length;
    let firstBytes = 0;
    const ran = await stream(['-o', '-', '--format', 'pcm'], {
      during: async (child) => {
        child.stdin!.write('This is the first sentence of all. And this is');
        child.stdout!.once('data', (part: Buffer) => {
          firstBytes = part.length;
        });
        await until(() => firstBytes > 0, 'the first sound');
        expect(textsSince(before).join('')).toMatch(/^This is the first sentence of all\. ?$/);
      },
      stdin: ' the second.',
    });
    expect(ran.code).toBe(0);
    expect(textsSince(before).join('')).toBe('This is the first sentence of all. And this is the second.');
  });

  it.each([
    ['its first clause', 'When the evening comes, ', 'a speech'],
    ['its first phrase', 'Everything that is written here was made ', 'by programs running on one mach'],
  ])('speaks %s while the first sentence is still being written', async (_, piece, more) => {
    const before = jobs().length;
    let heard = false;
    const ran = await stream(['-o', '-', '--format', 'pcm'], {
      during: async (child) => {
        child.stdout!.once('data', () => {
          heard = true;
        });
        for (const token of (piece + more).match(/.{1,4}/gs) ?? []) child.stdin!.write(token);
        await until(() => heard, 'the first sound');
        expect(textsSince(before)).toEqual([piece]);
      },
      stdin: 'ine reads.',
    });
    expect(ran.code).toBe(0);
    expect(textsSince(before).join('')).toBe(`${piece}${more}ine reads.`);
  });

  it('speaks every line when it ends, with --flush-on-newline', async () => {
    const before = jobs().length;
    await stream(['--flush-on-newline', '-o', 'b.pcm'], {
      during: async (child) => {
        child.stdin!.write('no stop at the end\n');
        await until(() => jobs().length > before, 'the line');
        expect(textsSince(before)).toEqual(['no stop at the end\n']);
      },
      stdin: 'nor here\n',
    });
    expect(textsSince(before)).toEqual(['no stop at the end\n', 'nor here\n']);
  });

  it('speaks the last sentence when the writer rests, without an end', async () => {
    const before = jobs().length;
    const ran = await stream(['-o', 'c.pcm'], {
      during: async (child) => {
        child.stdin!.write('A line in a growing log.\n');
        await until(() => jobs().length > before, 'the line');
        await sleep(50);
      },
      stdin: 'Another line.\n',
    });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(textsSince(before)).toEqual(['A line in a growing log.\n', 'Another line.\n']);
  });

  it('understands SSML where it is told to', async () => {
    await stream(['--ssml', '-o', 'plain.pcm'], { stdin: 'One two.' });
    await stream(['--ssml', '-o', 'ssml.pcm'], { stdin: '<speak>One <break time="1s"/>two.</speak>' });
    const added = readFileSync(home.file('ssml.pcm')).length - readFileSync(home.file('plain.pcm')).length;
    expect(added).toBe(24_000 * 2);
    const ran = await stream(['--ssml', '-o', 'x.pcm'], { stdin: '<speak>One </sub> two.</speak>' });
    expect(ran).toMatchObject({ code: 2, stderr: /SSML|markup|tag/i });
  });

  it('passes on voice, model, language and seed', async () => {
    const flags = ['-v', 'english_female_articulate', '-m', 'base-tts', '--language', 'en', '--seed', '9'];
    await stream([...flags, '-o', 'd.pcm', '--quiet'], { stdin: 'Hello there.' });
    expect(jobs().at(-1)).toMatchObject({ mix: [{ style: 'af_bella', weight: 1 }], model: 'base-tts', seed: 9 });
  });

  it('takes a book', async () => {
    const before = jobs().length;
    const book = 'The road went on along the river, and nobody met them on the way. '.repeat(1_000);
    const ran = await stream(['-o', 'book.pcm'], { stdin: book });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(textsSince(before).join('').trim()).toBe(book.trim());
  });

  it('says how far it came when the engine fails', async () => {
    const text = `${'All of this is fine and can be read. '.repeat(30)}But this sentence is broken in the middle of it all, is it not?`;
    const ran = await stream(['-o', 'e.pcm'], { stdin: text });
    expect(ran.stderr).toMatch(
      /Until then \d+\.\d s were made, about \d+ characters, up to "… [^"]+"\. Nothing was kept of e\.pcm/,
    );
    expect(ran.code).toBe(8);
  });

  it('stops at once when it is interrupted, with text still to come', async () => {
    const before = jobs().length;
    const ran = await stream(['-o', 'f.pcm'], {
      during: async (child) => {
        child.stdin!.write('The first sentence is here. The second ');
        await until(() => jobs().length > before, 'the first sentence');
        child.kill('SIGINT');
        await new Promise((resolve) => child.once('exit', resolve));
      },
    });
    expect(ran).toMatchObject({ code: 130, stderr: '' });
  });

  it('says nothing of nothing', async () => {
    const ran = await stream(['-o', 'g.wav'], { stdin: ' \n' });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(home.file('g.wav')).length).toBe(44);
  });

  it('refuses what the WebSocket does not have', async () => {
    expect(await stream(['-m', 'base-tts:free', '-o', 'x.wav'], { stdin: 'Hi.' })).toMatchObject({
      code: 2,
      stderr: /WebSocket/,
    });
  });
});
