"""Write a small test case for the engine: real generator input and the waveform it must give.

    python fixture.py generator-int8.onnx calibration.npz reference.json --frames 112
"""
import argparse
import base64
import json

import numpy as np

from inputs import load_english, load_utterances, open_session
from windows import run_whole, utterance_inputs


def packed(array):
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('model')
    parser.add_argument('utterances')
    parser.add_argument('out')
    parser.add_argument('--frames', type=int, default=112)
    args = parser.parse_args()
    # the shortest utterance that is long enough, cut: the rest of it has no say in the test
    english = load_english(args.utterances)
    long = [u for u, is_english in zip(load_utterances(args.utterances), english) if is_english and len(u[1]) >= args.frames]
    x, f0, style = min(long, key=lambda u: len(u[1]))
    x, f0 = x[:, :args.frames], f0[:args.frames]
    step = float(np.float32(np.abs(x).max() / 32767))
    integers = np.round(x / step).astype('<i2')
    x = integers.astype(np.float32) * np.float32(step)
    feeds = utterance_inputs(x, f0, style)
    wave = run_whole(open_session(args.model), feeds)
    with open(args.out, 'w') as file:
        json.dump({
            'comment': 'x[c,t] = int16 * xStep, row-major [512, frames]; f0 and s float32; waveform int16 of the '
                       'whole run. All little-endian, base64.',
            'frames': args.frames, 'xStep': step, 'x': packed(integers), 'f0': packed(f0.astype('<f4')),
            's': packed(style.astype('<f4')), 'meanOfFirstChannel': float(feeds['mean'][0, 0]),
            'varianceOfFirstChannel': float(feeds['variance'][0, 0]), 'lastPhase': float(feeds['phase'][0, -1]),
            'waveform': packed(np.round(np.clip(wave, -1, 1) * 32767).astype('<i2')),
        }, file, indent=0)


if __name__ == '__main__':
    main()
