"""Train the front's student on shards from front_generate.py, by the clock.

    python front_train.py data/ checkpoints/ --generator checkpoint/ck_ --compile --seconds 1200

Durations, F0, energy and x are plain regression on the teacher's.  Where x matters is what the light generator makes of it, so stretches
go through it, frozen: the sound of the student's x is compared with that of the teacher's x, and so is what the generator's
blocks hand to its head.  Token features of the teacher are hints.  A quarter of the rows makes x from the student's
own F0 and energy, the rest from the teacher's.  The learning rate falls along a cosine to nothing; the average (EMA) of the weights is
what is saved and measured.  Steps are captured as a CUDA graph.
"""
import argparse
import math
import os
import time

import numpy as np
import torch
import torch.nn as nn

from front_pool import Pool, doubled
from front_student import ENERGY_UNIT, TOKEN_DIM, Front, load_front, pitch_of, places, repeat_tokens, z_of
from losses import Reconstruction
from metrics import Distance
from student import X_DIM, excitation, istft, load_state, shaped_like, stft
from trainer import Average

TERMS = ('duration', 'total', 'pitch', 'slope', 'energy', 'x', 'hints', 'inner', *Reconstruction.WEIGHTS)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('data')
    parser.add_argument('out')
    parser.add_argument('--generator', help='prefix of the light generator\'s checkpoint')
    parser.add_argument('--resume', help='prefix of checkpoint parts to go on from')
    parser.add_argument('--compile', action='store_true')
    parser.add_argument('--seconds', type=float, default=1200)
    parser.add_argument('--deadline', type=float, default=math.inf, help='seconds since 1970')
    parser.add_argument('--learning-rate', type=float, default=1e-3)
    parser.add_argument('--rows', type=int, default=16)
    parser.add_argument('--own', type=int, default=4, help='rows whose x is made from the student\'s own F0 and energy')
    parser.add_argument('--segments', type=int, default=40)
    parser.add_argument('--size', type=int, default=96, help='frames of a segment, context included')
    parser.add_argument('--context', type=int, default=10)
    parser.add_argument('--sound-weight', type=float, default=0.3, help='of the losses through the generator')
    parser.add_argument('--capacity', type=float, default=320, help='hours of data to make room for')
    parser.add_argument('--begin-at', type=float, default=1, help='hours of data to wait for')
    parser.add_argument('--validate-every', type=float, default=60)
    parser.add_argument('--save-every', type=float, default=100)
    parser.add_argument('--consume', action='store_true')
    parser.add_argument('--seed', type=int, default=0)
    return parser.parse_args()


class Listener:
    """The frozen light generator: normalised x in, inner features and samples of the predictable part out."""

    def __init__(self, prefix, device, compiled):
        self.student = shaped_like(state := load_state(prefix)).to(device)
        self.student.load_state_dict(state)
        self.student.requires_grad_(False).eval()
        if compiled:
            self.student.synthesise = torch.compile(self.student.synthesise, dynamic=False)
            for block in self.student.blocks:
                block.compile(dynamic=False)

    def source(self, f0, phase):
        return stft(excitation(f0, phase), self.student.fwd)

    def __call__(self, x, f0, source, style, stats, mask, amp):
        student, batch, frames = self.student, x.shape[0], x.shape[1]
        with torch.autocast(x.device.type, dtype=torch.bfloat16, enabled=amp, cache_enabled=False):
            h = student.trunk(student.features(x * student.xs + student.xm, f0, source), style, stats, mask)
            o = student.head(h)
        o = o.float().reshape(batch, frames * 2, 9, -1)
        spectrum, _ = student.synthesise(o, source, torch.zeros_like(source))
        return h.float(), istft(spectrum, student.inv)


def utterance_stats(x, columns):
    """Mean and log deviation of normalised x over each utterance: x [B,2T,512], columns [B,U,2T] -> [B*U, 1024]."""
    count = columns.sum(-1, keepdim=True).clamp(min=1)
    mean = columns @ x / count
    variance = (columns @ (x * x) / count - mean * mean).clamp(min=0)
    return torch.cat([mean, 0.5 * torch.log(variance + 1e-5)], -1).flatten(0, 1)


def masked(difference, mask):
    return (difference * mask).sum() / (mask.sum() * difference.shape[-1] / mask.shape[-1] + 1e-6)


class Trainer:
    def __init__(self, args):
        self.args = args
        self.device = 'cuda' if torch.cuda.is_available() else 'cpu'
        self.cuda = self.device == 'cuda'
        torch.manual_seed(args.seed)
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
        self.rng = np.random.default_rng(args.seed)
        os.makedirs(args.out, exist_ok=True)
        self.log_file = open(os.path.join(args.out, 'log.txt'), 'a')
        self.front = (load_front(args.resume) if args.resume else Front()).to(self.device).train()
        self.hints = nn.Linear(TOKEN_DIM, 2 * X_DIM).to(self.device)
        self.pool = Pool(self.device, args.capacity)
        self.reconstruction, self.distance = Reconstruction(self.device), Distance(self.device)
        self.sums = torch.zeros(len(TERMS) + 1, device=self.device)
        self.listener = self.graph = None
        if args.compile:
            self.reconstruction.compile()
            for block in [*self.front.tokens, *self.front.attentions, *self.front.prosody, *self.front.sound]:
                block.compile(dynamic=False)

    def log(self, *words):
        line = ' '.join(str(w) for w in words)
        print(line, flush=True)
        self.log_file.write(line + '\n')
        self.log_file.flush()

    def prepare(self):
        args, began = self.args, time.time()
        while time.time() < args.deadline:
            self.pool.load_new(args.data, args.consume)
            if self.pool.hours >= args.begin_at:
                break
            time.sleep(0.5)
        if args.generator:
            self.listener = Listener(args.generator, self.device, args.compile)
        self.average = Average(self.front, self.device)
        self.rate = torch.tensor(0.0, device=self.device)
        parameters = [*self.front.parameters(), *self.hints.parameters()]
        decay = [p for p in parameters if p.dim() > 1]
        plain = [p for p in parameters if p.dim() <= 1]
        self.optimiser = torch.optim.AdamW([{'params': decay, 'weight_decay': 0.01}, {'params': plain, 'weight_decay': 0.0}],
                                           lr=self.rate if self.cuda else 0.0, betas=(0.9, 0.98),
                                           **({'capturable': True, 'fused': True} if self.cuda else {}))
        self.parameters = parameters
        self.held = self.pool.held_rows()
        self.log(f'{self.pool.utterances} utterances, {self.pool.hours:.1f} h, {self.pool.tokens / self.pool.hours / 3600:.1f} tokens a second, '
                 f'after {time.time() - began:.0f} s; {sum(p.numel() for p in self.front.parameters()) / 1e6:.2f} M parameters; '
                 f'held out: {len(self.held)} rows')

    def run_front(self, b, own):
        """-> log durations [B,L], curves [B,T,4], x [B,2T,512], hints; the last `own` rows make x from their own curves."""
        with torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.cuda, cache_enabled=False):
            h, cond = self.front.encode(b['ids'], b['style'], b['token_spread'], b['token_mask'], b['bias'])
            pooled = self.front.summary(h, b['share'])
            melodies, sounds = self.front.frame_films(cond, pooled, b['frame_spread'])
            frames, place = repeat_tokens(h, b['token']), places(b['offset'], b['duration'])
            curves = self.front.melody(frames, place, melodies, b['frame_mask'])
            given = torch.cat([z_of(b['f0']), b['energy'] / ENERGY_UNIT], -1)
            rows = len(given) - own
            used = torch.cat([given[:rows], curves[rows:].detach()]) if own else given
            x = self.front.features(frames, place, used, sounds, b['frame_mask'])
            hints = self.hints(h)
        return self.front.duration(h.float())[..., 0], curves.float(), x.float(), hints.float()

    def losses(self, b):
        args = self.args
        log_d, curves, x, hints = self.run_front(b, args.own)
        tm, fm = b['token_mask'], b['frame_mask']
        terms = {}
        raw = b['raw'].clamp(min=0.3)
        log_raw, d = torch.log(raw) * tm[..., 0], torch.exp(log_d.clamp(max=4.2))
        gap = (log_d - log_raw).abs() + 0.15 * (d - raw).abs()
        terms['duration'] = masked(gap[..., None], tm)
        whole, made = (b['one'] * raw[:, None]).sum(-1), (b['one'] * d[:, None]).sum(-1)
        there = (whole > 0).float()
        terms['total'] = ((made - whole).abs() / whole.clamp(min=1) * there).sum() / there.sum().clamp(min=1)
        z, voiced = z_of(b['f0']), (b['f0'] > 30).float()
        gap = curves[..., :2] - z
        terms['pitch'] = masked(gap.abs() * (0.3 + 1.2 * voiced), fm)
        both = fm[:, 1:] * fm[:, :-1]
        terms['slope'] = masked((gap[:, 1:] - gap[:, :-1]).abs(), both)
        terms['energy'] = masked((curves[..., 2:] - b['energy'] / ENERGY_UNIT).abs(), fm)
        cm = doubled(fm)
        terms['x'] = masked((x - b['x']).abs(), cm)
        target = torch.cat([b['sound'], b['prosody']], -1)
        terms['hints'] = masked((hints - target) ** 2, tm)
        terms['inner'] = torch.zeros((), device=self.device)
        sound = {name: torch.zeros((), device=self.device) for name in Reconstruction.WEIGHTS}
        if self.listener:
            terms['inner'], sound = self.listen(b, x)
        terms |= sound
        loss = 2.0 * terms['duration'] + 0.5 * terms['total'] + 4.0 * terms['pitch'] + 2.0 * terms['slope'] + 0.7 * terms['energy'] + (
            1.5 * terms['x'] + 0.5 * terms['hints'] + 0.8 * terms['inner'])
        if self.listener:
            loss = loss + args.sound_weight * self.reconstruction.weigh(sound)
        return loss, terms

    def listen(self, b, x):
        rows, args = len(x) - self.args.own, self.args
        index, mask, number = b['segment'], b['segment_mask'], b['segment_utterance']
        cut = lambda t: t.flatten(0, 1)[index] * mask[..., None]
        f0 = b['f0'].flatten()[index] * mask
        with torch.no_grad():
            source = self.listener.source(f0, b['phase'].flatten()[index])
            stats = utterance_stats(b['x'][:rows], b['columns'][:rows])
            style = b['style'].flatten(0, 1)[:, :128][number]
            inner, wave = self.listener(cut(b['x']), f0, source, style, stats[number], mask[..., None], self.cuda)
        stats = utterance_stats(x[:rows], b['columns'][:rows])
        made_inner, made = self.listener(cut(x), f0, source, style, stats[number], mask[..., None], self.cuda)
        keep = slice(600 * args.context, -600 * args.context)
        inner_gap = masked((made_inner - inner).abs(), mask[..., None])
        return inner_gap, self.reconstruction(made[:, keep], made[:, keep], wave[:, keep])

    def take(self):
        args = self.args
        b = self.pool.batch(self.pool.next_rows(args.rows, self.rng))
        if self.listener:
            rows = args.rows - args.own
            first = {k: b[k][:rows] for k in ('frame_start', 'frame_count')}
            b['segment'], b['segment_mask'], b['segment_utterance'] = self.pool.segments(first, args.segments, args.size, args.context)
        return b

    def update(self, b):
        loss, terms = self.losses(b)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.optimiser.step()
        with torch.no_grad():
            self.average.update()
            self.sums.add_(torch.stack([*(terms[name] for name in TERMS), norm.float()]).detach())

    def step(self):
        b = self.take()
        if not self.cuda:
            return self.update(b)
        if self.graph is None:
            try:
                self.capture(b)
            except Exception as error:
                if not self.args.compile:
                    raise
                self.log('going on without the compiler:', str(error)[:800])
                torch.compiler.set_stance('force_eager')
                self.args.compile = False
                self.capture(b)
        for name, place in self.fixed.items():
            place.copy_(b[name])
        self.graph.replay()

    def capture(self, b):
        began = time.time()
        self.fixed = {name: value.clone() for name, value in b.items()}
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

    @torch.no_grad()
    def validate(self):
        """The average on the held-out lines, with the teacher's durations and the student's own F0 and energy."""
        current = {k: v.detach().clone() for k, v in self.front.state_dict().items()}
        self.front.load_state_dict(self.average.values)
        raws, ds, wholes, mades, zs, z_mades, rest = [], [], [], [], [], [], []
        with torch.compiler.set_stance('force_eager'):
            for part in torch.split(self.held, 8):
                b = self.pool.batch(part)
                log_d, curves, x, _ = self.run_front(b, len(part))
                d = torch.exp(log_d)
                there = b['token_mask'][..., 0] > 0
                raws.append(b['raw'][there])
                ds.append(d[there])
                rounded = lambda t: (b['one'] * torch.round(t).clamp(min=1)[:, None]).sum(-1)[b['frame_count'] > 0]
                wholes.append(rounded(b['raw']))
                mades.append(rounded(d))
                f0, own = b['f0'], pitch_of(curves[..., :2])
                both = (f0 > 40) & (own > 40)
                zs.append(torch.log2(f0[both]))
                z_mades.append(torch.log2(own[both]))
                mask = doubled(b['frame_mask'])
                one = {'x': masked((x - b['x']).abs(), mask), 'voicing': masked(((f0 > 10) != (own > 10)).float(), b['frame_mask']),
                       'energy': masked((curves[..., 2:] * ENERGY_UNIT - b['energy']).abs(), b['frame_mask'])}
                if self.listener:
                    torch.manual_seed(1)
                    index, sm, number = self.pool.segments(b, 32, self.args.size, self.args.context)
                    style = b['style'].flatten(0, 1)[:, :128][number]
                    waves = []
                    for features, pitch in ((b['x'], f0), (x, f0), (x, own)):
                        p = (pitch.flatten()[index] * sm).clamp(min=0)
                        phase = torch.cumsum(p.double() / 80, -1)
                        source = self.listener.source(p, (phase - torch.floor(phase)).float())
                        _, wave = self.listener(features.flatten(0, 1)[index] * sm[..., None], p, source, style,
                                                utterance_stats(features, b['columns'])[number], sm[..., None], False)
                        waves.append(wave[:, 6000:-6000])
                    for name, wave in (('', waves[1]), ('own_', waves[2])):
                        mel, mcd = self.distance.measure(wave, waves[0])
                        one |= {name + 'logmel': mel, name + 'mcd': mcd}
                rest.append(one)
        self.front.load_state_dict(current)
        torch.manual_seed(int(self.rng.integers(2 ** 31)))
        corr = lambda a, b: float(torch.corrcoef(torch.stack([torch.cat(a), torch.cat(b)]))[0, 1])
        whole, made, z, z_made = torch.cat(wholes), torch.cat(mades), torch.cat(zs), torch.cat(z_mades)
        result = {'dur_corr': corr(raws, ds), 'dur_l1': float((torch.cat(raws) - torch.cat(ds)).abs().mean()),
                  'length': float(((made - whole).abs() / whole).mean()), 'length_all': float(made.sum() / whole.sum() - 1),
                  'f0_corr': corr(zs, z_mades), 'semitones': float(12 * (z - z_made).abs().mean()),
                  **{k: float(sum(float(r[k]) for r in rest) / len(rest)) for k in rest[0]}}
        return {k: round(v, 4) for k, v in result.items()}

    def save(self):
        if not self.average.save(self.args.out):
            self.log('not saved: the average is not finite')

    def run(self):
        self.prepare()
        args, step, counted = self.args, 0, 0
        began = checked = saved = timed = looked = time.time()
        seconds = min(args.seconds, args.deadline - began)
        while (elapsed := time.time() - began) < seconds:
            rate = args.learning_rate * min(1, (step + 1) / 400) * 0.5 * (1 + math.cos(math.pi * min(1.0, elapsed / seconds)))
            self.rate.fill_(rate)
            if not self.cuda:
                for group in self.optimiser.param_groups:
                    group['lr'] = rate
            self.average.rate.fill_(max(0.0008, 1 / (step / 4 + 10)))
            self.step()
            if step == 0:                                  # the first is the compiler's
                began = checked = saved = timed = time.time()
                seconds = min(args.seconds, args.deadline - began)
            step, counted = step + 1, counted + 1
            if self.cuda and step % 20 == 0:
                torch.cuda.synchronize()
            now = time.time()
            if now - looked > 5:                           # shards are taken up as long as any come
                if self.pool.load_new(args.data, args.consume, limit=8):
                    self.held = self.pool.held_rows()
                looked = time.time()
            if now - checked > args.validate_every or step == 200:
                means = {k: round(v / counted, 3) for k, v in zip((*TERMS, 'norm'), self.sums.tolist())}
                self.log(f't {elapsed:.0f} step {step} {(now - timed) / counted * 1000:.1f} ms {self.pool.hours:.0f} h',
                         means, self.validate())
                self.sums.zero_()
                counted, checked, timed = 0, time.time(), time.time()
            if now - saved > args.save_every:
                self.save()
                saved = time.time()
        self.log('end', step, self.validate())
        self.save()
        open(os.path.join(args.out, 'DONE'), 'w').close()




if __name__ == '__main__':
    Trainer(parse()).run()
