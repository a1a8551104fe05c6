"""Regression losses between the student's waveform and the teacher's."""
import math

import torch
import torch.nn.functional as F

from metrics import cepstral_cosines, mel_filters

SIZES = (256, 512, 1024, 2048)
MEL_BANDS = {512: 48, 1024: 80, 2048: 128}
CEPSTRUM = 1024        # the resolution of the mel-cepstral term, that of the evaluation
PHASE_FIRST = 2.5      # what the complex term weighs more at first


def magnitude_gaps(re, im, t_re, t_im, unit):
    """-> magnitudes of both, difference of the logarithms, relative difference."""
    made, true = torch.sqrt(re * re + im * im + 1e-10), torch.sqrt(t_re * t_re + t_im * t_im + 1e-10)
    logs = (torch.log(made * unit + 3e-4) - torch.log(true * unit + 3e-4)).abs().mean()
    return made, true, logs, (made - true).abs().mean() / (true.mean() + 1e-3)


def complex_gap(re, im, t_re, t_im, true, unit, emphasis):
    """Difference of the spectra with their magnitudes compressed to the square root."""
    size = torch.sqrt(re * re + im * im + 1e-8)
    gain, t_gain = (size * unit + 1e-3).rsqrt(), (true * unit + 1e-3).rsqrt()
    gap = (re * gain - t_re * t_gain).abs() + (im * gain - t_im * t_gain).abs()
    return (gap * math.sqrt(unit) * emphasis).mean()


class Reconstruction:
    """Five terms, averaged over resolutions.

    magnitude  log STFT magnitude: the fine structure at every level linear     relative magnitude:
    the loud parts complex    compressed complex STFT of the predictable part alone, weighted to
    below 6 kHz: the phase.  The
               noise is left out, or the network would be told to guess it.  It weighs more at the beginning of a training (PHASE_FIRST)
    mel        log-mel at three resolutions: what the ear and the evaluation look at
    cepstrum   mel-cepstral distance in dB: the envelope
    """
    WEIGHTS = {'magnitude': 2.0, 'linear': 0.5, 'complex': 1.5, 'mel': 10.0, 'cepstrum': 0.4}

    def __init__(self, device):
        self.window = {n: torch.hann_window(n, device=device) for n in SIZES}
        self.filters = {n: mel_filters(n, bands).to(device).t().contiguous() for n, bands in MEL_BANDS.items()}
        self.emphasis = {n: 0.2 + 0.8 * torch.sigmoid((6000 - torch.linspace(0, 12000, n // 2 + 1, device=device)) / 800)
                         for n in MEL_BANDS}
        self.cosines = cepstral_cosines(MEL_BANDS[CEPSTRUM]).to(device).t().contiguous()
        self.phase_weight = torch.zeros((), device=device)
        self.magnitude_gaps, self.complex_gap = magnitude_gaps, complex_gap

    def begin_with_phase(self, share):
        """`share` falls from 1 to 0 in the course of a training."""
        self.phase_weight.fill_(PHASE_FIRST * share)

    def compile(self):
        """Fuse what lies between the transforms; those themselves stay as they are."""
        self.magnitude_gaps = torch.compile(magnitude_gaps, dynamic=False)
        self.complex_gap = torch.compile(complex_gap, dynamic=False)

    def stft(self, wave, n):
        """Real and imaginary part, [B, columns, bins], hop n/4.  Framed by slices: their backward
        pass is a few additions, that of torch.stft scatters."""
        hop, batch = n // 4, wave.shape[0]
        columns = wave.shape[1] // hop + 1
        padded = F.pad(wave[:, None], (n // 2, n // 2), mode='reflect')[:, 0, :(columns + 3) * hop]
        hops = padded.reshape(batch, columns + 3, hop)
        z = torch.view_as_real(torch.fft.rfft(torch.cat([hops[:, i:i + columns] for i in range(4)], 2) * self.window[n]))
        return z[..., 0], z[..., 1]

    def __call__(self, predictable, whole, target):
        total = {name: 0.0 for name in self.WEIGHTS}
        for n in SIZES:
            unit = 1 / math.sqrt(n)
            t_re, t_im = self.stft(target, n)
            re, im = self.stft(whole, n)
            made, true, logs, relative = self.magnitude_gaps(re, im, t_re, t_im, unit)
            total['magnitude'] = total['magnitude'] + logs / len(SIZES)
            total['linear'] = total['linear'] + relative / len(SIZES)
            if n not in self.filters:
                continue
            mel = torch.log(made @ self.filters[n] * unit + 5e-4) - torch.log(true @ self.filters[n] * unit + 5e-4)
            total['mel'] = total['mel'] + mel.abs().mean() / len(self.filters)
            if n == CEPSTRUM:
                total['cepstrum'] = 10 / math.log(10) * torch.sqrt(2 * ((mel @ self.cosines) ** 2).sum(-1) + 1e-4).mean()
            if predictable is not whole:
                re, im = self.stft(predictable, n)
            gap = self.complex_gap(re, im, t_re, t_im, true, unit, self.emphasis[n])
            total['complex'] = total['complex'] + gap / len(self.filters)
        return total

    def weigh(self, terms):
        return sum(self.WEIGHTS[name] * value for name, value in terms.items()) + self.phase_weight * terms['complex']


class Envelope:
    """What can be compared where harmonics lie elsewhere: log magnitudes and mel bands of windows
    too short to resolve them, and the cepstral distance."""
    WEIGHTS = {256: 1.0, 512: 5.0}        # of the log magnitude, and of the mel bands

    def __init__(self, device):
        self.filters = {n: mel_filters(n, MEL_BANDS[n]).to(device).t().contiguous() for n in (512, CEPSTRUM)}
        self.cosines = cepstral_cosines(MEL_BANDS[CEPSTRUM]).to(device).t().contiguous()

    def __call__(self, stft, made, true):
        """`stft` is Reconstruction's -> the weighted sum of the first two, and the distance in dB.
        """
        total = 0.0
        for n in (256, 512, CEPSTRUM):
            unit = 1 / math.sqrt(n)
            a, b = (torch.sqrt(sum(part * part for part in stft(wave, n)) + 1e-10) for wave in (made, true))
            if n not in self.filters:
                total = total + self.WEIGHTS[n] * (torch.log(a * unit + 3e-4) - torch.log(b * unit + 3e-4)).abs().mean()
                continue
            mel = torch.log(a @ self.filters[n] * unit + 5e-4) - torch.log(b @ self.filters[n] * unit + 5e-4)
            if n in self.WEIGHTS:
                total = total + self.WEIGHTS[n] * mel.abs().mean()
            else:
                distance = 10 / math.log(10) * torch.sqrt(2 * ((mel @ self.cosines) ** 2).sum(-1) + 1e-4).mean()
        return total, distance


class Haze:
    """How much less, or more, a voice repeats itself a pitch period later than the teacher's does,
    in the bands where harmonics turn to haze.

    `metrics.Periodicity`, made so that it has a gradient: the pitch is known, so the correlation at
    one period is a sum over the power spectrum, divided by what the window itself loses over that
    period.  Its size is taken and not its real part: at 4 kHz a hundredth of F0 is a quarter of a
    turn.  And means over all voiced columns are compared, not columns: in a frame of 40 ms the
    likeness is mostly chance, and a voice that is told each chance becomes a voice that has none.
    Both voices go by their own pitch: their harmonics need not lie in the same places.
    """
    SIZE, BANDS, LEAST, MOST = 1024, ((2200, 3400), (3400, 4600), (4600, 6000)), 70, 400

    def __init__(self, device, sample_rate=24000):
        self.rate, bins = sample_rate, [[round(edge * self.SIZE / sample_rate) for edge in band] for band in self.BANDS]
        self.first, last = bins[0][0], bins[-1][1]
        number = torch.arange(self.first, last, device=device)
        self.turns = 2 * math.pi / self.SIZE * number
        self.bands = torch.stack([(number >= low) & (number < high) for low, high in bins], 1).float()

    def likeness(self, re, im, f0):
        """-> [B, columns, bands], at F0 [B, columns]."""
        power = (re * re + im * im)[..., self.first:self.first + len(self.turns)] + 1e-9
        period = self.rate / f0.clamp(self.LEAST, self.MOST)
        share = period / self.SIZE
        kept = (1 - share) * (2 + torch.cos(2 * math.pi * share)) / 3 + torch.sin(2 * math.pi * share) / (2 * math.pi)
        angle = period[..., None] * self.turns
        again = torch.sqrt(((power * torch.cos(angle)) @ self.bands) ** 2 + ((power * torch.sin(angle)) @ self.bands) ** 2 + 1e-12)
        return again / (power @ self.bands) / kept[..., None]

    def __call__(self, stft, made, true, f0, true_f0, frame):
        """Of waveforms [B, N] whose F0 is given once every `frame` samples; `stft` is
        Reconstruction's."""
        (re, im), (true_re, true_im) = (stft(wave, self.SIZE) for wave in (made, true))
        at = (torch.arange(re.shape[1], device=re.device) * (self.SIZE // 4) // frame).clamp(max=f0.shape[1] - 1)
        f0, true_f0 = f0[:, at], true_f0[:, at]
        voiced = [(pitch > self.LEAST) & (pitch < self.MOST) for pitch in (f0, true_f0)]
        both = (voiced[0] & voiced[1]).float()[..., None]
        gap = (self.likeness(re, im, f0) - self.likeness(true_re, true_im, true_f0)) * both
        return (gap.sum((0, 1)) / (both.sum() + 1)).abs().mean()
