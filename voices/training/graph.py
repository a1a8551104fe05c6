"""The light generator as an ONNX graph that runs in windows, in float32 or int8.

The graph is built node by node rather than traced, so that the integer layers, the folded
constants and the shapes are exactly those meant here.

Inputs (w = frames of the window, context included)
    x      float32 [1,512,w]   decoder features
    f0     float32 [1,1,w]     pitch in Hz
    s      float32 [1,128]     first half of the style vector
    mean, variance float32 [1,512]  of x, channel by channel, over the WHOLE utterance
    phase  float32 [1,w]       cycles at the frame centres, fraction of the utterance's running sum
    offset int64   [1]         index of the window's first frame in the utterance
Output
    waveform float32 [1,300w]

Frames nearer than windows.CONTEXT to a cut edge of the window are to be thrown away; at the
utterance's own ends the window simply ends, and the zero padding there is that of the whole run.
"""
import hashlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from student import (BINS, FRAME, HOP, LOW, N_FFT, NOISE_GAIN, NOISE_STEP, PARTS, SAMPLE_RATE, STYLE_DIM, SUB, TABLE,
                     X_DIM, noise_table)

OPSET = 20


class Graph:
    """Collects nodes and constants; every method returns the name of a tensor."""

    def __init__(self):
        self.nodes, self.constants, self._known, self.apart = [], [], {}, False

    def constant(self, value, dtype=None):
        array = np.ascontiguousarray(np.asarray(value, dtype=dtype))
        key = (array.dtype.str, array.shape, hashlib.sha256(array.tobytes()).digest())
        if not self.apart and key in self._known:              # equal constants are stored once
            return self._known[key]
        name = f'c{len(self.constants)}'
        self.constants.append(numpy_helper.from_array(array, name))
        if not self.apart:                       # those of blocks that have other weights elsewhere have names of their own
            self._known[key] = name
        return name

    def floats(self, value):
        return self.constant(value, np.float32)

    def ints(self, value):
        return self.constant(value, np.int64)

    def op(self, kind, *inputs, name=None, outputs=1, **attributes):
        label = name or f'{kind.lower()}{len(self.nodes)}'
        made = [label] if outputs == 1 else [f'{label}_{i}' for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), made, name=label, **attributes))
        return made[0] if outputs == 1 else made

    def slice(self, tensor, start, end, axis):
        return self.op('Slice', tensor, self.ints([start]), self.ints([end]), self.ints([axis]))

    def reshape(self, tensor, shape):
        return self.op('Reshape', tensor, self.ints(shape))

    def model(self, inputs, outputs):
        graph = helper.make_graph(self.nodes, 'light-generator', inputs, outputs, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', OPSET)], producer_name='tts')
        model.ir_version = 9
        onnx.checker.check_model(model)
        return model


class FloatLayers:
    """Matrix products in float32.  Their inputs can be made outputs, which is how int8 is
    calibrated."""

    def __init__(self):
        self.seen = {}

    def smoothing(self, name, size):
        return np.ones(size, np.float32)

    def linear(self, g, name, tensor, weight, bias):
        self.seen[name] = tensor
        return g.op('Add', g.op('MatMul', tensor, g.floats(weight)), g.floats(bias))

    def neighbours(self, g, name, tensor, weight, bias):
        """A convolution of kernel 3: three shifted copies side by side, one matrix product."""
        return self.linear(g, name, beside(g, tensor, g.floats(0)), weight, bias)


def grid(low, high):
    """-> step and zero point of 256 steps from `low` to `high`."""
    step = (high - low) / 255
    return step, np.clip(round(-low / step), 0, 255)


def round_weights(weight, bias, seen=None):
    """-> int8 weights [inputs, outputs], the step of each output, and the bias that goes with them.

    Rounding each weight to the nearest step keeps the weights close; what should stay close is the
    product.  Where a layer's inputs were `seen`, weights are rounded one input after the other, and
    those still to come take up the error that is left (GPTQ, Frantar et al. 2022); they also take
    up what rounding the inputs does, and the bias what both do on average.
    """
    step = np.maximum(np.abs(weight).max(0), 1e-8) / 127
    if seen is None:
        return np.clip(np.round(weight / step), -127, 127).astype(np.int8), step, bias
    damping = 0.01 * np.mean(np.diag(seen['gram'])) * np.eye(len(weight))
    gram = seen['gram'] + damping
    left = np.linalg.solve(gram, (seen['cross'] + damping) @ weight)
    follow = np.linalg.cholesky(np.linalg.inv(gram)).T          # row i: how much of input i's error each later one takes up
    integers = np.empty_like(weight)
    for i in range(len(weight)):
        integers[i] = np.clip(np.round(left[i] / step), -127, 127)
        error = (left[i] - integers[i] * step) / follow[i, i]
        left[i + 1:] -= np.outer(follow[i, i + 1:], error)
    shift = seen['mean'] @ weight - seen['mean_shown'] @ (integers * step)
    return integers.astype(np.int8), step, bias + shift


class Int8Layers:
    """Matrix products in int8: activations on one fixed grid a layer, weights on one a column.

    The grid is fixed because a grid taken from the data at hand (dynamic quantisation) is another
    one in every window, and windows would then not fit together.
    """

    def __init__(self, calibration):
        self.calibration, self.rounded = calibration, {}

    def smoothing(self, name, size):
        """Per-channel factors, folded into the layer before, that even out the channels' ranges."""
        return np.asarray(self.calibration[name].get('smooth', np.ones(size)), np.float32)

    def quantise(self, g, name, tensor):
        step, zero = grid(*self.calibration[name]['range'])
        scale, zero = np.float32(step), np.uint8(zero)
        return g.op('QuantizeLinear', tensor, g.floats(scale), g.constant(zero, np.uint8)), scale, zero

    def product(self, g, quantised, zero, scale, integers, step):
        total = g.op('MatMulInteger', quantised, g.constant(integers), g.constant(zero, np.uint8))
        return g.op('Mul', g.op('Cast', total, to=TensorProto.FLOAT), g.floats(step * scale))

    def linear(self, g, name, tensor, weight, bias):
        own = self.calibration[name].get('rescale')        # smoothing that no earlier layer can take
        if own is not None:
            tensor, weight = g.op('Mul', tensor, g.floats(own)), weight / own[:, None]
        return self.quantised_product(g, name, tensor, weight, bias, lambda quantised, zero: quantised)

    def neighbours(self, g, name, tensor, weight, bias):
        return self.quantised_product(g, name, tensor, weight, bias,
                                      lambda quantised, zero: beside(g, quantised, g.constant(zero, np.uint8)))

    def quantised_product(self, g, name, tensor, weight, bias, arrange):
        """`arrange` puts the quantised frames in the order the product wants.

        Layers marked `fine` multiply what rounding left over as well, on a grid 254 times finer:
        16-bit activations in all. Which layers need it, and why: quantise.FINE.
        """
        quantised, scale, zero = self.quantise(g, name, tensor)
        if name not in self.rounded:                       # the same layer of another graph is rounded once
            self.rounded[name] = round_weights(weight, bias, self.calibration[name].get('seen'))
        integers, step, bias = self.rounded[name]
        total = self.product(g, arrange(quantised, zero), zero, scale, integers, step)
        if self.calibration[name].get('fine'):
            shown = g.op('DequantizeLinear', quantised, g.floats(scale), g.constant(zero, np.uint8))
            fine, middle = np.float32(scale / 254), np.uint8(128)
            left = g.op('QuantizeLinear', g.op('Sub', tensor, shown), g.floats(fine), g.constant(middle, np.uint8))
            total = g.op('Add', total, self.product(g, arrange(left, middle), middle, fine, integers, step))
        return g.op('Add', total, g.floats(bias))


def beside(g, tensor, padding):
    """[1,w,c] -> [1,w,3c]: the frame before, the frame, the frame after."""
    padded = g.op('Pad', tensor, g.ints([0, 1, 0, 0, 1, 0]), padding)
    return g.op('Concat', g.slice(padded, 0, -2, 1), g.slice(padded, 1, -1, 1),
                g.slice(padded, 2, 2 ** 31 - 1, 1), axis=2)


def bases(g):
    """Both DFT matrices out of a 600-value cosine table: 3 MB less in the file.

    The runtime folds this into two constants when it loads the model.
    """
    n, k = np.arange(N_FFT), np.arange(BINS)
    circle = 2 * np.pi * np.arange(N_FFT) / N_FFT
    window = (0.5 - 0.5 * np.cos(circle))
    index = g.op('Mod', g.op('Mul', g.ints(n[:, None]), g.ints(k[None])), g.ints(N_FFT))
    cosine = g.op('Gather', g.floats(np.cos(circle)), index)
    sine = g.op('Gather', g.floats(-np.sin(circle)), index)
    both = g.op('Concat', cosine, sine, axis=1)
    forward = g.op('Mul', both, g.floats(window[:, None]))
    twice = np.full(BINS, 2.0)
    twice[0] = twice[-1] = 1.0
    rows = np.concatenate([twice, twice])[:, None] / N_FFT / 1.5
    inverse = g.op('Mul', g.op('Mul', g.op('Transpose', both, perm=[1, 0]), g.floats(rows)), g.floats(window[None]))
    return forward, inverse


def excitation(g, f0, phase):
    """student.excitation, as nodes: [1,w] pitch and phase -> [1,300w]."""
    step = g.op('Mul', g.op('Max', f0, g.floats(0)), g.floats(FRAME / SAMPLE_RATE))
    following = g.op('Concat', g.slice(step, 1, 2 ** 31 - 1, 1), g.slice(step, -1, 2 ** 31 - 1, 1), axis=1)
    t = (np.arange(FRAME) - (FRAME - 1) / 2) / FRAME
    column = lambda name: g.op('Unsqueeze', name, g.ints([2]))
    cycles = g.op('Add', column(phase), g.op('Mul', column(step), g.floats(np.minimum(t, 0))))
    cycles = g.op('Add', cycles, g.op('Mul', column(following), g.floats(np.maximum(t, 0))))
    cycles = g.op('Sub', cycles, g.op('Floor', g.op('Add', cycles, g.floats(0.5))))
    harmonics = g.op('Floor', g.op('Div', g.floats(11800), g.op('Max', column(f0), g.floats(50))))
    angle = g.op('Mul', cycles, g.floats(np.pi))
    sine = g.op('Sin', angle)
    tiny = g.op('Less', g.op('Abs', sine), g.floats(1e-4))
    sine = g.op('Where', tiny, g.floats(1e-4), sine)
    angle = g.op('Where', tiny, g.floats(1e-4), angle)
    many = g.op('Add', g.op('Mul', harmonics, g.floats(2)), g.floats(1))
    pulses = g.op('Sub', g.op('Div', g.op('Sin', g.op('Mul', many, angle)), g.op('Mul', sine, g.floats(2))), g.floats(0.5))
    voiced = g.op('Cast', g.op('Greater', column(f0), g.floats(10)), to=TensorProto.FLOAT)
    gain = g.op('Mul', g.op('Sqrt', g.op('Div', g.floats(2), harmonics)), voiced)
    return g.reshape(g.op('Mul', pulses, gain), [1, -1])


def source_spectrum(g, samples, forward):
    """student.stft as nodes."""
    hops = g.reshape(g.op('Pad', samples, g.ints([0, 225, 0, 375]), g.floats(0)), [1, -1, HOP])
    columns = [g.slice(hops, i, i - 4, 1) for i in range(4)]
    return g.op('MatMul', g.op('Concat', *columns, axis=2), forward)


def overlap_add(g, spectrum, inverse):
    """student.istft as nodes."""
    columns = g.op('MatMul', spectrum, inverse)
    total = None
    for i, part in enumerate(g.op('Split', columns, g.ints([HOP] * 4), axis=2, outputs=4)):
        part = g.op('Pad', part, g.ints([0, i, 0, 0, 3 - i, 0]), g.floats(0))
        total = part if total is None else g.op('Add', total, part)
    return g.op('Slice', g.reshape(total, [1, -1]), g.ints([225]), g.ints([-225]), g.ints([1]), name='waveform')


def window_noise(g, x, offset, student):
    """The rows of the int8 noise table that belong to this window's place in the utterance."""
    table = np.round(noise_table(student.fwd).numpy() / NOISE_STEP).astype(np.int8)
    frames = g.op('Gather', g.op('Shape', x), g.ints(2), axis=0)
    count = g.op('Range', g.ints(0), g.op('Mul', frames, g.ints(SUB)), g.ints(1))
    first = g.op('Add', g.op('Mul', offset, g.ints([SUB])), g.ints([1]))
    rows = g.op('Mod', g.op('Add', count, first), g.ints([TABLE]))
    noise = g.op('Cast', g.op('Gather', g.constant(table), rows, axis=0), to=TensorProto.FLOAT)
    return g.op('Unsqueeze', g.op('Mul', noise, g.floats(NOISE_STEP * NOISE_GAIN)), g.ints([0]))


def features(g, student, x, f0, source, smooth):
    """student.features, with normalisation and smoothing folded into one factor and one shift."""
    low = g.op('Concat', g.slice(source, 0, LOW, 2), g.slice(source, BINS, BINS + LOW, 2), axis=2)
    low = g.reshape(low, [1, -1, SUB * 2 * LOW])
    column = g.op('Unsqueeze', f0, g.ints([2]))
    voiced = g.op('Cast', g.op('Greater', column, g.floats(10)), to=TensorProto.FLOAT)
    pitch = g.op('Mul', g.op('Log', g.op('Div', g.op('Max', column, g.floats(50)), g.floats(200))), voiced)
    joined = g.op('Concat', g.op('Transpose', x, perm=[0, 2, 1]), low, pitch, voiced, axis=2)
    mean, deviation = student.xm.numpy(), student.xs.numpy()
    factor = np.concatenate([1 / deviation, np.full(SUB * 2 * LOW, 0.1), [1, 1]]) * smooth
    shift = np.concatenate([-mean / deviation, np.zeros(SUB * 2 * LOW + 2)]) * smooth
    return g.op('Add', g.op('Mul', joined, g.floats(factor)), g.floats(shift))


def statistics(g, student):
    """student.utterance_stats from the plain mean and variance of x, so that callers need no
    constants."""
    centre, spread = student.xm.numpy(), student.xs.numpy()
    mean = g.op('Div', g.op('Sub', 'mean', g.floats(centre)), g.floats(spread))
    variance = g.op('Add', g.op('Div', 'variance', g.floats(spread ** 2)), g.floats(1e-5))
    return g.op('Concat', mean, g.op('Mul', g.op('Log', variance), g.floats(0.5)), axis=1)


def silu(g, tensor):
    return g.op('Mul', tensor, g.op('Sigmoid', tensor))


def build(student, layers, own=0):
    """The whole graph; `layers` says how matrix products are made.  The constants of the `own` last
    blocks are shared with nothing, so that they have the same names whatever they are."""
    g, dim, depth = Graph(), student.dim, student.layers
    state = {key: value.detach().double().numpy() for key, value in student.state_dict().items()}
    forward, inverse = bases(g)
    f0 = g.op('Squeeze', 'f0', g.ints([1]))
    source = source_spectrum(g, excitation(g, f0, 'phase'), forward)

    # Smoothing factors of a normalised layer go into the LayerNorm's weight and FiLM's shift.
    smooth = [layers.smoothing(f'blocks.{i}.w1', dim) for i in range(depth)] + [layers.smoothing('head', dim)]
    film_gain = np.ones(((depth + 1), 2, dim))
    film_gain[:, 1] = np.stack(smooth)
    film_gain = film_gain.reshape(-1)
    film_one = np.zeros(((depth + 1), 2, dim))
    film_one[:, 0] = 1
    cond_smooth = layers.smoothing('cond.0', STYLE_DIM + 2 * X_DIM)
    cond = g.op('Mul', g.op('Concat', 's', statistics(g, student), axis=1), g.floats(cond_smooth))
    cond = silu(g, layers.linear(g, 'cond.0', cond, state['cond.0.weight'].T / cond_smooth[:, None], state['cond.0.bias']))
    cond = silu(g, layers.linear(g, 'cond.2', cond, state['cond.2.weight'].T, state['cond.2.bias']))
    film = layers.linear(g, 'film', cond, state['film.weight'].T * film_gain,
                         state['film.bias'] * film_gain + film_one.reshape(-1))
    film = g.op('Split', g.reshape(film, [2 * depth + 2, 1, 1, dim]), g.ints([1] * (2 * depth + 2)), axis=0,
                outputs=2 * depth + 2)
    film = [g.op('Squeeze', part, g.ints([0])) for part in film]

    def modulate(h, i):
        normal = g.op('LayerNormalization', h, g.floats(smooth[i]), g.floats(np.zeros(dim)), axis=-1, epsilon=1e-5)
        return g.op('Add', g.op('Mul', normal, film[2 * i]), film[2 * i + 1])

    width = X_DIM + SUB * 2 * LOW + 2
    smooth_in = layers.smoothing('inp', width)
    kernel = (state['inp.weight'] / smooth_in[None, :, None]).transpose(2, 1, 0).reshape(3 * width, dim)
    h = layers.neighbours(g, 'inp', features(g, student, 'x', f0, source, smooth_in), kernel, state['inp.bias'])
    for i in range(depth):
        at, g.apart = f'blocks.{i}.', i >= depth - own
        taps = state[at + 'dw.weight']
        local = g.op('Conv', g.op('Transpose', h, perm=[0, 2, 1]), g.floats(taps), g.floats(state[at + 'dw.bias']),
                     group=dim, pads=[taps.shape[2] // 2] * 2)
        local = modulate(g.op('Transpose', local, perm=[0, 2, 1]), i)
        weight = state[at + 'w1.weight'].T / smooth[i][:, None]
        inner = g.op('Gelu', layers.linear(g, at + 'w1', local, weight, state[at + 'w1.bias']), approximate='tanh')       # half the time of the exact one
        gain = state[at + 'g']
        h = g.op('Add', h, layers.linear(g, at + 'w2', inner, state[at + 'w2.weight'].T * gain, state[at + 'w2.bias'] * gain))
    g.apart = False
    out = layers.linear(g, 'head', modulate(h, depth), state['head.weight'].T / smooth[depth][:, None], state['head.bias'])

    parts = g.op('Split', g.reshape(out, [1, -1, PARTS * BINS]), g.ints([BINS] * PARTS), axis=2, outputs=PARTS)
    h_mag = g.op('Exp', g.op('Min', parts[0], g.floats(3)))
    c_mag = g.op('Exp', g.op('Min', parts[2], g.floats(5)))
    level = g.op('Exp', g.op('Min', parts[3], g.floats(3)))

    def towards(function, angle, offset):
        return g.op('Add', g.op(function, parts[angle]), parts[offset])

    h_real, h_imag = g.op('Mul', h_mag, towards('Cos', 1, 5)), g.op('Mul', h_mag, towards('Sin', 1, 6))
    real, imag = g.op('Split', source, g.ints([BINS, BINS]), axis=2, outputs=2)
    out_real = g.op('Add', g.op('Sub', g.op('Mul', real, h_real), g.op('Mul', imag, h_imag)),
                    g.op('Mul', c_mag, towards('Cos', 4, 7)))
    out_imag = g.op('Add', g.op('Add', g.op('Mul', real, h_imag), g.op('Mul', imag, h_real)),
                    g.op('Mul', c_mag, towards('Sin', 4, 8)))
    noise = g.op('Mul', window_noise(g, 'x', 'offset', student), g.op('Concat', level, level, axis=2))
    overlap_add(g, g.op('Add', g.op('Concat', out_real, out_imag, axis=2), noise), inverse)

    value = helper.make_tensor_value_info
    return g.model([value('x', TensorProto.FLOAT, [1, X_DIM, 'w']), value('f0', TensorProto.FLOAT, [1, 1, 'w']),
                    value('s', TensorProto.FLOAT, [1, STYLE_DIM]), value('mean', TensorProto.FLOAT, [1, X_DIM]),
                    value('variance', TensorProto.FLOAT, [1, X_DIM]), value('phase', TensorProto.FLOAT, [1, 'w']),
                    value('offset', TensorProto.INT64, [1])],
                   [value('waveform', TensorProto.FLOAT, [1, 'n'])])
