"""The light generator: a small ConvNeXt network that filters a pulse train.

Kokoro's own generator spends 90% of the synthesis time.  This one sees the same inputs (the
decoder features `x`, the pitch curve `f0`, the style `s`) at 80 frames a second, and makes the
same waveform from an explicit excitation:

    pulse train with the phase of F0 --STFT--> E
    network(x, low bins of E, log F0, voiced; FiLM from style and utterance statistics)
        --> per bin: filter H and free part C (each a magnitude times an angle's direction plus an offset), noise level A
    spectrum = E*H + C + noise*A --inverse STFT--> 24 kHz samples

Everything that depends on the whole utterance (the statistics of x, the running phase of F0, the
position in the noise table) is an argument, never computed inside, so that the network can run in
windows and give what one run over the whole utterance gives.  See graph.py.
"""
import glob
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

SAMPLE_RATE = 24000
FRAME = 300            # samples a frame: 80 frames a second
N_FFT = 600
HOP = 150
SUB = FRAME // HOP     # STFT columns a frame
BINS = N_FFT // 2 + 1
LOW = 64               # bins of the excitation's STFT that the network sees
X_DIM = 512
STYLE_DIM = 128
NOISE_GAIN = 15.0      # brings unit-variance STFT noise to the range of the other parts
PARTS = 9              # per bin: log|H|, angle H, log|C|, log A, angle C, offset of H (2), offset of C (2)
TABLE = 512            # STFT columns in the exported noise table
DELAY = 0.19           # radians a bin by which the filter's angle grows
NOISE_STEP = 3.6 / 127  # the table is stored in int8: noise needs no finer grid


def dft_bases():
    """Windowed forward DFT [600, 602] and its inverse [602, 600], as matrices.

    A matrix product is exact, quick at this size, and needs no STFT operator at inference.  The
    squared Hann windows of a hop of a quarter add up to 1.5, which the inverse divides out.
    """
    n = torch.arange(N_FFT, dtype=torch.float64)
    k = torch.arange(BINS, dtype=torch.float64)
    window = torch.hann_window(N_FFT, dtype=torch.float64)
    angle = 2 * math.pi * torch.outer(n, k) / N_FFT
    forward = torch.cat([torch.cos(angle), -torch.sin(angle)], 1) * window[:, None]
    twice = torch.full((BINS,), 2.0, dtype=torch.float64)
    twice[0] = twice[-1] = 1.0
    inverse = torch.cat([twice[:, None] * torch.cos(angle).t(), -twice[:, None] * torch.sin(angle).t()])
    return forward.float(), (inverse / N_FFT * window / 1.5).float()


def stft(samples, forward):
    """[B, 300 T] -> [B, 2 T, 602], real bins then imaginary; column m is centred at 150 m + 75."""
    batch = samples.shape[0]
    hops = F.pad(samples, (225, 375)).reshape(batch, -1, HOP)
    columns = hops.shape[1] - 4
    return torch.cat([hops[:, i:i + columns] for i in range(4)], 2) @ forward


def istft(spectrum, inverse):
    """The way back: windowed columns, overlapped and added."""
    columns = spectrum @ inverse
    batch, count, _ = columns.shape
    added = sum(F.pad(columns[..., i * HOP:(i + 1) * HOP], (0, 0, i, 3 - i)) for i in range(4))
    return added.reshape(batch, (count + 3) * HOP)[:, 225:225 + count * HOP]


def frame_phase(f0):
    """Phase in cycles at every frame centre, [.., T]: the running sum, in double precision.

    Single precision would lose the phase after a few seconds; the fraction alone survives.
    """
    cycles = torch.cumsum(f0.clamp(min=0).double() * (FRAME / SAMPLE_RATE), -1)
    return (cycles - torch.floor(cycles)).float()


def excitation(f0, phase):
    """Band-limited pulse train (a Dirichlet kernel) up to 11.8 kHz, [B, T] -> [B, 300 T].

    Between frame centres the phase is linear; unvoiced frames (F0 at most 10 Hz) are silent.
    The scale keeps the power equal at every pitch.
    """
    batch, frames = f0.shape
    step = f0.clamp(min=0) * (FRAME / SAMPLE_RATE)
    following = torch.cat([step[:, 1:], step[:, -1:]], 1)
    t = (torch.arange(FRAME, device=f0.device, dtype=f0.dtype) - (FRAME - 1) / 2) / FRAME
    cycles = phase[..., None] + step[..., None] * t.clamp(max=0) + following[..., None] * t.clamp(min=0)
    cycles = cycles - torch.floor(cycles + 0.5)
    harmonics = torch.floor(11800 / f0.clamp(min=50.0))[..., None]
    sine = torch.sin(math.pi * cycles)
    tiny = sine.abs() < 1e-4
    sine = torch.where(tiny, torch.full_like(sine, 1e-4), sine)
    angle = torch.where(tiny, torch.full_like(cycles, 1e-4 / math.pi), cycles) * math.pi
    pulses = torch.sin((2 * harmonics + 1) * angle) / (2 * sine) - 0.5
    voiced = (f0 > 10)[..., None].to(f0.dtype)
    return (pulses * torch.sqrt(2.0 / harmonics) * voiced).reshape(batch, frames * FRAME)


def utterance_stats(normalised):
    """Mean and log deviation of normalised x over an utterance, [T, 512] -> [1024]."""
    mean = normalised.mean(0)
    deviation = torch.sqrt(((normalised - mean) ** 2).mean(0) + 1e-5)
    return torch.cat([mean, torch.log(deviation)])


def depthwise(x, weight, bias):
    """A depthwise convolution of [B, T, C] as a sum of shifted products: fused when compiled, and
    quicker than cuDNN's either way."""
    taps, frames = weight.shape[-1], x.shape[1]
    padded = F.pad(x, (0, 0, taps // 2, taps // 2))
    return sum(padded[:, k:k + frames] * weight[:, 0, k] for k in range(taps)) + bias


class Block(nn.Module):
    """ConvNeXt: depthwise convolution, LayerNorm with FiLM, two linear layers, scaled residual."""

    def __init__(self, dim, hidden, kernel, layers):
        super().__init__()
        self.dim = dim
        self.dw = nn.Conv1d(dim, dim, kernel, padding=kernel // 2, groups=dim)
        self.w1 = nn.Linear(dim, hidden)
        self.w2 = nn.Linear(hidden, dim)
        self.g = nn.Parameter(torch.full((dim,), 1.0 / layers))

    def forward(self, x, scale, shift, mask=None):
        h = x if mask is None else x * mask
        h = depthwise(h, self.dw.weight, self.dw.bias)
        h = F.layer_norm(h, (self.dim,)) * (1 + scale) + shift
        return x + self.g * self.w2(F.gelu(self.w1(h)))


class Student(nn.Module):
    """Parameter names (`xm`, `inp`, `blocks.0.w1`, ...) are those of the checkpoints: keep them."""

    def __init__(self, dim=512, hidden=1536, layers=8, kernel=7, cond=256, english=0):
        super().__init__()
        self.dim, self.layers = dim, layers
        self.register_buffer('xm', torch.zeros(X_DIM))
        self.register_buffer('xs', torch.ones(X_DIM))
        forward, inverse = dft_bases()
        self.register_buffer('fwd', forward, persistent=False)
        self.register_buffer('inv', inverse, persistent=False)
        self.cond = nn.Sequential(nn.Linear(STYLE_DIM + 2 * X_DIM, 512), nn.SiLU(), nn.Linear(512, cond), nn.SiLU())
        self.film = nn.Linear(cond, (layers + 1) * 2 * dim)
        self.inp = nn.Conv1d(X_DIM + SUB * 2 * LOW + 2, dim, 3, padding=1)
        self.blocks = nn.ModuleList(Block(dim, hidden, kernel, layers) for _ in range(layers))
        self.english = nn.ModuleList(Block(dim, hidden, kernel, layers) for _ in range(english))
        self.head = nn.Linear(dim, SUB * BINS * PARTS)
        self._start_quiet()

    def _start_quiet(self):
        """A fresh network begins near silence with small angles, or the first steps explode."""
        nn.init.normal_(self.film.weight, std=0.01)
        nn.init.zeros_(self.film.bias)
        with torch.no_grad():
            self.head.weight.mul_(0.3)
            bias = self.head.bias.view(SUB, PARTS, BINS)
            bias.zero_()
            bias[:, 0], bias[:, 2], bias[:, 3] = -3.5, -4.5, -4.0

    def features(self, x, f0, spectrum):
        """What the first convolution sees: [B, T, 770]."""
        batch, frames, _ = x.shape
        low = torch.cat([spectrum[..., :LOW], spectrum[..., BINS:BINS + LOW]], 2)
        low = low.reshape(batch, frames, SUB * 2 * LOW) * 0.1
        voiced = (f0 > 10).to(x.dtype)[..., None]
        pitch = torch.log(f0.clamp(min=50.0) / 200)[..., None] * voiced
        return torch.cat([(x - self.xm) / self.xs, low, pitch, voiced], 2)

    def trunk(self, features, style, stats, mask=None, english=None):
        """Features -> the head's input [B, T, dim].

        Training segments may reach beyond the utterance; `mask` [B, T, 1] puts zeros there before
        every convolution, which is what the zero padding at an utterance's ends gives in use.
        Where `english` [B] is true, English's own blocks stand in for the last ones.
        """
        batch = features.shape[0]
        film = self.film(self.cond(torch.cat([style, stats], 1))).reshape(batch, self.layers + 1, 2, 1, self.dim)
        h = self.inp(features.transpose(1, 2)).transpose(1, 2).float()
        for i, block in enumerate(self.blocks):
            made, own = block(h, film[:, i, 0], film[:, i, 1], mask), i - self.layers + len(self.english)
            if own >= 0 and english is not None:
                made = torch.where(english[:, None, None], self.english[own](h, film[:, i, 0], film[:, i, 1], mask), made)
            h = made
        return F.layer_norm(h, (self.dim,)) * (1 + film[:, -1, 0]) + film[:, -1, 1]

    def forward(self, x, f0, phase, style, stats, noise, mask=None, amp=False):
        """x [B,T,512] raw, f0 and phase [B,T], style [B,128], stats [B,1024], noise [B,2T,602].

        Returns the waveform of the predictable part and that of the noise: some losses must not
        reward the network for guessing the noise.
        """
        batch, frames, _ = x.shape
        source = stft(excitation(f0, phase), self.fwd)
        with torch.autocast(x.device.type, dtype=torch.bfloat16, enabled=amp, cache_enabled=False):
            h = self.trunk(self.features(x, f0, source), style, stats, mask)
        o = self.head(h.float()).reshape(batch, frames * SUB, PARTS, BINS)
        spectrum, noise = self.synthesise(o, source, noise)
        return istft(spectrum, self.inv), istft(noise, self.inv)

    @staticmethod
    def synthesise(o, source, noise):
        """The head's output, the excitation and unit noise -> two spectra.

        An angle alone must jump by a turn somewhere, and a magnitude alone cannot pass through
        zero: the offsets can do both.
        """
        real, imag = source[..., :BINS], source[..., BINS:]
        h_mag, c_mag = torch.exp(o[:, :, 0].clamp(max=3.0)), torch.exp(o[:, :, 2].clamp(max=5.0))
        level = torch.exp(o[:, :, 3].clamp(max=3.0)) * NOISE_GAIN
        h_real, h_imag = h_mag * (torch.cos(o[:, :, 1]) + o[:, :, 5]), h_mag * (torch.sin(o[:, :, 1]) + o[:, :, 6])
        out_real = real * h_real - imag * h_imag + c_mag * (torch.cos(o[:, :, 4]) + o[:, :, 7])
        out_imag = real * h_imag + imag * h_real + c_mag * (torch.sin(o[:, :, 4]) + o[:, :, 8])
        return torch.cat([out_real, out_imag], 2), noise * torch.cat([level, level], 2)


def noise_table(forward):
    """The fixed noise of the exported model, [512, 602]: one seed, so equal input gives equal
    sound.

    It is the STFT of a circular noise signal, hence consistent between neighbouring columns,
    rounded to the grid it is stored on.
    """
    signal = torch.randn(1, TABLE * HOP, generator=torch.Generator().manual_seed(1))
    signal = torch.cat([signal[:, -450:], signal, signal[:, :450]], 1)
    table = (signal.unfold(1, N_FFT, HOP)[0, :TABLE] @ forward) / NOISE_GAIN
    return torch.round(table / NOISE_STEP).clamp(-127, 127) * NOISE_STEP


def table_noise(table, offset, frames):
    """Rows of the noise table for `frames` frames that begin at frame `offset` of the utterance."""
    rows = torch.remainder(2 * offset + 1 + torch.arange(SUB * frames, device=table.device), TABLE)
    return table[rows]


def compact(value):
    """A matrix as 8-bit rows and what a row's 127 stands for: half the size of float16, and near
    enough to go on training from.  Anything else stays as it is."""
    if value.dim() < 2:
        return value
    reach = value.float().flatten(1).abs().amax(1).clamp(min=1e-8).reshape(-1, *[1] * (value.dim() - 1))
    return (value.float() / reach * 127).round().to(torch.int8), reach


def read_parts(prefix):
    """All `<prefix>*.pt` parts of a checkpoint as one float32 state, compact or not."""
    state = {}
    for path in sorted(glob.glob(prefix + '*.pt')):
        state.update(torch.load(path, map_location='cpu'))
    if not state:
        raise FileNotFoundError(f'no checkpoint parts at {prefix}*.pt')
    return {key: value[0].float() * value[1] / 127 if isinstance(value, tuple) else value.float() for key, value in state.items()}


def load_state(prefix):
    """A generator's checkpoint, with a head of today's parts."""
    return widen(read_parts(prefix))


def depth(state):
    """How many blocks a checkpoint has."""
    return 1 + max(int(key.split('.')[1]) for key in state if key.startswith('blocks.'))


def own_blocks(state):
    """How many of the last blocks a checkpoint has a second time, for English."""
    return 1 + max((int(key.split('.')[1]) for key in state if key.startswith('english.')), default=-1)


def is_own(name, first):
    """Whether a parameter or layer is of a block from number `first` on."""
    return name.startswith('blocks.') and int(name.split('.')[1]) >= first


def part(state, count):
    """The same function, with `count` of the last blocks a second time for English."""
    first = depth(state) - count
    return state | {f'english.{int(key.split(".")[1]) - first}.{key.split(".", 2)[2]}': value.clone() for key, value in state.items()
                    if is_own(key, first)}


def for_one(state, english):
    """Of a checkpoint with blocks for English: what English voices use, or what the others do."""
    first = depth(state) - own_blocks(state)
    of = {f'blocks.{first + int(key.split(".")[1])}.{key.split(".", 2)[2]}': value for key, value in state.items() if key.startswith('english.')}
    return {key: value for key, value in state.items() if not key.startswith('english.')} | (of if english else {})


def shaped_like(state):
    """A student of a checkpoint's sizes."""
    return Student(dim=state['inp.bias'].numel(), hidden=state['blocks.0.w1.bias'].numel(), layers=depth(state), english=own_blocks(state),
                   kernel=state['blocks.0.dw.weight'].shape[-1], cond=state['film.weight'].shape[1])


def widen(state):
    """The same function of a checkpoint whose head had fewer parts: those it lacks begin at zero.
    """
    outputs = SUB * BINS * PARTS
    if state['head.bias'].numel() == outputs:
        return state
    wide = dict(state)
    for name in ('head.weight', 'head.bias'):
        parts = state[name].reshape(SUB, -1, BINS, *state[name].shape[1:])
        lacking = parts.new_zeros(SUB, PARTS - parts.shape[1], *parts.shape[2:])
        wide[name] = torch.cat([parts, lacking], 1).reshape(outputs, *state[name].shape[1:])
    return wide


def grow(state, layers):
    """The same function with more blocks, spread evenly between those there are: a new one begins
    by adding nothing."""
    old = depth(state)
    dim, hidden = state['blocks.0.w2.weight'].shape
    places = [int(round((i + 0.5) * layers / old - 0.5)) for i in range(old)]         # where the old ones go
    film = {name: state['film.' + name].reshape(old + 1, 2 * dim, -1) for name in ('weight', 'bias')}
    grown = {key: value for key, value in state.items() if not key.startswith(('blocks.', 'film.'))}
    for name, value in film.items():
        wide = torch.zeros(layers + 1, *value.shape[1:])
        wide[places + [layers]] = value
        grown['film.' + name] = wide.reshape((layers + 1) * 2 * dim, -1) if name == 'weight' else wide.reshape(-1)
    for at in range(layers):
        if at in places:
            block = {k.split('.', 2)[2]: v for k, v in state.items() if k.startswith(f'blocks.{places.index(at)}.')}
        else:
            block = Block(dim, hidden, state['blocks.0.dw.weight'].shape[-1], layers).state_dict()
            block['w2.weight'], block['w2.bias'] = torch.zeros(dim, hidden), torch.zeros(dim)
        grown.update({f'blocks.{at}.{name}': value for name, value in block.items()})
    return grown


@torch.no_grad()
def extend_filter(head, first, count):
    """Give the bins [first, first + count) the filter of the bin before them, to go on from: in
    place.

    A filter whose magnitude, an exponent, has once become small gets no gradient any more, and the
    free part takes its place: it can hold anything but does not know the phase of high harmonics.
    Nor does a filter begin by itself there: its angle runs through whole turns, and from far away
    no slope points to the right one.  But the angles of neighbouring bins are nearly the same
    function of the features (rows of the head 0.95 alike), a delay apart.
    """
    weight, bias = head.weight.view(SUB, PARTS, BINS, -1), head.bias.view(SUB, PARTS, BINS)
    end = min(BINS, first + count)
    for part in (0, 1, 5, 6):
        weight[:, part, first:end] = weight[:, part, first - 1:first].clone()
        bias[:, part, first:end] = bias[:, part, first - 1:first].clone()
    bias[:, 1, first:end] += DELAY * torch.arange(1, end - first + 1, device=bias.device)


def load_student(prefix, english=True):
    """A student shaped like the checkpoint it is loaded from, for English voices or for the others, in
    evaluation mode."""
    state = for_one(load_state(prefix), english)
    student = shaped_like(state)
    missing, unexpected = student.load_state_dict(state, strict=False)
    if missing or unexpected:
        raise ValueError(f'checkpoint does not fit: missing {missing}, unexpected {unexpected}')
    return student.eval()


@torch.no_grad()
def speak(student, table, x, f0, style):
    """One whole utterance: x [T,512], f0 [T], style [128] -> samples [300 T]."""
    stats = utterance_stats((x - student.xm) / student.xs)
    noise = table_noise(table, 0, len(f0))[None]
    parts = student(x[None], f0[None], frame_phase(f0)[None], style[None], stats[None], noise)
    return (parts[0] + parts[1])[0]
