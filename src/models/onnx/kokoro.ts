/** The parts of Kokoro that the engine runs, cut from the published graph. */
import type { GraphName } from '../manifest.js';
import { cut, type Port } from './cut.js';
import { fold } from './fold.js';
import { halved } from './half.js';
import { planeConvolutions } from './plane.js';
import { convolutionsAsProducts } from './products.js';
import { createCodec, DATA_TYPE, type Model, type OnnxCodec } from './schema.js';
import { convolvedSource, SPECTRUM } from './source.js';
import { LAST, wholeForGpu } from './whole-gpu/whole-gpu.js';

/** Tensors at which the published graph is cut: `n` tokens, `t` frames of 300 samples. */
function ports(codec: OnnxCodec) {
  const { float, int64 } = DATA_TYPE;
  const port = (tensor: string, ...as: Parameters<OnnxCodec['valueInfo']>): Port => ({
    tensor,
    as: codec.valueInfo(...as),
  });
  return {
    text: [
      port('input_ids', 'input_ids', int64, [1, 'n']),
      port('style', 'style', float, [1, 256]),
      port('speed', 'speed', float, [1]),
    ],
    durations: port('/encoder/Clip_output_0', 'durations', float, [1, 'n']),
    /** Between front and generator. */
    middle: [
      port('/decoder/decoder/decode.3/Div_4_output_0', 'x', float, [1, 512, 't']),
      port('/decoder/decoder/Unsqueeze_output_0', 'f0', float, [1, 1, 't']),
      port('/decoder/Slice_output_0', 's', float, [1, 128]),
    ],
    /** Between harmonic source and generator. */
    spectrum: port(SPECTRUM, 'source', float, [1, 22, 'm']),
    waveform: port('waveform', 'waveform', float, [1, 'samples']),
  };
}

/** The graphs that are cut from Kokoro's. */
type KokoroGraph = Exclude<GraphName, `light-${string}`>;

export interface KokoroParts {
  /** The bytes of a graph's file. */
  make(name: KokoroGraph): Uint8Array;
}

/** `published` is the file as downloaded; it is not changed. */
export function kokoroParts(published: Uint8Array, arch: string = process.arch): KokoroParts {
  const codec = createCodec();
  const whole = codec.decode(published);
  const { text, durations, middle, spectrum, waveform } = ports(codec);
  const front = () => cut(whole, text, [...middle, durations]);
  const generator = () => cut(whole, middle, [waveform]);
  const quantised = arch === 'x64' ? convolutionsAsProducts : planeConvolutions;
  const parts: Record<KokoroGraph, () => Model> = {
    'front-quantised': () => quantised(front(), codec),
    'generator-quantised': () => quantised(generator(), codec),
    'generator-float': () => fold(generator(), codec),
    source: () => convolvedSource(cut(whole, middle.slice(1, 2), [spectrum]), codec),
    'generator-gpu': () => wholeForGpu(fold(generator(), codec), codec),
    'generator-gpu-half': () => halved(wholeForGpu(fold(generator(), codec), codec), codec, { ends: [LAST] }),
  };
  return { make: (name) => codec.encode(parts[name]()) };
}
