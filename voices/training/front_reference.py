"""The teacher speaks the held-out lines: what the front's student is measured against.  Or
utterances drawn as for training, for front_polish.py.

    python front_reference.py front.onnx generator.onnx front-corpus.npz reference/ --processes 14
    python front_reference.py front.onnx generator.onnx front-corpus.npz drawn/ --drawn 250 --processes 2

A folder a held-out set (`reference/en`, `reference/es`, ..); with `--most`, so many of each.

Both parts are the quantised ones of kokoro_graph.py, folded to float32 here and run by onnxruntime.
One file a line: samples, F0, energy, durations (rounded and not), tokens, style, speed, voice, x.
"""
import argparse
import os

import numpy as np
import onnx
import onnxruntime as ort
import torch.multiprocessing as multiprocessing

import kokoro_graph as names
from front_corpus import SETS, Corpus
from front_teacher import ENERGY, RAW


def open_graph(model, threads=1):
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    return ort.InferenceSession(model.SerializeToString(), options, providers=['CPUExecutionProvider'])


def asked(args):
    """-> [(path, tokens, style, speed, voice)], in the same order in every process."""
    corpus = Corpus(args.corpus)
    if args.drawn:
        return [(os.path.join(args.out, f'{i:04d}.npz'), *corpus.draw(np.random.default_rng(i))) for i in range(args.drawn)]
    return [(os.path.join(args.out, name, f'{i:04d}.npz'), *one) for name in args.sets for i, one in corpus.evaluation(name, args.most).items()]


def work(rank, args):
    kept = [(name, 1, None) for name in (names.X, names.F0, names.STYLE, names.DURATIONS, RAW, ENERGY)]
    front = open_graph(names.fold_to_float(onnx.load(args.front), kept))
    generator = open_graph(names.fold_to_float(onnx.load(args.generator), inputs=names.GENERATOR_INPUTS))
    for path, tokens, style, speed, voice in asked(args)[rank::args.processes]:
        if os.path.exists(path):
            continue
        x, f0, s, durations, raw, energy = front.run([name for name, _, _ in kept], {
            'input_ids': tokens[None], 'style': style[None], 'speed': np.array([speed], np.float32)})
        wave = generator.run([names.WAVEFORM], {names.X: x, names.F0: f0, names.STYLE: s})[0].reshape(-1)
        np.savez(path + '.tmp.npz', wave=np.round(np.clip(wave, -1, 1) * 32767).astype(np.int16), f0=f0[0, 0], energy=energy[0, 0],
                 durations=durations[0].astype(np.int32), raw=raw[0], tokens=tokens, style=style, x=x[0].astype(np.float16),
                 voice=voice, speed=np.float32(speed))
        os.replace(path + '.tmp.npz', path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('front')
    parser.add_argument('generator')
    parser.add_argument('corpus')
    parser.add_argument('out')
    parser.add_argument('--processes', type=int, default=1)
    parser.add_argument('--drawn', type=int, help='draw so many utterances instead')
    parser.add_argument('--sets', nargs='+', default=SETS)
    parser.add_argument('--most', type=int, help='of each set')
    args = parser.parse_args()
    for folder in [args.out] if args.drawn else [os.path.join(args.out, name) for name in args.sets]:
        os.makedirs(folder, exist_ok=True)
    multiprocessing.spawn(work, args=(args,), nprocs=args.processes)


if __name__ == '__main__':
    main()
