/** The frames of an mp3: where they begin, and the first one, which holds delay and padding. */

/** kbit/s by the header's index, for MPEG 1 and MPEG 2, layer III. */
const KBPS_MPEG1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const KBPS_MPEG2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const RATES_MPEG1 = [44_100, 48_000, 32_000];
const RATES_MPEG2 = [22_050, 24_000, 16_000];

const isMpeg1 = (sampleRate: number): boolean => sampleRate >= 32_000;
export const frameSamples = (sampleRate: number): number => (isMpeg1(sampleRate) ? 1152 : 576);

/** Samples of silence that the encoder adds before the audio, and every decoder besides. */
export const ENCODER_DELAY = 576;
export const DECODER_DELAY = 529;

const HEADER_BYTES = 4;
const TAG_BYTES = 36;

/** Counts frames in chunks of bytes that are cut anywhere. */
export class FrameWalker {
  /** Bytes seen, and where the frames began. */
  #seen = 0;
  #next = 0;
  #header: number[] = [];
  frames = 0;
  /** Where the last frames began, as many as may be removed from the end. */
  readonly recent: number[] = [];

  pass(bytes: Uint8Array): void {
    for (let at = this.#next - this.#seen; at < bytes.length; at = this.#next - this.#seen) {
      // A header may be cut, so that its bytes are collected one by one.
      const index = at + this.#header.length;
      if (index >= bytes.length) break;
      this.#header.push(bytes[index]!);
      if (this.#header.length < HEADER_BYTES) continue;
      this.frames += 1;
      this.recent.push(this.#next);
      if (this.recent.length > 8) this.recent.shift();
      this.#next += frameBytes(this.#header);
      this.#header = [];
    }
    this.#seen += bytes.length;
  }
}

function frameBytes(header: readonly number[]): number {
  const mpeg1 = (header[1]! & 0x08) !== 0;
  const rate = (mpeg1 ? RATES_MPEG1 : RATES_MPEG2)[(header[2]! >> 2) & 3];
  const kbps = (mpeg1 ? KBPS_MPEG1 : KBPS_MPEG2)[header[2]! >> 4];
  if (header[0] !== 0xff || rate === undefined || !kbps) throw new Error('the mp3 encoder lost its frames');
  return Math.floor(((mpeg1 ? 144 : 72) * kbps * 1000) / rate) + ((header[2]! >> 1) & 1);
}

export interface InfoFrame {
  readonly sampleRate: number;
  readonly kbps: number;
  /** Undefined while the audio is still being made. */
  readonly whole?: { readonly frames: number; readonly bytes: number; readonly padding: number };
}

/** LAME's tag: a frame with delay and padding, which other decoders play as silence. */
export function infoFrame({ sampleRate, kbps, whole }: InfoFrame): Buffer {
  const mpeg1 = isMpeg1(sampleRate);
  const header = [
    0xff,
    mpeg1 ? 0xfb : 0xf3,
    ((mpeg1 ? KBPS_MPEG1 : KBPS_MPEG2).indexOf(kbps) << 4) |
      ((mpeg1 ? RATES_MPEG1 : RATES_MPEG2).indexOf(sampleRate) << 2),
    0xc0,
  ];
  const frame = Buffer.alloc(frameBytes(header));
  frame.set(header);
  let at = HEADER_BYTES + (mpeg1 ? 17 : 9);
  at += frame.write('Info', at, 'latin1');
  at = frame.writeUInt32BE(whole ? 3 : 0, at);
  if (whole) {
    at = frame.writeUInt32BE(whole.frames, at);
    at = frame.writeUInt32BE(whole.bytes + frame.length, at);
  }
  const tag = at;
  frame.write('LAME3.100', tag, 'latin1');
  // Constant bit rate.
  frame[tag + 9] = 1;
  frame[tag + 20] = Math.min(255, kbps);
  frame.writeUIntBE((ENCODER_DELAY << 12) | (whole?.padding ?? 0), tag + 21, 3);
  if (whole) frame.writeUInt32BE(whole.bytes + frame.length, tag + 28);
  frame.writeUInt16BE(crc16(frame.subarray(0, tag + TAG_BYTES - 2)), tag + TAG_BYTES - 2);
  return frame;
}

function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
}
