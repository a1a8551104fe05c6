/**
 * 8-bit convolutions over a line, written as matrix products: the frames that a kernel sees stand side by side, and weights have a sign.
 * The integers are the same, so is every bit of the result. x64 processors multiply such matrices several times faster than
 * onnxruntime convolves (signed weights are what their 8-bit instructions take, and constants are laid out for them once); on arm64
 * `plane.ts` is as fast.
 */
import { graphBuilder } from './build.js';
import { DATA_TYPE, type Model, type Node, type OnnxCodec, type Tensor } from './schema.js';
import { bytesOf } from './weights.js';

const END = 2 ** 31 - 1;

export function convolutionsAsProducts(model: Model, codec: OnnxCodec): Model {
  const { graph } = model;
  const weights = new Map(graph.initializer.map((tensor) => [tensor.name, tensor]));
  const signed = new Map<string, Tensor>();
  const turned = new Set<string>();
  const constants = graphBuilder(codec);
  const node = graph.node.flatMap((old): Node[] => {
    const [input = '', weightName = '', zero = '', weightZero = ''] = old.input;
    const weight = weights.get(weightName);
    if (old.opType === 'MatMulInteger' && weight?.dataType === DATA_TYPE.uint8) {
      const kept = { ...old, input: [input, ...asSigned(weightName, weightZero, zero)] };
      return [kept];
    }
    if (old.opType !== 'ConvInteger' || weight?.dims.length !== 3) return [old];

    const [outputs, inputs, taps] = weight.dims as [number, number, number];
    const [stride = 1] = codec.intsOf(old, 'strides') ?? [];
    const [dilation = 1] = codec.intsOf(old, 'dilations') ?? [];
    const [before = 0, after = 0] = codec.intsOf(old, 'pads') ?? [];
    const build = graphBuilder(codec);
    const output = old.output[0]!;
    const frames = `${input}_frames`;
    if (!turned.has(input)) build.op('Transpose', [input], frames, { perm: [0, 2, 1] });
    turned.add(input);
    let seen = frames;
    if (before + after > 0) {
      const pads = constants.ints(`pads_${before}_${after}`, [0, before, 0, 0, after, 0]);
      seen = build.op('Pad', [frames, pads, zero], `${output}_padded`);
    }
    if (taps > 1 || stride > 1) {
      const axis = constants.ints('frame_axis', [1]);
      const step = constants.ints(`step_${stride}`, [stride]);
      const views = Array.from({ length: taps }, (_, tap) => {
        const from = constants.ints(`from_${tap * dilation}`, [tap * dilation]);
        const left = (taps - 1 - tap) * dilation;
        const to = constants.ints(`to_${left}`, [left === 0 ? END : -left]);
        return build.op('Slice', [seen, from, to, axis, step], `${output}_view_${tap}`);
      });
      seen = taps > 1 ? build.op('Concat', views, `${output}_views`, { axis: 2 }) : views[0]!;
    }
    const name = `${weightName}_product`;
    if (!signed.has(name)) {
      const rawData = new Uint8Array(outputs * inputs * taps);
      const values = bytesOf(weight);
      for (let row = 0; row < outputs; row += 1) {
        for (let column = 0; column < inputs; column += 1) {
          for (let tap = 0; tap < taps; tap += 1) {
            rawData[(tap * inputs + column) * outputs + row] = values[(row * inputs + column) * taps + tap]!;
          }
        }
      }
      signed.set(name, codec.tensor({ ...weight, name, dims: [taps * inputs, outputs], rawData, int32Data: [] }));
    }
    const operands = weight.dataType === DATA_TYPE.uint8 ? asSigned(name, weightZero, zero) : [name, zero, weightZero];
    const product = build.op('MatMulInteger', [seen, ...operands], `${output}_frames`);
    build.op('Transpose', [product], output, { perm: [0, 2, 1] });
    return [...build.node];
  });

  /** Weight and zero point less 128 each; what a product then takes behind its first input. */
  function asSigned(name: string, zeroName: string, inputZero: string): string[] {
    for (const each of [name, zeroName]) {
      const tensor = signed.get(each) ?? weights.get(each);
      if (tensor === undefined || tensor.dataType !== DATA_TYPE.uint8) throw new Error(`${each} is not of plain bytes`);
      if (signed.has(`${each}_signed`)) continue;
      const rawData = Uint8Array.from(bytesOf(tensor), (value) => (value + 128) & 0xff);
      const dataType = DATA_TYPE.int8;
      signed.set(
        `${each}_signed`,
        codec.tensor({ ...tensor, name: `${each}_signed`, dataType, rawData, int32Data: [] }),
      );
    }
    return [`${name}_signed`, inputZero, `${zeroName}_signed`];
  }

  const used = new Set(node.flatMap(({ input }) => input));
  const initializer = [...graph.initializer, ...signed.values(), ...constants.initializer];
  return { ...model, graph: { ...graph, node, initializer: initializer.filter(({ name }) => used.has(name)) } };
}
