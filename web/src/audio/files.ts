/** Audio files: WAV, and MP3 by an encoder that is loaded when it is first used. */
import { SAMPLE_RATE } from './recording.js';

const HEADER_BYTES = 44;
const MP3_KBITS = 64;

export function wavFile(pcm: Int16Array): Blob {
  const header = new DataView(new ArrayBuffer(HEADER_BYTES));
  const text = (at: number, value: string) => {
    for (let i = 0; i < value.length; i++) header.setUint8(at + i, value.charCodeAt(i));
  };
  const bytes = pcm.length * 2;
  text(0, 'RIFF');
  header.setUint32(4, bytes + HEADER_BYTES - 8, true);
  text(8, 'WAVEfmt ');
  header.setUint32(16, 16, true);
  header.setUint16(20, 1, true);
  header.setUint16(22, 1, true);
  header.setUint32(24, SAMPLE_RATE, true);
  header.setUint32(28, SAMPLE_RATE * 2, true);
  header.setUint16(32, 2, true);
  header.setUint16(34, 16, true);
  text(36, 'data');
  header.setUint32(40, bytes, true);
  return new Blob([header, new Int16Array(pcm)], { type: 'audio/wav' });
}

export async function mp3File(pcm: Int16Array): Promise<Blob> {
  const [{ createEncoder }, { default: wasmUrl }] = await Promise.all([
    import('wasm-media-encoders/small'),
    import('wasm-media-encoders/wasm/mp3?url'),
  ]);
  const wasm = await WebAssembly.compileStreaming(fetch(wasmUrl));
  const encoder = await createEncoder('audio/mpeg', wasm);
  encoder.configure({ sampleRate: SAMPLE_RATE, channels: 1, bitrate: MP3_KBITS });
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < pcm.length; at += SAMPLE_RATE) {
    const second = Float32Array.from(pcm.subarray(at, at + SAMPLE_RATE), (sample) => sample / 32_768);
    parts.push(new Uint8Array(encoder.encode([second])));
  }
  parts.push(new Uint8Array(encoder.finalize()));
  return new Blob(parts, { type: 'audio/mpeg' });
}

export function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
