"""Train the light generator on shards from generate.py, by the clock.

    python train.py data/ checkpoints/ --resume checkpoint/ck_ --compile --seconds 1200 --adversarial-from 99999

First regression alone at a large batch, then with discriminators at a small weight; the learning rate falls along a cosine to
nearly nothing at the end.  The step is captured as a CUDA graph (it is hundreds of small kernels).  The average
(EMA) of the weights is what is saved and measured.  New shards are taken up while it runs.
"""
import argparse
import math
import os
import time

import torch
import torch.nn as nn

from discriminators import Discriminators, discriminator_loss, generator_losses
from losses import Reconstruction
from metrics import Distance
from shards import Pool
from student import FRAME, NOISE_GAIN, Student, grow, load_state, shaped_like, stft

PART_BYTES = 15_500_000


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('data')
    parser.add_argument('out')
    parser.add_argument('--resume', help='prefix of checkpoint parts')
    parser.add_argument('--discriminators', help='state of the discriminators to go on from')
    parser.add_argument('--layers', type=int, help='grow the checkpoint to this many blocks')
    parser.add_argument('--compile', action='store_true', help='fuse the small operations (half a minute, then steps take half the time)')
    parser.add_argument('--seconds', type=float, default=1200)
    parser.add_argument('--deadline', type=float, help='end at this time (seconds since 1970) at the latest')
    parser.add_argument('--adversarial-from', type=float, default=500, help='seconds; beyond --seconds means never')
    parser.add_argument('--adversarial-weight', type=float, default=0.4)
    parser.add_argument('--learning-rate', type=float, default=6e-4)
    parser.add_argument('--discriminator-rate', type=float, default=3e-4)
    parser.add_argument('--batch', type=int, default=52)
    parser.add_argument('--adversarial-batch', type=int, default=32)
    parser.add_argument('--frames', type=int, default=160, help='frames of a segment that count')
    parser.add_argument('--context', type=int, default=20, help='frames to either side that do not')
    parser.add_argument('--capacity', type=float, default=30, help='hours of data to make room for')
    parser.add_argument('--begin-at', type=float, default=2, help='hours of data to wait for')
    parser.add_argument('--begin-by', type=float, default=math.inf, help='begin at this time (seconds since 1970) with what there is')
    parser.add_argument('--consume', action='store_true', help='delete shards once they are on the GPU')
    parser.add_argument('--held', type=int, default=64, help='utterances kept for validation')
    parser.add_argument('--data-until', type=float, default=1e9, help='seconds after which no new shards are taken')
    parser.add_argument('--validate-every', type=float, default=60)
    parser.add_argument('--seed', type=int, default=0)
    return parser.parse_args()


class Average:
    """Exponential moving average of the weights; young averages forget faster."""

    def __init__(self, model, device):
        self.values = {k: v.detach().clone() for k, v in model.state_dict().items()}
        self.rate = torch.tensor(0.1, device=device)
        self.parameters = [p.detach() for p in model.parameters()]
        self.averages = [self.values[k] for k, _ in model.named_parameters()]

    def update(self):
        gaps = torch._foreach_sub(self.parameters, self.averages)     # not lerp: that reads the rate on the host
        torch._foreach_mul_(gaps, self.rate)
        torch._foreach_add_(self.averages, gaps)

    def save(self, folder):
        """float16 parts of at most 16 MB, each replaced at once; nothing is written when a value is not finite."""
        if not all(bool(torch.isfinite(v).all()) for v in self.values.values()):
            return False
        part, size, index = {}, 0, 0
        for key, value in list(self.values.items()) + [(None, None)]:
            if key is None or size + value.numel() * 2 > PART_BYTES:
                torch.save(part, f'{folder}/ck_{index}.tmp')
                os.replace(f'{folder}/ck_{index}.tmp', f'{folder}/ck_{index}.pt')
                part, size, index = {}, 0, index + 1
            if key is not None:
                part[key] = (value if key in ('xm', 'xs') else value.half()).cpu().clone()
                size += value.numel() * 2
        return True


class Trainer:
    def __init__(self, args):
        self.args = args
        self.device = 'cuda' if torch.cuda.is_available() else 'cpu'
        self.cuda = self.device == 'cuda'
        torch.manual_seed(args.seed)
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
        torch.backends.cudnn.benchmark = True
        os.makedirs(args.out, exist_ok=True)
        self.log_file = open(os.path.join(args.out, 'log.txt'), 'a')
        state = load_state(args.resume) if args.resume else None
        if state and args.layers:
            state = grow(state, args.layers)
        self.student = (shaped_like(state) if state else Student(layers=args.layers or 8)).to(self.device)
        self.judges = Discriminators().to(self.device, memory_format=torch.channels_last)
        if state:
            self.student.load_state_dict(state)
        if args.discriminators:
            state = torch.load(args.discriminators, map_location=self.device)
            self.judges.load_state_dict({k: v.float() for k, v in state.items()})
        known = (self.student.xm.clone(), self.student.xs.clone()) if args.resume else (None, None)
        self.pool = Pool(self.device, args.capacity, *known, held=args.held)
        self.reconstruction, self.distance = Reconstruction(self.device), Distance(self.device)
        self.weight = torch.zeros((), device=self.device)
        self.sums = torch.zeros(len(Reconstruction.WEIGHTS) + 4, device=self.device)
        self.graphs = {}
        if args.compile:
            self.reconstruction.compile()
            self.student.synthesise = torch.compile(Student.synthesise, dynamic=False)
            for block in self.student.blocks:
                block.compile(dynamic=False)

    def log(self, *words):
        line = ' '.join(str(w) for w in words)
        print(line, flush=True)
        self.log_file.write(line + '\n')
        self.log_file.flush()

    def prepare(self):
        """Wait for data, then make optimisers and the average around the (now normalised) student."""
        began = time.time()
        while self.pool.hours < self.args.begin_at and (time.time() < self.args.begin_by or not self.pool.hours):
            if not self.pool.load_new(self.args.data, consume=self.args.consume):
                time.sleep(1)
        self.student.xm.copy_(self.pool.mean)
        self.student.xs.copy_(self.pool.deviation)
        self.average = Average(self.student, self.device)
        rate = lambda value: torch.tensor(value, device=self.device) if self.cuda else value
        settings = {'betas': (0.8, 0.99), 'weight_decay': 0.01, **({'capturable': True, 'fused': True} if self.cuda else {})}
        self.rates = [rate(self.args.learning_rate), rate(self.args.discriminator_rate)]
        self.optimiser = torch.optim.AdamW(self.student.parameters(), lr=self.rates[0], **settings)
        self.judge_optimiser = torch.optim.AdamW(self.judges.parameters(), lr=self.rates[1], **settings)
        self.log(f'{self.pool.utterances} utterances, {self.pool.hours:.2f} h after {time.time() - began:.0f} s,',
                 f'{sum(p.numel() for p in self.student.parameters()) / 1e6:.2f} M parameters')

    def speak(self, batch, amp):
        """-> predictable part, whole, target; the frames that count only."""
        x, f0, phase, style, stats, mask, wave = batch
        signal = torch.randn(x.shape[0], x.shape[1] * FRAME, device=self.device)
        noise = stft(signal, self.student.fwd) / NOISE_GAIN
        predictable, noisy = self.student(x, f0, phase, style, stats, noise, mask[..., None], amp)
        a, b = self.args.context * FRAME, (self.args.context + self.args.frames) * FRAME
        return predictable[:, a:b], (predictable + noisy)[:, a:b], wave[:, a:b]

    def update(self, batch, adversarial):
        """One step.  Everything here is captured in the graph: no branches on data, no host reads."""
        predictable, whole, target = self.speak(batch, self.cuda)
        terms = self.reconstruction(predictable, whole, target)
        loss = self.reconstruction.weigh(terms)
        judged = fooled = matching = torch.zeros((), device=self.device)
        if adversarial:
            real = self.judges(target, self.cuda)
            judged = discriminator_loss(real, self.judges(whole.detach(), self.cuda))
            self.judge_optimiser.zero_grad(set_to_none=True)
            judged.backward()
            self.judge_optimiser.step()
            self.judges.requires_grad_(False)
            fooled, matching = generator_losses(real, self.judges(whole, self.cuda))
            loss = loss + self.weight * (fooled + 2 * matching)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        if adversarial:
            self.judges.requires_grad_(True)
        norm = nn.utils.clip_grad_norm_(self.student.parameters(), 5.0)
        self.optimiser.step()
        with torch.no_grad():
            self.average.update()
            self.sums.add_(torch.stack([*terms.values(), fooled, matching, judged, norm.float()]).detach())

    def step(self, adversarial):
        size = self.args.adversarial_batch if adversarial else self.args.batch
        batch = self.pool.batch(size, self.args.frames, self.args.context)
        if not self.cuda:
            self.update(batch, adversarial)
            return
        if adversarial not in self.graphs:
            try:
                self.capture(batch, adversarial)
            except Exception as error:
                if not self.args.compile:
                    raise
                self.log('going on without the compiler:', str(error)[:500])
                torch.compiler.set_stance('force_eager')
                self.args.compile = False
                self.capture(batch, adversarial)
        graph, fixed = self.graphs[adversarial]
        for place, value in zip(fixed, batch):
            place.copy_(value)
        graph.replay()

    def capture(self, batch, adversarial):
        began = time.time()
        fixed = [value.clone() for value in batch]
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(4):
                self.update(fixed, adversarial)
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        self.optimiser.zero_grad(set_to_none=True)
        self.judge_optimiser.zero_grad(set_to_none=True)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.update(fixed, adversarial)
        self.graphs[adversarial] = (graph, fixed)
        self.log(f'captured {"adversarial" if adversarial else "regression"} step in {time.time() - began:.1f} s')

    @torch.no_grad()
    def validate(self):
        """The average's losses and distances on utterances that are never trained on."""
        current = {k: v.detach().clone() for k, v in self.student.state_dict().items()}
        self.student.load_state_dict(self.average.values)
        batch = self.pool.held_batch(self.args.frames, self.args.context)
        with torch.compiler.set_stance('force_eager'):        # another shape: not worth compiling
            predictable, whole, target = self.speak(batch, False)
            terms = self.reconstruction(predictable, whole, target)
        mel, mcd = self.distance.measure(whole, target)
        self.student.load_state_dict(current)
        return {**{k: round(float(v), 4) for k, v in terms.items()}, 'logmel': round(float(mel), 4), 'mcd': round(float(mcd), 3)}

    def save(self):
        if self.average.save(self.args.out):
            torch.save({k: v.half() for k, v in self.judges.state_dict().items()}, f'{self.args.out}/disc.tmp')
            os.replace(f'{self.args.out}/disc.tmp', f'{self.args.out}/disc.pt')
        else:
            self.log('not saved: the average is not finite')

    def set_rates(self, elapsed, step):
        args = self.args
        cosine = 0.5 * (1 + math.cos(math.pi * min(1.0, elapsed / args.seconds)))
        values = [args.learning_rate * min(1, (step + 1) / 300) * (0.98 * cosine + 0.02),
                  args.discriminator_rate * (0.8 * cosine + 0.2)]
        for optimiser, held, value in zip((self.optimiser, self.judge_optimiser), self.rates, values):
            if self.cuda:
                held.fill_(value)
            else:
                optimiser.param_groups[0]['lr'] = value
        since = elapsed - args.adversarial_from
        self.weight.fill_(args.adversarial_weight * max(0.0, min(1.0, since / 30)))
        self.average.rate.fill_(max(0.001, 1 / (step / 4 + 10)))

    def run(self):
        self.prepare()
        args, step, counted = self.args, 0, 0
        self.log('before', self.validate())
        began = checked = saved = looked = timed = time.time()
        if args.deadline:
            args.seconds = min(args.seconds, args.deadline - began)
        while (elapsed := time.time() - began) < args.seconds:
            adversarial = elapsed >= args.adversarial_from
            self.set_rates(elapsed, step)
            self.step(adversarial)
            step, counted = step + 1, counted + 1
            if self.cuda and step % 20 == 0:
                torch.cuda.synchronize()                  # keep the clock honest: the queue is deep
            now = time.time()
            if now - looked > 10 and elapsed < args.data_until:
                self.pool.load_new(args.data, limit=6, consume=args.consume)
                looked = time.time()
            if now - checked > args.validate_every or step == 100:
                means = [round(v / counted, 3) for v in self.sums.tolist()]
                self.log(f't {elapsed:.0f} step {step} {(now - timed) / counted * 1000:.1f} ms {self.pool.hours:.1f} h', means, self.validate())
                self.sums.zero_()
                counted, checked, timed = 0, time.time(), time.time()
            if now - saved > 90:
                self.save()
                saved = time.time()
        self.log('end', step, self.validate())
        self.save()
        open(os.path.join(args.out, 'DONE'), 'w').close()


if __name__ == '__main__':
    Trainer(parse()).run()
