"""Kokoro's generator in PyTorch, many utterances at a time: what makes hours of waveforms on a GPU.

The graph of the published model is made for one utterance.  Here the same layers are written out
with masks, so that utterances of different lengths share a batch and each gets what it gets alone.
What lies between two convolutions (instance norm, style, the periodic activation) is one compiled
function.

The trap of the STFT's rounding is told in teacher.py, which runs the same graph node by node, one
utterance at a time.

    python generator_teacher.py generator.onnx reference/          # how far it is from onnxruntime
"""
import argparse
import glob
import os
import time

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper

import kokoro_graph as names
from metrics import Distance
from rounding import exact_basis, window
from teacher import INVERSE_BASIS, INVERSE_GAIN, ROUNDING, UNVOICED

AT = '/decoder/decoder/generator/'
FRAME, SAMPLE_RATE, HARMONICS = 300, 24000, 9
MARGIN, HOP, SIZE = 10, 5, 20              # of the STFT at the source, and of the one at the end
STAGES = ((10, 5), (6, 3))                 # stride and padding of the two upsamplings
DILATIONS = (1, 3, 5)


def between(x, mask, count, gamma, beta, alpha, inverse, dtype):
    """Instance norm over an utterance's own frames, modulated by the style, then x + sin²(αx)/α:
    all [B,C,1,L]."""
    x = x.float() * mask
    mean = x.sum(-1, keepdim=True) / count
    gap = (x - mean) * mask
    variance = (gap * gap).sum(-1, keepdim=True) / count
    y = (1 + gamma) * (gap * torch.rsqrt(variance + 1e-5)) + beta
    s = torch.sin(alpha * y)
    return ((y + inverse * (s * s)) * mask).to(dtype)


class GeneratorTeacher:
    def __init__(self, path, device):
        """`path`: the whole quantised model or its generator (kokoro_graph.py)."""
        self.device, self.dtype, self.format, self.between = device, torch.float32, torch.contiguous_format, between
        graph = names.fold_to_float(onnx.load(path), [(names.WAVEFORM, 1, None)], names.GENERATOR_INPUTS).graph
        constants = {t.name: t for t in graph.initializer}
        read = lambda name: torch.from_numpy(numpy_helper.to_array(constants[name]).copy()).to(device)
        self.weights, self.styles = {}, {}
        for node in graph.node:
            name = node.name.removeprefix(AT)
            if node.op_type in ('Conv', 'ConvTranspose') and len(node.input) == 3:
                self.weights[name.removesuffix('/Conv_quant').removesuffix('/' + node.op_type)] = (
                    read(node.input[1])[:, :, None], read(node.input[2]))
            elif name.endswith('/fc/Gemm_MatMul_quant'):
                self.styles[name.removesuffix('/fc/Gemm_MatMul_quant')] = (
                    read(node.input[1]), read(f'decoder.decoder.generator.{name.split("/fc")[0].replace("/", ".")}.fc.bias'))
            elif name == 'm_source/l_linear/MatMul':
                self.mix = read(node.input[1])[:, 0]
        self.mix_bias = read('decoder.decoder.generator.m_source.l_linear.bias')
        self.alpha = {name.removeprefix('decoder.decoder.generator.'): read(name)[:, :, None] for name in constants if '.alpha' in name}
        self.inverse, self.gain = read(INVERSE_BASIS), float(numpy_helper.to_array(constants[INVERSE_GAIN]))
        basis = exact_basis() + np.load(ROUNDING)
        self.basis = torch.from_numpy(basis.reshape(len(basis), -1)).to(device)
        self.window, self.unvoiced = torch.from_numpy(window()).to(device), torch.tensor(UNVOICED, device=device)
        self.cast(torch.float32, torch.contiguous_format)

    def cast(self, dtype, memory_format):
        """How the convolutions are made."""
        self.dtype, self.format = dtype, memory_format
        self.made = {name: (weight.to(dtype).contiguous(memory_format=memory_format), bias.to(dtype))
                     for name, (weight, bias) in self.weights.items()}

    def hurry(self):
        """What `choose` found quickest on an H200, without trying."""
        torch._dynamo.config.recompile_limit = 64
        self.between = torch.compile(between, dynamic=True)
        self.cast(torch.float16, torch.channels_last)

    def choose(self, log, x, f0, style, counts):
        """The quickest way to make convolutions on this device that gives the same samples of a
        batch, by trying."""
        torch._dynamo.config.recompile_limit = 64              # both precisions and layouts, batches of one
        self.between = torch.compile(between, dynamic=True)
        best, reference = None, None
        for label, dtype, layout in (('float32', torch.float32, torch.contiguous_format), ('float32, channels last', torch.float32, torch.channels_last),
                                     ('float16, channels last', torch.float16, torch.channels_last)):
            try:
                self.cast(dtype, layout)
                wave = self(x, f0, style, counts)
                torch.cuda.synchronize()
                began = time.time()
                for _ in range(3):
                    wave = self(x, f0, style, counts)
                torch.cuda.synchronize()
                took = (time.time() - began) / 3
            except Exception as error:                       # a way that does not work here is no way
                log(f'{label}: {str(error)[:300]}')
                self.between = between
                continue
            reference = wave if reference is None else reference
            ratio = 10 * torch.log10((reference ** 2).sum() / ((wave - reference) ** 2).sum().clamp(min=1e-12)).item()
            log(f'{label}: {x.shape[0] * x.shape[1] / 80 / took:.0f} x real time, {ratio:.0f} dB to the first')
            if ratio > 25 and (best is None or took < best[0]):
                best = (took, dtype, layout)
        self.cast(*best[1:])

    def conv(self, name, x, **how):
        weight, bias = self.made[name]
        return F.conv2d(x, weight, bias, **{key: (0 if key == 'padding' else 1, value) for key, value in how.items()})

    def residual(self, name, x, mask, count, style):
        """Three pairs of convolutions with growing dilation: x [B,C,1,L]."""
        taps = self.made[f'{name}/convs1.0'][0].shape[-1]
        for i, dilation in enumerate(DILATIONS):
            h = x
            for half, reach in ((1, dilation), (2, 1)):
                weight, bias = self.styles[f'{name}/adain{half}.{i}']
                gamma, beta = ((style @ weight + bias)[:, :, None, None]).chunk(2, 1)
                alpha = self.alpha[f'{name}.alpha{half}.{i}']
                h = self.between(h, mask, count, gamma, beta, alpha, 1 / alpha, self.dtype)
                h = self.conv(f'{name}/convs{half}.{i}', h.contiguous(memory_format=self.format), padding=reach * (taps // 2), dilation=reach)
            x = x + h
        return x

    def source(self, f0, counts):
        """Pitch [B,T] -> magnitude and phase of the harmonic source's STFT, [B,22,1,60T+1]."""
        batch, frames = f0.shape
        numbers = torch.arange(1, HARMONICS + 1, device=self.device, dtype=torch.float32)[None, :, None]
        turns = f0[:, None] * numbers / SAMPLE_RATE
        turns = torch.cumsum((turns - torch.floor(turns)).double(), -1).float() * 2 * np.float32(np.pi) * FRAME
        sines = torch.sin(F.interpolate(turns, scale_factor=float(FRAME), mode='linear', align_corners=False)) * 0.1
        voiced = (f0 > 10).float().repeat_interleave(FRAME, 1)
        signal = torch.tanh(((sines * voiced[:, None]).transpose(1, 2) @ self.mix) + self.mix_bias)
        ends = (counts.to(self.device) * FRAME - 1)[:, None]
        place = torch.arange(-MARGIN, frames * FRAME + MARGIN, device=self.device)[None].abs()
        place = torch.where(place > ends, 2 * ends - place, place).clamp(min=0)      # reflected at an utterance's own end
        columns = signal.gather(1, place).unfold(1, SIZE, HOP)
        made = ((columns * self.window).double() @ self.basis).float().unflatten(-1, (-1, 2))
        constant = ((columns.amax(-1) - columns.amin(-1)) < 1e-6)[..., None, None]
        real, imaginary = torch.where(constant, self.unvoiced, made).unbind(-1)
        angle = torch.atan(imaginary / real)
        angle = torch.where(real < 0, torch.where(imaginary > 0, angle + np.float32(np.pi), angle - np.float32(np.pi)), angle)
        return torch.cat([torch.sqrt(real ** 2 + imaginary ** 2), angle], 2).transpose(1, 2)[:, :, None]

    @torch.inference_mode()
    def __call__(self, x, f0, style, counts):
        """x [B,T,512] with zeros beyond an utterance's end, f0 [B,T], style [B,128], counts [B]
        (frames, on the host) -> samples [B,300T]."""
        frames = x.shape[1]
        lengths = counts.to(self.device)[:, None, None, None]
        source = self.source(f0, counts)
        h = x.transpose(1, 2)[:, :, None]
        for stage, (stride, padding) in enumerate(STAGES):
            rate = 10 if stage == 0 else 60
            count = rate * lengths + stage
            mask = (torch.arange(rate * frames + stage, device=self.device)[None, None, None] < count).float()
            place = (torch.arange(60 * frames + 1, device=self.device)[None, None, None] <= 60 * lengths).float()
            noise = self.conv(f'noise_convs.{stage}', (source * place).to(self.dtype).contiguous(memory_format=self.format),
                              **({'stride': 6, 'padding': 3} if stage == 0 else {}))
            noise = self.residual(f'noise_res.{stage}', noise.float(), mask, count.float(), style)
            weight, bias = self.made[f'ups.{stage}']
            h = F.leaky_relu(h, 0.1).to(self.dtype).contiguous(memory_format=self.format)
            h = F.conv_transpose2d(h, weight, bias, stride=(1, stride), padding=(0, padding)).float()
            if stage == 1:
                h = F.pad(h, (1, 0, 0, 0), mode='reflect')
            h = (h + noise) * mask
            h = sum(self.residual(f'resblocks.{3 * stage + i}', h, mask, count.float(), style) for i in range(3)) * (mask / 3)
        weight, bias = self.weights['conv_post']
        post = F.conv1d(F.leaky_relu(h, 0.01)[:, :, 0], weight[:, :, 0], bias, padding=3)
        magnitude, phase = torch.exp(post[:, :11]), torch.sin(post[:, 11:])
        spectrum = torch.cat([magnitude * torch.cos(phase), magnitude * torch.sin(phase)], 1) * mask[:, :, 0]
        return (F.conv_transpose1d(spectrum, self.inverse, stride=HOP) * self.gain)[:, 0, MARGIN:-MARGIN]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('model')
    parser.add_argument('reference')
    parser.add_argument('--count', type=int, default=3, help='of the shortest utterances, all in one batch')
    args = parser.parse_args()
    teacher, distance = GeneratorTeacher(args.model, 'cpu'), Distance()
    asked = [np.load(path) for path in sorted(glob.glob(os.path.join(args.reference, '????.npz')), key=os.path.getsize)[:args.count]]
    counts = torch.tensor([len(d['f0']) for d in asked])
    x, f0 = torch.zeros(len(asked), int(counts.max()), 512), torch.zeros(len(asked), int(counts.max()))
    for i, (d, n) in enumerate(zip(asked, counts)):
        x[i, :n], f0[i, :n] = torch.from_numpy(d['x'].astype(np.float32).T.copy()), torch.from_numpy(d['f0'])
    style = torch.from_numpy(np.stack([d['style'] for d in asked]))
    together = teacher(x, f0, style, counts)
    for i, (d, n) in enumerate(zip(asked, counts)):
        alone = teacher(x[i:i + 1, :n], f0[i:i + 1, :n], style[i:i + 1], counts[i:i + 1])[0]
        made, kept = together[i, :n * FRAME], torch.from_numpy(d['wave'][:n * FRAME])
        ratio = 10 * torch.log10((alone ** 2).sum() / ((made - alone) ** 2).sum().clamp(min=1e-12))
        mel, mcd = distance.measure(made[None], kept[None])
        print(f'{n} frames: {ratio:.0f} dB to itself alone; to onnxruntime log-mel {mel:.4f}, MCD {mcd:.3f} dB')


if __name__ == '__main__':
    main()
