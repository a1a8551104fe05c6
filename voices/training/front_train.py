"""Train the front's student on labels from the front's teacher, by the clock; with waveforms also
the light generator, together with it.

    python front_train.py checkpoints/ front.onnx front-corpus.npz --generator front-checkpoint-10/generator-ck_ --resume front-checkpoint-10/ck_ \\
        --teacher-generator teacher-generator.onnx --compile --wave-seconds 300 --label-seconds 60 --seconds 500

All data is made first, in the GPU's memory: utterances with waveforms, then labels alone, which
cost a quarter of the time.

Durations, F0, energy and x are plain regression on the teacher's.  Where x matters is what a
generator makes of it, so stretches go through the light generator.  With waveforms (of the
teacher's generator) its sound is compared with the teacher's, and it learns too, at a smaller rate:
some rows with the teacher's F0, sample by sample; the others with x and F0 as the student makes
them, where harmonics do not lie in the same places and only envelopes are compared.  The complex
loss weighs more all along, for the filters of high harmonics, and in both the voice is to be as
harmonic as the teacher's (losses.Haze).  Labels alone are heard through the generator as it was at
the beginning: its sound from the student's x is compared with its sound from the teacher's.  Token
features of the teacher are hints.  The learning rate falls along a cosine to nothing; the averages
(EMA) of the weights are what is saved and measured.  Steps are captured as a CUDA graph.
"""
import math
import os
import time

import numpy as np
import torch
import torch.nn as nn

from front_corpus import SETS
from front_generate import Labels
from front_pool import Pool, doubled
from front_student import ENERGY_UNIT, TOKEN_DIM, Front, load_front, pitch_of, places, repeat_tokens, z_of
from losses import Envelope, Haze, Reconstruction
from metrics import Distance, Periodicity
from student import FRAME, SAMPLE_RATE, X_DIM, excitation, for_one, istft, load_state, own_blocks, part, shaped_like, stft
from trainer import Average, Trainer, parser

TERMS = ('duration', 'total', 'pitch', 'slope', 'energy', 'x', 'hints', 'inner', *Reconstruction.WEIGHTS, 'envelope', 'distance', 'haze', 'ear', 'generator_norm', 'norm')
SEGMENT = ('index', 'mask', 'number')
# What validation prints of each held-out set, and how wide.
COLUMNS = ('mcd_own', 'mcd', 'mcd_teacher_x', 'dur_corr', 'dur_l1', 'length', 'length_all', 'f0_corr', 'semitones', 'voicing', 'energy', 'x',
           'periodicity_own', 'periodicity_of_teacher')


def parse():
    made = parser(__doc__, learning_rate=6e-4, capacity=380)
    made.add_argument('model', help='the front of kokoro_graph.py')
    made.add_argument('corpus')
    made.add_argument('--generator', required=True, help='prefix of the light generator\'s checkpoint')
    made.add_argument('--generator-rate', type=float, default=1e-4)
    made.add_argument('--english-blocks', type=int, default=0, help='of the generator\'s last blocks, how many English has for itself')
    made.add_argument('--token-layers', type=int, help='grow the checkpoint to this many blocks of tokens')
    made.add_argument('--prosody-layers', type=int, help='of melody')
    made.add_argument('--sound-layers', type=int, help='and of sound')
    made.add_argument('--teacher-generator', help='of kokoro_graph.py, for waveforms; without it there are none')
    made.add_argument('--wave-seconds', type=float, default=300, help='of making utterances with waveforms, before training')
    made.add_argument('--label-seconds', type=float, default=60, help='of making labels alone after that')
    made.add_argument('--rows', type=int, default=12, help='rows of labels alone')
    made.add_argument('--own', type=int, default=3, help='of these, rows whose x is made from the student\'s own F0 and energy')
    made.add_argument('--wave-rows', type=int, default=6)
    made.add_argument('--wave-own', type=int, default=4, help='of these, rows whose sound is made from its own F0 too')
    made.add_argument('--segments', type=int, default=48)
    made.add_argument('--teacher-segments', type=int, default=0, help='of those with the teacher\'s F0, how many have its x too: the generator alone')
    made.add_argument('--ear-segments', type=int, default=24, help='of rows of labels alone, through a generator that does not learn')
    made.add_argument('--haze-weight', type=float, default=10)
    made.add_argument('--size', type=int, default=96, help='frames of a segment, context included')
    made.add_argument('--context', type=int, default=10)
    made.add_argument('--sound-weight', type=float, default=0.4, help='of the losses through the generator')
    made.add_argument('--wave-capacity', type=float, default=70, help='hours with waveforms')
    made.add_argument('--held', type=int, default=154, help='English held-out lines to validate with')
    made.add_argument('--held-others', type=int, default=36, help='utterances of each other held-out set')
    made.add_argument('--held-segments', type=int, default=48, help='stretches of every eight held-out rows that are heard')
    made.add_argument('--sets', nargs='+', default=SETS, help='held-out sets (front_corpus.py)')
    made.add_argument('--budget', type=int, default=20000, help='tokens of a batch of labels')
    made.add_argument('--group', type=int, default=2048, help='draws that are sorted by length together')
    return made.parse_args()


class Listener:
    """The light generator: normalised x in, inner features and samples of the predictable part out.
    """

    def __init__(self, prefix, device, compiled, english_blocks):
        state = load_state(prefix)
        if english_blocks > own_blocks(state):
            state = part(for_one(state, english=False), english_blocks)
        self.student = shaped_like(state).to(device)
        self.student.load_state_dict(state)
        self.student.requires_grad_(False)
        if compiled:
            self.student.synthesise = torch.compile(self.student.synthesise, dynamic=False)
            for block in [*self.student.blocks, *self.student.english]:
                block.compile(dynamic=False)

    def source(self, f0, phase):
        return stft(excitation(f0, phase), self.student.fwd)

    def __call__(self, x, f0, source, style, stats, mask, english, amp):
        student, batch, frames = self.student, x.shape[0], x.shape[1]
        with torch.autocast(x.device.type, dtype=torch.bfloat16, enabled=amp, cache_enabled=False):
            h = student.trunk(student.features(x * student.xs + student.xm, f0, source), style, stats, mask, english)
        o = student.head(h.float()).reshape(batch, frames * 2, 9, -1)
        spectrum, _ = student.synthesise(o, source, torch.zeros_like(source))
        return h.float(), istft(spectrum, student.inv)


def utterance_stats(x, columns):
    """Mean and log deviation of normalised x over each utterance: x [B,2T,512], columns [B,U,2T] ->
    [B*U, 1024]."""
    count = columns.sum(-1, keepdim=True).clamp(min=1)
    mean = columns @ x / count
    variance = (columns @ (x * x) / count - mean * mean).clamp(min=0)
    return torch.cat([mean, 0.5 * torch.log(variance + 1e-5)], -1).flatten(0, 1)


def masked(difference, mask):
    return (difference * mask).sum() / (mask.sum() * difference.shape[-1] / mask.shape[-1] + 1e-6)


def rounded(values):
    """Whole frames going forward, the values themselves going back."""
    return values + (torch.round(values).clamp(min=1) - values).detach()


class FrontTrainer(Trainer):
    TERMS = TERMS
    WARM_UP = 400
    SLOWEST = 0.0008

    def __init__(self, args):
        self.labels = Labels(args.corpus, args.seed + 1, group=args.group, budget=args.budget)
        super().__init__(args)
        torch.backends.cudnn.benchmark = False                # the teacher's batches are of many shapes
        self.rng = np.random.default_rng(args.seed)
        for part in ('front', 'generator'):
            os.makedirs(os.path.join(args.out, part), exist_ok=True)
        self.labels.load(args.model, self.device, args.teacher_generator)
        self.model = self.front = (load_front(args.resume, (args.token_layers, args.prosody_layers, args.sound_layers)) if args.resume else Front()).to(self.device).train()
        self.hints = nn.Linear(TOKEN_DIM, 2 * X_DIM).to(self.device)
        self.listener, self.ear = (Listener(args.generator, self.device, args.compile, args.english_blocks) for _ in range(2))
        student = self.listener.student
        self.pool = Pool(self.device, args.capacity, student.xm, student.xs)
        self.waves = Pool(self.device, args.wave_capacity, student.xm, student.xs, waves=True) if args.teacher_generator else None
        self.reconstruction, self.distance, self.periodicity = Reconstruction(self.device), Distance(self.device), Periodicity(self.device)
        self.reconstruction.begin_with_phase(1.0)
        self.envelope, self.haze = Envelope(self.device), Haze(self.device)
        if args.compile:
            self.reconstruction.compile()
            for block in [*self.front.tokens, *self.front.attentions, *self.front.prosody, *self.front.sound]:
                block.compile(dynamic=False)

    def prepare(self):
        args, began = self.args, time.time()
        self.held_pool = self.waves or self.pool
        self.labels.held_out(self.held_pool, args.sets, {'en': args.held, '': args.held_others})
        for pool, what, hours, seconds in ((self.waves, 'waveforms', args.wave_capacity, args.wave_seconds), (self.pool, 'labels', args.capacity, args.label_seconds)):
            if pool:
                from_now = time.time()
                made = self.labels.fill(pool, hours * 0.99, min(from_now + seconds, args.deadline))
                self.log(f'{what}: {made:.2f} h at {made * 3600 / max(time.time() - from_now, 0.1):.0f} x real time')
        self.labels.stop()
        del self.labels.teacher, self.labels.generator
        if self.cuda:
            torch.cuda.empty_cache()
        if not self.waves:
            args.rows, args.own, args.wave_rows, args.wave_own = args.rows + args.wave_rows, args.own + 1, 0, 0
        self.generator_rate = torch.tensor(0.0, device=self.device)
        self.parameters, self.generator_parameters = [*self.front.parameters(), *self.hints.parameters()], []
        groups = [{'params': [p for p in self.parameters if p.dim() > 1]},
                  {'params': [p for p in self.parameters if p.dim() <= 1], 'weight_decay': 0.0}]
        if self.waves:
            self.listener.student.requires_grad_(True)
            self.generator_parameters = list(self.listener.student.parameters())
            groups.append({'params': self.generator_parameters, 'lr': self.generator_rate if self.cuda else 0.0})
        self.begin(groups, (0.9, 0.98))
        self.generator_average = Average(self.listener.student, self.device, self.SLOWEST)
        self.held = {name: self.held_pool.held_rows(number) for number, name in enumerate(args.sets)}
        self.log(f'{self.pool.utterances} utterances, {self.pool.hours:.1f} h, {self.pool.tokens / self.pool.hours / 3600:.1f} tokens a second, '
                 f'after {time.time() - began:.0f} s; held out: {sum(map(len, self.held.values()))} rows' + (f'; {torch.cuda.memory_allocated() / 1e9:.0f} GB' if self.cuda else ''))

    def set_rate(self, elapsed, seconds, step):
        super().set_rate(elapsed, seconds, step)
        self.generator_rate.copy_(self.rate * (self.args.generator_rate / self.args.learning_rate))
        if self.generator_parameters and not self.cuda:
            self.optimiser.param_groups[2]['lr'] = float(self.generator_rate)
        self.generator_average.age(step)

    def run_front(self, b, own):
        """-> log durations [B,L], curves [B,T,4], x [B,2T,512], hints; rows marked in `own` [B]
        make x from their own curves."""
        with torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.cuda, cache_enabled=False):
            h, cond = self.front.encode(b['ids'], b['style'], b['token_spread'], b['token_mask'], b['bias'])
            pooled = self.front.summary(h, b['share'])
            melodies, sounds = self.front.frame_films(cond, pooled, b['frame_spread'])
            frames, place = repeat_tokens(h, b['token']), places(b['offset'], b['duration'])
            curves = self.front.melody(frames, place, melodies, b['frame_mask'])
            given = torch.cat([z_of(b['f0']), b['energy'] / ENERGY_UNIT], -1)
            used = torch.where(own[:, None, None], curves.detach().float(), given)
            x = self.front.features(frames, place, used, sounds, b['frame_mask'])
            hints = self.hints(h)
        return self.front.duration(h.float())[..., 0], curves.float(), x.float(), hints.float()

    def losses(self, b):
        log_d, curves, x, hints = self.run_front(b, b['own'])
        tm, fm = b['token_mask'], b['frame_mask']
        terms = {}
        raw = b['raw'].clamp(min=0.3)
        log_raw, d = torch.log(raw) * tm[..., 0], torch.exp(log_d.clamp(max=4.2))
        gap = (log_d - log_raw).abs() + 0.15 * (d - raw).abs()
        terms['duration'] = masked(gap[..., None], tm)
        sums = lambda t: (b['one'] * t[:, None]).sum(-1)
        whole, there = sums(torch.round(raw).clamp(min=1)), (b['frame_count'] > 0).float()
        terms['total'] = ((sums(rounded(d)) - whole).abs() / whole.clamp(min=1) * there).sum() / there.sum().clamp(min=1)
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
        terms |= {name: torch.zeros((), device=self.device) for name in TERMS[:-2] if name not in terms}
        if self.waves:
            terms |= self.listen_to_teacher(b, x, curves)
            sound = 0.5 * self.reconstruction.weigh({name: terms[name] for name in Reconstruction.WEIGHTS}) + (
                terms['envelope'] + 1.5 * terms['distance'] + self.args.haze_weight * terms['haze'])
        else:
            sound = torch.zeros((), device=self.device)
        if self.args.ear_segments:
            terms |= self.listen_to_itself(b, x)
            sound = sound + 0.5 * terms['ear']
        loss = 2.0 * terms['duration'] + 1.0 * terms['total'] + 4.0 * terms['pitch'] + 2.0 * terms['slope'] + 0.7 * terms['energy'] + (
            1.5 * terms['x'] + 0.5 * terms['hints'] + 0.8 * terms['inner']) + self.args.sound_weight * sound
        return loss, terms

    def heard(self, x, b, rows, segments, f0, phase, instead=None, listener=None):
        """Stretches of some rows through the generator -> inner features, samples that count; the
        first ones perhaps with other features `instead`."""
        index, mask, number = segments
        stats = utterance_stats(x[rows], b['columns'][rows])[number]
        style = b['style'][rows].flatten(0, 1)[:, :128][number]
        features = x[rows].flatten(0, 1)[index]
        if instead is not None:
            other, count = instead
            features = torch.cat([other[rows].flatten(0, 1)[index[:count]], features[count:]])
            stats = torch.cat([utterance_stats(other[rows], b['columns'][rows])[number[:count]], stats[count:]])
        listener = listener or self.listener
        inner, wave = listener(features * mask[..., None], f0, listener.source(f0, phase), style, stats, mask[..., None], b['english'][rows].flatten()[number], self.cuda)
        return inner, wave[:, 600 * self.args.context:-600 * self.args.context]

    def listen_to_itself(self, b, x):
        """A generator that does not learn, on the student's x against the same on the teacher's:
        where there are no samples of the teacher."""
        index, mask, _ = segments = [b['ear_' + name] for name in SEGMENT]
        rows = slice(0, self.args.rows - self.args.own)
        f0, phase = b['f0'][rows].flatten()[index] * mask, b['phase'][rows].flatten()[index]
        with torch.no_grad():
            inner, wave = self.heard(b['x'], b, rows, segments, f0, phase, listener=self.ear)
        made_inner, made = self.heard(x, b, rows, segments, f0, phase, listener=self.ear)
        return {'inner': masked((made_inner - inner).abs(), mask[..., None]), 'ear': self.reconstruction.weigh(self.reconstruction(made, made, wave))}

    def listen_to_teacher(self, b, x, curves):
        """The generator, learning, on the student's x against the teacher's samples."""
        args = self.args
        given, own = slice(args.rows, args.rows + args.wave_rows - args.wave_own), slice(args.rows + args.wave_rows - args.wave_own, None)
        index, mask, _ = segments = [b['given_' + name] for name in SEGMENT]
        kept = slice(2 * args.context, -2 * args.context)
        f0 = b['f0'][given].flatten()[index] * mask
        _, made = self.heard(x, b, given, segments, f0, b['phase'][given].flatten()[index], (b['x'], args.teacher_segments) if args.teacher_segments else None)
        terms = self.reconstruction(made, made, b['given_wave'])
        haze = self.haze(self.reconstruction.stft, made, b['given_wave'], f0[:, kept], f0[:, kept], FRAME)
        index, mask, number = segments = [b['own_' + name] for name in SEGMENT]
        f0 = pitch_of(curves[own, :, :2].detach()).clamp(min=0) * b['frame_mask'][own]
        phase = self.own_phase(f0, b['frame_start'][own], index, number)
        true_f0, f0 = b['f0'][own].flatten()[index] * mask, f0.flatten()[index] * mask
        _, made = self.heard(x, b, own, segments, f0, phase)
        terms['envelope'], terms['distance'] = self.envelope(self.reconstruction.stft, made, b['own_wave'])
        terms['haze'] = 0.5 * (haze + self.haze(self.reconstruction.stft, made, b['own_wave'], f0[:, kept], true_f0[:, kept], FRAME))
        return terms

    @staticmethod
    def own_phase(f0, starts, index, number):
        """Cycles since the utterance began, at the columns of segments, as front_pool has them for
        the teacher's F0."""
        cycles = torch.cumsum(f0.flatten(1).double() * (FRAME / SAMPLE_RATE), 1)
        before = (cycles - f0.flatten(1) * (FRAME / SAMPLE_RATE)).gather(1, 2 * starts.clamp(max=f0.shape[1] - 1))
        phase = cycles.flatten()[index] - before.flatten()[number][:, None]
        return (phase - torch.floor(phase)).float()

    def take(self):
        """The next rows: labels alone, then waveforms with the teacher's F0, then waveforms with
        the student's."""
        args = self.args
        b = self.pool.batch(self.pool.next_rows(args.rows, self.rng))
        b['own'] = torch.arange(args.rows, device=self.device) >= args.rows - args.own
        cut = lambda batch, rows: {k: batch[k][rows] for k in ('frame_start', 'frame_count')}
        segments = lambda batch, rows, count: self.pool.segments(cut(batch, rows), count, args.size, args.context)
        ear = dict(zip(('ear_' + part for part in SEGMENT), segments(b, slice(0, args.rows - args.own), args.ear_segments))) if args.ear_segments else {}
        if not self.waves:
            return b | ear
        w = self.waves.batch(self.waves.next_rows(args.wave_rows, self.rng))
        samples = w.pop('wave')
        given = args.wave_rows - args.wave_own
        w['own'] = torch.arange(args.wave_rows, device=self.device) >= given
        b = {name: torch.cat([b[name], w[name]]) for name in b}
        for name, rows, count in (('given', slice(0, given), args.segments * given // args.wave_rows),
                                  ('own', slice(given, None), args.segments * args.wave_own // args.wave_rows)):
            index, mask, number = segments(w, rows, count)
            kept = slice(2 * args.context, -2 * args.context)
            wave = samples[rows].flatten(0, 1)[index[:, kept]].float() * (mask[:, kept, None] / 32767)
            b |= {**dict(zip((f'{name}_{part}' for part in SEGMENT), (index, mask, number))), name + '_wave': wave.flatten(1)}
        return b | ear

    def update(self, b):
        loss, terms = self.losses(b)
        norm = torch.zeros((), device=self.device)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        if self.generator_parameters:
            norm = nn.utils.clip_grad_norm_(self.generator_parameters, 1.0)
        own = nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.optimiser.step()
        with torch.no_grad():
            self.average.update()
            self.generator_average.update()
            self.sums.add_(torch.stack([*(terms[name] for name in TERMS[:-2]), norm, own]).float().detach())

    @torch.no_grad()
    def validate(self):
        """The averages on every held-out set -> a table, a row a set."""
        with torch.compiler.set_stance('force_eager'), self.average.in_place(), self.generator_average.in_place():
            rows = {name: self.measure(rows) for name, rows in self.held.items() if len(rows)}
        lines = [' '.join(f'{column[:14]:>14}' for column in ('', *COLUMNS))]
        return '\n'.join(['', *lines, *(f'{name:>14} ' + ' '.join(f'{row[column]:14.4f}' for column in COLUMNS) for name, row in rows.items())])

    def measure(self, rows):
        """With the teacher's durations and the student's own F0 and energy."""
        raws, ds, wholes, mades, zs, z_mades, rest, sounds = [], [], [], [], [], [], [], []
        for part in torch.split(rows, 8):
            b = self.held_pool.batch(part)
            log_d, curves, x, _ = self.run_front(b, torch.ones(len(part), dtype=torch.bool, device=self.device))
            d = torch.exp(log_d)
            there = b['token_mask'][..., 0] > 0
            raws.append(b['raw'][there])
            ds.append(d[there])
            sums = lambda t: (b['one'] * torch.round(t).clamp(min=1)[:, None]).sum(-1)[b['frame_count'] > 0]
            wholes.append(sums(b['raw']))
            mades.append(sums(d))
            f0, own = b['f0'], pitch_of(curves[..., :2])
            both = (f0 > 40) & (own > 40)
            zs.append(torch.log2(f0[both]))
            z_mades.append(torch.log2(own[both]))
            rest.append({'x': masked((x - b['x']).abs(), doubled(b['frame_mask'])),
                         'voicing': masked(((f0 > 10) != (own > 10)).float(), b['frame_mask']),
                         'energy': masked((curves[..., 2:] * ENERGY_UNIT - b['energy']).abs(), b['frame_mask'])})
            sounds.append(self.measure_sound(b, x, own, periodicity=not sounds))
        periodicity = {name: sounds[0].pop(name) for name in list(sounds[0]) if name.startswith('periodicity')}
        corr = lambda a, b: float(torch.corrcoef(torch.stack([torch.cat(a), torch.cat(b)]))[0, 1])
        mean = lambda parts: {k: float(sum(float(r[k]) for r in parts) / len(parts)) for k in parts[0]}
        whole, made, z, z_made = torch.cat(wholes), torch.cat(mades), torch.cat(zs), torch.cat(z_mades)
        return periodicity | {'dur_corr': corr(raws, ds), 'dur_l1': float((torch.cat(raws) - torch.cat(ds)).abs().mean()),
                  'length': float(((made - whole).abs() / whole).mean()), 'length_all': float(made.sum() / whole.sum() - 1),
                  'f0_corr': corr(zs, z_mades), 'semitones': float(12 * (z - z_made).abs().mean()), **mean(rest), **mean(sounds)}

    def measure_sound(self, b, x, own, periodicity):
        """MCD of the generator on the teacher's x, the student's, and the student's with its own
        F0, to the teacher's samples where there are some, else to the first of the three; with
        `periodicity`, which is slow, how periodic the first and the last are between 3.4 and 4.6
        kHz."""
        state = torch.random.get_rng_state(), torch.cuda.get_rng_state() if self.cuda else None
        torch.manual_seed(1)
        index, mask, number = segments = self.held_pool.segments(b, self.args.held_segments, self.args.size, self.args.context)
        torch.random.set_rng_state(state[0])
        if self.cuda:
            torch.cuda.set_rng_state(state[1])
        waves, everything = [], slice(None)
        for features, pitch in ((b['x'], b['f0']), (x, b['f0']), (x, own.clamp(min=0) * b['frame_mask'])):
            phase = self.own_phase(pitch, b['frame_start'], index, number)
            waves.append(self.heard(features, b, everything, segments, pitch.flatten()[index] * mask, phase)[1])
        kept = slice(2 * self.args.context, -2 * self.args.context)
        target = waves[0] if 'wave' not in b else (b['wave'].flatten(0, 1)[index[:, kept]].float() * (mask[:, kept, None] / 32767)).flatten(1)
        made = {name: self.distance.measure(wave, target)[1] for name, wave in zip(('mcd_teacher_x', 'mcd', 'mcd_own'), waves)}
        if not periodicity:
            return made
        some = [wave[:12].float() for wave in (waves[0], waves[2], target)]
        (first, true), (last, _) = (self.periodicity.measure(wave, some[2]) for wave in some[:2])
        return made | {'periodicity_teacher_x': first[3], 'periodicity_own': last[3], 'periodicity_of_teacher': true[3]}

    def save(self):
        for average, part in ((self.average, 'front'), (self.generator_average, 'generator')):
            if (part == 'front' or self.waves) and not average.save(os.path.join(self.args.out, part)):
                self.log('not saved: an average is not finite')

    def run(self):
        self.prepare()
        super().run()


if __name__ == '__main__':
    FrontTrainer(parse()).run()
