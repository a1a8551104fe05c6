"""Kokoro's front in PyTorch, many utterances at a time: the labels that a student of the front is
taught with.

The graph of the published model is made for one utterance.  Here the same layers are written out
with masks, so that utterances of different lengths share a batch and each gets what it gets alone:
padding is zeroed before every convolution, the LSTMs run on packed sequences, and the instance
norms count an utterance's own frames only.  Activations lie as [batch, time, channels] and
convolutions are matrix products.  Besides what the front hands on (durations, F0, x) it tells what
is decided inside, which makes a student's work easier: durations before they are rounded, the
energy curve, and the token features that the prosody and the sound are made from.

    python front_teacher.py front.onnx front-corpus.npz          # compares it with onnxruntime, line by line
"""
import argparse
import math

import numpy as np
import onnx
import torch
import torch.nn as nn
import torch.nn.functional as F
from onnx import numpy_helper
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

import kokoro_graph as names

RAW = '/encoder/predictor/ReduceSum_output_0'               # durations in frames of 600 samples, before speed and rounding [1,n]
ENERGY = '/encoder/N_proj/Conv_output_0'                    # [1,1,T]
SOUND = '/encoder/text_encoder/Transpose_2_output_0'        # [1,512,n]
PROSODY = '/encoder/predictor/lstm/Transpose_output_0'      # [n,1,640], the last 128 of them the style
OUTPUTS = (names.X, names.F0, names.DURATIONS, RAW, ENERGY, SOUND, PROSODY)
LAYERS, HEADS, DIM = 12, 12, 768                            # of ALBERT, whose layers are one layer
ALBERT = '/encoder/bert/encoder/albert_layer_groups.0/albert_layers.0/'
SLOPE = 0.2
UNITS = 256                                                 # of an LSTM, each way


def norm(x, mask, count, gamma, beta):
    """Instance norm over an utterance's own frames, modulated by the style: x [B,T,C], gamma and
    beta [B,C]."""
    mean = (x * mask).sum(1, keepdim=True) / count
    gap = (x - mean) * mask
    variance = (gap * gap).sum(1, keepdim=True) / count
    return (1 + gamma[:, None]) * (gap * torch.rsqrt(variance + 1e-5)) + beta[:, None]


class FrontTeacher:
    def __init__(self, path, device):
        """`path`: the whole quantised model or its front (kokoro_graph.py)."""
        self.device = device
        graph = names.fold_to_float(onnx.load(path), [(name, 1, None) for name in OUTPUTS]).graph
        constants = {t.name: t for t in graph.initializer}
        self.nodes = {node.name: node for node in graph.node}
        self.read = lambda name: torch.from_numpy(numpy_helper.to_array(constants[name]).copy())
        self.known = constants
        self.weights = {}
        for node in graph.node:
            if node.op_type == 'Conv':
                weight = self.read(node.input[1])                                     # [O,C,k] -> [k C, O]
                self.keep(node.name.removesuffix('/Conv_quant'), weight.permute(2, 1, 0).reshape(-1, weight.shape[0]),
                          self.read(node.input[2]) if len(node.input) > 2 else None)
            elif node.op_type == 'MatMul' and node.input[1] in constants:
                name = node.name.removesuffix('_quant').removesuffix('MatMul').rstrip('/_')
                self.keep(name, self.read(node.input[1]), self.bias_after(graph, node))
            elif node.op_type == 'ConvTranspose':
                self.keep(node.name.removesuffix('/ConvTranspose'), self.read(node.input[1])[:, 0].t(), self.read(node.input[2]))
            elif node.op_type == 'LayerNormalization' or node.name == 'SkipLayerNormalization':
                self.keep(node.name.removesuffix('/LayerNormalization'), *(self.read(name) for name in node.input[-2:]))
        self.lstms = {node.name.removesuffix('/LSTM_quant'): self.lstm(node) for node in graph.node if node.op_type == 'DynamicQuantizeLSTM'}
        self.words, self.positions, self.kind, self.letters = (self.table(name) for name in (
            'encoder.bert.embeddings.word_embeddings.weight', 'encoder.bert.embeddings.position_embeddings.weight',
            'encoder.bert.embeddings.token_type_embeddings.weight', 'encoder.text_encoder.embedding.weight'))

    def keep(self, name, weight, bias):
        self.weights[name] = (weight.float().contiguous().to(self.device), None if bias is None else bias.float().to(self.device))

    def bias_after(self, graph, node):
        """The constant that is added to a matrix product, if one is."""
        for user in graph.node:
            if node.output[0] in user.input and user.op_type in ('Add', 'FastGelu'):
                constant = [name for name in user.input if name in self.known]
                return self.read(constant[0]) if constant else None
        return None

    def table(self, name):
        return (self.read(name + '_quantized').float() * float(self.read(name + '_scale'))).to(self.device)

    def lstm(self, node):
        """A torch LSTM with the node's dequantised weights; ONNX orders gates i,o,f,c, torch
        i,f,c,o."""
        def gates(t):
            p = t.split(UNITS, 0)
            return torch.cat([p[0], p[2], p[3], p[1]], 0)
        weight, recurrent, bias = (self.read(name) for name in node.input[1:4])
        scales = [self.read(name).reshape(-1).float() for name in node.input[8:12]]
        lstm, state = nn.LSTM(weight.shape[1], UNITS, bidirectional=True, batch_first=True), {}
        for d, suffix in enumerate(('_l0', '_l0_reverse')):
            scale = [float(s[d if len(s) > 1 else 0]) for s in scales]
            state['weight_ih' + suffix] = gates(((weight[d].float() - scale[1]) * scale[0]).t())
            state['weight_hh' + suffix] = gates(((recurrent[d].float() - scale[3]) * scale[2]).t())
            state['bias_ih' + suffix], state['bias_hh' + suffix] = bias[d][:4 * UNITS].float(), bias[d][4 * UNITS:].float()
            state['bias_ih' + suffix], state['bias_hh' + suffix] = gates(state['bias_ih' + suffix]), gates(state['bias_hh' + suffix])
        lstm.load_state_dict(state)
        return lstm.to(self.device).eval()

    def linear(self, name, x):
        weight, bias = self.weights[name]
        return x @ weight if bias is None else x @ weight + bias

    def conv(self, name, x, mask, taps=3, stride=1):
        """A convolution of [B,T,C] as one product over shifted copies; what the mask hides counts
        as padding."""
        half, size = taps // 2, x.shape[1]
        padded = F.pad(x * mask, (0, 0, half, half))
        return self.linear(name, torch.cat([padded[:, k:k + size:stride] for k in range(taps)], 2) if taps > 1 else x * mask)

    def layer_norm(self, name, x, epsilon):
        weight, bias = self.weights[name]
        return F.layer_norm(x, weight.shape, weight, bias, epsilon)

    def run_lstm(self, name, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        return pad_packed_sequence(self.lstms[name](packed)[0], batch_first=True, total_length=x.shape[1])[0]

    def styled(self, name, style):
        return self.linear(name + '/fc/Gemm', style).chunk(2, -1)

    def block(self, at, x, mask, count, style):
        """AdaIN residual block -> its output and the mask and count of its (perhaps doubled)
        frames."""
        double = at + '/pool' in self.weights
        residual = x
        h = F.leaky_relu(norm(x, mask, count, *self.styled(at + '/norm1', style)), SLOPE)
        if double:
            (before, here, after), bias = self.weights[at + '/pool']
            h, size = h * mask, x.shape[1]
            ahead = F.pad(h, (0, 0, 0, 1))[:, 1:]
            h = torch.stack([h * here + bias, h * after + ahead * before + bias], 2).reshape(len(x), 2 * size, -1)
            residual, mask, count = residual.repeat_interleave(2, 1), mask.repeat_interleave(2, 1), 2 * count
        h = self.conv(at + '/conv1', h, mask)
        h = F.leaky_relu(norm(h, mask, count, *self.styled(at + '/norm2', style)), SLOPE)
        h = self.conv(at + '/conv2', h, mask)
        if at + '/conv1x1' in self.weights:
            residual = self.linear(at + '/conv1x1', residual)
        return (h + residual) / math.sqrt(2), mask, count

    def albert(self, ids, mask):
        h = self.words[ids] + self.kind[0] + self.positions[:ids.shape[1]]
        h = self.linear('/encoder/bert/encoder/embedding_hidden_mapping_in', self.layer_norm('/encoder/bert/embeddings/LayerNorm', h, 1e-12))
        seen = (mask[:, None, None, :, 0] > 0)
        split = lambda t: t.reshape(*t.shape[:2], HEADS, -1).transpose(1, 2)
        for _ in range(LAYERS):
            q, k, v = (split(self.linear(ALBERT + 'attention/' + part, h)) for part in ('query', 'key', 'value'))
            seen_all = F.scaled_dot_product_attention(q, k, v, attn_mask=seen).transpose(1, 2).reshape(h.shape)
            h = self.layer_norm(ALBERT + 'attention/LayerNorm', h + self.linear(ALBERT + 'attention/dense', seen_all), 1e-12)
            inner = F.gelu(self.linear(ALBERT + 'ffn', h), approximate='tanh')
            h = self.layer_norm('SkipLayerNormalization', self.linear(ALBERT + 'ffn_output', inner) + h, 1e-12)
        return h

    @torch.inference_mode()
    def __call__(self, ids, lengths, style, speed):
        """ids [B,L] on the device, lengths [B] on the host, style [B,256], speed [B].

        -> a dictionary: durations, raw [B,L], sound, prosody [B,L,512]; x [B,2T,512], f0, energy
        [B,2T]; token_mask [B,L], frame_mask [B,T].
        """
        batch, size = ids.shape
        voice, manner = style[:, :128], style[:, 128:]
        mask = (torch.arange(size)[None] < lengths[:, None]).to(self.device)
        tokens = mask[..., None].float()
        h = self.linear('/encoder/bert_encoder', self.albert(ids, tokens))
        spread = manner[:, None].expand(-1, size, -1)
        for i in (0, 2, 4):
            h = self.run_lstm(f'/encoder/predictor/text_encoder/lstms.{i}', torch.cat([h, spread], 2), lengths)
            gamma, beta = self.styled_layer(f'/encoder/predictor/text_encoder/lstms.{i + 1}', manner)
            h = (1 + gamma[:, None]) * F.layer_norm(h, (512,)) + beta[:, None]
        prosody = torch.cat([h, spread], 2)
        scores = self.linear('/encoder/predictor/duration_proj/linear_layer', self.run_lstm('/encoder/predictor/lstm', prosody, lengths))
        raw = torch.sigmoid(scores).sum(-1)
        durations = torch.round(raw / speed[:, None]).clamp(min=1) * mask
        sound = self.letters[ids]
        for i in range(3):
            sound = self.conv(f'/encoder/text_encoder/cnn.{i}/cnn.{i}.0', sound, tokens, taps=5)
            sound = F.leaky_relu(self.layer_norm(f'/encoder/text_encoder/cnn.{i}/cnn.{i}.1', sound, 1e-5), SLOPE)
        sound = self.run_lstm('/encoder/text_encoder/lstm', sound * tokens, lengths)

        ends = torch.cumsum(durations, 1)
        frames = ends[:, -1].long()
        counts = frames.cpu()
        time = torch.arange(int(counts.max()), device=self.device)
        token = torch.searchsorted(ends, time[None].expand(batch, -1).float().contiguous(), right=True).clamp(max=size - 1)
        frame_mask = time[None] < frames[:, None]
        m, count = frame_mask[..., None].float(), frames[:, None, None].float()
        at = lambda t: t.gather(1, token[..., None].expand(-1, -1, t.shape[2])) * m
        shared = self.run_lstm('/encoder/shared', at(prosody), counts)
        curves = []
        for name in ('F0', 'N'):
            h, mask_h, count_h = shared, m, count
            for i in range(3):
                h, mask_h, count_h = self.block(f'/encoder/{name}.{i}', h, mask_h, count_h, manner)
            curves.append((self.linear(f'/encoder/{name}_proj', h) * mask_h)[..., 0])
        low = [self.conv(f'/decoder/decoder/{name}_conv', curve[..., None], 1.0, stride=2) for name, curve in zip(('F0', 'N'), curves)]
        asr = at(sound)
        h, mask_h, count_h = self.block('/decoder/decoder/encode', torch.cat([asr, *low], 2), m, count, voice)
        rest = torch.cat([self.linear('/decoder/decoder/asr_res/asr_res.0', asr), *low], 2)
        for i in range(4):
            h, mask_h, count_h = self.block(f'/decoder/decoder/decode.{i}', torch.cat([h, rest], 2), mask_h, count_h, voice)
        return {'durations': durations, 'raw': raw, 'sound': sound, 'prosody': prosody[..., :512], 'x': h, 'f0': curves[0],
                'energy': curves[1], 'token_mask': mask, 'frame_mask': frame_mask}

    def styled_layer(self, name, style):
        return self.linear(name + '/fc/Gemm', style).chunk(2, -1)


def compare(args):
    """Batches of drawn utterances against onnxruntime on the same graph folded to float32, one
    utterance at a time."""
    from front_corpus import Corpus
    from front_reference import open_graph
    corpus, rng = Corpus(args.corpus), np.random.default_rng(11)
    teacher = FrontTeacher(args.model, 'cuda' if torch.cuda.is_available() else 'cpu')
    session = open_graph(names.fold_to_float(onnx.load(args.model), [(name, 1, None) for name in OUTPUTS]))
    asked = [corpus.draw(rng) for _ in range(args.count)]
    made = teacher(*padded(asked, teacher.device))
    worst = {}
    for i, (ids, style, speed, _) in enumerate(asked):
        x, f0, durations, raw, energy, sound, prosody = session.run(list(OUTPUTS), {
            'input_ids': ids[None], 'style': style[None], 'speed': np.array([speed], np.float32)})
        n, t = len(ids), f0.shape[-1]
        same = np.array_equal(made['durations'][i, :n].cpu().numpy(), durations[0])
        pairs = {'raw': (made['raw'][i, :n], raw[0]), 'sound': (made['sound'][i, :n], sound[0].T), 'prosody': (made['prosody'][i, :n], prosody[:, 0, :512])}
        if same:
            pairs |= {'x': (made['x'][i, :t], x[0].T), 'f0': (made['f0'][i, :t], f0[0, 0]), 'energy': (made['energy'][i, :t], energy[0, 0])}
        for name, (a, b) in pairs.items():
            gap = float(np.abs(a.cpu().numpy() - b).mean())
            worst[name] = max(worst.get(name, 0), gap)
        worst['other durations'] = worst.get('other durations', 0) + (not same)
    print({name: round(value, 6) for name, value in worst.items()})


def padded(asked, device):
    """[(ids, style, speed, ..)] -> the arguments of a teacher's call."""
    lengths = torch.tensor([len(one[0]) for one in asked])
    ids = torch.zeros(len(asked), int(lengths.max()), dtype=torch.long)
    for row, one in zip(ids, asked):
        row[:len(one[0])] = torch.from_numpy(one[0])
    return (ids.to(device), lengths, torch.from_numpy(np.stack([one[1] for one in asked])).to(device),
            torch.tensor([one[2] for one in asked], dtype=torch.float32, device=device))


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('model')
    parser.add_argument('corpus')
    parser.add_argument('--count', type=int, default=12)
    compare(parser.parse_args())
