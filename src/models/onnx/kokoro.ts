/** The parts of Kokoro that the engine runs, cut from the published graph. */
import type { GraphName } from '../manifest.js';
import { cut, type Port } from './cut.js';
import { fold } from './fold.js';
import { planeConvolutions } from './plane.js';
import { createCodec, DATA_TYPE, type Model, type OnnxCodec } from './schema.js';

/** Tensors of the published graph at which it is cut: `n` tokens, `t` frames of 300 samples. */
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
    waveform: port('waveform', 'waveform', float, [1, 'samples']),
  };
}

export interface KokoroParts {
  /** The bytes of a graph's file. */
  make(name: GraphName): Uint8Array;
}

/** `published` is the file as downloaded; its weights are looked at, never changed. */
export function kokoroParts(published: Uint8Array): KokoroParts {
  const codec = createCodec();
  const whole = codec.decode(published);
  const { text, durations, middle, waveform } = ports(codec);
  const front = () => cut(whole, text, [...middle, durations]);
  const generator = () => cut(whole, middle, [waveform]);
  const parts: Record<GraphName, () => Model> = {
    'front-quantised': () => planeConvolutions(front(), codec),
    'front-float': () => fold(front(), codec),
    'generator-quantised': () => planeConvolutions(generator(), codec),
    'generator-float': () => fold(generator(), codec),
  };
  return { make: (name) => codec.encode(parts[name]()) };
}
