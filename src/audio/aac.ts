/** AAC as a stream: frames with ADTS headers, one after the other. */
import { AacFrames } from './aac-frames.js';
import type { Codec } from './codec.js';

export async function createAac({ kbps }: { readonly kbps: number }): Promise<Codec> {
  const frames = await AacFrames.open(kbps);
  return {
    encode: async (pcm) => Buffer.concat(await frames.push(pcm)),
    end: async () => Buffer.concat(await frames.end()),
    settledHead: () => undefined,
    close: () => frames.close(),
  };
}
