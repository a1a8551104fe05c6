"""How far is one waveform from another?  The figures of the README, and their exact definitions.

log-mel   STFT 1024/256 (Hann), 80 triangular mel bands 0-12 kHz, ln of the band magnitude, floored
at 0.01 L1        mean absolute difference of that MCD       root of the mean squared difference in
dB of the spectrum smoothed to cepstral coefficients 1-24 periodicity  median over voiced frames of
how like a band of the sound is to itself a pitch period later: 1 is purely harmonic,
             0 is noise.  The same as `npm run bench -- sound` prints
loudness     LUFS by ITU-R BS.1770-4, gated; its two filters are applied to the spectrum of a block
DNSMOS       P.835's opinion of the whole, as bench/sound/dnsmos.ts asks for it
"""
import math

import numpy as np
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


PERIODICITY_BANDS = ((100, 1000), (1000, 2200), (2200, 3400), (3400, 4600), (4600, 6000))


class Periodicity:
    """Frames of 40 ms every 20 ms; the pitch period is that of the lowest band, looked for within
    2% in the others."""
    FRAME, HOP, TAPS, LEAST, MOST, VOICED = 960, 480, 255, 60, 343, 0.6

    def __init__(self, device='cpu', sample_rate=24000):
        n = torch.arange(self.TAPS, dtype=torch.float64) - self.TAPS // 2
        sinc = lambda hz: 2 * hz / sample_rate * torch.sinc(2 * hz * n / sample_rate)
        window = 0.54 + 0.46 * torch.cos(math.pi * n / (self.TAPS // 2))
        self.filters = torch.stack([(sinc(high) - sinc(low)) * window for low, high in PERIODICITY_BANDS])[:, None].float().to(device)

    def likeness(self, sound, starts, lags):
        """Normalised correlation of the frames of `sound` [N] with those `lags` later, [frames,
        lags]."""
        sound = sound.double()
        energy = torch.cat([sound.new_zeros(1), torch.cumsum(sound * sound, 0)])
        power = lambda at: energy[at + self.FRAME] - energy[at] + 1e-18
        place = torch.arange(self.FRAME + int(lags[-1]), device=sound.device)
        longer = sound[starts[:, None] + place]
        size = 4096
        both = torch.fft.irfft(torch.fft.rfft(longer[:, :self.FRAME], size).conj() * torch.fft.rfft(longer, size), size)[:, lags]
        return both / torch.sqrt(power(starts)[:, None] * power(starts[:, None] + lags))

    def periods(self, low, starts):
        """The pitch period of each frame in samples, 0 where it has none: the shortest that is
        nearly the best."""
        lags = torch.arange(self.LEAST, self.MOST + 1, device=low.device)
        best = torch.full((len(starts),), self.VOICED, dtype=torch.float64, device=low.device)
        period = torch.zeros(len(starts), dtype=torch.long, device=low.device)
        for lag, like in zip(lags, self.likeness(low, starts, lags).t()):
            better = like > best * 1.02
            best, period = torch.where(better, like, best), torch.where(better, lag, period)
        return period

    def frames(self, wave):
        """wave [N] -> a list of one tensor a band: the likeness of each voiced frame."""
        starts = torch.arange(0, max(0, math.ceil(len(wave) - self.FRAME - self.MOST * 1.03)), self.HOP, device=wave.device)
        bands = torch.nn.functional.conv1d(wave[None, None], self.filters, padding=self.TAPS // 2)[0]
        period = self.periods(bands[0], starts)
        starts, period = starts[period > 0], period[period > 0, None]
        if not len(starts):
            return [wave.new_zeros(0)] * len(bands)
        lags = torch.arange(int(period.min() * 0.98), int(period.max() * 1.02) + 2, device=wave.device)
        near = (lags >= torch.floor(period * 0.98)) & (lags <= period * 1.02 + 1)
        return [torch.where(near, self.likeness(band, starts, lags), -1.0).amax(1) for band in bands]

    def measure(self, a, b):
        """Medians by band of waveforms [B, N], of `a` and of `b`."""
        return tuple([float(torch.cat(band).median()) for band in zip(*map(self.frames, waves))] for waves in (a, b))


def k_weighting(frequency):
    """Power gain of BS.1770's shelf and high-pass at frequencies in Hz, from their coefficients at
    48 kHz."""
    z = np.exp(-2j * np.pi * frequency / 48000)
    shelf = (1.53512485958697 - 2.69169618940638 * z + 1.19839281085285 * z ** 2) / (1 - 1.69065929318241 * z + 0.73248077421585 * z ** 2)
    high = (1 - 2 * z + z ** 2) / (1 - 1.99004745483398 * z + 0.99007225036621 * z ** 2)
    return np.abs(shelf * high) ** 2


def loudness(wave, sample_rate=24000):
    """LUFS; blocks of 0.4 s every 0.1 s, those below -70 and those 10 LU below the rest left out.
    What is shorter than a block is one block."""
    block, step = int(0.4 * sample_rate), int(0.1 * sample_rate)
    wave = np.pad(wave, (0, max(0, block - len(wave)))).astype(np.float64)
    blocks = np.lib.stride_tricks.sliding_window_view(wave, block)[::step]
    size = 2 * block                                             # room for the filters' tails
    gain = k_weighting(np.fft.rfftfreq(size, 1 / sample_rate))
    spectrum = np.abs(np.fft.rfft(blocks, size)) ** 2 * gain
    power = (2 * spectrum.sum(1) - spectrum[:, 0] - spectrum[:, -1]) / size / block
    level = lambda power: -0.691 + 10 * np.log10(power + 1e-12)
    power = power[level(power) > -70]
    if not len(power):
        return float('nan')
    power = power[level(power) > level(power.mean()) - 10]
    return float(level(power.mean()))


class Opinion:
    """What people would say of a sound as a whole, 1 to 5."""
    HEARD, RATE, FIT = 144_160, 16_000, (-0.06766283, 1.11546468, 0.04602535)

    def __init__(self, path):
        from inputs import open_session
        self.session = open_session(path)

    def __call__(self, wave):
        from recogniser import resample
        sound = resample(wave).astype(np.float32)
        if len(sound) < self.HEARD:
            sound = np.resize(sound, self.HEARD)
        name, (square, factor, constant) = self.session.get_inputs()[0].name, self.FIT
        raw = [float(self.session.run(None, {name: sound[None, at:at + self.HEARD]})[0][0, 2]) for at in range(0, len(sound) - self.HEARD + 1, self.RATE)]
        return float(np.mean([square * r * r + factor * r + constant for r in raw]))
