/**
 * DNSMOS P.835, a network that was trained on what people said of speech: signal, background and
 * the whole, from 1 to 5.
 *
 * Microsoft's (MIT, CC BY 4.0); no package carries it, so it comes from its repository, at one
 * commit and by its hash.
 */
import path from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { PackManifest } from '../../src/models/manifest.js';
import { ensureAsset } from '../../testkit/asset.js';
import { resampleTo16k } from '../../testkit/sound/resample.js';

const PACK: PackManifest = {
  name: 'bench-dnsmos',
  title: 'DNSMOS P.835, for benches',
  licence: 'MIT',
  files: [
    {
      path: 'sig_bak_ovr.onnx',
      bytes: 1_157_965,
      sha256: '269fbebdb513aa23cddfbb593542ecc540284a91849ac50516870e1ac78f6edd',
    },
  ],
  sources: [
    {
      type: 'https',
      name: 'github.com/microsoft/DNS-Challenge',
      base: 'https://raw.githubusercontent.com/microsoft/DNS-Challenge/591184a9fcb2cbdec02520fed81a32bbbf9d73ff/DNSMOS/DNSMOS/',
      paths: { 'sig_bak_ovr.onnx': 'sig_bak_ovr.onnx' },
    },
  ],
};

const RATE = 16_000;
/** It hears 9.01 s at once; what is shorter is said again. */
const HEARD = 144_160;
/**
 * What the network says → what people said, by its makers: a square, a factor and a constant each.
 */
const FITS = {
  signal: [-0.08397278, 1.22083953, 0.0052439],
  background: [-0.13166888, 1.60915514, -0.39604546],
  overall: [-0.06766283, 1.11546468, 0.04602535],
} as const;

export interface Opinion {
  readonly signal: number;
  readonly background: number;
  readonly overall: number;
}

export interface Dnsmos {
  /**
   * Of 24 kHz PCM, heard every `everyS` seconds: each second as its makers do it, which takes more
   * than a second of a core for each, or less often where a clip is minutes long.
   */
  opinion(pcm: Int16Array, everyS?: number): Promise<Opinion>;
  close(): Promise<void>;
}

const fitted = ([square, factor, constant]: readonly [number, number, number], raw: number): number =>
  square * raw ** 2 + factor * raw + constant;

/**
 * Said again until it is long enough to be heard once; its makers hear such a loop several times,
 * to the same end.
 */
function repeated(sound: Float32Array): Float32Array {
  if (sound.length === 0 || sound.length >= HEARD) return sound;
  return Float32Array.from({ length: HEARD }, (_, i) => sound[i % sound.length]!);
}

async function createDnsmos(modelDir: string): Promise<Dnsmos> {
  const dir = await ensureAsset(modelDir, PACK, { retryDelaysMs: [] });
  const session = await InferenceSession.create(path.join(dir, 'sig_bak_ovr.onnx'), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  });
  return {
    async opinion(pcm, everyS = 1) {
      const sound = repeated(resampleTo16k(Float32Array.from(pcm, (sample) => sample / 32_768)));
      const sums = { signal: 0, background: 0, overall: 0 };
      let count = 0;
      for (let at = 0; at + HEARD <= sound.length; at += everyS * RATE) {
        const input = new Tensor('float32', sound.slice(at, at + HEARD), [1, HEARD]);
        const out = await session.run({ [session.inputNames[0]!]: input });
        const [signal, background, overall] = out[session.outputNames[0]!]!.data as Float32Array;
        sums.signal += fitted(FITS.signal, signal!);
        sums.background += fitted(FITS.background, background!);
        sums.overall += fitted(FITS.overall, overall!);
        count += 1;
      }
      return {
        signal: sums.signal / count,
        background: sums.background / count,
        overall: sums.overall / count,
      };
    },
    close: () => session.release(),
  };
}

/** Tells on stderr why DNSMOS is not there, where it could not be fetched. */
export async function dnsmosIfThere(modelDir: string): Promise<Dnsmos | undefined> {
  try {
    return await createDnsmos(modelDir);
  } catch (error) {
    process.stderr.write(`Left out: DNSMOS, which could not be fetched. ${(error as Error).message}\n`);
    return undefined;
  }
}
