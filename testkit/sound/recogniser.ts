/**
 * Ears for tests and benches: an offline English recogniser (Moonshine, MIT), fetched once into the
 * model cache.
 */
import path from 'node:path';
import llamaTokenizer from 'llama-tokenizer-js';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { PackManifest } from '../../src/models/manifest.js';
import { ensureAsset } from '../asset.js';
import { resampleTo16k } from './resample.js';

const PACK: PackManifest = {
  name: 'test-recogniser',
  title: 'Moonshine tiny, for tests',
  licence: 'MIT',
  files: [
    {
      path: 'encoder.onnx',
      bytes: 7_937_661,
      sha256: 'c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a',
    },
    {
      path: 'decoder.onnx',
      bytes: 20_243_286,
      sha256: 'eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367',
    },
  ],
  sources: [
    {
      type: 'npm',
      package: '@moonshine-ai/moonshine-js@0.1.29',
      integrity: 'sha512-Gx1B3mJcbM68ihSy/LyJEuEkGq7sYMqTb04zNdcIeidU0URVlSmXP0GyiQOTTAqDZQXlIC7k+bky+FdXk0UPlg==',
      bytes: 21514347,
      paths: {
        'encoder.onnx': 'dist/model/tiny/quantized/encoder_model.onnx',
        'decoder.onnx': 'dist/model/tiny/quantized/decoder_model_merged.onnx',
      },
    },
  ],
};

/** The larger one, for benches: slower, and wrong half as often. */
const BASE_PACK: PackManifest = {
  name: 'test-recogniser-base',
  title: 'Moonshine base, for benches',
  licence: 'MIT',
  files: [
    {
      path: 'encoder.onnx',
      bytes: 20_513_063,
      sha256: '1dd9ab0a7f987113d30affcba5a068d11c8f90fa0223caa3e491ade431ad9751',
    },
    {
      path: 'decoder.onnx',
      bytes: 42_498_870,
      sha256: 'cc9f3cd6698a369c6008b41aa60aa3fb3322e7f03c9bdf19d8e6b7200afca4f3',
    },
  ],
  sources: [
    {
      type: 'npm',
      package: '@usefulsensors/moonshine-js@0.1.17',
      integrity: 'sha512-Uy/e4BjuHcpSC5h0HNRe/uCGe2ehEP586UMaHKyum9ZF8Z/lqtmadki9Myq6iLQGSj2hZ4Nb3RYn2b1qrrVNbw==',
      bytes: 114_247_787,
      paths: {
        'encoder.onnx': 'dist/model/base/quantized/encoder_model.onnx',
        'decoder.onnx': 'dist/model/base/quantized/decoder_model_merged.onnx',
      },
    },
  ],
};

const HEADS = 8;
const SIZES = {
  tiny: { pack: PACK, layers: 6, headSize: 36 },
  base: { pack: BASE_PACK, layers: 8, headSize: 52 },
} as const;
const START = 1n;
const END = 2;
/**
 * The recogniser was made for at most this many tokens a second of speech at an ordinary pace;
 * beyond it, it repeats itself.
 */
const TOKENS_PER_SECOND = 6.5;

export interface Recogniser {
  /** What is said in 24 kHz PCM, at `pace` times the ordinary pace. */
  transcribe(pcm: Int16Array, pace?: number): Promise<string>;
  close(): Promise<void>;
}

/**
 * In a long rest this recogniser hears things that nobody said: a tenth of a second at either end
 * is enough.
 */
function withoutRests(pcm: Int16Array): Int16Array {
  const margin = 2_400;
  const first = pcm.findIndex((sample) => Math.abs(sample) > 300);
  const last = pcm.findLastIndex((sample) => Math.abs(sample) > 300);
  return first < 0 ? pcm : pcm.subarray(Math.max(0, first - margin), Math.min(pcm.length, last + margin));
}

/** The output that is an input of the next step. */
const present = (name: string): string => name.replace('past_key_values', 'present');

/** Where the greatest of the values is. */
function greatest(values: Float32Array): number {
  let top = 0;
  for (let i = 1; i < values.length; i += 1) if (values[i]! > values[top]!) top = i;
  return top;
}

const opened = new Map<keyof typeof SIZES, ReturnType<typeof open>>();

/** One of a size for a process, as the engine is (`realEngine`): closing it does nothing. */
export async function createRecogniser(modelDir: string, size: keyof typeof SIZES = 'tiny'): Promise<Recogniser> {
  const found = opened.get(size) ?? open(modelDir, size);
  opened.set(size, found);
  return { ...(await found), close: async () => undefined };
}

async function open(modelDir: string, size: keyof typeof SIZES): Promise<Pick<Recogniser, 'transcribe'>> {
  const { pack, layers, headSize } = SIZES[size];
  const dir = await ensureAsset(modelDir, pack);
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 } as const;
  const encoder = await InferenceSession.create(path.join(dir, 'encoder.onnx'), options);
  const decoder = await InferenceSession.create(path.join(dir, 'decoder.onnx'), options);

  async function transcribe(pcm: Int16Array, pace = 1): Promise<string> {
    const audio = resampleTo16k(Float32Array.from(withoutRests(pcm), (sample) => sample / 32_768));
    const { last_hidden_state } = await encoder.run({
      input_values: new Tensor('float32', audio, [1, audio.length]),
    });
    let past: Record<string, Tensor> = {};
    const empty = () => new Tensor('float32', new Float32Array(0), [1, HEADS, 0, headSize]);
    for (let layer = 0; layer < layers; layer += 1) {
      for (const side of ['decoder', 'encoder']) {
        for (const half of ['key', 'value']) past[`past_key_values.${layer}.${side}.${half}`] = empty();
      }
    }
    // What was computed from the sound is computed once, at the first step, and not fetched again.
    const grows = Object.keys(past).filter((name) => name.includes('.decoder.'));
    const ids: number[] = [];
    let next = START;
    const most = Math.max(12, Math.ceil((audio.length / 16_000) * TOKENS_PER_SECOND * pace));
    for (let step = 0; step < most; step += 1) {
      const feeds = {
        input_ids: new Tensor('int64', BigInt64Array.of(next), [1, 1]),
        encoder_hidden_states: last_hidden_state!,
        use_cache_branch: new Tensor('bool', Uint8Array.of(step > 0 ? 1 : 0), [1]),
        ...past,
      };
      const fetched = step === 0 ? Object.keys(past) : grows;
      const out = await decoder.run(feeds, ['logits', ...fetched.map(present)]);
      const best = greatest(out.logits!.data as Float32Array);
      if (best === END) break;
      ids.push(best);
      next = BigInt(best);
      past = { ...past, ...Object.fromEntries(fetched.map((name) => [name, out[present(name)]!])) };
    }
    return llamaTokenizer.decode(ids, false, false).trim();
  }

  return { transcribe };
}
