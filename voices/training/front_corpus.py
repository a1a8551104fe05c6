"""What the front's teacher is asked to say: lines of phonemes, and from them as many different
utterances as are wanted.

The teacher answers to any sequence of tokens in any style, so the corpus need not be large, only
wide.  Two thirds of the draws are lines as they are read; the rest are fragments, two lines
spliced, words in another order, lines with strange sounds or punctuation in places (the whole
alphabet, not only English), other languages' rules, and plain soup.  Styles: every voice, mixes of
two or three, rows of other lengths, and the variations that seeds make.

    python front_corpus.py front-corpus.npz --voices build/voices --tokenizer src/tokenizer.json --us text-us*.ids --gb text-gb*.ids \\
        --other text-es.ids --held-us held-out-us.ids --held-gb held-out-gb.ids
"""
import argparse
import json

import numpy as np

from corpus.assemble import ENGLISH, OFTEN, load_voices, read_ids

SPACE = 16
LONGEST = 509
# What the student finds hardest is drawn more often.
HARD = {'am_santa': 10.0, 'bf_alice': 6.0, 'bf_lily': 2.5, 'af_sky': 2.0, 'am_liam': 2.0, 'am_fenrir': 1.7, 'af_nicole': 1.5, 'am_eric': 1.5}
KINDS = ('us', 'gb', 'other', 'held_us', 'held_gb')


class Corpus:
    def __init__(self, path):
        data = np.load(path)
        self.voices, self.names = data['voices'].astype(np.float32), [str(n) for n in data['names']]
        self.alphabet, self.punctuation = data['alphabet'], data['punctuation']
        self.lines = {kind: np.split(data[kind], data[kind + '_at']) for kind in KINDS}
        english = np.array([n.startswith(ENGLISH) for n in self.names])
        weight = np.array([HARD.get(n, 1.5 if n[0] == 'b' else OFTEN.get(n, 1.0) ** 0.5) for n in self.names])
        self.english, self.weight = np.flatnonzero(english), np.where(english, weight / weight[english].sum(), 0)
        self.held = len(self.lines['held_us'])

    def held_out(self, index):
        """-> tokens with pads, style, speed of one evaluation line: English voices in turn, as
        assemble.py --in-turn."""
        voice = self.english[index % len(self.english)]
        line = self.lines['held_gb' if self.names[voice][0] == 'b' else 'held_us'][index]
        return self._padded(line), self.voices[voice, min(len(line), LONGEST)], 1.0

    def draw(self, rng):
        """-> tokens with pads, style, speed."""
        voice = int(rng.choice(len(self.names), p=self.weight)) if rng.random() < 0.75 else int(rng.integers(len(self.names)))
        line = self._line(rng, 'gb' if self.names[voice][0] == 'b' else 'us')
        row = min(len(line), LONGEST)
        if rng.random() < 0.2:
            row = int(np.clip(row + rng.integers(-100, 200), 0, LONGEST))
        speed = 1.0 if rng.random() < 0.7 else round(float(rng.uniform(0.6, 1.6)), 2)
        return self._padded(line), self._style(rng, voice, row), speed

    def _padded(self, line):
        return np.concatenate([[0], line[:LONGEST], [0]]).astype(np.int64)

    def _pick(self, rng, kind):
        while True:
            line = self.lines[kind][rng.integers(len(self.lines[kind]))]
            if len(line):
                return line

    def _words(self, line):
        return np.split(line, np.flatnonzero(line == SPACE) + 1)

    def _line(self, rng, kind):
        line, draw = self._pick(rng, kind), rng.random()
        if draw < 0.14:                                      # a fragment, often a word or two
            words = self._words(line)
            start = int(rng.integers(len(words)))
            line = np.concatenate(words[start:start + int(rng.integers(1, 3 if draw < 0.06 else 30))])
            if len(line) and rng.random() < 0.5:             # as it is asked for: no space at its end, perhaps a full stop
                line = line[:-1] if line[-1] == SPACE and len(line) > 1 else line
                line = np.concatenate([line, rng.choice(self.punctuation, 1)]) if rng.random() < 0.7 else line
        elif draw < 0.21:                                    # the beginning of one, the end of another
            a, b = self._words(line), self._words(self._pick(rng, kind))
            line = np.concatenate(a[:int(rng.integers(1, len(a) + 1))] + b[int(rng.integers(len(b))):])
        elif draw < 0.25:                                    # one after the other, up to the limit
            while len(line) < 300:
                line = np.concatenate([line, [SPACE], self._pick(rng, kind)])
        elif draw < 0.29:                                    # words in another order
            words = self._words(line)
            line = np.concatenate([words[i] for i in rng.permutation(len(words))])
        elif draw < 0.33:
            line = self._pick(rng, 'other')
        elif draw < 0.34:                                    # soup
            line = rng.choice(self.alphabet, int(rng.integers(1, 60)))
        if rng.random() < 0.10:                              # strange sounds in places
            line = np.where(rng.random(len(line)) < rng.uniform(0.02, 0.2), rng.choice(self.alphabet, len(line)), line)
        if rng.random() < 0.10:                              # other punctuation
            at = np.isin(line, self.punctuation)
            line = np.where(at & (rng.random(len(line)) < 0.7), rng.choice(self.punctuation, len(line)), line)
        if rng.random() < 0.05 and len(line) > 1:            # another end
            line = np.concatenate([line[:-1], rng.choice(self.punctuation, 1)])
        return line[:LONGEST]

    def _style(self, rng, voice, row):
        style = self.voices[voice, row]
        if rng.random() < 0.15:
            shares = rng.dirichlet(np.ones(2 if rng.random() < 0.8 else 3))
            others = [voice] + [int(rng.integers(len(self.names))) for _ in shares[1:]]
            style = sum(share * self.voices[v, row] for share, v in zip(shares, others))
        if rng.random() < 0.15:                              # as the engine varies it by seed
            near, far = self.voices[voice, min(row + 24, LONGEST)], self.voices[voice, min(row + 96, LONGEST)]
            step = rng.uniform(-0.6, 0.6) * (near - style) + rng.uniform(-0.3, 0.4) * (far - style)
            grain = 0.12 * (rng.random(256) + rng.random(256) - 1) * (np.abs(style) + 0.1)
            style = np.where(np.arange(256) < 128, style, style + step + grain)
        return style.astype(np.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('out')
    parser.add_argument('--voices', required=True)
    parser.add_argument('--tokenizer', required=True)
    for kind in KINDS:
        parser.add_argument('--' + kind.replace('_', '-'), nargs='+', required=True)
    args = parser.parse_args()
    voices = load_voices(args.voices)
    vocabulary = json.load(open(args.tokenizer))['model']['vocab']
    made = {'voices': np.stack(list(voices.values())).astype(np.float16), 'names': np.array(list(voices)),
            'alphabet': np.array(sorted(i for i in vocabulary.values() if i > 0), np.uint8),
            'punctuation': np.array([vocabulary[c] for c in ';:,.!?—…' if c in vocabulary], np.uint8)}
    for kind in KINDS:
        lines = [line for path in getattr(args, kind) for line in read_ids(path)]
        made[kind] = np.concatenate([np.asarray(line, np.uint8) for line in lines])
        made[kind + '_at'] = np.cumsum([len(line) for line in lines])[:-1].astype(np.int32)
        print(kind, len(lines), 'lines', len(made[kind]), 'tokens')
    np.savez(args.out, **made)


if __name__ == '__main__':
    main()
