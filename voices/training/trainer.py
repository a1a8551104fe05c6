"""What training by the clock is made of, whatever is trained: the loop, the falling rate, the
average that is kept, the captured step.

A subclass makes its model and pool of data, and says what a batch is (`take`), what a step does
with it (`update`) and how good the average of the weights is (`validate`).  A step is captured as a
CUDA graph (it is hundreds of small kernels), so `update` must not branch on data nor read anything
back.
"""
import argparse
import contextlib
import math
import os
import time

import torch

PART_BYTES = 15_500_000


def parser(description, learning_rate, capacity):
    """The arguments every training has."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument('out', help='folder for checkpoints and the log')
    made.add_argument('--resume', help='prefix of checkpoint parts to go on from')
    made.add_argument('--compile', action='store_true', help='fuse the small operations (half a minute, then steps take half the time)')
    made.add_argument('--seconds', type=float, default=1200, help='of training, the compiler not counted')
    made.add_argument('--deadline', type=float, default=math.inf, help='end at this time (seconds since 1970) at the latest')
    made.add_argument('--learning-rate', type=float, default=learning_rate)
    made.add_argument('--hold', type=float, default=0.0, help='share of the time at the full rate, before it falls')
    made.add_argument('--capacity', type=float, default=capacity, help='hours of data to make room for')
    made.add_argument('--validate-every', type=float, default=60)
    made.add_argument('--save-every', type=float, default=60)
    made.add_argument('--profile', action='store_true', help='say at the end what a step spends its time on')
    made.add_argument('--seed', type=int, default=0)
    return made


class Average:
    """Exponential moving average of the weights; young averages forget faster."""

    def __init__(self, model, device, slowest=0.001):
        self.values = {k: v.detach().clone() for k, v in model.state_dict().items()}
        self.rate, self.slowest = torch.tensor(0.1, device=device), slowest
        self.model = model
        self.parameters = [p.detach() for p in model.parameters()]
        self.averages = [self.values[k] for k, _ in model.named_parameters()]

    def age(self, step):
        self.rate.fill_(max(self.slowest, 1 / (step / 4 + 10)))

    def update(self):
        gaps = torch._foreach_sub(self.parameters, self.averages)     # not lerp: that reads the rate on the host
        torch._foreach_mul_(gaps, self.rate)
        torch._foreach_add_(self.averages, gaps)

    @contextlib.contextmanager
    def in_place(self):
        """The model with the average's weights, for as long as it is looked at."""
        current = {k: v.detach().clone() for k, v in self.model.state_dict().items()}
        self.model.load_state_dict(self.values)
        try:
            yield
        finally:
            self.model.load_state_dict(current)

    def save(self, folder):
        """float16 parts of at most 16 MB, each replaced at once; nothing is written when a value is
        not finite."""
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
    """Subclasses set `model` and `pool`, call `begin`, and define `take`, `update` and `validate`.
    """
    TERMS = ()              # names of what `update` adds to `sums`
    WARM_UP = 300           # steps until the rate is reached
    SLOWEST = 0.001         # rate of a grown-up average
    LOOK_EVERY = 10         # seconds between looks for new data

    def __init__(self, args):
        self.args = args
        self.device = 'cuda' if torch.cuda.is_available() else 'cpu'
        self.cuda = self.device == 'cuda'
        torch.manual_seed(args.seed)
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
        torch.backends.cudnn.benchmark = True
        os.makedirs(args.out, exist_ok=True)
        self.log_file = open(os.path.join(args.out, 'log.txt'), 'a')
        self.sums = torch.zeros(len(self.TERMS), device=self.device)
        self.graph = self.fixed = None

    def log(self, *words):
        line = ' '.join(str(w) for w in words)
        print(line, flush=True)
        self.log_file.write(line + '\n')
        self.log_file.flush()

    def look_for_data(self):
        """Now and then: for data that comes while training."""

    def begin(self, groups, betas):
        """Optimiser of parameter groups, and the average of the model as it is now."""
        self.average = Average(self.model, self.device, self.SLOWEST)
        self.rate = torch.tensor(0.0, device=self.device)
        self.optimiser = torch.optim.AdamW(groups, lr=self.rate if self.cuda else 0.0, betas=betas, weight_decay=0.01,
                                           **({'capturable': True, 'fused': True} if self.cuda else {}))
        self.log(f'{sum(p.numel() for p in self.model.parameters()) / 1e6:.2f} M parameters')

    def set_rate(self, elapsed, seconds, step):
        """The full rate, then a cosine from it to nothing; returns how much of it is left, 1 to 0.
        """
        fallen = max(0.0, min(1.0, elapsed / seconds) - self.args.hold) / (1 - self.args.hold)
        share = 0.5 * (1 + math.cos(math.pi * fallen))
        rate = self.args.learning_rate * min(1, (step + 1) / self.WARM_UP) * share
        self.rate.fill_(rate)
        if not self.cuda:
            for group in self.optimiser.param_groups:
                group['lr'] = rate
        return share

    def descend(self, loss, parameters, most, terms):
        """One step down, the average after it, and the terms (with the gradient's norm) into the
        sums."""
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(parameters, most)
        self.optimiser.step()
        with torch.no_grad():
            self.average.update()
            self.sums.add_(torch.stack([*terms, norm.float()]).detach())

    def step(self):
        batch = self.take()
        if not self.cuda:
            return self.update(batch)
        if self.graph is None:
            try:
                self.capture(batch)
            except Exception as error:
                if not self.args.compile:
                    raise
                self.log('going on without the compiler:', str(error)[:500])
                torch.compiler.set_stance('force_eager')
                self.args.compile = False
                self.capture(batch)
        for name, place in self.fixed.items():
            place.copy_(batch[name])
        self.graph.replay()

    def capture(self, batch):
        began = time.time()
        self.fixed = {name: value.clone() for name, value in batch.items()}
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(4):
                self.update(self.fixed)
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        self.optimiser.zero_grad(set_to_none=True)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.update(self.fixed)
        self.graph = graph
        self.log(f'captured the step in {time.time() - began:.1f} s, {torch.cuda.max_memory_allocated() / 1e9:.0f} GB')

    def save(self):
        if not self.average.save(self.args.out):
            self.log('not saved: the average is not finite')

    def profile(self, steps=3):
        """The kernels of some steps, by their time."""
        batch = self.fixed or self.take()
        kinds = [torch.profiler.ProfilerActivity.CPU, *([torch.profiler.ProfilerActivity.CUDA] if self.cuda else [])]
        with torch.profiler.profile(activities=kinds) as profiler:
            for _ in range(steps):
                self.update(batch)
            if self.cuda:
                torch.cuda.synchronize()
        by = 'self_cuda_time_total' if self.cuda else 'self_cpu_time_total'
        self.log(profiler.key_averages().table(sort_by=by, row_limit=40, max_name_column_width=90))

    def run(self):
        """Train until the time is up; the first step, which is the compiler's, is not on the clock.
        """
        args, step, counted = self.args, 0, 0
        self.log('before', self.validate())
        self.set_rate(0, 1, 0)
        self.step()
        began = checked = saved = looked = timed = time.time()
        seconds = min(args.seconds, args.deadline - began)
        while (elapsed := time.time() - began) < seconds:
            self.set_rate(elapsed, seconds, step)
            self.average.age(step)
            self.step()
            step, counted = step + 1, counted + 1
            if self.cuda and step % 20 == 0:
                torch.cuda.synchronize()                  # keep the clock honest: the queue is deep
            now = time.time()
            if now - looked > self.LOOK_EVERY:
                self.look_for_data()
                looked = time.time()
            if now - checked > args.validate_every or step == 100:
                means = {k: round(v / counted, 3) for k, v in zip(self.TERMS, self.sums.tolist())}
                self.log(f't {elapsed:.0f} step {step} {(now - timed) / counted * 1000:.1f} ms {self.pool.hours:.1f} h', means, self.validate())
                self.sums.zero_()
                counted, checked, timed = 0, time.time(), time.time()
            if now - saved > args.save_every:
                self.save()
                saved = time.time()
        self.log('end', step, self.validate())
        self.save()
        if args.profile:
            self.profile()
        open(os.path.join(args.out, 'DONE'), 'w').close()
