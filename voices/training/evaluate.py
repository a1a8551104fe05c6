"""Measure an exported generator against the float32 teacher on the held-out text.

    python evaluate.py generator-int8.onnx reference/ --text held-out.txt --out listening/ \\
        --recogniser moonshine/tiny/quantized --vocabulary vocabulary.json

`reference/` comes from reference.py: both generators are fed the same x and F0, so the waveforms
are aligned. Prints a table a voice and a summary; writes WAV pairs and spectrogram pairs (teacher
above) for ears and eyes.
"""
import argparse
import collections
import glob
import json
import os
import wave as wave_file

import numpy as np
import torch

from inputs import open_session
from metrics import PERIODICITY_BANDS, Distance, Periodicity
from pictures import write_pair
from windows import run_whole, utterance_inputs

BANDS = ((0, 1000), (1000, 3000), (3000, 6000), (6000, 12000))


def pitch(samples, hop=240, size=960):
    """F0 by normalised autocorrelation, 0 where unvoiced: enough to compare two copies of one
    utterance."""
    frames = np.lib.stride_tricks.sliding_window_view(samples, size)[::hop].astype(np.float64)
    frames = frames - frames.mean(1, keepdims=True)
    spectrum = np.fft.rfft(frames * np.hanning(size), 2 * size)
    correlation = np.fft.irfft(np.abs(spectrum) ** 2)[:, :size]
    window = np.fft.irfft(np.abs(np.fft.rfft(np.hanning(size), 2 * size)) ** 2)[:size]
    correlation = correlation / (correlation[:, :1] + 1e-12) / (window / window[0] + 1e-3)
    low, high = 24000 // 450, 24000 // 60
    inner = correlation[:, low:high]
    peak = (inner >= correlation[:, low - 1:high - 1]) & (inner >= correlation[:, low + 1:high + 1])
    good = peak & (inner > 0.88 * inner.max(1, keepdims=True))     # the first good peak: later ones are octaves
    best = np.where(good.any(1), good.argmax(1), inner.argmax(1)) + low
    voiced = (correlation[np.arange(len(best)), best] > 0.55) & (np.sqrt((frames ** 2).mean(1)) > 0.005)
    return np.where(voiced, 24000 / best, 0)


def band_levels(samples):
    frames = np.lib.stride_tricks.sliding_window_view(samples, 1024)[::512] * np.hanning(1024)
    power = (np.abs(np.fft.rfft(frames)) ** 2).sum(0)
    frequency = np.linspace(0, 12000, 513)
    return np.array([power[(frequency >= a) & (frequency < b)].sum() for a, b in BANDS]) + 1e-9


def write_wav(path, samples):
    with wave_file.open(path, 'wb') as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(24000)
        file.writeframes(np.round(np.clip(samples, -1, 1) * 32767).astype('<i2').tobytes())


def compare(teacher, student, distance, periodicity):
    """All figures of one utterance but the words."""
    a, b = (torch.from_numpy(np.ascontiguousarray(w, dtype=np.float32))[None] for w in (student, teacher))
    mel, mcd = distance.measure(a, b)
    f_teacher, f_student = pitch(teacher), pitch(student)
    both = (f_teacher > 0) & (f_student > 0)
    return {'logmel': float(mel), 'mcd': float(mcd), 'frames': int(both.sum()),
            'gross': int((np.abs(f_student[both] / f_teacher[both] - 1) > 0.2).sum()),
            'voicing': float(((f_teacher > 0) != (f_student > 0)).mean()),
            'f0': (f_teacher[both], f_student[both]), 'bands': (band_levels(teacher), band_levels(student)),
            'correlation': float(np.corrcoef(teacher, student)[0, 1]), 'periodicity': [periodicity.frames(w[0]) for w in (b, a)]}


def periodicity_by_band(utterances):
    return {f'{a / 1000}-{b / 1000} kHz': round(float(torch.cat(band).median()), 3) for (a, b), band in zip(PERIODICITY_BANDS, zip(*utterances))}


def summarise(results):
    f_teacher = np.concatenate([r['f0'][0] for r in results])
    f_student = np.concatenate([r['f0'][1] for r in results])
    bands = 10 * np.log10(sum(r['bands'][1] for r in results) / sum(r['bands'][0] for r in results))
    mean = lambda key: float(np.mean([r[key] for r in results]))
    return {'utterances': len(results), 'logmel_l1': round(mean('logmel'), 4), 'mcd_db': round(mean('mcd'), 3),
            'wave_correlation': round(float(np.median([r['correlation'] for r in results])), 3),
            'f0_correlation': round(float(np.corrcoef(f_teacher, f_student)[0, 1]), 4),
            'gross_pitch_errors': round(sum(r['gross'] for r in results) / max(1, sum(r['frames'] for r in results)), 4),
            'voicing_differences': round(mean('voicing'), 4),
            'band_levels_db': {f'{a // 1000}-{b // 1000} kHz': round(float(v), 2) for (a, b), v in zip(BANDS, bands)},
            'periodicity': {name: periodicity_by_band([r['periodicity'][i] for r in results]) for i, name in enumerate(('teacher', 'student'))}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('model')
    parser.add_argument('reference')
    parser.add_argument('--text', help='the spoken lines, for the word errors')
    parser.add_argument('--out', help='folder for WAV and PNG pairs')
    parser.add_argument('--recogniser', help='folder of the recogniser')
    parser.add_argument('--vocabulary')
    parser.add_argument('--pairs', type=int, default=12, help='how many pairs to write')
    parser.add_argument('--count', type=int, help='only the first utterances')
    parser.add_argument('--threads', type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    session, distance, periodicity = open_session(args.model, args.threads), Distance(), Periodicity()
    lines = open(args.text, encoding='utf-8').read().split('\n') if args.text else []
    recogniser = None
    if args.recogniser:
        from recogniser import Recogniser, word_errors
        recogniser = Recogniser(args.recogniser, args.vocabulary, args.threads)
    if args.out:
        os.makedirs(args.out, exist_ok=True)
    voices, errors = collections.defaultdict(list), collections.Counter()
    paths = sorted(glob.glob(os.path.join(args.reference, '????.npz')))[:args.count]
    for count, path in enumerate(paths):
        data = np.load(path)
        teacher, voice, index = data['wave'], str(data['voice']), int(os.path.basename(path)[:4])
        student = run_whole(session, utterance_inputs(data['x'].astype(np.float32), data['f0'], data['style']))
        voices[voice].append(compare(teacher, student, distance, periodicity))
        if recogniser:
            cache = path[:-4] + '.txt'                      # the teacher is heard once
            if not os.path.exists(cache):
                open(cache, 'w').write(recogniser(teacher))
            for name, heard in (('teacher', open(cache).read()), ('student', recogniser(student))):
                wrong, said = word_errors(lines[index], heard)
                errors[name] += wrong
                errors[name + '_words'] += said
        if args.out and count % max(1, len(paths) // args.pairs) == 0:
            name = os.path.join(args.out, f'{index:04d}-{voice}')
            write_wav(name + '-teacher.wav', teacher)
            write_wav(name + '-fast.wav', student)
            write_pair(name + '.png', teacher, student)
    for voice, results in sorted(voices.items(), key=lambda item: np.mean([r['mcd'] for r in item[1]])):
        one = summarise(results)
        hazy = ' of '.join(f'{one["periodicity"][name]["3.4-4.6 kHz"]:.2f}' for name in ('student', 'teacher'))
        print(f'{voice:12} {one["utterances"]:3d} utterances  log-mel {one["logmel_l1"]:.3f}  MCD {one["mcd_db"]:.2f} dB  '
              f'F0 {one["f0_correlation"]:.3f}  periodicity 3.4-4.6 kHz {hazy}')
    summary = summarise([r for results in voices.values() for r in results])
    summary['worst_voice_mcd_db'] = round(max(np.mean([r['mcd'] for r in results]) for results in voices.values()), 3)
    if recogniser:
        for name in ('teacher', 'student'):
            summary[f'word_errors_{name}'] = f'{errors[name]} of {errors[name + "_words"]} ({100 * errors[name] / errors[name + "_words"]:.2f}%)'
    print(json.dumps(summary, indent=1))
    if args.out:
        json.dump(summary, open(os.path.join(args.out, 'summary.json'), 'w'), indent=1)


if __name__ == '__main__':
    main()
