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
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Reader } from 'wav';
import { createFileSink, writeWhole } from '../../src/client/sinks/file.js';
import { createNullSink } from '../../src/client/sinks/null.js';
import { createPipeSink } from '../../src/client/sinks/pipe.js';
import type { AudioSink } from '../../src/client/sinks/sink.js';
import type { openSpeaker as OpenSpeaker } from '../../src/client/sinks/speaker.js';
import { createTeeSink } from '../../src/client/sinks/tee.js';
import { pcmBytes } from '../../src/protocol/audio.js';
import { hasPulse, heardInOnePiece, type SoundCard, startSoundCard } from '../support/pulse.js';

const never = new AbortController().signal;

/** Noise, so that a lost or doubled sample cannot hide. */
function noise(samples: number): Int16Array {
  let state = 1;
  return Int16Array.from({ length: samples }, () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return ((state >> 8) % 20_000) - 10_000 || 1;
  });
}
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

/** The player process runs from the build. */
const { openSpeaker } = (await import(path.resolve(import.meta.dirname, '../../dist/client/sinks/speaker.js'))) as {
  openSpeaker: typeof OpenSpeaker;
};

if (!hasPulse()) {
  it('leaves the sound device out: pulseaudio, pulseaudio-utils, alsa-utils and libasound2-plugins are not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  // A machine that is starved for long enough breaks up any sound: that is heard again, not taken for a fault.
  describe('the sound device', { retry: 2 }, () => {
    let card: SoundCard;
    beforeAll(async () => {
      card = await startSoundCard();
      Object.assign(process.env, card.env);
    });
    afterAll(async () => {
      delete process.env.PULSE_SERVER;
      await card.close();
    });

    // Best first; each is reached by leaving out the ones before it.
    const players = ['speaker', '@audio/speaker', 'aplay', 'paplay'];
    players.forEach((player, index) => {
      it(`plays what was written with ${player}, every sample of it, without a gap between chunks`, async () => {
        const sink = await openSpeaker({ without: players.slice(0, index) }, never);
        const recorder = await card.record();
        for (let at = 0; at < SOUND.length; at += 480) await sink.write(SOUND.subarray(at, at + 480), never);
        expect(sink.heardSamples).toBeLessThanOrEqual(SOUND.length);
        await sink.finish(never);
        expect(sink.heardSamples).toBe(SOUND.length);
        // `speaker` is built on the machine it is installed on, where that can be done; what replaces it plays the same.
        expect(player === 'speaker' ? players : [player]).toContain(sink.player);
        expect(heardInOnePiece(SOUND, await recorder.stop())).toBe(SOUND.length);
      });
    });

    it('says that nothing can play, and what to do, where every way is left out', async () => {
      const without = [...players, 'pw-play', 'ffplay'];
      await expect(openSpeaker({ without }, never)).rejects.toMatchObject({
        code: 'no_sound_device',
        message: /-o out\.wav/,
      });
    });

    it('is not fooled by a library that plays to nobody where it finds no device', async () => {
      const hardware = existsSync('/proc/asound/pcm') && readFileSync('/proc/asound/pcm', 'utf8').includes('playback');
      process.env.PULSE_SERVER = `unix:${file('nobody-listens-here')}`;
      const found = await openSpeaker({ without: ['ffplay'] }, never).catch((error) => error as { code: string });
      Object.assign(process.env, card.env);
      if ('discard' in found) await found.discard();
      expect('code' in found ? found.code : hardware).toBe(hardware ? true : 'no_sound_device');
    });

    it('stops at once when it is discarded', async () => {
      const recorder = await card.record();
      const sink = await openSpeaker({}, never);
      await sink.write(noise(24_000 * 30), never);
      while (recorder.firstSoundMs() === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
      await sink.discard();
      await sink.discard();
      const recorded = await recorder.stop();
      expect(recorded.findLastIndex((sample) => sample !== 0)).toBeLessThan(24_000 * 20);
    });

    it('says that the player is gone instead of falling silent', async () => {
      const sink = await openSpeaker({}, never);
      await sink.write(noise(4_800), never);
      await sink.discard();
      await expect(sink.write(SOUND, never)).rejects.toMatchObject({ code: 'playback_failed' });
    });
  });
}
