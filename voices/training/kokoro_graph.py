"""Surgery on Kokoro's ONNX graph: fold the integer operators back to float, cut the graph apart.

The published file is quantised dynamically: every `Conv`/`MatMul` became DynamicQuantizeLinear ->
ConvInteger/MatMulInteger -> (Add of a rescaled bias) -> Cast -> Mul by both scales.  Training wants
the float function behind it, because the noise of dynamic quantisation is not worth imitating.

    python kokoro_graph.py kokoro-quantized.onnx --float kokoro-float.onnx \\
        --front front.onnx --generator generator-float.onnx
"""
import argparse
import collections

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

X = '/decoder/decoder/decode.3/Div_4_output_0'      # generator input [1,512,T]
F0 = '/decoder/decoder/Unsqueeze_output_0'          # pitch [1,1,T]
STYLE = '/decoder/Slice_output_0'                   # first half of the style vector [1,128]
DURATIONS = '/encoder/Clip_output_0'                # frames of 600 samples a token [1,n]
WAVEFORM = 'waveform'

TEXT_INPUTS = [('input_ids', TensorProto.INT64, [1, 'n']), ('style', TensorProto.FLOAT, [1, 256]),
               ('speed', TensorProto.FLOAT, [1])]
GENERATOR_INPUTS = [(X, TensorProto.FLOAT, [1, 512, 't']), (F0, TensorProto.FLOAT, [1, 1, 't']),
                    (STYLE, TensorProto.FLOAT, [1, 128])]


def _dequantise(weight, scale, zero, channel_axis):
    """int8 weight -> float32; scale and zero point hold one value or one a channel."""
    def shaped(values):
        if values.size == 1:
            return values.reshape(())
        shape = [1] * weight.ndim
        shape[channel_axis] = values.size
        return values.reshape(shape)
    return ((weight.astype(np.float32) - shaped(zero.astype(np.float32))) * shaped(scale)).astype(np.float32)


def _find_bias(name, producer, constants):
    """Follow the rescaled bias of a ConvInteger back to the float constant it was made from."""
    while name not in constants or constants[name].data_type != TensorProto.FLOAT:
        name = producer[name].input[0]
    return name


def fold_to_float(model, outputs=((WAVEFORM, TensorProto.FLOAT, None),), inputs=TEXT_INPUTS):
    """Replace integer convolutions and matrix products by float ones, in place; returns the part
    between `inputs` and `outputs`."""
    graph = model.graph
    constants = {t.name: t for t in graph.initializer}
    producer = {out: node for node in graph.node for out in node.output}
    consumers = collections.defaultdict(list)
    for node in graph.node:
        for name in node.input:
            consumers[name].append(node)

    removed, added = set(), {}
    for node in graph.node:
        if node.op_type not in ('ConvInteger', 'MatMulInteger'):
            continue
        quantised, weight_name = producer[node.input[0]], node.input[1]
        if quantised.op_type != 'DynamicQuantizeLinear' or weight_name not in constants:
            raise ValueError(f'{node.name}: not a dynamically quantised pair')
        follower = consumers[node.output[0]][0]
        bias = None
        if follower.op_type == 'Add':                      # integer bias, in units of both scales
            other = next(name for name in follower.input if name != node.output[0])
            bias = _find_bias(other, producer, constants)
            removed.add(id(follower))
            follower = consumers[follower.output[0]][0]
        cast, multiply = follower, consumers[follower.output[0]][0]
        scales = producer[next(name for name in multiply.input if name != cast.output[0])]
        scale = numpy_helper.to_array(constants[next(n for n in scales.input if n in constants)]).reshape(-1)
        zero = numpy_helper.to_array(constants[node.input[3]]).reshape(-1) if len(node.input) > 3 else np.zeros(1)
        weight = numpy_helper.to_array(constants[weight_name])
        convolution = node.op_type == 'ConvInteger'
        float_name = weight_name + '_float'
        added[float_name] = _dequantise(weight, scale, zero, 0 if convolution else weight.ndim - 1)
        operands = [quantised.input[0], float_name]
        if bias:
            added[bias + '_flat'] = numpy_helper.to_array(constants[bias]).reshape(-1)
            operands.append(bias + '_flat')
        node.op_type = 'Conv' if convolution else 'MatMul'
        del node.input[:]
        node.input.extend(operands)
        node.output[0] = multiply.output[0]
        removed.update((id(cast), id(multiply)))

    kept = [node for node in graph.node if id(node) not in removed]
    del graph.node[:]
    graph.node.extend(kept)
    graph.initializer.extend(numpy_helper.from_array(np.ascontiguousarray(v), k) for k, v in added.items())
    return cut(model, inputs, outputs)


def cut(model, inputs, outputs):
    """The part of a graph between `inputs` and `outputs` ((name, type, shape) each), sorted anew.
    """
    graph = model.graph
    producer = {out: node for node in graph.node for out in node.output}
    constants = {t.name: t for t in graph.initializer}
    given = {name for name, _, _ in inputs}
    order, used, done = [], set(), set()

    def visit(name):                                       # depth first; an explicit stack, graphs are deep
        stack = [(name, False)]
        while stack:
            name, entered = stack.pop()
            if name in given or name == '':
                continue
            if name in constants:
                used.add(name)
                continue
            node = producer[name]
            if id(node) in done:
                continue
            if entered:
                done.add(id(node))
                order.append(node)
            else:
                stack.append((name, True))
                stack.extend((source, False) for source in node.input)

    for name, _, _ in outputs:
        visit(name)
    part = helper.make_graph(order, 'part', [helper.make_tensor_value_info(*i) for i in inputs],
                             [helper.make_tensor_value_info(*o) for o in outputs],
                             [constants[name] for name in constants if name in used])
    made = helper.make_model(part, opset_imports=model.opset_import)
    made.ir_version = model.ir_version
    return made


def front(model):
    """Text to generator input: phoneme ids, style and speed in; x, F0, style and durations out."""
    return cut(model, TEXT_INPUTS, GENERATOR_INPUTS + [(DURATIONS, TensorProto.FLOAT, None)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('quantised', help='kokoro-quantized.onnx of the npm tarball')
    parser.add_argument('--float', dest='whole', help='write the whole model in float32')
    parser.add_argument('--front', help='write the quantised front')
    parser.add_argument('--generator', help='write the float32 generator')
    parser.add_argument('--quantised-generator', help='write the quantised generator')
    args = parser.parse_args()
    if args.front:
        onnx.save(front(onnx.load(args.quantised)), args.front)
    if args.quantised_generator:
        onnx.save(cut(onnx.load(args.quantised), GENERATOR_INPUTS, [(WAVEFORM, TensorProto.FLOAT, None)]), args.quantised_generator)
    if args.whole or args.generator:
        model = fold_to_float(onnx.load(args.quantised))
        if args.whole:
            onnx.save(model, args.whole)
        if args.generator:
            onnx.save(cut(model, GENERATOR_INPUTS, [(WAVEFORM, TensorProto.FLOAT, None)]), args.generator)


if __name__ == '__main__':
    main()
