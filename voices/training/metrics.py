"""How far is one waveform from another?  The figures of the README, and their exact definitions.

log-mel   STFT 1024/256 (Hann), 80 triangular mel bands 0-12 kHz, ln of the band magnitude, floored at 0.01
L1        mean absolute difference of that
MCD       root of the mean squared difference in dB of the spectrum smoothed to cepstral coefficients 1-24
"""
import math

import torch

FLOOR = 1e-2


def mel_filters(n_fft, bands, sample_rate=24000, top=12000.0):
    """[bands, n_fft/2+1] triangles on the mel scale."""
    edges = torch.linspace(0, 2595 * math.log10(1 + top / 700), bands + 2, dtype=torch.float64)
    edges = 700 * (10 ** (edges / 2595) - 1)
    frequency = torch.linspace(0, sample_rate / 2, n_fft // 2 + 1, dtype=torch.float64)
    up = (frequency - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    down = (edges[2:, None] - frequency) / (edges[2:] - edges[1:-1])[:, None]
    return torch.minimum(up, down).clamp(min=0).float()


def cepstral_cosines(bands, coefficients=24):
    """[coefficients, bands]: log-mel to cepstral coefficients 1.."""
    k = torch.arange(1, coefficients + 1, dtype=torch.float64)[:, None]
    m = torch.arange(bands, dtype=torch.float64)[None] + 0.5
    return (2 / bands * torch.cos(math.pi * k * m / bands)).float()


class Distance:
    """`measure(a, b)` -> (log-mel L1, MCD) of waveforms [B, N], averaged over time."""

    def __init__(self, device='cpu', bands=80, coefficients=24):
        self.filters = mel_filters(1024, bands).to(device)
        self.window = torch.hann_window(1024, device=device)
        self.cosines = cepstral_cosines(bands, coefficients).to(device)

    def log_mel(self, wave):
        magnitude = torch.stft(wave, 1024, 256, window=self.window, return_complex=True).abs()
        return torch.log((self.filters @ magnitude).clamp(min=FLOOR))

    def measure(self, a, b):
        difference = self.log_mel(a) - self.log_mel(b)
        cepstrum = self.cosines @ difference
        mcd = 10 / math.log(10) * torch.sqrt(2 * (cepstrum ** 2).sum(1))
        return difference.abs().mean(), mcd.mean()
