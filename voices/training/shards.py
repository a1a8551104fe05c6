"""The training data on the GPU: shards appended as they appear, random segments drawn from them."""
import glob
import os

import torch

from student import FRAME, STYLE_DIM, X_DIM, frame_phase, utterance_stats


class Pool:
    """All utterances end to end in preallocated memory, about half a gigabyte an hour."""

    def __init__(self, device, hours, mean=None, deviation=None, held=64):
        frames, utterances = int(hours * 3600 * 80), int(hours * 3600)
        self.device, self.held = device, held
        self.mean, self.deviation = mean, deviation
        self.x = torch.empty(frames, X_DIM, dtype=torch.float16, device=device)
        self.f0 = torch.zeros(frames, device=device)
        self.phase = torch.zeros(frames, device=device)
        self.wave = torch.zeros(frames * FRAME, dtype=torch.int16, device=device)
        self.start = torch.zeros(utterances, dtype=torch.long, device=device)
        self.length = torch.zeros(utterances, dtype=torch.long, device=device)
        self.style = torch.zeros(utterances, STYLE_DIM, device=device)
        self.stats = torch.zeros(utterances, 2 * X_DIM, device=device)
        self.weight = torch.zeros(utterances, device=device)
        self.frames = self.utterances = 0
        self.known = set()

    @property
    def hours(self):
        return self.frames / 80 / 3600

    def load_new(self, folder, limit=None, consume=False):
        """Append shards not seen yet (at most `limit`), in `folder` or below; returns how many
        came."""
        count = 0
        for path in sorted(glob.glob(os.path.join(folder, '**', 'shard-*.pt'), recursive=True), key=lambda p: (p.rsplit('-', 1)[1], p)):
            if path in self.known or (limit is not None and count >= limit):
                continue
            self.known.add(path)
            self._append(torch.load(path))
            if consume:
                os.remove(path)
            count += 1
        return count

    def _append(self, shard):
        n = len(shard['f0'])
        if self.frames + n > len(self.f0) or self.utterances + len(shard['frames']) > len(self.start):
            return
        at = slice(self.frames, self.frames + n)
        self.x[at] = shard['x'].to(self.device)
        self.f0[at] = shard['f0'].to(self.device)
        self.wave[self.frames * FRAME:(self.frames + n) * FRAME] = shard['wave'].to(self.device)
        if self.mean is None:                      # a fresh student: normalise by the first shard
            x = self.x[at].float()
            self.mean, self.deviation = x.mean(0), x.std(0) + 1e-3
        for length, style in zip(shard['frames'], shard['style']):
            u, begin = self.utterances, self.frames
            part = slice(begin, begin + length)
            self.start[u], self.length[u], self.style[u] = begin, length, style.to(self.device)
            self.stats[u] = utterance_stats((self.x[part].float() - self.mean) / self.deviation)
            self.phase[part] = frame_phase(self.f0[part])
            # short utterances a little more often than their share of the time
            self.weight[u] = 0.0 if u < self.held else float(length) ** 0.75
            self.utterances += 1
            self.frames += length

    def segments(self, utterance, place, wanted, context):
        """`wanted` frames with context at relative `place` (0..1) of the utterances; beyond their
        ends silence.

        `mask` is 1 inside the utterance.
        """
        size = wanted + 2 * context
        length = self.length[utterance].float()
        low = -float(context)
        high = torch.clamp(length - wanted - context + 8, min=low + 1)
        first = (low + place * (high - low)).floor().long()
        begin = self.start[utterance][:, None]
        index = begin + first[:, None] + torch.arange(size, device=self.device)
        inside = (index >= begin) & (index < begin + self.length[utterance][:, None])
        index = index.clamp(0, max(self.frames - 1, 0))
        zero = torch.zeros((), device=self.device)
        x = torch.where(inside[..., None], self.x[index].float(), self.mean)
        f0 = torch.where(inside, self.f0[index], zero)
        wave = self.wave.view(-1, FRAME)[index].float() * (inside[..., None] / 32767)
        return {'x': x, 'f0': f0, 'phase': self.phase[index], 'style': self.style[utterance], 'stats': self.stats[utterance],
                'mask': inside.float(), 'wave': wave.reshape(len(utterance), -1)}

    def batch(self, size, wanted, context):
        utterance = torch.multinomial(self.weight[:self.utterances], size, replacement=True)
        return self.segments(utterance, torch.rand(size, device=self.device), wanted, context)

    def held_batch(self, wanted, context):
        utterance = torch.arange(min(self.held, self.utterances), device=self.device)
        return self.segments(utterance, torch.linspace(0.1, 0.9, len(utterance), device=self.device), wanted, context)
