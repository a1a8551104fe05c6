/** One suite for every way samples leave the program. */
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
import { createFileSink, writeWhole } from '../../src/client/sinks/file.js';
import { createNullSink } from '../../src/client/sinks/null.js';
import { createPipeSink } from '../../src/client/sinks/pipe.js';
import type { AudioSink } from '../../src/client/sinks/sink.js';
import { createTeeSink } from '../../src/client/sinks/tee.js';
import { pcmBytes } from '../../src/protocol/audio.js';
import { noise } from '../support/pulse.js';

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

interface Made {
  sink: AudioSink;
  /** What came out at the other end, as raw samples. */
  result(): Promise<Int16Array>;
}

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

const SINKS: Record<string, () => Promise<Made>> = {
  'null sink': async () => ({ sink: createNullSink(), result: async () => SOUND }),
  'raw file': async () => ({
    sink: await createFileSink(file('a.pcm'), { format: 'pcm' }),
    result: async () => samplesOf(readFileSync(file('a.pcm'))),
  }),
  'WAV file': async () => ({
    sink: await createFileSink(file('a.wav'), { format: 'wav' }),
    result: async () => (await readWav(readFileSync(file('a.wav')))).samples,
  }),
  'raw pipe': async () => piped('pcm', 0),
  'WAV pipe': async () => piped('wav', 44),
  'two at once': async () => ({
    sink: createTeeSink(await createFileSink(file('a.pcm'), { format: 'pcm' }), createNullSink()),
    result: async () => samplesOf(readFileSync(file('a.pcm'))),
  }),
};

async function piped(format: 'wav' | 'pcm', header: number): Promise<Made> {
  const stream = new PassThrough({ highWaterMark: 512 });
  const parts: Buffer[] = [];
  stream.on('data', (part: Buffer) => parts.push(part));
  return {
    sink: createPipeSink(stream, { format, close: false }),
    result: async () => samplesOf(Buffer.concat(parts), header),
  };
}

for (const [name, make] of Object.entries(SINKS)) {
  describe(`the ${name}`, () => {
    it('delivers every sample in order', async () => {
      const { sink, result } = await make();
      await writeAll(sink);
      await sink.finish(never);
      expect(sink.heardSamples).toBe(SOUND.length);
      expect(Buffer.compare(pcmBytes(await result()), pcmBytes(SOUND))).toBe(0);
      await sink.discard();
      expect(Buffer.compare(pcmBytes(await result()), pcmBytes(SOUND))).toBe(0);
    });

    it('takes nothing once it was told to stop, and can be discarded twice', async () => {
      const { sink } = await make();
      const stop = new AbortController();
      await sink.write(SOUND.subarray(0, 100), stop.signal);
      stop.abort();
      await expect(sink.write(SOUND, stop.signal)).rejects.toMatchObject({ name: 'AbortError' });
      await sink.discard();
      await sink.discard();
      expect(existsSync(file('a.wav')) || existsSync(file('a.pcm'))).toBe(false);
    });
  });
}

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

describe('a pipe', () => {
  it('carries a header of unknown length', async () => {
    const { sink, result } = await piped('wav', 0);
    await sink.finish(never);
    const header = pcmBytes(await result());
    expect([header.readUInt32LE(4), header.readUInt32LE(40)]).toEqual([0xffffffff, 0xffffffff]);
  });

  it('fails by name when nobody reads it any more', async () => {
    const stream = createWriteStream(file('gone'));
    stream.destroy();
    const sink = createPipeSink(stream, { format: 'pcm', close: false });
    await expect(
      (async () => {
        for (let i = 0; i < 50; i++) await sink.write(SOUND, never);
        await sink.finish(never);
      })(),
    ).rejects.toMatchObject({ code: 'output_failed' });
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
