"""Go on with the head of the light generator alone, on what the light front gives it: small enough
for a CPU.

    python front_reference.py front.onnx teacher-generator.onnx front-corpus.npz drawn/ --drawn 300 --processes 2
    python front_polish.py polished/ drawn/ --front front-checkpoint-10/ck_ --resume front-checkpoint-10/generator-ck_ --seconds 600

A generator that learnt with the front was hazier than one that learnt alone (losses.Haze), and what
is heard of that its last product decides.  All before it is run once and kept; minutes of speech
are soon learnt by heart by a whole network, but not by that.  Half of the pieces have the teacher's
F0 and are compared sample by sample, the other half have F0 and x as the front makes them, where
only envelopes are compared, as in front_train.py; in both the voice is to be as harmonic as the
teacher's.  The first of the utterances are kept to validate with.
"""
import glob
import multiprocessing
import os

import numpy as np
import torch
import torch.nn.functional as F

from front_student import ENERGY_UNIT, load_front, speak, z_of
from losses import Envelope, Haze, Reconstruction
from metrics import Distance, Periodicity
from student import BINS, FRAME, PARTS, SUB, excitation, frame_phase, istft, load_student, stft, utterance_stats
from trainer import Trainer, parser

SIZE, CONTEXT = 96, 4           # frames of a piece, and how many of them at either end do not count: what an STFT reaches
HELD = 24


def parse():
    made = parser(__doc__, learning_rate=1e-4, capacity=0)
    made.add_argument('data', help='of front_reference.py --drawn')
    made.add_argument('--front', required=True, help='prefix of the front\'s checkpoint')
    made.add_argument('--segments', type=int, default=48)
    made.add_argument('--haze-weight', type=float, default=10)
    made.add_argument('--threads', type=int, default=2)
    return made.parse_args()


class Utterance:
    """One of the teacher's, and what reaches the generator's head of it: from the teacher's F0 and
    energy, and from the front's own."""

    @torch.no_grad()
    def __init__(self, path, front, student):
        data = np.load(path)
        ids, style = torch.from_numpy(data['tokens'].astype(np.int64)), torch.from_numpy(data['style'].astype(np.float32))
        f0, energy = (torch.from_numpy(data[name].astype(np.float32)) for name in ('f0', 'energy'))
        durations = torch.from_numpy(data['durations'].astype(np.int64))
        given = torch.cat([z_of(f0).reshape(1, -1, 2), energy.reshape(1, -1, 2) / ENERGY_UNIT], -1)
        by_given, (by_own, own, *_) = speak(front, ids, style, durations=durations, curves=given)[0], speak(front, ids, style, durations=durations)
        self.frames, self.wave, self.inner, self.f0, self.phase = len(f0), data['wave'], [], [], []
        for x, pitch in ((by_given, f0), (by_own, own.clamp(min=0))):
            phase, stats = frame_phase(pitch), utterance_stats(x)
            features = student.features((x * student.xs + student.xm)[None], pitch[None], stft(excitation(pitch[None], phase[None]), student.fwd))
            inner = student.trunk(features, style[None, :128], stats[None])[0]
            for kept, values in ((self.inner, inner.half()), (self.f0, pitch), (self.phase, phase)):
                kept.append(values.numpy())

    def piece(self, own, begin=0, size=None):
        """-> the head's input, F0 and phase, the teacher's F0 and samples, of `size` frames from
        `begin` on, zeros behind the end."""
        end = min(begin + (size or self.frames), self.frames)
        cut = lambda values, scale=1: F.pad(torch.from_numpy(values[begin * scale:end * scale]).float(), (0, (begin + (size or self.frames) - end) * scale))
        inner = F.pad(torch.from_numpy(self.inner[own][begin:end]).float(), (0, 0, 0, begin + (size or self.frames) - end))
        return inner, cut(self.f0[own]), cut(self.phase[own]), cut(self.f0[0]), cut(self.wave, FRAME) / 32767


def prepare(task):
    path, front, resume = task
    torch.set_num_threads(1)
    if not hasattr(prepare, 'networks'):
        prepare.networks = load_front(front), load_student(resume)
    return Utterance(path, *prepare.networks)


class Polisher(Trainer):
    TERMS = ('mel', 'cepstrum', 'complex', 'envelope', 'distance', 'haze', 'norm')
    WARM_UP = 20
    SLOWEST = 0.01

    def __init__(self, args):
        super().__init__(args)
        paths = sorted(glob.glob(os.path.join(args.data, '*.npz')))
        with multiprocessing.Pool(args.threads) as pool:
            everything = pool.map(prepare, [(path, args.front, args.resume) for path in paths], chunksize=4)
        torch.set_num_threads(args.threads)
        self.held, self.drawn = everything[:HELD], everything[HELD:]
        self.share = np.array([one.frames for one in self.drawn]) / sum(one.frames for one in self.drawn)
        self.model, self.pool, self.rng = load_student(args.resume), self, np.random.default_rng(args.seed)
        self.model.requires_grad_(False).head.requires_grad_(True)
        self.reconstruction, self.envelope, self.haze = Reconstruction('cpu'), Envelope('cpu'), Haze('cpu')
        self.reconstruction.begin_with_phase(1.0)
        self.distance, self.periodicity = Distance(), Periodicity()
        self.begin([{'params': list(self.model.head.parameters()), 'weight_decay': 0.0}], (0.9, 0.99))

    @property
    def hours(self):
        return sum(one.frames for one in self.drawn) / 80 / 3600

    def take(self):
        halves = []
        for own in (0, 1):
            chosen = self.rng.choice(len(self.drawn), self.args.segments // 2, p=self.share)
            pieces = [(one := self.drawn[index]).piece(own, int(self.rng.integers(max(one.frames - SIZE, 0) + 1)), SIZE) for index in chosen]
            halves.append([torch.stack(values) for values in zip(*pieces)])
        return halves

    def sound(self, inner, f0, phase):
        """Samples of the predictable part."""
        source = stft(excitation(f0, phase), self.model.fwd)
        o = self.model.head(inner).reshape(len(inner), -1, PARTS, BINS)
        return istft(self.model.synthesise(o, source, torch.zeros(1))[0], self.model.inv)

    def listen(self, half):
        """-> what the generator makes of a half of the pieces, the teacher's samples, and how
        unlike they are in their harmonics."""
        inner, f0, phase, true_f0, wave = half
        samples, frames = slice(CONTEXT * FRAME, -CONTEXT * FRAME), slice(CONTEXT, -CONTEXT)
        made, wave = self.sound(inner, f0, phase)[:, samples], wave[:, samples]
        return made, wave, self.haze(self.reconstruction.stft, made, wave, f0[:, frames], true_f0[:, frames], FRAME)

    def update(self, batch):
        made, true, haze = self.listen(batch[0])
        terms = self.reconstruction(made, made, true)
        own_made, own_true, own_haze = self.listen(batch[1])
        envelope, distance = self.envelope(self.reconstruction.stft, own_made, own_true)
        haze = 0.5 * (haze + own_haze)
        loss = 0.5 * self.reconstruction.weigh(terms) + envelope + distance + self.args.haze_weight * haze
        self.descend(loss, self.model.head.parameters(), 1.0, [*(terms[name] for name in self.TERMS[:3]), envelope, distance, haze])

    @torch.no_grad()
    def validate(self):
        """The average on utterances that were kept: MCD with the teacher's F0 and with the front's
        own, and how periodic the latter is in 3.4-4.6 kHz."""
        gaps, frames = [], []
        with self.average.in_place():
            for one in self.held:
                whole = [one.piece(own) for own in (0, 1)]
                made, true = [self.sound(*(value[None] for value in piece[:3])) for piece in whole], whole[0][4]
                gaps.append([float(self.distance.measure(wave, true[None])[1]) for wave in made])
                frames.append([self.periodicity.frames(wave)[3] for wave in (made[1][0], true)])
        periodicity = [round(float(torch.cat(part).median()), 4) for part in zip(*frames)]
        given, own = np.mean(gaps, 0).round(4)
        return {'mcd': given, 'mcd_own': own, 'periodicity_own': periodicity[0], 'periodicity_of_teacher': periodicity[1]}


if __name__ == '__main__':
    Polisher(parse()).run()
