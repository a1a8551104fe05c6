/** Encodes samples into the bytes of a file. A codec is loaded when it is asked for. */
import type { AudioTags } from '../../../src/audio/tags.js';
import { SAMPLE_RATE } from '../../../src/protocol/audio.js';
import type { EncodeAnswer, EncodedFormat, EncodeOrder } from './files.js';

const MP3_KBITS = 64;
const OPUS_KBITS = 48;
const TYPES: Readonly<Record<EncodedFormat, string>> = { mp3: 'audio/mpeg', opus: 'audio/ogg', flac: 'audio/flac' };

interface FileEncoder {
  encode(pcm: Int16Array): Uint8Array | Promise<Uint8Array>;
  end(): Uint8Array | Promise<Uint8Array>;
  /** After `end`: takes the place of as many bytes at the beginning. */
  settledHead?(): Uint8Array | undefined;
}

async function createMp3(): Promise<FileEncoder> {
  const [{ createEncoder }, { default: wasmUrl }] = await Promise.all([
    import('wasm-media-encoders/small'),
    import('wasm-media-encoders/wasm/mp3?url'),
  ]);
  const wasm = await WebAssembly.compileStreaming(fetch(wasmUrl));
  const encoder = await createEncoder('audio/mpeg', wasm);
  encoder.configure({ sampleRate: SAMPLE_RATE, channels: 1, bitrate: MP3_KBITS });
  return {
    // What it returns is its own memory, which the next call overwrites.
    encode: (pcm) => new Uint8Array(encoder.encode([Float32Array.from(pcm, (sample) => sample / 32_768)])),
    end: () => new Uint8Array(encoder.finalize()),
  };
}

async function create(format: EncodedFormat, tags: AudioTags): Promise<FileEncoder> {
  switch (format) {
    case 'mp3':
      return createMp3();
    case 'opus':
      return (await import('../../../src/audio/opus.js')).createOpus({ codec: 'opus', kbps: OPUS_KBITS }, { tags });
    default:
      return (await import('../../../src/audio/flac.js')).createFlac({ tags });
  }
}

let encoder: Promise<FileEncoder> | undefined;
let type = '';
const parts: Uint8Array<ArrayBuffer>[] = [];
const add = (bytes: Uint8Array) => void parts.push(bytes as Uint8Array<ArrayBuffer>);

async function take(order: EncodeOrder): Promise<void> {
  if (order.type === 'begin') {
    type = TYPES[order.format];
    encoder = create(order.format, order.tags);
    return;
  }
  const opened = await encoder!;
  if (order.type === 'samples') {
    // A second at a time: an encoder's memory is made for about that.
    for (let at = 0; at < order.pcm.length; at += SAMPLE_RATE) {
      add(await opened.encode(order.pcm.subarray(at, at + SAMPLE_RATE)));
    }
    return;
  }
  add(await opened.end());
  const head = opened.settledHead?.() as Uint8Array<ArrayBuffer> | undefined;
  const whole = new Blob(parts, { type });
  answer({ blob: head ? new Blob([head, whole.slice(head.length)], { type }) : whole });
}

const answer = (told: EncodeAnswer) => postMessage(told);

let orders = Promise.resolve();
addEventListener('message', ({ data }) => {
  orders = orders.then(() => take(data as EncodeOrder)).catch((error: Error) => answer({ error: error.message }));
});
