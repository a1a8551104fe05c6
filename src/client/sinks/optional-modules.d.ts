/** Types of the sound libraries: optional dependencies, which the build must not need. */

declare module 'speaker' {
  import type { Writable } from 'node:stream';

  interface SpeakerOptions {
    channels?: number;
    bitDepth?: number;
    sampleRate?: number;
  }
  const Speaker: new (options?: SpeakerOptions) => Writable;
  export default Speaker;
}

declare module '@audio/speaker' {
  interface Options {
    sampleRate?: number;
    channels?: number;
    bitDepth?: number;
    bufferSize?: number;
    backend?: string;
  }
  interface Write {
    (bytes: Buffer, done: (error?: Error | null) => void): void;
    flush(done: () => void): void;
    close(): void;
  }
  const open: (options?: Options) => Write;
  export default open;
}
