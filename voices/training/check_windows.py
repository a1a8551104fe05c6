"""Do windows give what the whole run gives?  Prints the largest difference and the signal-to-noise
ratio.

    python check_windows.py generator-float.onnx calibration.npz
"""
import argparse

import numpy as np

from inputs import load_utterances, open_session
from windows import CONTEXT, run_whole, run_windows, utterance_inputs

SCHEDULES = ([8, 16, 32, 64], [16], [80])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('model')
    parser.add_argument('utterances')
    parser.add_argument('--count', type=int, default=8)
    args = parser.parse_args()
    session = open_session(args.model)
    for context in (CONTEXT - 1, CONTEXT):
        for sizes in SCHEDULES:
            worst, quietest = 0.0, np.inf
            for utterance in load_utterances(args.utterances)[:args.count]:
                feeds = utterance_inputs(*utterance)
                whole = run_whole(session, feeds)
                error = run_windows(session, feeds, sizes, context) - whole
                worst = max(worst, float(np.abs(error).max()))
                quietest = min(quietest, 10 * np.log10((whole ** 2).sum() / max((error ** 2).sum(), 1e-20)))
            print(f'context {context}, windows {sizes}: largest difference {worst:.2e}, least SNR {quietest:.1f} dB')


if __name__ == '__main__':
    main()
