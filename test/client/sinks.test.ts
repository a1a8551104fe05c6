/**
 * Every way samples leave the program but the sound device: the contract of all, and what each does
 * besides.
 */
import {
  createWriteStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { Reader } from 'wav';
import { openEncoders } from '../../src/audio/encoder.js';
import { createFileSink, writeWhole } from '../../src/client/sinks/file.js';
import { createNullSink } from '../../src/client/sinks/null.js';
import { createPipeSink } from '../../src/client/sinks/pipe.js';
import type { AudioSink } from '../../src/client/sinks/sink.js';
import { createTeeSink } from '../../src/client/sinks/tee.js';
import { createVolumeSink } from '../../src/client/sinks/volume.js';
import { pcmBytes } from '../../src/protocol/audio.js';
import { noise } from '../../testkit/sound/pulse.js';
import { audioSinkContract } from '../contract/audio-sink.js';
import { decodeFile, hasFfmpeg } from '../support/sound/ffmpeg.js';

const never = new AbortController().signal;

const SOUND = noise(12_000);

async function writeAll(sink: AudioSink, chunk = 700): Promise<void> {
  for (let at = 0; at < SOUND.length; at += chunk) await sink.write(SOUND.subarray(at, at + chunk), never);
}

let dir: string;
beforeEach(() => {
  if (dir) rmSync(dir, { recursive: true, force: true });
  dir = mkdtempSync(path.join(tmpdir(), 'tts-sinks-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const file = (name: string) => path.join(dir, name);

const samplesOf = (bytes: Buffer, skip = 0) => new Int16Array(new Uint8Array(bytes.subarray(skip)).buffer);

/** Reads a WAV with somebody else's reader. */
function readWav(bytes: Buffer): Promise<{ format: Record<string, unknown>; samples: Int16Array }> {
  return new Promise((resolve, reject) => {
    const reader = new Reader();
    let format: Record<string, unknown> = {};
    const parts: Buffer[] = [];
    reader.on('format', (found: Record<string, unknown>) => {
      format = found;
    });
    reader.on('data', (part: Buffer) => parts.push(part));
    reader.on('end', () => resolve({ format, samples: samplesOf(Buffer.concat(parts)) }));
    reader.on('error', reject);
    reader.end(bytes);
  });
}

async function piped(format: 'wav' | 'pcm', header: number) {
  const stream = new PassThrough({ highWaterMark: 512 });
  const parts: Buffer[] = [];
  stream.on('data', (part: Buffer) => parts.push(part));
  return {
    sink: await createPipeSink(stream, { format, close: false }),
    received: async () => samplesOf(Buffer.concat(parts), header),
  };
}

const rawFile = async (wrap: (sink: AudioSink) => AudioSink = (sink) => sink) => ({
  sink: wrap(await createFileSink(file('a.pcm'), { format: 'pcm' })),
  received: async () => samplesOf(readFileSync(file('a.pcm'))),
  looksWhole: () => existsSync(file('a.pcm')),
});

audioSinkContract('nowhere', async () => ({ sink: createNullSink() }));
audioSinkContract('a raw file', () => rawFile());
audioSinkContract('a WAV file', async () => ({
  sink: await createFileSink(file('a.wav'), { format: 'wav' }),
  received: async () => (await readWav(readFileSync(file('a.wav')))).samples,
  looksWhole: () => existsSync(file('a.wav')),
}));
if (hasFfmpeg()) {
  audioSinkContract('a FLAC file', async () => ({
    sink: await createFileSink(file('a.flac'), { format: 'flac', tags: { title: 'Noise' } }),
    received: async () => decodeFile(file('a.flac')),
    looksWhole: () => existsSync(file('a.flac')),
  }));
}
for (const format of ['mp3', 'opus'] as const) {
  audioSinkContract(`a file of ${format}`, async () => ({
    sink: await createFileSink(file(`a.${format}`), { format }),
    looksWhole: () => existsSync(file(`a.${format}`)),
  }));
}
audioSinkContract('a pipe that is written whole', async () => {
  const stream = new PassThrough();
  const parts: Buffer[] = [];
  stream.on('data', (part: Buffer) => parts.push(part));
  return {
    sink: await createPipeSink(stream, { format: 'wav', close: false, whole: true }),
    received: async () => samplesOf(Buffer.concat(parts), 44),
    looksWhole: () => parts.length > 0,
  };
});
audioSinkContract('a device file', async () => ({ sink: await createFileSink('/dev/null', { format: 'wav' }) }));
audioSinkContract('a raw pipe', () => piped('pcm', 0));
audioSinkContract('a WAV pipe', () => piped('wav', 44));
audioSinkContract('two at once', () => rawFile((sink) => createTeeSink(sink, createNullSink())));
audioSinkContract('a volume', () => rawFile((sink) => createVolumeSink(sink, 1)));

describe('files', () => {
  it('exist under their name only once they are whole', async () => {
    const sink = await createFileSink(file('out.wav'), { format: 'wav' });
    await writeAll(sink);
    expect(existsSync(file('out.wav'))).toBe(false);
    expect(readdirSync(dir)).toHaveLength(1);
    expect(readdirSync(dir)[0]).toMatch(/^\.out\.wav\..*\.part$/);
    await sink.finish(never);
    expect(readdirSync(dir)).toEqual(['out.wav']);
  });

  it('leave nothing behind when they are discarded, and what was there before as it was', async () => {
    writeFileSync(file('out.wav'), 'before');
    const sink = await createFileSink(file('out.wav'), { format: 'wav' });
    await writeAll(sink);
    await sink.discard();
    expect(readdirSync(dir)).toEqual(['out.wav']);
    expect(readFileSync(file('out.wav'), 'utf8')).toBe('before');
  });

  it('carry the true sizes in the WAV header, as others read it', async () => {
    const sink = await createFileSink(file('out.wav'), { format: 'wav' });
    await writeAll(sink);
    await sink.finish(never);
    const bytes = readFileSync(file('out.wav'));
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
    expect(bytes.readUInt32LE(40)).toBe(SOUND.length * 2);
    const { format, samples } = await readWav(bytes);
    expect(format).toMatchObject({ audioFormat: 1, channels: 1, sampleRate: 24_000, bitDepth: 16, signed: true });
    expect(samples.length).toBe(SOUND.length);
  });

  it('are whole WAVs even without a sound in them', async () => {
    const sink = await createFileSink(file('out.wav'), { format: 'wav' });
    await sink.finish(never);
    expect(readFileSync(file('out.wav')).readUInt32LE(40)).toBe(0);
  });

  it('follow a link instead of replacing it', async () => {
    writeFileSync(file('real.pcm'), '');
    symlinkSync(file('real.pcm'), file('link.pcm'));
    const sink = await createFileSink(file('link.pcm'), { format: 'pcm' });
    await writeAll(sink);
    await sink.finish(never);
    expect(readFileSync(file('real.pcm')).length).toBe(SOUND.length * 2);
    expect(readdirSync(dir).sort()).toEqual(['link.pcm', 'real.pcm']);
  });

  it('may be devices, which are written as they are', async () => {
    const sink = await createFileSink('/dev/null', { format: 'wav' });
    await writeAll(sink);
    await sink.finish(never);
    expect(sink.heardSamples).toBe(SOUND.length);
  });

  it('say why they cannot be written', async () => {
    await expect(createFileSink(file('no/such/folder.wav'), { format: 'wav' })).rejects.toMatchObject({
      code: 'output_failed',
      message: /its folder does not exist/,
    });
    await expect(createFileSink(dir, { format: 'wav' })).rejects.toMatchObject({
      code: 'usage',
      message: /is a folder/,
    });
  });

  it('can be text', async () => {
    await writeWhole(file('a.srt'), '1\n');
    expect(readdirSync(dir)).toEqual(['a.srt']);
    await expect(writeWhole(file('no/a.srt'), '1\n')).rejects.toMatchObject({ code: 'output_failed' });
  });
});

it('leaves no encoder behind, finished or cut', async () => {
  for (const format of ['mp3', 'opus', 'flac'] as const) {
    const before = openEncoders();
    const sinks = [await createFileSink(file('a'), { format }), await createFileSink(file('b'), { format })];
    expect(openEncoders()).toBe(before + 2);
    await writeAll(sinks[0]!);
    await sinks[0]!.finish(never);
    await sinks[1]!.discard();
    expect(openEncoders()).toBe(before);
  }
});

describe('a pipe', () => {
  it('carries a header of unknown length', async () => {
    const { sink, received } = await piped('wav', 0);
    await sink.finish(never);
    const header = pcmBytes(await received());
    expect([header.readUInt32LE(4), header.readUInt32LE(40)]).toEqual([0xffffffff, 0xffffffff]);
  });

  it('that ends in a file gets its length in the end, unless something else stands before it', async () => {
    for (const before of ['', 'text']) {
      writeFileSync(file('redirected'), before);
      const stream = createWriteStream(file('redirected'), { flags: 'a' });
      const sink = await createPipeSink(stream, { format: 'wav', close: false, file: file('redirected') });
      await writeAll(sink);
      await sink.finish(never);
      const bytes = readFileSync(file('redirected'));
      expect(bytes.readUInt32LE(40 + before.length)).toBe(before === '' ? SOUND.length * 2 : 0xffffffff);
      expect(bytes.length).toBe(before.length + 44 + SOUND.length * 2);
      stream.destroy();
    }
  });

  it('fails by name when nobody reads it any more', async () => {
    const stream = createWriteStream(file('gone'));
    stream.destroy();
    const sink = await createPipeSink(stream, { format: 'pcm', close: false });
    await expect(
      (async () => {
        for (let i = 0; i < 50; i++) await sink.write(SOUND, never);
        await sink.finish(never);
      })(),
    ).rejects.toMatchObject({ code: 'output_failed' });
  });
});

describe('a volume', () => {
  it('is cut off at the ends of the scale, and leaves the samples of others alone', async () => {
    const sink = createVolumeSink(await createFileSink(file('a.pcm'), { format: 'pcm' }), 2);
    const given = Int16Array.of(-32_768, -1, 0, 5, 20_000);
    await sink.write(given, never);
    await sink.finish(never);
    expect([...samplesOf(readFileSync(file('a.pcm')))]).toEqual([-32_768, -2, 0, 10, 32_767]);
    expect([...given]).toEqual([-32_768, -1, 0, 5, 20_000]);
  });
});

describe('two sinks at once', () => {
  it('finish the file although the device failed, and then say so', async () => {
    const broken: AudioSink = {
      write: async () => {
        throw new Error('the device went away');
      },
      finish: async () => undefined,
      discard: async () => undefined,
      heardSamples: 0,
    };
    const sink = createTeeSink(await createFileSink(file('a.pcm'), { format: 'pcm' }), broken);
    await writeAll(sink);
    await expect(sink.finish(never)).rejects.toThrow('the device went away');
    expect(readFileSync(file('a.pcm')).length).toBe(SOUND.length * 2);
  });
});
