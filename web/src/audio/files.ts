/** Audio files of what was heard. A worker encodes, so that the page stays smooth. */
import type { AudioTags } from '../../../src/audio/tags.js';
import { type Recording, SAMPLE_RATE } from './recording.js';

export type EncodedFormat = 'mp3' | 'opus' | 'flac';

/** What the page tells the worker: a beginning, blocks of samples, an end. */
export type EncodeOrder =
  | { readonly type: 'begin'; readonly format: EncodedFormat; readonly tags: AudioTags }
  | { readonly type: 'samples'; readonly pcm: Int16Array }
  | { readonly type: 'end' };
export type EncodeAnswer = { readonly blob: Blob } | { readonly error: string };

const HEADER_BYTES = 44;
/** Blocks that are handed over before the page gets a turn. */
const BLOCKS_A_TURN = 4;

export function wavFile(recording: Recording): Blob {
  const header = new DataView(new ArrayBuffer(HEADER_BYTES));
  const text = (at: number, value: string) => {
    for (let i = 0; i < value.length; i++) header.setUint8(at + i, value.charCodeAt(i));
  };
  const bytes = recording.length.peek() * 2;
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
  return new Blob([header, ...recording.parts()], { type: 'audio/wav' });
}

export async function encodedFile(recording: Recording, format: EncodedFormat, tags: AudioTags): Promise<Blob> {
  const worker = new Worker(new URL('./encode.worker.ts', import.meta.url), { type: 'module' });
  try {
    const answer = new Promise<EncodeAnswer>((resolve) => {
      worker.onmessage = ({ data }) => resolve(data as EncodeAnswer);
      worker.onerror = ({ message }) => resolve({ error: message || 'the encoder could not be loaded' });
    });
    const order = (message: EncodeOrder, transfer: Transferable[] = []) => worker.postMessage(message, transfer);
    order({ type: 'begin', format, tags });
    for (const [i, part] of recording.parts().entries()) {
      const pcm = part.slice();
      order({ type: 'samples', pcm }, [pcm.buffer]);
      if (i % BLOCKS_A_TURN === BLOCKS_A_TURN - 1) await new Promise((resolve) => setTimeout(resolve));
    }
    order({ type: 'end' });
    const told = await answer;
    if ('error' in told) throw new Error(told.error);
    return told.blob;
  } finally {
    worker.terminate();
  }
}

export function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
