"""Spectrograms as PNG files, without a plotting library."""
import struct
import zlib

import numpy as np

# dark blue - purple - orange - pale yellow
COLOURS = np.array([[0, 0, 20], [40, 10, 90], [130, 30, 110], [220, 80, 60], [250, 170, 40], [255, 255, 200]], float)


def write_png(path, image):
    """uint8 [height, width, 3]."""
    height, width, _ = image.shape
    rows = b''.join(b'\x00' + image[y].tobytes() for y in range(height))
    chunk = lambda kind, data: struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    with open(path, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0))
                   + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


def spectrogram(wave, n_fft=1024, hop=128, low=-90.0, high=0.0):
    """dB against a full-scale sine, as an image with 12 kHz at the top."""
    frames = np.lib.stride_tricks.sliding_window_view(np.pad(wave, n_fft // 2), n_fft)[::hop] * np.hanning(n_fft)
    level = 20 * np.log10(np.abs(np.fft.rfft(frames)).T / (n_fft / 4) + 1e-6)
    place = np.clip((level - low) / (high - low), 0, 1)[::-1] * (len(COLOURS) - 1)
    below = np.minimum(place.astype(int), len(COLOURS) - 2)
    part = (place - below)[..., None]
    return (COLOURS[below] * (1 - part) + COLOURS[below + 1] * part).astype(np.uint8)


def write_pair(path, upper, lower):
    """Two waveforms' spectrograms above each other (the teacher's above)."""
    a, b = spectrogram(upper), spectrogram(lower)
    write_png(path, np.concatenate([a, np.full((6, a.shape[1], 3), 255, np.uint8), b]))
