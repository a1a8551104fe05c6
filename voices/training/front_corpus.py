"""What the front's teacher is asked to say: lines of phonemes in nine languages, and from them as
many different utterances as are wanted.

The teacher answers to any sequence of tokens in any style, so the corpus need not be large, only
wide.  Most draws are lines as they are read; the rest are fragments, two lines spliced, words in
another order, lines with strange sounds or punctuation in places (the whole alphabet), lines of
another language, and plain soup.  Styles: every voice, mixes of two or three,
rows of other lengths, and the variations that seeds make.  Speeds reach from 0.5 to 2; the teacher
divides its durations by them before it rounds, and so does the student.

    python front_corpus.py front-corpus.npz --voices build/voices --tokenizer src/tokenizer.json --ids ids/

`ids/` holds `text-<language>*.ids`, `held-<language>.ids` and `short-<language>.ids` for each of
us, gb, es, fr, it, pt, hi, ja and zh.
"""
import argparse
import glob
import json
import math
import os

import numpy as np

from corpus.assemble import ENGLISH, OFTEN, load_voices, read_ids

SPACE = 16
LONGEST = 509
# The language of a voice, by the first letter of its name.
LANGUAGES = {'a': 'us', 'b': 'gb', 'e': 'es', 'f': 'fr', 'i': 'it', 'p': 'pt', 'h': 'hi', 'j': 'ja', 'z': 'zh'}
OTHERS = tuple(LANGUAGES.values())[2:]
# What the student finds hardest is drawn more often.
HARD = {'am_santa': 7.0, 'bf_alice': 3.0, 'bf_lily': 2.5, 'af_sky': 2.0, 'am_liam': 2.0, 'am_fenrir': 1.7, 'af_nicole': 1.5, 'am_eric': 1.5,
        'em_santa': 1.6, 'pm_santa': 1.6}
# Of all draws, by the language of the voice; English voices have the rest.
SHARES = {'es': 0.08, 'fr': 0.05, 'it': 0.085, 'pt': 0.11, 'hi': 0.05, 'ja': 0.05, 'zh': 0.045}
OTHER_LANGUAGE = 0.10           # a voice of another language reads English, or a language that is not its own
SLOWEST, FASTEST, AS_IT_IS = 0.5, 2.0, 0.8
ODD = 0.5                       # of the odd draws that the runs up to front 7 had; 1 widens, less polishes
# Evaluation: lines for each voice of a language, speeds that are measured, lines of the hardest voice.
LINES_A_VOICE, RATES, HARDEST, LINES_OF_HARDEST = 30, (0.5, 0.75, 1.5, 2.0), 'am_santa', 24
SETS = ('en', *OTHERS, 'santa', 'short', 'rates')


def spoken_in_english(asked):
    """[(tokens, style, speed, voice, ..)] -> whether the voice of each is an English one."""
    return [one[3].startswith(ENGLISH) for one in asked]


class Corpus:
    def __init__(self, path):
        data = np.load(path)
        self.voices, self.names = data['voices'].astype(np.float32), [str(n) for n in data['names']]
        self.alphabet, self.punctuation = data['alphabet'], data['punctuation']
        read = lambda name: np.split(data[name], data[name + '_at'])
        self.lines, self.held, self.short = ({kind: read(part + kind) for kind in LANGUAGES.values()} for part in ('text_', 'held_', 'short_'))
        self.language = [LANGUAGES[name[0]] for name in self.names]
        self.english = [i for i, name in enumerate(self.names) if name.startswith(ENGLISH)]
        weight = np.array([HARD.get(n, 1.5 if n[0] == 'b' else OFTEN.get(n, 1.0) ** 0.5) for n in self.names])
        group = np.array([language if language in OTHERS else 'en' for language in self.language])
        for name, share in {**SHARES, 'en': 1 - sum(SHARES.values())}.items():
            weight[group == name] *= share / weight[group == name].sum()
        self.weight = weight / weight.sum()

    def evaluation(self, name, most=None):
        """-> {number: (tokens with pads, style, speed, voice)} of one of SETS, the same every time;
        with `most`, so many of them."""
        if name == 'en':                                     # English voices in turn, as assemble.py --in-turn
            asked = [self._asked(self.english[i % len(self.english)], self.held, i) for i in range(len(self.held['us']))]
        elif name == 'santa':
            every = len(self.held['us']) // LINES_OF_HARDEST
            asked = [self._asked(self.names.index(HARDEST), self.held, every * i) for i in range(LINES_OF_HARDEST)]
        elif name == 'short':
            asked = [self._asked(voice, self.short, i) for voice in range(len(self.names)) for i in range(len(self.short['us']))]
        elif name == 'rates':
            asked = [self._asked(voice, self.held, 5 * at + i, speed) for i, speed in enumerate(RATES) for at, voice in enumerate(self.english)]
        else:
            voices = [i for i, language in enumerate(self.language) if language == name]
            asked = [self._asked(voice, self.held, LINES_A_VOICE * at + i) for at, voice in enumerate(voices) for i in range(LINES_A_VOICE)]
        chosen = np.random.default_rng(1).permutation(len(asked))[:most]
        return {int(i): asked[i] for i in sorted(chosen)}

    def _asked(self, voice, lines, index, speed=1.0):
        of = lines[self.language[voice]]
        line = of[index % len(of)]
        return self._padded(line), self.voices[voice, min(len(line), LONGEST)], speed, self.names[voice]

    def draw(self, rng):
        """-> tokens with pads, style, speed, voice."""
        voice = int(rng.choice(len(self.names), p=self.weight))
        language = self.language[voice]
        if rng.random() < (OTHER_LANGUAGE if language in OTHERS else 0.4 * OTHER_LANGUAGE):
            language = 'us' if language in OTHERS and rng.random() < 0.7 else OTHERS[rng.integers(len(OTHERS))]
        line = self._line(rng, language)
        row = min(len(line), LONGEST)
        if rng.random() < ODD * 0.2:
            row = int(np.clip(row + rng.integers(-100, 200), 0, LONGEST))
        speed = 1.0 if rng.random() < AS_IT_IS else round(math.exp(rng.uniform(math.log(SLOWEST), math.log(FASTEST))), 2)
        return self._padded(line), self._style(rng, voice, row), speed, self.names[voice]

    def each_voice(self, rng, longest):
        """Every voice once, a line of its language: what calibration must not miss."""
        for voice, language in enumerate(self.language):
            line = self._pick(rng, language)[:longest]
            yield self._padded(line), self.voices[voice, len(line)], 1.0, self.names[voice]

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
        line, draw = self._pick(rng, kind), rng.random() / ODD
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
        elif draw < 0.30:                                    # soup
            line = rng.choice(self.alphabet, int(rng.integers(1, 60)))
        if rng.random() < ODD * 0.10:                        # strange sounds in places
            line = np.where(rng.random(len(line)) < rng.uniform(0.02, 0.2), rng.choice(self.alphabet, len(line)), line)
        if rng.random() < ODD * 0.10:                        # other punctuation
            at = np.isin(line, self.punctuation)
            line = np.where(at & (rng.random(len(line)) < 0.7), rng.choice(self.punctuation, len(line)), line)
        if rng.random() < ODD * 0.05 and len(line) > 1:      # another end
            line = np.concatenate([line[:-1], rng.choice(self.punctuation, 1)])
        return line[:LONGEST]

    def _style(self, rng, voice, row):
        style = self.voices[voice, row]
        if rng.random() < ODD * 0.15:
            shares = rng.dirichlet(np.ones(2 if rng.random() < 0.8 else 3))
            others = [voice] + [int(rng.integers(len(self.names))) for _ in shares[1:]]
            style = sum(share * self.voices[v, row] for share, v in zip(shares, others))
        if rng.random() < ODD * 0.15:                        # as the engine varies it by seed
            near, far = self.voices[voice, min(row + 24, LONGEST)], self.voices[voice, min(row + 96, LONGEST)]
            step = rng.uniform(-0.6, 0.6) * (near - style) + rng.uniform(-0.3, 0.4) * (far - style)
            grain = 0.12 * (rng.random(256) + rng.random(256) - 1) * (np.abs(style) + 0.1)
            style = np.where(np.arange(256) < 128, style, style + step + grain)
        return style.astype(np.float32)


def flat(lines):
    """Lines end to end, and where all but the first begin."""
    return np.concatenate([np.asarray(line, np.uint8) for line in lines]), np.cumsum([len(line) for line in lines])[:-1].astype(np.int32)


def describe(corpus, draws=4000):
    """How often each language is drawn, how long the draws are and how many are at another speed."""
    rng, spoken = np.random.default_rng(7), []
    weight = {kind: 0.0 for kind in LANGUAGES.values()}
    for voice, share in enumerate(corpus.weight):
        weight[corpus.language[voice]] += share
    for _ in range(draws):
        ids, _, speed, _ = corpus.draw(rng)
        spoken.append((len(ids) - 2, speed))
    sizes = np.array([n for n, _ in spoken])
    print('voices drawn:', {kind: round(share, 3) for kind, share in weight.items()})
    print(f'{sizes.mean():.0f} tokens a draw, {100 * (sizes <= 12).mean():.0f}% of 12 or fewer, '
          f'{100 * np.mean([speed != 1 for _, speed in spoken]):.0f}% at another speed than 1')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('out')
    parser.add_argument('--voices', required=True)
    parser.add_argument('--tokenizer', required=True)
    parser.add_argument('--ids', required=True, help='folder of the token files')
    args = parser.parse_args()
    voices = load_voices(args.voices)
    vocabulary = json.load(open(args.tokenizer))['model']['vocab']
    made = {'voices': np.stack(list(voices.values())).astype(np.float16), 'names': np.array(list(voices)),
            'alphabet': np.array(sorted(i for i in vocabulary.values() if i > 0), np.uint8),
            'punctuation': np.array([vocabulary[c] for c in ';:,.!?—…' if c in vocabulary], np.uint8)}
    for kind in LANGUAGES.values():
        for part, pattern in (('text_', f'text-{kind}*.ids'), ('held_', f'held-{kind}.ids'), ('short_', f'short-{kind}.ids')):
            lines = [line for path in sorted(glob.glob(os.path.join(args.ids, pattern))) for line in read_ids(path)]
            lines = lines if part == 'held_' and kind in ('us', 'gb') else [line for line in lines if line]
            made[part + kind], made[part + kind + '_at'] = flat(lines)
            print(part + kind, len(lines), 'lines', len(made[part + kind]), 'tokens')
    np.savez_compressed(args.out, **made)
    describe(Corpus(args.out))


if __name__ == '__main__':
    main()
