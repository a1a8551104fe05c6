"""Measure the light front against the teacher on the held-out lines.

    python front_evaluate.py front-light-int8.onnx reference/en --given front-light-given.onnx --generator generator-int8.onnx \\
        --text held-out.txt --out listening/ --recogniser moonshine/{tiny,base}/quantized --vocabulary vocabulary.json

`reference/en` comes from front_reference.py; set_evaluate.py measures the other sets.  Durations and words are measured with the student's own
durations, sound and pitch with the teacher's (`--given`), frame by frame.  `teacher front` in the
table is the light generator on the teacher's x and F0: what the generator alone costs.
"""
import argparse
import collections
import glob
import json
import os
import pickle

import numpy as np
import torch

from evaluate import pitch, write_wav
from inputs import open_session
from metrics import Distance
from pictures import write_pair
from windows import run_whole, utterance_inputs

PAUSE_TOKENS = (1, 2, 3, 4, 5, 6, 9, 10, 16)          # punctuation and the space
QUESTION = 6


def run_front(session, tokens, style, durations=None, speed=1.0):
    feeds = {'input_ids': tokens[None], 'style': style[None], 'speed': np.array([speed], np.float32)}
    if durations is not None:
        feeds['given'] = durations[None].astype(np.float32)
    x, f0, s, made = session.run(['x', 'f0', 's', 'durations'], feeds)
    return x[0], f0[0, 0], s[0], made[0]


def end_rise(f0):
    """Semitones from the median of the last second's voiced frames to the last voiced tenth: a
    question's end."""
    voiced = f0[f0 > 40]
    return float(12 * np.log2(np.median(voiced[-8:]) / np.median(voiced[-80:]))) if len(voiced) > 16 else np.nan


def distance_of(distance, a, b):
    size = min(len(a), len(b))
    mel, mcd = distance.measure(*(torch.from_numpy(np.ascontiguousarray(w[:size], dtype=np.float32))[None] for w in (a, b)))
    return float(mel), float(mcd)


def measure(args):
    torch.set_num_threads(args.threads)
    front, given, generator = (open_session(path, args.threads) for path in (args.front, args.given, args.generator))
    distance, lines = Distance(), open(args.text, encoding='utf-8').read().split('\n') if args.text else []
    recognisers = {}
    if args.recogniser:
        from recogniser import Recogniser, word_errors
        recognisers = {os.path.basename(os.path.dirname(folder)): Recogniser(folder, args.vocabulary, args.threads) for folder in args.recogniser}
    for folder in (args.out, *(os.path.join(args.sounds, name) for name in ('teacher', 'light-generator', 'student') if args.sounds)):
        if folder:
            os.makedirs(folder, exist_ok=True)
    seen, voices, errors = collections.defaultdict(list), collections.defaultdict(list), collections.Counter()
    paths = sorted(glob.glob(os.path.join(args.reference, '????.npz')))[args.first:args.count:args.step]
    for count, path in enumerate(paths):
        data = np.load(path)
        teacher, f0, index, voice = data['wave'] / np.float32(32767), data['f0'], int(os.path.basename(path)[:4]), str(data['voice'])
        tokens, style = data['tokens'].astype(np.int64), data['style'].astype(np.float32)
        x, own_f0, s, durations = run_front(front, tokens, style)
        seen['durations'].append((data['durations'].astype(float), durations))
        at = np.isin(tokens, PAUSE_TOKENS)
        seen['pauses'].append((data['durations'][at].astype(float), durations[at]))
        seen['lengths'].append((float(data['durations'].sum()), float(durations.sum())))
        gx, gf0, _, _ = run_front(given, tokens, style, data['durations'])
        both = (f0 > 40) & (gf0 > 40)
        seen['pitch'].append((np.log2(f0[both]), np.log2(gf0[both])))
        seen['voicing'].append(float(((f0 > 10) != (gf0 > 10)).mean()))
        if tokens[-2] == QUESTION:
            seen['rises'].append((end_rise(f0), end_rise(gf0)))
        wave = run_whole(generator, utterance_inputs(gx, np.maximum(gf0, 0), s))
        base = run_whole(generator, utterance_inputs(data['x'].astype(np.float32), f0, s))
        shared = run_whole(generator, utterance_inputs(gx, f0, s))
        for name, (a, b) in {'student': (wave, teacher), 'teacher front': (base, teacher), 'student x, teacher F0': (shared, teacher),
                             'between fronts': (wave, base)}.items():
            seen[name].append(distance_of(distance, a, b))
        energy = [10 * np.log10(np.mean(w[:len(w) // 600 * 600].reshape(-1, 600) ** 2, 1) + 1e-6) for w in (teacher, wave)]
        seen['energy'].append((energy[0], energy[1]))
        p, q = pitch(teacher), pitch(wave)
        size = min(len(p), len(q))
        heard = (p[:size] > 0) & (q[:size] > 0)
        seen['heard pitch'].append((p[:size][heard], q[:size][heard]))
        voices[voice].append(seen['student'][-1][1])
        if recognisers or args.out or args.sounds:
            spoken = run_whole(generator, utterance_inputs(x, np.maximum(own_f0, 0), s))
        for name, sound in (('teacher', teacher), ('light-generator', base), ('student', spoken)) if recognisers or args.sounds else ():
            if args.sounds:
                write_wav(os.path.join(args.sounds, name, f'{index:04d}.wav'), sound)
            for size, recogniser in recognisers.items():
                cache = f'{path[:-4]}-{name}-{size}.txt'
                if name != 'teacher' or not os.path.exists(cache):
                    open(cache, 'w').write(recogniser(sound))
                wrong, said = word_errors(lines[index], open(cache).read())
                errors[f'{name}, {size}'] += wrong
                errors[f'{name}, {size}', 'words'] += said
        if args.out and count % max(1, len(paths) // args.pairs) == 0:
            name = os.path.join(args.out, f'{index:04d}-{voice}')
            write_wav(name + '-teacher.wav', teacher)
            write_wav(name + '-light-front.wav', spoken)
            write_pair(name + '.png', teacher, wave)
            np.savez(name + '-f0.npz', teacher=f0, student=gf0)
    return seen, voices, errors


def summarise(seen, voices, errors):
    joined = lambda name: (np.concatenate([a for a, _ in seen[name]]), np.concatenate([b for _, b in seen[name]]))
    corr = lambda name: round(float(np.corrcoef(*joined(name))[0, 1]), 4)
    each = lambda name: round(float(np.nanmedian([np.corrcoef(a, b)[0, 1] for a, b in seen[name] if len(a) > 8])), 4)
    a, b = joined('durations')
    lengths = np.array(seen['lengths'])
    p, q = joined('pitch')
    heard, answered = joined('heard pitch')
    summary = {
        'utterances': len(seen['lengths']), 'duration_correlation': corr('durations'),
        'duration_error_ms': round(float(np.abs(a - b).mean() * 25), 2),
        'pause_correlation': corr('pauses'), 'length_error': round(float((np.abs(lengths[:, 1] / lengths[:, 0] - 1)).mean()), 4),
        'length_error_worst': round(float((np.abs(lengths[:, 1] / lengths[:, 0] - 1)).max()), 4),
        'length_all': round(float(lengths[:, 1].sum() / lengths[:, 0].sum() - 1), 4),
        'f0_correlation': corr('pitch'), 'f0_correlation_median_line': each('pitch'),
        'f0_error_semitones': round(float(12 * np.abs(p - q).mean()), 3),
        'f0_correlation_heard': round(float(np.corrcoef(heard, answered)[0, 1]), 4),
        'voicing_differences': round(float(np.mean(seen['voicing'])), 4),
        'energy_correlation': corr('energy'),
        'question_rises_semitones': [[round(u, 1), round(v, 1)] for u, v in seen['rises']],
        **{f'{name}: log-mel, MCD': [round(float(v), 3) for v in np.mean(seen[name], 0)]
           for name in ('student', 'student x, teacher F0', 'teacher front', 'between fronts')},
        'worst_voices_mcd': sorted(((round(float(np.mean(v)), 3), k) for k, v in voices.items()), reverse=True)[:4]}
    for name in sorted(name for name in errors if isinstance(name, str)):
        summary[f'word_errors {name}'] = f'{errors[name]} of {errors[name, "words"]} ({100 * errors[name] / errors[name, "words"]:.2f}%)'
    return summary


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('front', nargs='?')
    parser.add_argument('reference', nargs='?')
    parser.add_argument('--given')
    parser.add_argument('--generator')
    parser.add_argument('--dump', help='keep what was measured, for --join: several processes with --first and --step')
    parser.add_argument('--join', nargs='+', help='sum up what several processes measured')
    parser.add_argument('--text')
    parser.add_argument('--out')
    parser.add_argument('--recogniser', nargs='+', help='folders; words are counted with each')
    parser.add_argument('--sounds', help='keep everything that was spoken')
    parser.add_argument('--vocabulary')
    parser.add_argument('--pairs', type=int, default=12)
    parser.add_argument('--count', type=int)
    parser.add_argument('--step', type=int, default=1, help='every n-th line only')
    parser.add_argument('--first', type=int, default=0, help='from this line on')
    parser.add_argument('--threads', type=int, default=1)
    args = parser.parse_args()
    if args.join:
        measured = [pickle.load(open(path, 'rb')) for path in args.join]
        seen, voices, errors = collections.defaultdict(list), collections.defaultdict(list), collections.Counter()
        for one_seen, one_voices, one_errors in measured:
            for name, values in one_seen.items():
                seen[name] += values
            for name, values in one_voices.items():
                voices[name] += values
            errors.update(one_errors)
    else:
        seen, voices, errors = measure(args)
        if args.dump:
            pickle.dump((dict(seen), dict(voices), dict(errors)), open(args.dump, 'wb'))
    summary = summarise(seen, voices, errors)
    print(json.dumps(summary, indent=1))
    if args.out:
        json.dump(summary, open(os.path.join(args.out, 'summary.json'), 'w'), indent=1)


if __name__ == '__main__':
    main()
