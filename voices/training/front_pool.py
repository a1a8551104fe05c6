"""The front's training data on the GPU: utterances appended as they are labelled, rows of whole
utterances packed from them."""
import numpy as np
import torch

from front_student import distances
from student import FRAME, SAMPLE_RATE, X_DIM

ROW_TOKENS, ROW_FRAMES, ROW_UTTERANCES = 512, 1408, 20
TOKEN_GAP, FRAME_GAP = 3, 5              # what a convolution reaches: neighbours in a row do not see each other
X_REACH, PROSODY_REACH = 8.0, 6.0        # deviations of x, and values of the prosody features, that 8 bits reach to
WHOLE = 2 * FRAME                        # samples of a frame here


def to_bytes(values, reach):
    return (values * (127 / reach)).round().clamp(-127, 127).to(torch.int8)


def doubled(values):
    """[B, T, ..] of frames -> [B, 2T, ..] of their columns."""
    return values[:, :, None].expand(-1, -1, 2, *values.shape[2:]).flatten(1, 2)


class Pool:
    """All utterances end to end in preallocated memory, about 210 MB an hour; frames here are those
    of 600 samples, each with two columns of x.  With `waves` the teacher's samples too, 170 MB
    an hour more."""

    def __init__(self, device, hours, mean, deviation, waves=False, tokens_a_second=20):
        frames = int(hours * 3600 * 40)
        tokens = int(hours * 3600 * tokens_a_second)
        utterances = max(tokens // 30, 500)
        empty = lambda *shape, dtype: torch.empty(shape, dtype=dtype, device=device)
        self.device, self.mean, self.deviation = device, mean.to(device), deviation.to(device)
        self.token_fields = {'ids': empty(tokens, dtype=torch.uint8), 'raw': empty(tokens, dtype=torch.float16),
                             'durations': empty(tokens, dtype=torch.uint8), 'sound': empty(tokens, X_DIM, dtype=torch.int8),
                             'prosody': empty(tokens, X_DIM, dtype=torch.int8)}
        self.frame_fields = {'x': empty(frames, 2 * X_DIM, dtype=torch.int8), 'f0': empty(frames, 2, dtype=torch.float16),
                             'energy': empty(frames, 2, dtype=torch.float16), 'phase': empty(frames, 2, dtype=torch.float32),
                             'token': empty(frames, dtype=torch.int16), 'offset': empty(frames, dtype=torch.uint8)}
        self.waves = waves
        if waves:
            self.frame_fields['wave'] = empty(frames, WHOLE, dtype=torch.int16)
        self.style = empty(utterances, 256, dtype=torch.float16)
        self.english = empty(utterances, dtype=torch.bool)
        self.at = torch.zeros(utterances, 4, dtype=torch.long, device=device)        # first token, tokens, first frame, frames
        self.sizes, self.held = [], []                                               # on the host: (tokens, frames), held-out sets, or -1
        self.tokens = self.frames = self.utterances = 0
        self.full, self.queue = False, []
        self.bias = distances(ROW_TOKENS, device)

    @property
    def hours(self):
        return self.frames / 40 / 3600

    @torch.no_grad()
    def append(self, ids, style, made, english, held=None, waves=None):
        """A batch of the teacher's answers (FrontTeacher), in English voices or not -> how many of its utterances were left
        out: too long, or of another length than their waveform."""
        fits = made['frame_mask'].sum(1) <= ROW_FRAMES
        fits &= torch.isfinite(made['x'].sum((1, 2))) & torch.isfinite(made['f0'].sum(1))
        if waves is not None:
            fits &= WHOLE * made['frame_mask'].sum(1).cpu().to(fits.device) == torch.tensor([len(w) for w in waves], device=fits.device)
        keep = fits.nonzero()[:, 0]
        taken = keep.tolist()
        if not taken:
            return len(ids)
        token_mask, frame_mask = made['token_mask'][keep], made['frame_mask'][keep]
        lengths = torch.stack([token_mask.sum(1), frame_mask.sum(1)], 1)
        tokens, frames, count = int(lengths[:, 0].sum()), int(lengths[:, 1].sum()), len(taken)
        if self.tokens + tokens > len(self.token_fields['ids']) or self.frames + frames > len(self.frame_fields['f0']) or (
                self.utterances + count > len(self.at)):
            self.full = True
            return len(ids)
        here, there = slice(self.frames, self.frames + frames), slice(self.tokens, self.tokens + tokens)
        halves = lambda name: made[name][keep].reshape(count, -1, 2)[frame_mask]
        durations = made['durations'][keep][token_mask].long()
        for name, values in {'ids': ids[keep][token_mask], 'raw': made['raw'][keep][token_mask], 'durations': durations,
                             'sound': to_bytes(made['sound'][keep][token_mask], 1.0),
                             'prosody': to_bytes(made['prosody'][keep][token_mask], PROSODY_REACH)}.items():
            self.token_fields[name][there] = values.to(self.token_fields[name].dtype)
        x = to_bytes((made['x'][keep] - self.mean) / self.deviation, X_REACH).reshape(count, -1, 2 * X_DIM)[frame_mask]
        cycles = torch.cumsum(made['f0'][keep].clamp(min=0).double() * (FRAME / SAMPLE_RATE), 1).reshape(count, -1, 2)[frame_mask]
        ends = torch.cumsum(lengths, 0)
        starts = ends - lengths
        token = torch.repeat_interleave(torch.arange(tokens, device=self.device), durations)
        first = torch.cumsum(durations, 0) - durations
        utterance = torch.repeat_interleave(torch.arange(count, device=self.device), lengths[:, 1])
        for name, values in {'x': x, 'f0': halves('f0'), 'energy': halves('energy'), 'phase': cycles - torch.floor(cycles),
                             'token': token - starts[utterance, 0],
                             'offset': (torch.arange(frames, device=self.device) - first[token]).clamp(max=255)}.items():
            self.frame_fields[name][here] = values.to(self.frame_fields[name].dtype)
        if waves is not None:
            self.frame_fields['wave'][here] = torch.cat([waves[i] for i in taken]).to(self.device).reshape(frames, WHOLE)
        self.style[self.utterances:self.utterances + count] = style[keep]
        self.english[self.utterances:self.utterances + count] = torch.tensor(english, device=self.device)[keep]
        self.at[self.utterances:self.utterances + count] = torch.stack(
            [starts[:, 0] + self.tokens, lengths[:, 0], starts[:, 1] + self.frames, lengths[:, 1]], 1)
        self.sizes += lengths.tolist()
        self.held += [held[i] for i in taken] if held else [-1] * count
        self.tokens, self.frames, self.utterances = self.tokens + tokens, self.frames + frames, self.utterances + count
        return len(ids) - count

    def pack(self, order):
        """Utterances into rows, one after the other while they fit -> [rows, ROW_UTTERANCES], -1
        where none is."""
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

    def held_rows(self, number):
        """Of the held-out set with this number."""
        return torch.from_numpy(self.pack([i for i, held in enumerate(self.held) if held == number])).to(self.device)

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
        """-> a dictionary of tensors: everything that the network and its losses want to know of
        these rows."""
        valid = rows >= 0
        at = self.at[rows.clamp(min=0)] * valid[..., None]

        def spread(first, length, gap, size):
            """Positions 0..size of each row -> which utterance, where in the pool, whether there is
            one, the row's start of each."""
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
                'style': self.style[rows.clamp(min=0)].float(), 'english': self.english[rows.clamp(min=0)]}
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
        if 'wave' in frame:
            made['wave'] = frame['wave'].reshape(len(rows), -1, FRAME)
        return made

    def segments(self, batch, count, size, context):
        """Random stretches of `size` frames (context included) for the generator, from the first
        rows of a batch.

        -> index [count, 2 size] into the columns of the batch, 1 where the utterance is, number of
        the utterance.
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
