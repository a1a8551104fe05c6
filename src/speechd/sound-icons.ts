/** Sound icons: short WAV files that stand for an event, by their names. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pcmSamples } from '../protocol/audio.js';

export interface SoundIcon {
  readonly pcm: Int16Array;
  readonly sampleRate: number;
}

/** Where Debian's package sound-icons puts them. */
export const SOUND_ICONS_DIR = '/usr/share/sounds/sound-icons';
const MAX_BYTES = 2_000_000;

/** Undefined where there is no such icon, or it is not 16-bit mono PCM. */
export async function soundIcon(dir: string, name: string): Promise<SoundIcon | undefined> {
  if (!/^[\w.-]+$/.test(name) || name.startsWith('.')) return undefined;
  for (const file of [name, `${name}.wav`]) {
    const bytes = await readFile(path.join(dir, file)).catch(() => undefined);
    if (bytes !== undefined && bytes.length <= MAX_BYTES) return readWav(bytes);
  }
  return undefined;
}

function readWav(bytes: Buffer): SoundIcon | undefined {
  if (bytes.length < 12 || bytes.toString('latin1', 8, 12) !== 'WAVE') return undefined;
  let sampleRate: number | undefined;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const id = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const body = bytes.subarray(at + 8, at + 8 + length);
    if (id === 'fmt ' && body.length >= 16) {
      const isPlain = body.readUInt16LE(0) === 1 && body.readUInt16LE(2) === 1 && body.readUInt16LE(14) === 16;
      if (!isPlain) return undefined;
      sampleRate = body.readUInt32LE(4);
    }
    if (id === 'data' && sampleRate !== undefined) return { pcm: pcmSamples(Buffer.from(body)), sampleRate };
    at += 8 + length + (length % 2);
  }
  return undefined;
}
