/** Encoders by the name of their format. A codec is loaded when it is first used. */
import { createHash } from 'node:crypto';
import type { AudioEncoder, Codec, EncoderOptions } from './codec.js';
import type { Checksum } from './flac.js';
import { type AudioFormat, audioSpec, contentTypeOf } from './format.js';

export type { AudioEncoder, EncoderOptions } from './codec.js';

let open = 0;

/** Encoders that hold memory now. */
export const openEncoders = (): number => open;

export async function createEncoder(format: AudioFormat, options: EncoderOptions = {}): Promise<AudioEncoder> {
  const codec = await createCodec(format, options);
  open += 1;
  let state: 'open' | 'ended' | 'closed' = 'open';
  const expect = (wanted: typeof state) => {
    if (state !== wanted) throw new Error(`this ${format} encoder is ${state}, not ${wanted}`);
  };
  return {
    contentType: contentTypeOf(format),
    encode(pcm) {
      expect('open');
      return codec.encode(pcm);
    },
    end(chapters) {
      expect('open');
      state = 'ended';
      return codec.end(chapters);
    },
    settledHead(chapters) {
      expect('ended');
      return codec.settledHead(chapters);
    },
    close() {
      if (state === 'closed') return;
      state = 'closed';
      open -= 1;
      codec.close();
    },
  };
}

function md5(): Checksum {
  const hash = createHash('md5');
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.copy().digest() };
}

async function createCodec(format: AudioFormat, options: EncoderOptions): Promise<Codec> {
  const spec = audioSpec(format);
  switch (spec.codec) {
    case 'mp3':
      return (await import('./mp3.js')).createMp3(spec, options);
    case 'opus':
      return (await import('./opus.js')).createOpus(spec, options);
    case 'aac':
      return (await import('./aac.js')).createAac(spec);
    case 'mp4':
      return (await import('./mp4/mp4.js')).createMp4(spec, options);
    case 'flac':
      return (await import('./flac.js')).createFlac(options, md5());
    default:
      return (await import('./raw.js')).createRaw(spec, options);
  }
}
