"""Train the light generator on shards from generate.py, by the clock.

    python train.py checkpoints/ data/ --resume front-checkpoint-10/generator-ck_ --compile --seconds 1200

Plain regression on the teacher's waveform (losses.py) at a large batch.  New shards are taken up
while it runs.
"""
import math
import time

import torch

import trainer
from losses import Reconstruction
from metrics import Distance, Periodicity
from shards import Pool
from student import BINS, FRAME, NOISE_GAIN, Student, extend_filter, for_one, grow, load_state, shaped_like, stft


def parse():
    parser = trainer.parser(__doc__, learning_rate=5e-4, capacity=30)
    parser.add_argument('data', help='folder of shards')
    parser.add_argument('--begin-at', type=float, default=1, help='hours of data to wait for')
    parser.add_argument('--begin-by', type=float, default=math.inf, help='begin at this time (seconds since 1970) with what there is')
    parser.add_argument('--consume', action='store_true', help='delete shards once they are on the GPU')
    parser.add_argument('--layers', type=int, help='grow the checkpoint to this many blocks')
    parser.add_argument('--extend-from', type=int, default=BINS, metavar='BIN', help='first bin whose filter is dead; it and those above are revived')
    parser.add_argument('--extend-to', type=int, default=BINS, metavar='BIN', help='the bin before which that ends')
    parser.add_argument('--extend-every', type=int, default=60, metavar='STEPS', help='two bins are revived each time')
    parser.add_argument('--batch', type=int, default=52)
    parser.add_argument('--frames', type=int, default=160, help='frames of a segment that count')
    parser.add_argument('--context', type=int, default=20, help='frames to either side that do not')
    parser.add_argument('--held', type=int, default=64, help='utterances kept for validation')
    return parser.parse_args()


class Trainer(trainer.Trainer):
    TERMS = (*Reconstruction.WEIGHTS, 'norm')

    def __init__(self, args):
        super().__init__(args)
        state = for_one(load_state(args.resume), english=True) if args.resume else None
        if state and args.layers:
            state = grow(state, args.layers)
        self.model = (shaped_like(state) if state else Student(layers=args.layers or 8)).to(self.device)
        if state:
            self.model.load_state_dict(state)
        known = (self.model.xm.clone(), self.model.xs.clone()) if state else (None, None)
        self.pool = Pool(self.device, args.capacity, *known, held=args.held)
        self.reconstruction = Reconstruction(self.device)
        self.distance, self.periodicity = Distance(self.device), Periodicity(self.device)
        if args.compile:
            self.reconstruction.compile()
            self.model.synthesise = torch.compile(Student.synthesise, dynamic=False)
            for block in self.model.blocks:
                block.compile(dynamic=False)
        self.wait_for_data()
        self.model.xm.copy_(self.pool.mean)
        self.model.xs.copy_(self.pool.deviation)
        self.begin([{'params': list(self.model.parameters())}], betas=(0.8, 0.99))

    def look_for_data(self, limit=6):
        return self.pool.load_new(self.args.data, limit=limit, consume=self.args.consume)

    def wait_for_data(self):
        began = time.time()
        while self.pool.hours < self.args.begin_at and (time.time() < self.args.begin_by or not self.pool.hours):
            if not self.look_for_data(None):
                time.sleep(1)
        self.log(f'{self.pool.utterances} utterances, {self.pool.hours:.2f} h after {time.time() - began:.0f} s')

    def set_rate(self, elapsed, seconds, step):
        self.reconstruction.begin_with_phase(super().set_rate(elapsed, seconds, step))
        bin, rest = self.args.extend_from + 2 * (step // self.args.extend_every), step % self.args.extend_every
        if rest == 0 and bin < self.args.extend_to:
            extend_filter(self.model.head, bin, 2)

    def take(self):
        return self.pool.batch(self.args.batch, self.args.frames, self.args.context)

    def speak(self, batch, amp):
        """-> predictable part, whole, target; the frames that count only."""
        x = batch['x']
        signal = torch.randn(x.shape[0], x.shape[1] * FRAME, device=self.device)
        noise = stft(signal, self.model.fwd) / NOISE_GAIN
        predictable, noisy = self.model(x, batch['f0'], batch['phase'], batch['style'], batch['stats'], noise,
                                        batch['mask'][..., None], amp)
        a, b = self.args.context * FRAME, (self.args.context + self.args.frames) * FRAME
        return predictable[:, a:b], (predictable + noisy)[:, a:b], batch['wave'][:, a:b]

    def update(self, batch):
        terms = self.reconstruction(*self.speak(batch, self.cuda))
        self.descend(self.reconstruction.weigh(terms), list(self.model.parameters()), 5.0, terms.values())

    @torch.no_grad()
    def validate(self):
        """The average's losses and distances on utterances that are never trained on."""
        batch = self.pool.held_batch(self.args.frames, self.args.context)
        with self.average.in_place(), torch.compiler.set_stance('force_eager'):        # another shape: not worth compiling
            predictable, whole, target = self.speak(batch, False)
            terms = self.reconstruction(predictable, whole, target)
        mel, mcd = self.distance.measure(whole, target)
        made, true = self.periodicity.measure(whole[:24], target[:24])         # slow
        return {**{k: round(float(v), 4) for k, v in terms.items()}, 'logmel': round(float(mel), 4), 'mcd': round(float(mcd), 3),
                'periodicity': [round(v, 3) for v in made], 'of_teacher': [round(v, 3) for v in true]}


if __name__ == '__main__':
    Trainer(parse()).run()
