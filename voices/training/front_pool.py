"""The front's training data on the GPU: shards appended as they appear, rows of whole utterances packed from them."""
import glob
import os

import numpy as np
import torch

from front_generate import PROSODY_REACH, X_REACH
from front_student import distances
from student import FRAME, SAMPLE_RATE, X_DIM

ROW_TOKENS, ROW_FRAMES, ROW_UTTERANCES = 512, 1408, 20
TOKEN_GAP, FRAME_GAP = 3, 5              # what a convolution reaches: neighbours in a row do not see each other


def doubled(values):
    """[B, T, ..] of frames -> [B, 2T, ..] of their columns."""
    return values[:, :, None].expand(-1, -1, 2, *values.shape[2:]).flatten(1, 2)


class Pool:
    """All utterances end to end in preallocated memory; frames here are those of 600 samples, each with two columns of x."""

    def __init__(self, device, hours, tokens_a_second=20):
        frames = int(hours * 3600 * 40)
        tokens = int(hours * 3600 * tokens_a_second)
        utterances = tokens // 30
        empty = lambda *shape, dtype: torch.empty(shape, dtype=dtype, device=device)
        self.device = device
        self.token_fields = {'ids': empty(tokens, dtype=torch.uint8), 'raw': empty(tokens, dtype=torch.float16),
                             'durations': empty(tokens, dtype=torch.uint8), 'sound': empty(tokens, X_DIM, dtype=torch.int8),
                             'prosody': empty(tokens, X_DIM, dtype=torch.int8)}
        self.frame_fields = {'x': empty(frames, 2 * X_DIM, dtype=torch.int8), 'f0': empty(frames, 2, dtype=torch.float16),
                             'energy': empty(frames, 2, dtype=torch.float16), 'phase': empty(frames, 2, dtype=torch.float32),
                             'token': empty(frames, dtype=torch.int16), 'offset': empty(frames, dtype=torch.uint8)}
        self.style = empty(utterances, 256, dtype=torch.float16)
        self.at = torch.zeros(utterances, 4, dtype=torch.long, device=device)        # first token, tokens, first frame, frames
        self.sizes, self.held = [], []                                               # on the host: (tokens, frames), held-out numbers
        self.tokens = self.frames = self.utterances = 0
        self.known, self.queue = set(), []
        self.bias = distances(ROW_TOKENS, device)

    @property
    def hours(self):
        return self.frames / 40 / 3600

    def load_new(self, folder, consume=False, limit=None):
        paths = sorted((p for p in glob.glob(os.path.join(folder, 'shard-*.pt')) if p not in self.known), key=lambda p: (p[-6:], p))
        for path in paths[:limit]:
            self.known.add(path)
            self._append(torch.load(path))
            if consume:
                os.remove(path)
        return len(paths[:limit])

    def _append(self, shard):
        tokens, frames, count = len(shard['ids']), len(shard['f0']) // 2, len(shard['tokens'])
        if self.tokens + tokens > len(self.token_fields['ids']) or self.frames + frames > len(self.frame_fields['f0']) or (
                self.utterances + count > len(self.at)):
            return
        here = slice(self.frames, self.frames + frames)
        for name, field in self.token_fields.items():
            field[self.tokens:self.tokens + tokens] = shard[name].to(self.device)
        for name in ('x', 'f0', 'energy'):
            field = self.frame_fields[name]
            field[here] = shard[name].to(self.device).reshape(frames, field.shape[1])
        lengths = torch.stack([shard['tokens'], shard['frames'] // 2], 1).to(self.device)
        ends = torch.cumsum(lengths, 0)
        starts = ends - lengths
        durations = shard['durations'].to(self.device).long()
        token = torch.repeat_interleave(torch.arange(tokens, device=self.device), durations)
        first = torch.cumsum(durations, 0) - durations
        utterance = torch.repeat_interleave(torch.arange(count, device=self.device), lengths[:, 1])
        self.frame_fields['offset'][here] = (torch.arange(frames, device=self.device) - first[token]).clamp(max=255).to(torch.uint8)
        self.frame_fields['token'][here] = (token - starts[utterance, 0]).to(torch.int16)
        f0 = shard['f0'].to(self.device).clamp(min=0).double()
        cycles = torch.cumsum(f0 * (FRAME / SAMPLE_RATE), 0)
        before = torch.cat([cycles.new_zeros(1), cycles])[2 * starts[:, 1]]
        cycles = cycles - before[torch.repeat_interleave(utterance, 2)]
        self.frame_fields['phase'][here] = (cycles - torch.floor(cycles)).float().reshape(frames, 2)
        self.style[self.utterances:self.utterances + count] = shard['style'].to(self.device)
        self.at[self.utterances:self.utterances + count] = torch.stack(
            [starts[:, 0] + self.tokens, lengths[:, 0], starts[:, 1] + self.frames, lengths[:, 1]], 1)
        self.sizes += lengths.tolist()
        self.held += shard['held'].tolist()
        self.tokens, self.frames, self.utterances = self.tokens + tokens, self.frames + frames, self.utterances + count

    def pack(self, order):
        """Utterances into rows, one after the other while they fit -> [rows, ROW_UTTERANCES], -1 where none is."""
        rows, row, tokens, frames = [], [], 0, 0
        for index in order:
            n, t = self.sizes[index]
            n, t = n + TOKEN_GAP, t + FRAME_GAP
            if n > ROW_TOKENS + TOKEN_GAP or t > ROW_FRAMES + FRAME_GAP:
                continue
            if tokens + n > ROW_TOKENS + TOKEN_GAP or frames + t > ROW_FRAMES + FRAME_GAP or len(row) == ROW_UTTERANCES:
                rows.append(row + [-1] * (ROW_UTTERANCES - len(row)))
                row, tokens, frames = [], 0, 0
            row.append(index)
            tokens, frames = tokens + n, frames + t
        if row:
            rows.append(row + [-1] * (ROW_UTTERANCES - len(row)))
        return np.array(rows, np.int64)

    def held_rows(self):
        return torch.from_numpy(self.pack([i for i, number in enumerate(self.held) if number >= 0])).to(self.device)

    def next_rows(self, count, rng):
        if len(self.queue) < count:
            order = [i for i in rng.permutation(self.utterances).tolist() if self.held[i] < 0]
            self.queue = torch.from_numpy(self.pack(order))
            self.queue = self.queue[torch.from_numpy(rng.permutation(len(self.queue)))].to(self.device)
            if len(self.queue) < count:
                self.queue = self.queue.repeat(-(-count // len(self.queue)), 1)
        rows, self.queue = self.queue[:count], self.queue[count:]
        return rows

    def batch(self, rows):
        """-> a dictionary of tensors: everything that the network and its losses want to know of these rows."""
        valid = rows >= 0
        at = self.at[rows.clamp(min=0)] * valid[..., None]

        def spread(first, length, gap, size):
            """Positions 0..size of each row -> which utterance, where in the pool, whether there is one, the row's start of each."""
            ends = torch.cumsum(length + gap * valid, 1)
            starts = ends - (length + gap * valid)
            position = torch.arange(size, device=self.device)
            which = (position[None, :, None] >= ends[:, None, :]).sum(-1).clamp(max=rows.shape[1] - 1)
            local = position - starts.gather(1, which)
            inside = (local < length.gather(1, which)) & (local >= 0)
            return which, torch.where(inside, first.gather(1, which) + local, 0), inside, starts

        which, source, inside, starts = spread(at[..., 0], at[..., 1], TOKEN_GAP, ROW_TOKENS)
        token = {name: field[source] for name, field in self.token_fields.items()}
        own = torch.where(inside, which, -1)
        together = (own[:, :, None] == own[:, None, :]) & inside[:, None, :]
        together |= torch.eye(ROW_TOKENS, dtype=torch.bool, device=self.device)        # an empty place looks at itself
        one = (which[:, None, :] == torch.arange(rows.shape[1], device=self.device)[:, None]) & inside[:, None]
        weight = token['durations'].float()[:, None] * one
        made = {'ids': token['ids'].long() * inside, 'raw': token['raw'].float(), 'token_mask': inside.float()[..., None],
                'sound': token['sound'].float() * (inside[..., None] / 127),
                'prosody': token['prosody'].float() * (inside[..., None] * PROSODY_REACH / 127),
                'token_spread': one.float().transpose(1, 2).contiguous(), 'one': one.float(),
                'share': weight / weight.sum(-1, keepdim=True).clamp(min=1),
                'bias': torch.where(together[:, None], self.bias, float('-inf')).bfloat16() if self.device != 'cpu' else
                torch.where(together[:, None], self.bias, float('-inf')),
                'style': self.style[rows.clamp(min=0)].float()}
        token_starts = starts
        which, source, inside, starts = spread(at[..., 2], at[..., 3], FRAME_GAP, ROW_FRAMES)
        frame = {name: field[source] for name, field in self.frame_fields.items()}
        position = (frame['token'].long() + token_starts.gather(1, which)) * inside
        own = (which[..., None] == torch.arange(rows.shape[1], device=self.device)) & inside[..., None]
        made |= {'x': frame['x'].float().reshape(len(rows), -1, X_DIM) * (doubled(inside)[..., None] * X_REACH / 127),
                 'f0': frame['f0'].float() * inside[..., None], 'energy': frame['energy'].float() * inside[..., None],
                 'phase': frame['phase'], 'offset': frame['offset'].long() * inside, 'duration': token['durations'].long().gather(1, position),
                 'token': position, 'frame_spread': own.float(), 'frame_mask': inside.float()[..., None],
                 'columns': doubled(own).float().transpose(1, 2).contiguous(),
                 'frame_start': starts, 'frame_count': at[..., 3]}
        return made

    def segments(self, batch, count, size, context):
        """Random stretches of `size` frames (context included) for the generator, from the first rows of a batch.

        -> index [count, 2 size] into the columns of the batch, 1 where the utterance is, number of the utterance.
        """
        weight = batch['frame_count'].float().flatten()
        number = torch.multinomial(weight, count, replacement=True)
        row, start, length = number // ROW_UTTERANCES, batch['frame_start'].flatten()[number], batch['frame_count'].flatten()[number]
        high = (length - size + context + 4).clamp(min=-context + 1)
        first = (-context + torch.rand(count, device=self.device) * (high + context)).floor().long()
        local = first[:, None] + torch.arange(size, device=self.device)
        inside = (local >= 0) & (local < length[:, None])
        column = 2 * (row[:, None] * ROW_FRAMES + (start[:, None] + local).clamp(0, ROW_FRAMES - 1))
        index = torch.stack([column, column + 1], -1).reshape(count, -1)
        return index, doubled(inside).float(), number
