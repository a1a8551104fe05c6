/** AAC in MP4 and as a stream: what another program finds in the files. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { AacFrames } from '../../src/audio/aac-frames.js';
import { AacSections } from '../../src/audio/aac-sections.js';
import { createEncoder } from '../../src/audio/encoder.js';
import type { AudioFormat } from '../../src/audio/format.js';
import { decode, decodeFile, hasFfmpeg, probe } from '../support/sound/ffmpeg.js';

const folder = mkdtempSync(path.join(tmpdir(), 'tts-mp4-'));
const SAMPLES = 24_000 * 3 + 777;
const sound = Int16Array.from({ length: SAMPLES }, (_, i) => 9_000 * Math.sin(i / 20) * Math.abs(Math.sin(i / 3_000)));
const CHAPTERS = [
  { title: 'One', startMs: 0, endMs: 700 },
  { title: `Zwei ☂ ${'long '.repeat(80)}`.trim(), startMs: 700, endMs: SAMPLES / 24 },
];
/** One pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const tags = {
  title: 'Die Köchin',
  artist: 'A. Writer',
  album: 'Die Köchin',
  composer: 'heart',
  language: 'de',
  track: { number: 2, of: 9 },
  cover: { mediaType: 'image/png' as const, bytes: PNG },
};

async function encoded(format: AudioFormat, step: number, chapters = CHAPTERS): Promise<Buffer> {
  const encoder = await createEncoder(format, { tags, chapterTitles: chapters.map(({ title }) => title) });
  const parts: Uint8Array[] = [];
  for (let at = 0; at < SAMPLES; at += step) parts.push(await encoder.encode(sound.subarray(at, at + step)));
  parts.push(await encoder.end(chapters));
  const bytes = Buffer.concat(parts);
  const head = encoder.settledHead(chapters);
  if (head) bytes.set(head);
  encoder.close();
  return bytes;
}

/** The cosine between two sounds: 1 where they are the same but for their loudness. */
function likeness(a: Int16Array, b: Int16Array): number {
  let [ab, aa, bb] = [0, 0, 0];
  for (const [i, value] of a.entries()) {
    ab += value * b[i]!;
    aa += value * value;
    bb += b[i]! * b[i]!;
  }
  return ab / Math.sqrt(aa * bb);
}

it('makes the same bytes however the samples come', async () => {
  expect((await encoded('m4b', 333)).equals(await encoded('m4b', 50_000))).toBe(true);
});

/** A tone with a rest every second, as between sentences; the rests begin anywhere in a frame. */
const rested = Int16Array.from({ length: 24_000 * 6 + 99 }, (_, i) => (i % 24_001 < 16_000 ? sound[i % SAMPLES]! : 0));

async function framesOf(codec: AacFrames | AacSections, step: number): Promise<Buffer[]> {
  const frames: Uint8Array[] = [];
  for (let at = 0; at < rested.length; at += step) frames.push(...(await codec.push(rested.subarray(at, at + step))));
  frames.push(...(await codec.end()));
  codec.close();
  return frames.map((frame) => Buffer.from(frame));
}

const inSections = async (threads: number, step: number) =>
  framesOf(await AacSections.open({ kbps: 64, threads, sectionFrames: 40 }), step);

it('is the same in sections, by however many threads and however the samples come', async () => {
  const frames = await inSections(1, 5_000);
  const whole = await framesOf(await AacFrames.open(64), 5_000);
  expect(frames).toHaveLength(whole.length);
  expect(Buffer.concat(frames).equals(Buffer.concat(whole))).toBe(false);
  for (const [threads, step] of [
    [3, 5_000],
    [2, 333],
    [1, 1_000_000],
  ] as const) {
    expect(Buffer.concat(await inSections(threads, step)).equals(Buffer.concat(frames))).toBe(true);
  }
});

if (!hasFfmpeg()) {
  it('leaves out what another program hears: ffmpeg is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  it('has chapters, tags, a cover and the exact length, and sounds as it should', async () => {
    const file = path.join(folder, 'a.m4b');
    writeFileSync(file, await encoded('m4b', 5_000));
    const { chapters, format, streams } = probe(file);
    expect(
      chapters.map(({ tags: { title }, start_time, end_time }) => [title, Number(start_time), Number(end_time)]),
    ).toEqual([
      ['One', 0, 0.7],
      [CHAPTERS[1]!.title, 0.7, SAMPLES / 24_000],
    ]);
    expect(Number(format.duration)).toBe(SAMPLES / 24_000);
    expect(format.tags).toMatchObject({
      title: 'Die Köchin',
      artist: 'A. Writer',
      composer: 'heart',
      track: '2/9',
      major_brand: 'M4B ',
    });
    expect(streams.map(({ codec_name: name }) => name)).toEqual(['aac', 'bin_data', 'png']);
    expect(streams[0]).toMatchObject({ tags: { language: 'deu' } });
    const heard = decodeFile(file);
    // The decoder leaves the padding of the last frame in, as it does with files of its own.
    expect(heard.length - SAMPLES).toBeGreaterThanOrEqual(0);
    expect(heard.length - SAMPLES).toBeLessThan(1024);
    expect(likeness(sound, heard)).toBeGreaterThan(0.99);
  });

  it('can be played where it has no chapters, and where it is empty', async () => {
    writeFileSync(path.join(folder, 'b.m4a'), await encoded('m4a', 5_000, []));
    expect(probe(path.join(folder, 'b.m4a'))).toMatchObject({
      chapters: [],
      format: { tags: { major_brand: 'M4A ' } },
    });
    const empty = await createEncoder('m4a');
    writeFileSync(path.join(folder, 'c.m4a'), Buffer.concat([await empty.end()]));
    empty.close();
  });

  it('is a stream of frames without MP4', async () => {
    const bytes = await encoded('aac', 5_000);
    expect(bytes.readUInt16BE() & 0xfff6).toBe(0xfff0);
    const heard = decode(bytes);
    expect(heard.length).toBeGreaterThan(SAMPLES);
    expect(likeness(sound, heard.subarray(1024))).toBeGreaterThan(0.99);
  });

  it('has no sound where sections meet, and loses none', async () => {
    const heard = decode(Buffer.concat(await inSections(3, 5_000))).subarray(1024);
    expect(likeness(rested, heard)).toBeGreaterThan(0.99);
    // The middle of each rest, where nothing of the sound before or behind it is left.
    for (let rest = 0; rest < 6; rest += 1) {
      const middle = heard.subarray(rest * 24_001 + 19_000, rest * 24_001 + 21_000);
      expect(Math.max(...middle.map(Math.abs))).toBeLessThan(3);
    }
  });
}
