"""The light front: phonemes and style to durations, pitch, energy and the features `x` that a
generator is fed.

Kokoro's front is an ALBERT of twelve layers, six LSTMs and convolutions of 1,024 channels.  This
one has no recurrence:

    tokens --blocks of attention and ConvNeXt--> token features --> durations
    token features, repeated for their durations, and the place within the token      (40 frames a second)
        --ConvNeXt--> F0 and energy, two values a frame
        with F0 and energy --ConvNeXt--> x, two columns a frame

Every block is modulated (FiLM) by the style; those at the frame rate also by a mean of the token
features over the utterance, because the teacher normalises over it.  Training packs several
utterances into a row; `spread` says which of its U styles a token or frame belongs to.
"""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from student import X_DIM, depthwise, read_parts

SYMBOLS = 178
STYLE = 256
TOKEN_DIM, TOKEN_HIDDEN, TOKEN_LAYERS, TOKEN_KERNEL, HEADS = 384, 1024, 5, 7, 6
PROSODY_DIM, PROSODY_HIDDEN, PROSODY_LAYERS, PROSODY_KERNEL = 256, 768, 3, 11
SOUND_DIM, SOUND_HIDDEN, SOUND_LAYERS, SOUND_KERNEL = 416, 1152, 6, 7
COND, POOLED = 96, 64
PLACES = 5                  # numbers that say where in its token a frame lies
CURVES = 6                  # z, F0 and energy of both halves of a frame
PITCH_UNIT = 20.0           # z = log(1 + F0/20): a semitone counts the same at every pitch, and the floor of unvoiced frames nothing
ENERGY_UNIT = 5.0
# How far the six heads look: what one token further to the left and to the right costs.
SLOPES = ((0.0, 0.0), (0.03, 0.03), (0.02, 0.4), (0.4, 0.02), (0.15, 0.15), (0.5, 0.5))


def pitch_of(z):
    return PITCH_UNIT * torch.expm1(z)


def z_of(f0):
    return torch.log1p(f0.clamp(min=0) / PITCH_UNIT)


def distances(count, device='cpu'):
    """[heads, count, count]: what attention subtracts for the distance."""
    at = torch.arange(count, device=device, dtype=torch.float32)
    ahead = at[None, :] - at[:, None]                    # of the token looked at
    slopes = torch.tensor(SLOPES, device=device)
    return -(slopes[:, 0, None, None] * (-ahead).clamp(min=0) + slopes[:, 1, None, None] * ahead.clamp(min=0))


def places(offset, duration):
    """The place of a frame in its token, from whole numbers: [.., 5]."""
    offset, duration = offset.float(), duration.float().clamp(min=1)
    left = duration - 1 - offset
    return torch.stack([(offset + 0.5) / duration, offset.clamp(max=12) / 12, left.clamp(max=12) / 12, torch.log(duration) / 3, 1 / duration], -1)


class Mixer(nn.Module):
    """ConvNeXt with FiLM given for every position."""

    def __init__(self, dim, hidden, kernel, layers):
        super().__init__()
        self.dim = dim
        self.dw = nn.Conv1d(dim, dim, kernel, padding=kernel // 2, groups=dim)
        self.w1 = nn.Linear(dim, hidden)
        self.w2 = nn.Linear(hidden, dim)
        self.g = nn.Parameter(torch.full((dim,), 1.0 / layers))

    def forward(self, x, film, mask):
        scale, shift = film.chunk(2, -1)
        h = depthwise(x * mask, self.dw.weight, self.dw.bias)
        h = F.layer_norm(h, (self.dim,)) * (1 + scale) + shift
        return x + self.g * self.w2(F.gelu(self.w1(h)))


class Attention(nn.Module):
    def __init__(self, dim, layers):
        super().__init__()
        self.dim = dim
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)
        self.g = nn.Parameter(torch.full((dim,), 1.0 / layers))

    def forward(self, x, film, bias):
        scale, shift = film.chunk(2, -1)
        batch, count, _ = x.shape
        h = F.layer_norm(x, (self.dim,)) * (1 + scale) + shift
        q, k, v = (t.reshape(batch, count, HEADS, -1).transpose(1, 2) for t in self.qkv(h).chunk(3, -1))
        h = F.scaled_dot_product_attention(q, k, v, attn_mask=bias.to(q.dtype))
        return x + self.g * self.out(h.transpose(1, 2).reshape(batch, count, self.dim))


class Front(nn.Module):
    def __init__(self, token_layers=TOKEN_LAYERS, prosody_layers=PROSODY_LAYERS, sound_layers=SOUND_LAYERS):
        super().__init__()
        self.embed = nn.Embedding(SYMBOLS, TOKEN_DIM)
        self.cond = nn.Sequential(nn.Linear(STYLE, 256), nn.SiLU(), nn.Linear(256, COND), nn.SiLU())
        self.token_film = nn.Linear(COND, (4 * token_layers + 2) * TOKEN_DIM)
        self.frame_film = nn.Linear(COND + POOLED, 2 * ((prosody_layers + 1) * PROSODY_DIM + (sound_layers + 1) * SOUND_DIM))
        self.attentions = nn.ModuleList(Attention(TOKEN_DIM, token_layers) for _ in range(token_layers))
        self.tokens = nn.ModuleList(Mixer(TOKEN_DIM, TOKEN_HIDDEN, TOKEN_KERNEL, token_layers) for _ in range(token_layers))
        self.duration = nn.Linear(TOKEN_DIM, 1)
        self.pool = nn.Linear(TOKEN_DIM, POOLED)
        self.prosody_in = nn.Linear(TOKEN_DIM, PROSODY_DIM)
        self.prosody_place = nn.Linear(PLACES, PROSODY_DIM)
        self.prosody = nn.ModuleList(Mixer(PROSODY_DIM, PROSODY_HIDDEN, PROSODY_KERNEL, prosody_layers) for _ in range(prosody_layers))
        self.curves = nn.Linear(PROSODY_DIM, 4)
        self.sound_in = nn.Linear(TOKEN_DIM, SOUND_DIM)
        self.sound_place = nn.Linear(PLACES + 3 * CURVES, SOUND_DIM)
        self.sound = nn.ModuleList(Mixer(SOUND_DIM, SOUND_HIDDEN, SOUND_KERNEL, sound_layers) for _ in range(sound_layers))
        self.head = nn.Linear(SOUND_DIM, 2 * X_DIM)
        for film in (self.token_film, self.frame_film):
            nn.init.normal_(film.weight, std=0.01)
            nn.init.zeros_(film.bias)
        nn.init.normal_(self.embed.weight, std=0.5)
        with torch.no_grad():
            self.duration.weight.mul_(0.3)
            self.duration.bias.fill_(math.log(2.2))
            self.curves.bias.copy_(torch.tensor([1.5, 1.5, 0.5, 0.5]))

    def encode(self, ids, style, spread, mask, bias):
        """ids [B, L], styles [B, U, 256], spread [B, L, U] -> token features [B, L, dim]
        (normalised), condition [B, U, COND]."""
        cond = self.cond(style)
        film = self.token_film(cond)
        h, at = self.embed(ids), 0

        def take(width):
            nonlocal at
            part = spread.to(film.dtype) @ film[..., at:at + width]
            at += width
            return part

        for attention, mixer in zip(self.attentions, self.tokens):
            h = attention(h, take(2 * TOKEN_DIM), bias)
            h = mixer(h, take(2 * TOKEN_DIM), mask)
        scale, shift = take(2 * TOKEN_DIM).chunk(2, -1)
        return F.layer_norm(h, (TOKEN_DIM,)) * (1 + scale) + shift, cond

    def summary(self, h, share):
        """Mean of token features over each utterance: share [B, U, L] sums to one a row -> [B, U,
        POOLED]."""
        return share @ F.gelu(self.pool(h))

    def frame_films(self, cond, pooled, spread):
        """FiLM values of every block for every frame; spread [B, T, U]."""
        film, at, parts, layers = self.frame_film(torch.cat([cond, pooled.to(cond.dtype)], -1)), 0, [], len(self.prosody)
        for dim, count in ((PROSODY_DIM, layers + 1), (SOUND_DIM, len(self.sound) + 1)):
            for _ in range(count):
                parts.append(spread.to(film.dtype) @ film[..., at:at + 2 * dim])
                at += 2 * dim
        return parts[:layers + 1], parts[layers + 1:]

    def melody(self, frames, place, films, mask):
        """Repeated token features -> z and energy/5 of both halves of each frame: [B, T, 4]."""
        h = self.prosody_in(frames) + self.prosody_place(place)
        for block, film in zip(self.prosody, films):
            h = block(h, film, mask)
        scale, shift = films[-1].chunk(2, -1)
        h = F.layer_norm(h, (PROSODY_DIM,)) * (1 + scale) + shift
        with torch.autocast(h.device.type, enabled=False):           # half precision would round F0 to a quarter of a semitone
            return self.curves(h.float())

    def features(self, frames, place, curves, films, mask):
        """... and the curves -> normalised x [B, 2T, 512]."""
        z, energy = curves[..., :2], curves[..., 2:]
        seen = torch.cat([z, pitch_of(z) / 200, energy], -1) * mask
        padded = F.pad(seen, (0, 0, 1, 1))
        seen = torch.cat([place, padded[:, :-2], padded[:, 1:-1], padded[:, 2:]], -1)
        with torch.autocast(seen.device.type, enabled=False):
            seen = self.sound_place(seen.float())
        h = self.sound_in(frames) + seen
        for block, film in zip(self.sound, films):
            h = block(h, film, mask)
        scale, shift = films[-1].chunk(2, -1)
        h = F.layer_norm(h, (SOUND_DIM,)) * (1 + scale) + shift
        return self.head(h).reshape(h.shape[0], -1, X_DIM)


def repeat_tokens(h, token):
    """Token features [B, L, dim] at the frames' tokens [B, T]."""
    rows = torch.arange(h.shape[0], device=h.device)[:, None] * h.shape[1]
    return h.flatten(0, 1)[(token + rows)]


@torch.no_grad()
def speak(front, ids, style, speed=1.0, durations=None, curves=None):
    """One utterance: ids [n] with pads, style [256] -> x [T,512] normalised, f0 [T], energy [T],
    durations [n], unrounded [n]."""
    count = len(ids)
    ones = torch.ones(1, count, 1)
    h, cond = front.encode(ids[None], style[None, None], ones, ones, distances(count)[None])
    raw = torch.exp(front.duration(h)[0, :, 0])
    if durations is None:
        durations = torch.round(raw / speed).clamp(min=1).long()
    share = (durations / durations.sum()).float()[None, None]
    token = torch.repeat_interleave(torch.arange(count), durations)
    starts = torch.cumsum(durations, 0) - durations
    place = places(torch.arange(len(token)) - starts[token], durations[token])[None]
    melodies, sounds = front.frame_films(cond, front.summary(h, share), mask := torch.ones(1, len(token), 1))
    frames = h[:, token]
    made = front.melody(frames, place, melodies, mask)
    used = made if curves is None else curves
    x = front.features(frames, place, used, sounds, mask)[0]
    return x, pitch_of(made[0, :, :2].reshape(-1)), made[0, :, 2:].reshape(-1) * ENERGY_UNIT, durations, raw


def depths(state):
    """How many blocks of tokens, of melody and of sound a checkpoint has."""
    return tuple(1 + max(int(key.split('.')[1]) for key in state if key.startswith(part + '.')) for part in ('tokens', 'prosody', 'sound'))


def grow(state, sizes):
    """The same function with more blocks, at the ends of the tokens', the melody's and the sound's:
    a new one begins by adding nothing."""
    grown, fresh, end = dict(state), Front(*sizes).state_dict(), 0
    for part, film, width, old, layers in zip(('tokens', 'prosody', 'sound'), ('token_film', 'frame_film', 'frame_film'),
                                              (4 * TOKEN_DIM, 2 * PROSODY_DIM, 2 * SOUND_DIM), depths(state), sizes):
        if layers < old:
            raise ValueError(f'the checkpoint has {old} blocks of {part}')
        end += old * width                                  # of the FiLM values of the blocks there are
        for name in (f'{film}.weight', f'{film}.bias'):
            new = torch.zeros((layers - old) * width, *state[name].shape[1:])
            grown[name] = torch.cat([grown[name][:end], new, grown[name][end:]])
        end = end + (layers - old) * width + 2 * PROSODY_DIM if part == 'prosody' else 0
        for at in range(old, layers):
            for block, last in ((part, 'w2'), ('attentions', 'out'))[:2 if part == 'tokens' else 1]:
                values = {key: value for key, value in fresh.items() if key.startswith(f'{block}.{at}.')}
                grown |= values | {f'{block}.{at}.{last}.{name}': torch.zeros_like(values[f'{block}.{at}.{last}.{name}']) for name in ('weight', 'bias')}
    return grown


def load_front(prefix, sizes=(None, None, None)):
    """A front from the parts `<prefix>*.pt`, in evaluation mode, perhaps with more blocks of
    tokens, of melody or of sound."""
    state = read_parts(prefix)
    sizes = tuple(wanted or there for wanted, there in zip(sizes, depths(state)))
    front = Front(*sizes)
    front.load_state_dict(grow(state, sizes))
    return front.eval()
