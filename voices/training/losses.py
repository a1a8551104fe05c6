"""Regression losses between the student's waveform and the teacher's."""
import math

import torch

from metrics import mel_filters

SIZES = (256, 512, 1024, 2048)
MEL_BANDS = {512: 48, 1024: 80, 2048: 128}


class Reconstruction:
    """Four terms, each averaged over resolutions.

    magnitude  log STFT magnitude: the fine structure at every level
    linear     relative magnitude: the loud parts
    complex    compressed complex STFT of the predictable part alone, weighted to below 6 kHz: the phase.  The
               noise is left out, or the network would be told to guess it
    mel        log-mel at three resolutions: what the ear and the evaluation look at
    """
    WEIGHTS = {'magnitude': 2.0, 'linear': 0.5, 'complex': 1.5, 'mel': 8.0}

    def __init__(self, device):
        self.window = {n: torch.hann_window(n, device=device) for n in SIZES}
        self.filters = {n: mel_filters(n, bands).to(device) for n, bands in MEL_BANDS.items()}
        self.emphasis = {n: (0.1 + 0.9 * torch.sigmoid((6000 - torch.linspace(0, 12000, n // 2 + 1, device=device)) / 800))[None, :, None]
                         for n in MEL_BANDS}

    def stft(self, wave, n):
        """Real and imaginary part, without complex numbers further on."""
        z = torch.view_as_real(torch.stft(wave, n, n // 4, window=self.window[n], return_complex=True))
        return z[..., 0], z[..., 1]

    def __call__(self, predictable, whole, target):
        total = {name: 0.0 for name in self.WEIGHTS}
        for n in SIZES:
            unit = 1 / math.sqrt(n)
            re, im = self.stft(whole, n)
            t_re, t_im = self.stft(target, n)
            made = torch.sqrt(re * re + im * im + 1e-10)
            true = torch.sqrt(t_re * t_re + t_im * t_im + 1e-10)
            total['magnitude'] = total['magnitude'] + (torch.log(made * unit + 3e-4) - torch.log(true * unit + 3e-4)).abs().mean() / len(SIZES)
            total['linear'] = total['linear'] + (made - true).abs().mean() / (true.mean() + 1e-3) / len(SIZES)
            if n not in self.filters:
                continue
            mel = torch.log(self.filters[n] @ made * unit + 5e-4) - torch.log(self.filters[n] @ true * unit + 5e-4)
            total['mel'] = total['mel'] + mel.abs().mean() / len(self.filters)
            p_re, p_im = self.stft(predictable, n)
            size = torch.sqrt(p_re * p_re + p_im * p_im + 1e-8)
            p_gain, t_gain = (size * unit + 1e-3).rsqrt(), (true * unit + 1e-3).rsqrt()
            gap = (p_re * p_gain - t_re * t_gain).abs() + (p_im * p_gain - t_im * t_gain).abs()
            total['complex'] = total['complex'] + (gap * math.sqrt(unit) * self.emphasis[n]).mean() / len(self.filters)
        return total

    def weigh(self, terms):
        return sum(self.WEIGHTS[name] * value for name, value in terms.items())
