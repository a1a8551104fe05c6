"""Kokoro in PyTorch: an interpreter of the folded ONNX graph, to make training data on a GPU.

onnxruntime is made for one utterance on a CPU; hours of speech want a GPU, where its integer
operators and dynamic shapes do not go.  So the graph's nodes run one by one as torch calls, batch
1.

The trap in this graph: the harmonic source goes through an STFT of 20 samples and the PHASE of its
bins is a feature, also of bins that are numerically zero or real, where the phase is that of
rounding errors: the imaginary part of the Nyquist bin is nothing else, and its sign says +pi or
-pi.  The network was exported with onnxruntime in mind, so its rounding must be imitated
(rounding.py measures it; it agrees in 99% of the Nyquist signs), and in unvoiced frames (constant
input) the whole vector is one fixed vector.  A teacher with clean zeros there teaches a wrong
spectrum: MCD 2.2 dB instead of 1.4; with random signs at Nyquist it is itself 0.46 dB away from the
model, with the measured rounding 0.2 dB.
"""
import os

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper

import kokoro_graph as names
from rounding import exact_basis

CONV_POST = '/decoder/decoder/generator/conv_post/Conv_output_0'
INVERSE_BASIS = 'decoder.decoder.generator.stft.istft.stft.inverse_basis'
INVERSE_GAIN = '/decoder/decoder/generator/istft/stft/Constant_19_output_0'

# onnxruntime's STFT of a constant frame (the source where there is no voice): real, imaginary of 11
# bins.
UNVOICED = ((-2.9441744e-01, 1.3317913e-07), (1.4720874e-01, -1.5330717e-07), (-1.7467473e-08, 1.4777371e-08),
            (-2.6449472e-08, -4.7328310e-08), (5.6251640e-08, 3.9430230e-08), (-4.6159865e-08, -6.2952729e-08),
            (7.5873956e-08, 1.0392342e-08), (-6.6097215e-08, 2.5384965e-08), (6.9256383e-09, -7.9543891e-09),
            (-7.2829899e-08, 4.3032482e-08), (8.2213436e-09, -1.2272280e-07))
ROUNDING = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'stft-rounding.npy')

TYPES = {1: torch.float32, 2: torch.uint8, 3: torch.int8, 6: torch.int32, 7: torch.int64, 9: torch.bool,
         10: torch.float16, 11: torch.float64}

# Inputs that say shapes, axes or limits: read as Python numbers, so their constants stay on the
# host.
HOST_INPUTS = {'Slice': (1, 2, 3, 4), 'Reshape': (1,), 'Expand': (1,), 'Split': (1,), 'Unsqueeze': (1,), 'Squeeze': (1,),
               'ReduceSum': (1,), 'ReduceMean': (1,), 'Resize': (1, 2, 3), 'Pad': (1, 2), 'Range': (0, 1, 2),
               'ConstantOfShape': (0,), 'CumSum': (1,), 'Clip': (1, 2), 'STFT': (1, 3), 'Pow': (1,), 'DequantizeLinear': (1, 2),
               'DynamicQuantizeLSTM': (8, 9, 10, 11)}


def load_float_graph(path):
    """A folded model; a quantised one is folded first."""
    model = onnx.load(path)
    if any(node.op_type in ('ConvInteger', 'MatMulInteger') for node in model.graph.node):
        model = names.fold_to_float(model)
    return names.cut(model, names.TEXT_INPUTS, [(name, 1, None) for name in (CONV_POST, names.X, names.F0, names.STYLE)]), model


class Teacher:
    def __init__(self, path, device):
        self.device = device
        graph, whole = load_float_graph(path)
        self.host = {t.name: torch.from_numpy(numpy_helper.to_array(t).copy()) for t in graph.graph.initializer}
        constants = {t.name: t for t in whole.graph.initializer if t.name in (INVERSE_BASIS, INVERSE_GAIN)}
        self.inverse = torch.from_numpy(numpy_helper.to_array(constants[INVERSE_BASIS]).copy()).to(device)
        self.gain = float(numpy_helper.to_array(constants[INVERSE_GAIN]))
        self.unvoiced = torch.tensor(UNVOICED, device=device)
        basis = exact_basis() + np.load(ROUNDING)
        self.basis = torch.from_numpy(basis.reshape(len(basis), -1)).to(device)
        self.lstms = {}
        self._compile(graph.graph)

    def _compile(self, graph, kept=(CONV_POST, names.X, names.F0, names.STYLE)):
        """Nodes in order with their functions, where each constant lives, and when a tensor is done
        with."""
        self.resident, self.program = {}, []
        last = {}
        for position, node in enumerate(graph.node):
            attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
            for slot, name in enumerate(node.input):
                last[name] = position
                constant = self.host.get(name)
                if constant is not None and slot not in HOST_INPUTS.get(node.op_type, ()) and constant.dim() > 0 and (
                        constant.is_floating_point() or constant.dtype == torch.int8):
                    self.resident[name] = constant.to(self.device)
            self.program.append((getattr(self, 'op_' + node.op_type), node.op_type, list(node.input), list(node.output),
                                 attributes, node.name))
        self.free = [[n for n in set(ins) if last[n] == i and n not in self.host and n not in kept]
                     for i, (_, _, ins, _, _, _) in enumerate(self.program)]

    def _fetch(self, values, name, on_host):
        if name == '':
            return None
        if name in values:
            return values[name]
        return self.host[name] if on_host or name not in self.resident else self.resident[name]

    @torch.inference_mode()
    def __call__(self, tokens, style, speed=1.0, x=None, f0=None):
        """Token ids with pads, style [256] -> x [512,T], f0 [T], style [128], samples [300 T].

        `x` and `f0` put in place of the front's own test the generator alone.
        """
        values = self.values(tokens, style, speed, {names.X: x, names.F0: f0})
        return values[names.X][0], values[names.F0][0, 0], values[names.STYLE][0], self._wave(values[CONV_POST])

    def values(self, tokens, style, speed, forced={}):
        """Run the graph -> the tensors that are kept, by name; `forced` ones take the place of the
        graph's own."""
        values = {'input_ids': torch.as_tensor(tokens).reshape(1, -1).to(self.device),
                  'style': torch.as_tensor(style).reshape(1, 256).to(self.device),
                  'speed': torch.tensor([speed], dtype=torch.float32, device=self.device)}
        for i, (function, kind, ins, outs, attributes, label) in enumerate(self.program):
            hosted = HOST_INPUTS.get(kind, ())
            made = function([self._fetch(values, name, slot in hosted) for slot, name in enumerate(ins)], attributes, label)
            for name, value in zip(outs, made if isinstance(made, tuple) else (made,)):
                values[name] = forced[name] if forced.get(name) is not None else value
            for name in self.free[i]:
                values.pop(name, None)
        return values

    def _wave(self, post):
        """Magnitude and phase of 11 bins to samples: the end of the graph, written out."""
        magnitude, phase = torch.exp(post[:, :11]), torch.sin(post[:, 11:])
        spectrum = torch.cat([magnitude * torch.cos(phase), magnitude * torch.sin(phase)], 1)
        return (F.conv_transpose1d(spectrum, self.inverse, stride=5) * self.gain)[0, 0, 10:-10]

    def _together(self, *tensors):
        """All on one device: shapes are computed on the host and sometimes meet data."""
        if any(t.device.type != 'cpu' for t in tensors):
            return [t if t.device.type != 'cpu' or t.dim() == 0 else t.to(self.device) for t in tensors]
        return tensors

    # One method an operator; i = inputs, a = attributes, n = the node's name.
    def op_Shape(self, i, a, n): return torch.tensor(i[0].shape, dtype=torch.int64)
    def op_Transpose(self, i, a, n): return i[0].permute(*a['perm'])
    def op_MatMul(self, i, a, n): return torch.matmul(*self._together(*i))
    def op_Concat(self, i, a, n): return torch.cat(list(self._together(*i)), a['axis'])
    def op_Equal(self, i, a, n): p, q = self._together(*i); return p == q
    def op_Less(self, i, a, n): p, q = self._together(*i); return p < q
    def op_Greater(self, i, a, n): p, q = self._together(*i); return p > q
    def op_GreaterOrEqual(self, i, a, n): p, q = self._together(*i); return p >= q
    def op_And(self, i, a, n): p, q = self._together(*i); return p & q
    def op_Where(self, i, a, n): return torch.where(*self._together(*i))
    def op_Add(self, i, a, n): p, q = self._together(*i); return p + q
    def op_Sub(self, i, a, n): p, q = self._together(*i); return p - q
    def op_Mul(self, i, a, n): p, q = self._together(*i); return p * q
    def op_Cast(self, i, a, n): return i[0].to(TYPES[a['to']])
    def op_LeakyRelu(self, i, a, n): return F.leaky_relu(i[0], a.get('alpha', 0.01))
    def op_Sqrt(self, i, a, n): return torch.sqrt(i[0])
    def op_Softmax(self, i, a, n): return torch.softmax(i[0], a.get('axis', -1))
    def op_Sigmoid(self, i, a, n): return torch.sigmoid(i[0])
    def op_Round(self, i, a, n): return torch.round(i[0])
    def op_Floor(self, i, a, n): return torch.floor(i[0])
    def op_Sin(self, i, a, n): return torch.sin(i[0])
    def op_Cos(self, i, a, n): return torch.cos(i[0])
    def op_Tanh(self, i, a, n): return torch.tanh(i[0])
    def op_Exp(self, i, a, n): return torch.exp(i[0])
    def op_Atan(self, i, a, n): return torch.atan(i[0])
    def op_CumSum(self, i, a, n): return torch.cumsum(i[0].double(), int(i[1])).to(i[0].dtype)   # phase: a scan in float32 drifts
    def op_DequantizeLinear(self, i, a, n): return (i[0].float() - float(i[2])) * float(i[1])

    def op_Div(self, i, a, n):
        p, q = self._together(*i)
        return p / q if p.is_floating_point() else torch.div(p, q, rounding_mode='trunc')

    def op_Pow(self, i, a, n):
        exponent = float(i[1])
        return i[0] * i[0] if exponent == 2.0 else torch.pow(i[0], exponent)

    def op_FusedMatMul(self, i, a, n):
        p, q = self._together(*i)
        p = p.transpose(-1, -2) if a.get('transA') else p
        q = q.transpose(-1, -2) if a.get('transB') else q
        return torch.matmul(p, q) * a.get('alpha', 1.0)

    def op_Gather(self, i, a, n):
        data, index = i
        axis = a.get('axis', 0)
        if index.dim() == 0:
            return data.select(axis, int(index))
        index = index.to(data.device)
        index = torch.where(index < 0, index + data.shape[axis], index)
        shape = list(data.shape)
        return data.index_select(axis, index.reshape(-1)).reshape(shape[:axis] + list(index.shape) + shape[axis + 1:])

    def op_Split(self, i, a, n): return tuple(torch.split(i[0], i[1].tolist(), dim=a.get('axis', 0)))

    def op_Unsqueeze(self, i, a, n):
        out, axes = i[0], i[1].reshape(-1).tolist()
        for axis in sorted(k if k >= 0 else k + out.dim() + len(axes) for k in axes):
            out = out.unsqueeze(axis)
        return out

    def op_Squeeze(self, i, a, n):
        out = i[0]
        for axis in sorted((k % out.dim() for k in i[1].reshape(-1).tolist()), reverse=True):
            out = out.squeeze(axis)
        return out

    def op_Slice(self, i, a, n):
        out, starts, ends = i[0], i[1].tolist(), i[2].tolist()
        axes = i[3].tolist() if len(i) > 3 and i[3] is not None else range(len(starts))
        for start, end, axis in zip(starts, ends, axes):
            index = [slice(None)] * out.dim()
            index[axis] = slice(start, end if end < 2 ** 62 else None)
            out = out[tuple(index)]
        return out

    def op_ConstantOfShape(self, i, a, n):
        value = numpy_helper.to_array(a['value']) if 'value' in a else np.zeros(1, np.float32)
        return torch.full(i[0].tolist(), value.item(), dtype=torch.from_numpy(value.copy()).dtype)

    def op_Conv(self, i, a, n):
        x, pads = i[0], a.get('pads', [0, 0])
        if pads[0] != pads[1]:
            x, pads = F.pad(x, pads), [0]
        return F.conv1d(x, i[1], i[2] if len(i) > 2 else None, stride=a.get('strides', [1])[0], padding=pads[0],
                        dilation=a.get('dilations', [1])[0], groups=a.get('group', 1))

    def op_ConvTranspose(self, i, a, n):
        return F.conv_transpose1d(i[0], i[1], i[2] if len(i) > 2 else None, stride=a['strides'][0], padding=a.get('pads', [0])[0],
                                  output_padding=a.get('output_padding', [0])[0], groups=a.get('group', 1),
                                  dilation=a.get('dilations', [1])[0])

    def op_Expand(self, i, a, n):
        return i[0].expand(torch.broadcast_shapes(tuple(i[0].shape), tuple(i[1].tolist())))

    def op_LayerNormalization(self, i, a, n):
        return F.layer_norm(i[0], i[1].shape, i[1], i[2] if len(i) > 2 else None, a.get('epsilon', 1e-5))

    def op_SkipLayerNormalization(self, i, a, n):
        return F.layer_norm(i[0] + i[1], i[2].shape, i[2], i[3], a.get('epsilon', 1e-5))

    def op_Reshape(self, i, a, n):
        return i[0].reshape([i[0].shape[k] if v == 0 else v for k, v in enumerate(i[1].tolist())])

    def op_FastGelu(self, i, a, n):
        return F.gelu(i[0] + i[1] if len(i) > 1 and i[1] is not None else i[0], approximate='tanh')

    def op_ReduceSum(self, i, a, n): return i[0].sum(dim=i[1].tolist(), keepdim=bool(a.get('keepdims', 1)))

    def op_ReduceMean(self, i, a, n):
        return i[0].mean(dim=i[1].tolist() if len(i) > 1 else list(a['axes']), keepdim=bool(a.get('keepdims', 1)))

    def op_Clip(self, i, a, n):
        low = None if i[1] is None else float(i[1])
        return torch.clamp(i[0], min=low, max=None if len(i) < 3 or i[2] is None else float(i[2]))

    def op_Range(self, i, a, n): return torch.arange(i[0].item(), i[1].item(), i[2].item(), dtype=i[0].dtype)

    def op_Resize(self, i, a, n):
        scale, mode = i[2].tolist()[2], a['mode'].decode()
        if mode == 'nearest':
            return i[0].repeat_interleave(int(round(scale)), dim=2)
        return F.interpolate(i[0], scale_factor=float(scale) if scale > 1 else 1 / round(1 / scale), mode='linear',
                             align_corners=False)

    def op_Pad(self, i, a, n):
        pads, half = i[1].tolist(), len(i[1]) // 2
        return F.pad(i[0], (pads[half - 1], pads[2 * half - 1]), mode=a['mode'].decode())

    def op_STFT(self, i, a, n):
        window = i[2]
        frames = i[0].reshape(1, -1).unfold(1, window.numel(), int(i[1]))
        out = ((frames * window).double() @ self.basis).float().unflatten(-1, (-1, 2))
        constant = ((frames.amax(-1) - frames.amin(-1)) < 1e-6)[..., None, None]
        return torch.where(constant, self.unvoiced, out)

    def op_DynamicQuantizeLSTM(self, i, a, n):
        if n not in self.lstms:
            self.lstms[n] = self._lstm(i, a['hidden_size'])
        out, _ = self.lstms[n](i[0])
        frames, batch, _ = out.shape
        return out.reshape(frames, batch, 2, -1).permute(0, 2, 1, 3), None, None

    def _lstm(self, i, hidden):
        """A torch LSTM with the node's dequantised weights; ONNX orders gates i,o,f,c, torch
        i,f,c,o."""
        def gates(t):
            p = t.split(hidden, 0)
            return torch.cat([p[0], p[2], p[3], p[1]], 0)
        _, weight, recurrent, bias = (t if t is None else t.cpu() for t in i[:4])
        lstm = torch.nn.LSTM(weight.shape[1], hidden, bidirectional=weight.shape[0] == 2)
        state = {}
        for d in range(weight.shape[0]):
            suffix = '_l0' + ('_reverse' if d else '')
            scale = [t.reshape(-1)[d if t.numel() > 1 else 0].float() for t in i[8:12]]
            state['weight_ih' + suffix] = gates(((weight[d].float() - scale[1]) * scale[0]).t())
            state['weight_hh' + suffix] = gates(((recurrent[d].float() - scale[3]) * scale[2]).t())
            state['bias_ih' + suffix], state['bias_hh' + suffix] = gates(bias[d][:4 * hidden]), gates(bias[d][4 * hidden:])
        lstm.load_state_dict(state)
        return lstm.to(self.device).eval()
