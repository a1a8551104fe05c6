/** Ears for the tests: an offline English recogniser (Moonshine tiny, MIT), fetched once into the model cache. */
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import llamaTokenizer from 'llama-tokenizer-js';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { download } from '../../src/models/fetch/download.js';
import { withLock } from '../../src/models/lock.js';
import type { PackManifest } from '../../src/models/manifest.js';
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

const LAYERS = 6;
const HEADS = 8;
const HEAD_SIZE = 36;
const START = 1n;
const END = 2;
/** The recogniser was made for at most this many tokens a second; beyond it, it repeats itself. */
const TOKENS_PER_SECOND = 6.5;

export interface Recogniser {
  /** What is said in 24 kHz PCM. */
  transcribe(pcm: Int16Array): Promise<string>;
  close(): Promise<void>;
}

async function ensure(modelDir: string): Promise<string> {
  const dir = path.join(modelDir, PACK.name);
  await mkdir(dir, { recursive: true });
  const complete = async () => {
    const sizes = await Promise.all(PACK.files.map((file) => stat(path.join(dir, file.path)).catch(() => undefined)));
    return sizes.every((found, i) => found?.size === PACK.files[i]!.bytes);
  };
  const fetch = async () => {
    if (!(await complete())) await download(PACK, PACK.files, dir, {}, () => undefined, undefined);
  };
  await withLock(path.join(modelDir, `.${PACK.name}.lock`), fetch, {});
  return dir;
}

/** In a long rest this recogniser hears things that nobody said: a tenth of a second at either end is enough. */
function withoutRests(pcm: Int16Array): Int16Array {
  const margin = 2_400;
  const first = pcm.findIndex((sample) => Math.abs(sample) > 300);
  const last = pcm.findLastIndex((sample) => Math.abs(sample) > 300);
  return first < 0 ? pcm : pcm.subarray(Math.max(0, first - margin), Math.min(pcm.length, last + margin));
}

export async function createRecogniser(modelDir: string): Promise<Recogniser> {
  const dir = await ensure(modelDir);
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 } as const;
  const encoder = await InferenceSession.create(path.join(dir, 'encoder.onnx'), options);
  const decoder = await InferenceSession.create(path.join(dir, 'decoder.onnx'), options);

  async function transcribe(pcm: Int16Array): Promise<string> {
    const audio = resampleTo16k(Float32Array.from(withoutRests(pcm), (sample) => sample / 32_768));
    const { last_hidden_state } = await encoder.run({
      input_values: new Tensor('float32', audio, [1, audio.length]),
    });
    let past: Record<string, Tensor> = {};
    const empty = () => new Tensor('float32', new Float32Array(0), [1, HEADS, 0, HEAD_SIZE]);
    for (let layer = 0; layer < LAYERS; layer += 1) {
      for (const side of ['decoder', 'encoder']) {
        for (const half of ['key', 'value']) past[`past_key_values.${layer}.${side}.${half}`] = empty();
      }
    }
    const ids: number[] = [];
    let next = START;
    const most = Math.max(12, Math.ceil((audio.length / 16_000) * TOKENS_PER_SECOND));
    for (let step = 0; step < most; step += 1) {
      const out = await decoder.run({
        input_ids: new Tensor('int64', BigInt64Array.of(next), [1, 1]),
        encoder_hidden_states: last_hidden_state!,
        use_cache_branch: new Tensor('bool', Uint8Array.of(step > 0 ? 1 : 0), [1]),
        ...past,
      });
      const logits = out.logits!.data as Float32Array;
      const best = logits.reduce((top, value, i) => (value > logits[top]! ? i : top), 0);
      if (best === END) break;
      ids.push(best);
      next = BigInt(best);
      past = Object.fromEntries(
        Object.entries(past).map(([name, tensor]) => {
          // What was computed from the sound is computed once, at the first step.
          if (step > 0 && name.includes('.encoder.')) return [name, tensor];
          return [name, out[name.replace('past_key_values', 'present')]!];
        }),
      );
    }
    return llamaTokenizer.decode(ids, false, false).trim();
  }

  return {
    transcribe,
    async close() {
      await encoder.release();
      await decoder.release();
    },
  };
}
