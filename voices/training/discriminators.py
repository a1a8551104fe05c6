"""Small discriminators: folded waveform at five periods, complex spectrogram at three resolutions."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

weight_norm = nn.utils.parametrizations.weight_norm


def judge(layers, last, h):
    """-> what the last layer says, and what each of the others saw."""
    h, seen = h.contiguous(memory_format=torch.channels_last), []
    for layer in layers:
        h = F.leaky_relu(layer(h), 0.1)
        seen.append(h)
    return last(h), seen


class Period(nn.Module):
    """Sees the waveform folded into columns of `p` samples: pitch structure."""

    def __init__(self, p):
        super().__init__()
        self.p = p
        sizes = [1, 32, 64, 128, 256, 256]
        self.c = nn.ModuleList(weight_norm(nn.Conv2d(sizes[i], sizes[i + 1], (5, 1), (3 if i < 4 else 1, 1), (2, 0)))
                               for i in range(5))
        self.o = weight_norm(nn.Conv2d(256, 1, (3, 1), 1, (1, 0)))

    def forward(self, wave):
        batch, samples = wave.shape
        h = F.pad(wave[:, None], (0, -samples % self.p), mode='reflect').view(batch, 1, -1, self.p)
        return judge(self.c, self.o, h)


class Resolution(nn.Module):
    """Sees the compressed complex STFT and its log magnitude: texture and phase."""

    def __init__(self, n_fft, channels=32):
        super().__init__()
        self.n_fft = n_fft
        self.register_buffer('window', torch.hann_window(n_fft), persistent=False)
        first = [weight_norm(nn.Conv2d(3, channels, (7, 3), (2, 1), (3, 1)))]
        middle = [weight_norm(nn.Conv2d(channels, channels, (7, 3), (2, 1), (3, 1))) for _ in range(3)]
        self.c = nn.ModuleList(first + middle + [weight_norm(nn.Conv2d(channels, channels, (3, 3), 1, 1))])
        self.o = weight_norm(nn.Conv2d(channels, 1, (3, 3), 1, 1))

    def forward(self, wave):
        with torch.autocast(wave.device.type, enabled=False):
            unit = 1 / math.sqrt(self.n_fft)
            z = torch.stft(wave.float(), self.n_fft, self.n_fft // 4, window=self.window, return_complex=True)
            z = torch.view_as_real(z).movedim(-1, 1)
            size = torch.sqrt((z * z).sum(1, keepdim=True) + 1e-8)
            h = torch.cat([z * unit * (size * unit + 1e-3).rsqrt(), torch.log(size * unit + 1e-3) * 0.25 + 1], 1)
        return judge(self.c, self.o, h)


class Discriminators(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = nn.ModuleList([Period(p) for p in (2, 3, 5, 7, 11)] + [Resolution(n) for n in (2048, 1024, 512)])

    def forward(self, wave, amp=False):
        with torch.autocast(wave.device.type, dtype=torch.bfloat16, enabled=amp, cache_enabled=False):
            return [one(wave) for one in self.d]


def discriminator_loss(real, fake):
    """Hinge."""
    return sum(F.relu(1 - r.float()).mean() + F.relu(1 + f.float()).mean() for (r, _), (f, _) in zip(real, fake)) / len(real)


def generator_losses(real, fake):
    """-> (hinge loss of the fakes, feature matching)."""
    adversarial = sum(F.relu(1 - f.float()).mean() for f, _ in fake) / len(fake)
    matching = 0.0
    for (_, true), (_, made) in zip(real, fake):
        for t, m in zip(true, made):
            t = t.detach().float()
            matching = matching + (m.float() - t).abs().mean() / (t.abs().mean() + 1e-3) / len(true) / len(real)
    return adversarial, matching
