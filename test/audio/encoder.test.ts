/**
 * Every format, opened again by a decoder that is not ours: the same sound, at the same time, as
 * long as it was.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEncoder, type EncoderOptions, openEncoders } from '../../src/audio/encoder.js';
import { AUDIO_FORMATS, type AudioFormat, audioSpec, contentTypeOf, isAudioFormat } from '../../src/audio/format.js';
import { pcmSamples, SAMPLE_RATE, wavHeader } from '../../src/protocol/audio.js';
import {
  type Decoding,
  decodeAll,
  decodeFile,
  grainOf,
  hasFfmpeg,
  probe,
  rawOptions,
} from '../support/sound/ffmpeg.js';

const folder = mkdtempSync(path.join(tmpdir(), 'tts-encoder-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A voice without words: a buzz that wanders, swells and rests, and a hiss now and then. */
function voiceLike(samples: number): Int16Array {
  const pcm = new Int16Array(samples);
  let phase = 0;
  let noise = 1;
  for (let i = 0; i < samples; i += 1) {
    const t = i / SAMPLE_RATE;
    phase += (2 * Math.PI * (160 + 40 * Math.sin(2 * Math.PI * 0.9 * t))) / SAMPLE_RATE;
    noise = (Math.imul(noise, 1_664_525) + 1_013_904_223) | 0;
    let buzz = 0;
    for (let k = 1; k <= 8; k += 1) buzz += Math.sin(k * phase) / k;
    const swell = Math.max(0, Math.sin(2 * Math.PI * 1.7 * t));
    const hiss = Math.sin(2 * Math.PI * 0.6 * t) > 0.8 ? (noise / 2 ** 31) * 0.1 : 0;
    pcm[i] = Math.round(9_000 * swell * buzz + 9_000 * hiss);
  }
  return pcm;
}

/** In pieces of all sizes, as an engine sends them. */
async function encode(format: AudioFormat, pcm: Int16Array, options?: EncoderOptions) {
  const encoder = await createEncoder(format, options);
  const parts: Uint8Array[] = [];
  for (let at = 0, step = 1; at < pcm.length; at += step, step = ((step * 7 + 331) % 9_000) + 1) {
    parts.push(await encoder.encode(pcm.subarray(at, at + step)));
  }
  parts.push(await encoder.end());
  const head = encoder.settledHead();
  encoder.close();
  return { bytes: Buffer.concat(parts), head, contentType: encoder.contentType };
}

/** Where `heard` fits `meant` best, in samples, and how well (1: the same). */
function fit(meant: Int16Array, heard: Int16Array): { lag: number; likeness: number } {
  let best = { lag: 0, likeness: -1 };
  for (let lag = -60; lag <= 60; lag += 1) {
    let product = 0;
    let left = 0;
    let right = 0;
    for (let i = 2_000; i < meant.length - 2_000; i += 3) {
      const [a, b] = [meant[i]!, heard[i + lag] ?? 0];
      product += a * b;
      left += a * a;
      right += b * b;
    }
    const likeness = product / Math.sqrt(left * right + 1);
    if (likeness > best.likeness) best = { lag, likeness };
  }
  return best;
}

if (!hasFfmpeg()) {
  it('leaves the formats out: ffmpeg is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  // 1.3 s and an odd rest: no frame of any codec ends with it.
  const sound = voiceLike(31_337);

  // AAC cannot say in a stream what its codec put before the sound, and MP4 is no stream:
  // mp4.test.ts hears both.
  const others = AUDIO_FORMATS.filter((format) => !['aac', 'mp4'].includes(audioSpec(format).codec));

  describe.each(others)('%s', (format) => {
    /** The whole sound, and the beginnings of it that are whole files too. */
    const lengths = [sound.length, 240, 1_200];
    const { rate, frame } = grainOf(format);
    let contentType: string;
    /** As the stream has it, and at our rate. */
    let native: Int16Array;
    let ours: Int16Array;
    let short: Int16Array[];
    beforeAll(async () => {
      const files = [];
      for (const samples of lengths) files.push(await encode(format, sound.subarray(0, samples)));
      ({ contentType } = files[0]!);
      const named = (samples: number) => path.join(folder, `${samples}.${audioSpec(format).codec}`);
      const shortOf = ({ bytes }: { bytes: Buffer }, samples: number): Decoding => {
        if (audioSpec(format).codec !== 'mp3') return { of: bytes, ...rawOptions(format), rates: [undefined] };
        writeFileSync(named(samples), bytes);
        return { of: named(samples), rates: [rate] };
      };
      const whole = { of: files[0]!.bytes, ...rawOptions(format), rates: [undefined, SAMPLE_RATE] };
      const decoded = decodeAll([whole, ...files.slice(1).map((file, i) => shortOf(file, lengths[i + 1]!))]);
      [native, ours] = decoded[0] as [Int16Array, Int16Array];
      short = decoded.slice(1).map(([samples]) => samples!);
    });

    it('is decoded as the same sound, in time, and as long as it was to a frame', () => {
      expect(contentType).toBe(contentTypeOf(format));
      const meantSamples = (sound.length * rate) / SAMPLE_RATE;
      expect(native.length).toBeGreaterThanOrEqual(Math.floor(meantSamples));
      expect(native.length).toBeLessThan(meantSamples + Math.max(frame, 2));
      const { lag, likeness } = fit(sound, ours);
      expect(Math.abs(lag)).toBeLessThanOrEqual(1);
      expect(likeness).toBeGreaterThan(0.97);
    });

    it('lets the first bytes of sound go within 100 ms of it', async () => {
      const encoder = await createEncoder(format);
      const head = (await encoder.encode(new Int16Array(0))).length;
      expect((await encoder.encode(sound.subarray(0, SAMPLE_RATE / 10))).length).toBeGreaterThan(0);
      expect(head).toBeLessThan(1_000);
      encoder.close();
    });

    it('is a whole file of 240 and of 1200 samples', () => {
      for (const [i, samples] of lengths.slice(1).entries()) {
        const apart = short[i]!.length - (samples * rate) / SAMPLE_RATE;
        expect(Math.abs(apart), `${samples} samples`).toBeLessThanOrEqual(Math.max(frame, 2));
      }
    });

    it('is a whole file of no samples', async () => {
      // There may be nothing to decode: the head is all there is.
      const { bytes, head } = await encode(format, sound.subarray(0, 0));
      expect(bytes.length).toBeGreaterThanOrEqual(head?.length ?? 0);
    });
  });

  it('keeps every sample in flac and wav, noise and full scale included', async () => {
    const wild = Int16Array.from({ length: 12_345 }, (_, i) =>
      i < 5_000 ? Math.round((Math.random() - 0.5) * 65_535) : i % 3 === 0 ? 32_767 : -32_768,
    );
    const kept = [wild, sound, new Int16Array(7_000), wild.subarray(0, 2_049)];
    for (const format of ['flac', 'wav'] as const) {
      const files = [];
      for (const pcm of kept) files.push({ of: (await encode(format, pcm)).bytes, rates: [undefined] });
      for (const [i, [decoded]] of decodeAll(files).entries())
        expect(decoded, `${format}, ${kept[i]!.length} samples`).toEqual(kept[i]);
    }
  });

  it('makes a flac not much larger than the reference encoder of another hand does', async () => {
    const { execFileSync } = await import('node:child_process');
    const theirs = execFileSync(
      'ffmpeg',
      [...'-v error -f s16le -ar 24000 -ac 1 -i pipe:0 -f flac pipe:1'.split(' ')],
      {
        input: Buffer.from(sound.buffer),
      },
    );
    expect((await encode('flac', sound)).bytes.length).toBeLessThan(theirs.length * 1.03);
  });

  describe.each(['mp3', 'mp3_44100_128', 'opus', 'flac', 'wav'] as const)('a file of %s', (format) => {
    it('is exact once its head is written over with what became known', async () => {
      const options = { tags: { title: 'Die Köchin', artist: 'Heart' }, chapterTitles: ['One', 'Zwei ☂'] };
      const encoder = await createEncoder(format, options);
      const bytes = Buffer.concat([await encoder.encode(sound), await encoder.end()]);
      const chapters = [
        { title: 'One', startMs: 0, endMs: 700 },
        { title: 'Zwei ☂', startMs: 700, endMs: (sound.length * 1000) / SAMPLE_RATE },
      ];
      const head = encoder.settledHead(chapters)!;
      encoder.close();
      bytes.set(head);
      const file = path.join(folder, `whole.${format.slice(0, 4)}`);
      writeFileSync(file, bytes);
      const { rate } = grainOf(format);
      expect(decodeFile(file, rate).length).toBe(Math.round((sound.length * rate) / SAMPLE_RATE));
      const found = probe(file);
      expect(Number(found.format.duration)).toBeCloseTo(sound.length / SAMPLE_RATE, 0);
      if (format === 'wav') return;
      const tags = { ...found.format.tags, ...(found.streams[0] as { tags?: Record<string, string> }).tags };
      expect(
        Object.fromEntries(Object.entries(tags).map(([name, value]) => [name.toLowerCase(), value])),
      ).toMatchObject({
        title: 'Die Köchin',
        artist: 'Heart',
      });
      expect(found.chapters.map(({ start_time, tags: { title } }) => [Number(start_time), title])).toEqual([
        [0, 'One'],
        [0.7, 'Zwei ☂'],
      ]);
    });
  });
}

describe('an encoder', () => {
  it('writes the head of a WAV exactly where the length is known, and of unknown length where it is not', async () => {
    const pcm = voiceLike(1_000);
    expect((await encode('wav', pcm)).bytes.subarray(0, 44)).toEqual(wavHeader());
    expect((await encode('wav', pcm, { samples: 1_000 })).bytes.subarray(0, 44)).toEqual(wavHeader(2_000));
    expect((await encode('wav', pcm)).head).toEqual(wavHeader(2_000));
  });

  it('changes nothing about 24 kHz PCM, and keeps no view of memory that is not its own', async () => {
    const pcm = voiceLike(999);
    const encoder = await createEncoder('pcm');
    const bytes = await encoder.encode(pcm);
    const before = Buffer.from(bytes);
    pcm.fill(7);
    expect(Buffer.from(bytes)).toEqual(before);
    expect(pcmSamples(before)).toEqual(voiceLike(999));
    encoder.close();
  });

  it('gives its memory back when it is closed, whenever that is, and refuses to go on', async () => {
    const before = openEncoders();
    const all = await Promise.all(AUDIO_FORMATS.map((format) => createEncoder(format)));
    expect(openEncoders()).toBe(before + AUDIO_FORMATS.length);
    for (const encoder of all) {
      encoder.encode(voiceLike(100));
      encoder.close();
      encoder.close();
      expect(() => encoder.encode(new Int16Array(1))).toThrow('closed');
      expect(() => encoder.end()).toThrow('closed');
    }
    expect(openEncoders()).toBe(before);
  });

  it('is not disturbed by what the one before it left unfinished', async () => {
    const sound = voiceLike(9_000);
    for (const format of ['mp3', 'opus', 'flac'] as const) {
      const clean = (await encode(format, sound)).bytes;
      const cut = await createEncoder(format);
      cut.encode(voiceLike(5_000));
      cut.close();
      expect((await encode(format, sound)).bytes).toEqual(clean);
    }
  });

  it('knows its formats by name alone', () => {
    expect(isAudioFormat('mp3_44100_128')).toBe(true);
    expect(isAudioFormat('toString')).toBe(false);
    expect(isAudioFormat('mp3_44100_7')).toBe(false);
  });
});
