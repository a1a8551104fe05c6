"""Write the light front as an ONNX graph with the inputs and outputs of the engine's present front,
in float32 or int8.

Inputs   input_ids int64 [1,n], style float32 [1,256], speed float32 [1]
Outputs  x float32 [1,512,T], f0 float32 [1,1,T], s float32 [1,128], durations float32 [1,n]

    python front_export.py front-checkpoint-10/ck_ --normal front-checkpoint-10/generator-ck_0.pt --float front-light.onnx
    python front_export.py front-checkpoint-10/ck_ --normal front-checkpoint-10/generator-ck_0.pt --int8 front-light-int8.onnx --corpus front-corpus.npz
"""
import argparse
import json
import os

import numpy as np
import onnx
import onnxruntime as ort
import torch
from onnx import TensorProto, helper

from front_corpus import Corpus
from front_student import HEADS, PITCH_UNIT, PROSODY_DIM, SLOPES, SOUND_DIM, STYLE, TOKEN_DIM, load_front
from graph import FloatLayers, Graph, Int8Layers, silu
from quantise import FINE_STRENGTH, STRENGTH, _range, _seen
from student import STYLE_DIM, X_DIM

FINE = ('cond.0', 'cond.2', 'token_film', 'frame_film', 'head')     # 16-bit activations: the conditioning costs nothing, x is what is wanted
END = 2 ** 31 - 1


class Writer:
    def __init__(self, front, layers, mean, deviation):
        self.g, self.layers = Graph(), layers
        self.tokens, self.melody, self.sound = len(front.tokens), len(front.prosody), len(front.sound)
        self.state = {key: value.detach().double().numpy() for key, value in front.state_dict().items()}
        self.mean, self.deviation = mean, deviation

    def film(self, tensor, sizes, smooth):
        """A row of FiLM values -> [(scale, shift)], smoothing folded into the shifts."""
        g = self.g
        parts = g.op('Split', tensor, g.ints([size for size in sizes for _ in range(2)]), axis=1, outputs=2 * len(sizes))
        return [(parts[2 * i], parts[2 * i + 1], smooth[i]) for i in range(len(sizes))]

    def film_layer(self, name, tensor, sizes, smooth):
        one = np.concatenate([np.concatenate([np.ones(size), np.zeros(size)]) for size in sizes])
        gain = np.concatenate([np.concatenate([np.ones(size), factor]) for size, factor in zip(sizes, smooth)])
        made = self.layers.linear(self.g, name, tensor, self.state[name + '.weight'].T * gain, self.state[name + '.bias'] * gain + one)
        return self.film(made, sizes, smooth)

    def modulate(self, h, film):
        g, (scale, shift, smooth) = self.g, film
        normal = g.op('LayerNormalization', h, g.floats(smooth), g.floats(np.zeros(len(smooth))), axis=-1, epsilon=1e-5)
        return g.op('Add', g.op('Mul', normal, scale), shift)

    def linear(self, name, tensor, gain=None, smooth=None):
        weight, bias = self.state[name + '.weight'].T, self.state[name + '.bias']
        if smooth is not None:
            weight = weight / smooth[:, None]
        if gain is not None:
            weight, bias = weight * gain, bias * gain
        return self.layers.linear(self.g, name, tensor, weight, bias)

    def plain(self, name, tensor):
        """A product too small to round."""
        g = self.g
        return g.op('Add', g.op('MatMul', tensor, g.floats(self.state[name + '.weight'].T)), g.floats(self.state[name + '.bias']))

    def mixer(self, at, h, film):
        g, taps, gain = self.g, self.state[at + '.dw.weight'], self.state[at + '.g']
        local = g.op('Conv', g.op('Transpose', h, perm=[0, 2, 1]), g.floats(taps), g.floats(self.state[at + '.dw.bias']),
                     group=taps.shape[0], pads=[taps.shape[2] // 2] * 2)
        local = self.modulate(g.op('Transpose', local, perm=[0, 2, 1]), film)
        inner = g.op('Gelu', self.linear(at + '.w1', local, smooth=film[2]), approximate='tanh')
        return g.op('Add', h, self.linear(at + '.w2', inner, gain))

    def attention(self, at, h, film, bias):
        g = self.g
        made = g.reshape(self.linear(at + '.qkv', self.modulate(h, film), smooth=film[2]), [-1, 3, HEADS, TOKEN_DIM // HEADS])
        q, k, v = (g.op('Squeeze', part, g.ints([0])) for part in
                   g.op('Split', g.op('Transpose', made, perm=[1, 2, 0, 3]), g.ints([1, 1, 1]), axis=0, outputs=3))
        scores = g.op('MatMul', g.op('Mul', q, g.floats((TOKEN_DIM // HEADS) ** -0.5)), g.op('Transpose', k, perm=[0, 2, 1]))
        seen = g.op('MatMul', g.op('Softmax', g.op('Add', scores, bias), axis=-1), v)
        seen = g.reshape(g.op('Transpose', seen, perm=[1, 0, 2]), [1, -1, TOKEN_DIM])
        return g.op('Add', h, self.linear(at + '.out', seen, self.state[at + '.g']))

    def smoothing(self, names, dim):
        return [self.layers.smoothing(name, dim) for name in names]

    def distances(self):
        g = self.g
        count = g.op('Gather', g.op('Shape', 'input_ids'), g.ints(1), axis=0)
        at = g.op('Cast', g.op('Range', g.ints(0), count, g.ints(1)), to=TensorProto.FLOAT)
        ahead = g.op('Sub', g.op('Unsqueeze', at, g.ints([0])), g.op('Unsqueeze', at, g.ints([1])))
        slopes = np.array(SLOPES)
        left = g.op('Mul', g.op('Max', g.op('Neg', ahead), g.floats(0)), g.floats(-slopes[:, 0, None, None]))
        return g.op('Add', left, g.op('Mul', g.op('Max', ahead, g.floats(0)), g.floats(-slopes[:, 1, None, None])))

    def build(self, given=False):
        """`given`: durations are an input, `given`, to compare with the teacher frame by frame."""
        g = self.g
        cond = silu(g, self.linear('cond.0', 'style'))
        cond = silu(g, self.linear('cond.2', cond))
        blocks = [name for i in range(self.tokens) for name in (f'attentions.{i}.qkv', f'tokens.{i}.w1')]
        smooth = self.smoothing(blocks, TOKEN_DIM) + [np.ones(TOKEN_DIM, np.float32)]
        films = self.film_layer('token_film', cond, [TOKEN_DIM] * len(smooth), smooth)
        h, bias = g.op('Gather', g.floats(self.state['embed.weight']), 'input_ids', axis=0), self.distances()
        for i in range(self.tokens):
            h = self.attention(f'attentions.{i}', h, films[2 * i], bias)
            h = self.mixer(f'tokens.{i}', h, films[2 * i + 1])
        h = self.modulate(h, films[-1])

        raw = g.op('Exp', g.op('Squeeze', self.plain('duration', h), g.ints([2])))
        own = g.op('Max', g.op('Round', g.op('Div', raw, 'speed')), g.floats(1), name='durations')
        durations = 'given' if given else own
        share = g.op('Unsqueeze', g.op('Div', durations, g.op('ReduceSum', durations, g.ints([1]), keepdims=1)), g.ints([1]))
        pooled = g.op('Squeeze', g.op('MatMul', share, g.op('Gelu', self.plain('pool', h))), g.ints([1]))
        names = [f'prosody.{i}.w1' for i in range(self.melody)]
        smooth = self.smoothing(names, PROSODY_DIM) + [np.ones(PROSODY_DIM, np.float32)]
        smooth += self.smoothing([f'sound.{i}.w1' for i in range(self.sound)] + ['head'], SOUND_DIM)
        films = self.film_layer('frame_film', g.op('Concat', cond, pooled, axis=1), [len(s) for s in smooth], smooth)

        whole = g.op('Squeeze', g.op('Cast', durations, to=TensorProto.INT64), g.ints([0]))
        ends = g.op('CumSum', whole, g.ints(0))
        time = g.op('Range', g.ints(0), g.op('Squeeze', g.slice(ends, -1, END, 0), g.ints([0])), g.ints(1))
        past = g.op('GreaterOrEqual', g.op('Unsqueeze', time, g.ints([1])), g.op('Unsqueeze', ends, g.ints([0])))
        token = g.op('ReduceSum', g.op('Cast', past, to=TensorProto.INT64), g.ints([1]), keepdims=0)
        starts = g.op('Sub', ends, whole)
        real = lambda name: g.op('Unsqueeze', g.op('Cast', name, to=TensorProto.FLOAT), g.ints([1]))
        offset, length = real(g.op('Sub', time, g.op('Gather', starts, token, axis=0))), real(g.op('Gather', whole, token, axis=0))
        left = g.op('Sub', g.op('Sub', length, g.floats(1)), offset)
        twelfth = lambda name: g.op('Div', g.op('Min', name, g.floats(12)), g.floats(12))
        place = g.op('Concat', g.op('Div', g.op('Add', offset, g.floats(0.5)), length), twelfth(offset), twelfth(left),
                     g.op('Div', g.op('Log', length), g.floats(3)), g.op('Div', g.floats(1), length), axis=1)
        place = g.op('Unsqueeze', place, g.ints([0]))

        h_melody, h_sound = (g.op('Gather', self.linear(name, h), token, axis=1) for name in ('prosody_in', 'sound_in'))
        m = g.op('Add', h_melody, self.plain('prosody_place', place))
        for i in range(self.melody):
            m = self.mixer(f'prosody.{i}', m, films[i])
        curves = self.plain('curves', self.modulate(m, films[self.melody]))
        z, energy = g.op('Split', curves, g.ints([2, 2]), axis=2, outputs=2)
        pitch = g.op('Mul', g.op('Sub', g.op('Exp', z), g.floats(1)), g.floats(PITCH_UNIT))
        seen = g.op('Concat', z, g.op('Div', pitch, g.floats(200)), energy, axis=2)
        padded = g.op('Pad', seen, g.ints([0, 1, 0, 0, 1, 0]), g.floats(0))
        seen = g.op('Concat', place, g.slice(padded, 0, -2, 1), g.slice(padded, 1, -1, 1), g.slice(padded, 2, END, 1), axis=2)
        m = g.op('Add', h_sound, self.plain('sound_place', seen))
        for i in range(self.sound):
            m = self.mixer(f'sound.{i}', m, films[self.melody + 1 + i])
        smooth_head = films[-1][2]
        weight = self.state['head.weight'].T / smooth_head[:, None] * np.tile(self.deviation, 2)
        bias = self.state['head.bias'] * np.tile(self.deviation, 2) + np.tile(self.mean, 2)
        x = self.layers.linear(g, 'head', self.modulate(m, films[-1]), weight, bias)
        g.op('Transpose', g.reshape(x, [1, -1, X_DIM]), perm=[0, 2, 1], name='x')
        g.op('Reshape', pitch, g.ints([1, 1, -1]), name='f0')
        g.op('Slice', 'style', g.ints([0]), g.ints([STYLE_DIM]), g.ints([1]), name='s')

        value = helper.make_tensor_value_info
        return g.model([value('input_ids', TensorProto.INT64, [1, 'n']), value('style', TensorProto.FLOAT, [1, STYLE]),
                        value('speed', TensorProto.FLOAT, [1])] + [value('given', TensorProto.FLOAT, [1, 'n'])] * given,
                       [value('x', TensorProto.FLOAT, [1, X_DIM, 't']), value('f0', TensorProto.FLOAT, [1, 1, 't']),
                        value('s', TensorProto.FLOAT, [1, STYLE_DIM]), value('durations', TensorProto.FLOAT, [1, 'n'])])


def calibrate(front, normal, corpus, count, seed=5):
    """What flows into each product, over drawn utterances and every voice once -> as
    quantise.calibrate."""
    layers = FloatLayers()
    model = Writer(front, layers, *normal).build()
    model.graph.output.extend(helper.make_empty_tensor_value_info(tensor) for tensor in layers.seen.values() if tensor != 'style')
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(model.SerializeToString(), options, providers=['CPUExecutionProvider'])
    rng, gathered = np.random.default_rng(seed), {name: [] for name in layers.seen}
    asked = [corpus.draw(rng) for _ in range(count)] + list(corpus.each_voice(rng, 80))
    names = [name for name in layers.seen if layers.seen[name] != 'style']
    for tokens, style, speed, _ in asked:
        values = session.run([layers.seen[name] for name in names], {'input_ids': tokens[None], 'style': style[None],
                                                                      'speed': np.array([speed], np.float32)})
        for name, value in [*zip(names, values), ('cond.0', style[None])]:
            rows = value.reshape(-1, value.shape[-1])
            gathered[name].append(rows[rng.permutation(len(rows))[:120]])
    state, result = front.state_dict(), {}
    for name, rows in gathered.items():
        rows = np.concatenate(rows)
        reach = np.maximum(np.abs(rows).max(0), 1e-3)
        demand = np.maximum(np.abs(state[name + '.weight'].numpy()).max(0), 1e-5)
        strength = FINE_STRENGTH if name in FINE else STRENGTH
        factors = demand ** (1 - strength) / reach ** strength
        factors /= np.exp(np.log(factors).mean())
        entry = {}
        if name.endswith(('.w1', '.qkv')) or name == 'head':
            entry['smooth'] = factors
        elif name.endswith('.w2') or name in ('token_film', 'frame_film', 'cond.0'):
            entry['rescale'] = factors
        rows = rows * factors if entry else rows
        flat = rows.reshape(-1)
        entry['range'] = _range(flat if len(flat) <= 400_000 else rng.choice(flat, 400_000, replace=False))
        if name in FINE:
            entry.update(fine=True, range=(1.5 * float(flat.min()), 1.5 * float(flat.max())))
        if len(rows) > 4 * rows.shape[1] and not name.endswith('film') and not name.startswith('cond'):
            entry['seen'] = _seen(rows, *entry['range'], fine=name in FINE)
        result[name] = entry
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('checkpoint')
    parser.add_argument('--normal', required=True, help='first part of the light generator\'s checkpoint (xm, xs)')
    parser.add_argument('--float', dest='float_path')
    parser.add_argument('--int8', dest='int8_path')
    parser.add_argument('--given', help='one more with durations as an input, for the evaluation; int8 where --int8 is')
    parser.add_argument('--corpus', help='for int8')
    parser.add_argument('--count', type=int, default=120)
    args = parser.parse_args()
    front, normal = load_front(args.checkpoint), torch.load(args.normal, map_location='cpu')
    normal = normal['xm'].double().numpy(), normal['xs'].double().numpy()
    if args.float_path:
        onnx.save(Writer(front, FloatLayers(), *normal).build(), args.float_path)
        if args.given and not args.int8_path:
            onnx.save(Writer(front, FloatLayers(), *normal).build(given=True), args.given)
    if args.int8_path:
        layers = Int8Layers(calibrate(front, normal, Corpus(args.corpus), args.count))
        onnx.save(Writer(front, layers, *normal).build(), args.int8_path)
        if args.given:
            onnx.save(Writer(front, layers, *normal).build(given=True), args.given)
    for path in (args.float_path, args.int8_path):
        if path:
            print(json.dumps({'file': path, 'bytes': os.path.getsize(path)}))


if __name__ == '__main__':
    main()
