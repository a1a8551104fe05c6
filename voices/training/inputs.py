"""Run Kokoro's front over phoneme sequences and keep what a generator is fed, for calibration and
tests.

    python inputs.py front.onnx sequences.npz calibration.npz --count 64
    python inputs.py front.onnx front-corpus.npz calibration.npz --count 96

From a front's corpus every voice speaks once, in its own language; the rest is drawn from it.
"""
import argparse

import numpy as np
import onnxruntime as ort

import kokoro_graph as names
from corpus.assemble import ENGLISH
from front_corpus import Corpus, spoken_in_english
from sequences import Sequences


def open_session(path, threads=1):
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    return ort.InferenceSession(path, options, providers=['CPUExecutionProvider'])


def run_front(session, tokens, style, speed):
    """-> x [512,T], f0 [T], style [128]."""
    x, f0, s = session.run([names.X, names.F0, names.STYLE], {
        'input_ids': tokens[None], 'style': style[None], 'speed': np.array([speed], np.float32)})
    return x[0], f0[0, 0], s[0]


def save_utterances(path, utterances, english):
    """`utterances`: list of (x, f0, style); x in float16, as in the training data.  `english`: whether
    the voice of each is an English one."""
    np.savez_compressed(path, x=np.concatenate([u[0].T for u in utterances]).astype(np.float16),
                        f0=np.concatenate([u[1] for u in utterances]).astype(np.float32),
                        style=np.stack([u[2] for u in utterances]), frames=np.array([len(u[1]) for u in utterances]),
                        english=np.array(english))


def load_utterances(path):
    data = np.load(path)
    ends = np.cumsum(data['frames'])
    x, f0 = data['x'].astype(np.float32), data['f0']
    return [(x[e - n:e].T.copy(), f0[e - n:e], s) for e, n, s in zip(ends, data['frames'], data['style'])]


def load_english(path):
    """Whether the voice of each utterance in a file of `save_utterances` is an English one."""
    return np.load(path)['english'].tolist()


def choose(sequences, count, rng):
    """Random sequences, every voice at least once where `count` allows: some voices reach where no
    other does."""
    order = rng.permutation(len(sequences))
    if sequences.names is None:
        return order[:count]
    first = {}
    for index in order:
        name = str(sequences.names[index])
        if '+' not in name and len(sequences.tokens(index)) < 120:
            first.setdefault(name, index)
    english = sorted(first.values(), key=lambda i: str(sequences.names[i])[0] not in 'ab')
    return (english + [i for i in order if i not in set(english)])[:count]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('front')
    parser.add_argument('sequences')
    parser.add_argument('out')
    parser.add_argument('--count', type=int, default=64)
    parser.add_argument('--seed', type=int, default=0)
    args = parser.parse_args()
    session, rng = open_session(args.front), np.random.default_rng(args.seed)
    if 'alphabet' in np.load(args.sequences).files:
        corpus = Corpus(args.sequences)
        asked = list(corpus.each_voice(rng, 120))
        asked += [corpus.draw(rng) for _ in range(args.count - len(asked))]
    else:
        sequences = Sequences(args.sequences)
        asked = [(sequences.tokens(i), sequences.style(i), sequences.speed[i], ENGLISH[0]) for i in choose(sequences, args.count, rng)]
    save_utterances(args.out, [run_front(session, *one[:3]) for one in asked], spoken_in_english(asked))


if __name__ == '__main__':
    main()
