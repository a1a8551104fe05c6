"""Give every phoneme sequence a voice and a speed, shuffle, and write sequences.npz.

Voices: all 28 English ones, some of them more often (OFTEN); a tenth mixes of two
voices; a twentieth voices of other languages, which also speak English.  British voices read the
British phonemes of a line.

    python assemble.py --voices build/voices --us ids-us.txt --gb ids-gb.txt --out sequences.npz
"""
import argparse
import glob
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import sequences  # noqa: E402

OFTEN = {'af_heart': 2.0, 'af_bella': 2.0, 'am_michael': 2.0, 'bf_emma': 2.0,           # people choose them most
         'am_santa': 4.0, 'bf_alice': 3.0, 'af_jessica': 2.0, 'bf_lily': 2.0}            # the students find them hardest
ENGLISH = ('af_', 'am_', 'bf_', 'bm_')


def load_voices(folder):
    """name -> [510, 256]: one style vector for every length of utterance."""
    return {os.path.basename(path)[:-4]: np.fromfile(path, '<f4').reshape(510, 256)
            for path in sorted(glob.glob(os.path.join(folder, '*.bin')))}


def read_ids(path):
    return [[int(t) for t in line.split()] for line in open(path)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--voices', required=True)
    parser.add_argument('--us', required=True)
    parser.add_argument('--gb', required=True)
    parser.add_argument('--out', required=True)
    parser.add_argument('--in-turn', action='store_true', help='English voices one after the other at speed 1: for the held-out text')
    parser.add_argument('--seed', type=int, default=1)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    voices = load_voices(args.voices)
    english = [v for v in voices if v.startswith(ENGLISH)]
    others = [v for v in voices if v not in english]
    weights = np.array([OFTEN.get(v, 1.0) for v in english])
    lines = list(zip(read_ids(args.us), read_ids(args.gb)))
    order = range(len(lines)) if args.in_turn else rng.permutation(len(lines))
    tokens, styles, speeds, names = [], [], [], []
    for count, index in enumerate(order):
        american, british = lines[index]
        draw = 1.0 if args.in_turn else rng.random()
        voice = english[count % len(english)] if args.in_turn else str(rng.choice(english, p=weights / weights.sum()))
        if draw < 0.05 and others:
            voice = str(rng.choice(others))
        ids = british if voice[0] == 'b' else american
        if not ids:
            continue
        row = min(len(ids), 509)
        style = voices[voice][row]
        if 0.05 <= draw < 0.15:
            share, second = rng.uniform(0.2, 0.8), str(rng.choice(english))
            style, voice = share * style + (1 - share) * voices[second][row], f'{voice}+{second}'
        tokens.append(ids)
        styles.append(style)
        speeds.append(1.0 if args.in_turn or rng.random() < 0.6 else round(float(rng.uniform(0.7, 1.4)), 2))
        names.append(voice)
    sequences.save(args.out, tokens, styles, speeds, names)
    print(f'{len(tokens)} sequences, {sum(map(len, tokens))} tokens')


if __name__ == '__main__':
    main()
