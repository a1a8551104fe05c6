"""Make training data with the teacher: a few processes on one GPU, shards of finished utterances.

    python generate.py front.onnx generator.onnx sequences.npz data/ --processes 3 --seconds 200

Every process takes each n-th sequence, `--chunk` of them at a time: the front speaks them in
batches, then the generator in batches of nearly equal length, and each chunk is a shard.  A file
called STOP in the folder ends the work.  Training may begin while shards are still coming.
"""
import argparse
import os
import shutil
import time

import torch
import torch.multiprocessing as multiprocessing

from front_teacher import FrontTeacher, padded
from generator_teacher import GeneratorTeacher
from sequences import Sequences
from student import FRAME, X_DIM

ROOM_BYTES = 4e9         # left free on the disk


def write_shard(path, kept):
    """x as float16 [frames,512], samples as int16: half a gigabyte an hour."""
    _, x, f0, wave, style = zip(*kept)
    torch.save({'x': torch.cat(x), 'f0': torch.cat(f0), 'wave': torch.cat(wave), 'style': torch.stack(style),
                'frames': [len(f) for f in f0]}, path + '.tmp')
    os.replace(path + '.tmp', path)


def grouped(sizes, most):
    """Indices of `sizes`, longest first, in groups whose padded sum stays under `most`."""
    groups = []
    for i in sorted(range(len(sizes)), key=lambda i: -sizes[i]):
        if not groups or sizes[groups[-1][0]] * (len(groups[-1]) + 1) > most:
            groups.append([])
        groups[-1].append(i)
    return groups


class Speaker:
    """Sequences to utterances: (index, x [T,512], f0 [T], samples [300 T], style [128]), all on the
    host."""

    def __init__(self, args, device, log):
        self.args, self.device, self.failed = args, device, 0
        self.sequences = Sequences(args.sequences)
        self.front, self.generator = FrontTeacher(args.front, device), GeneratorTeacher(args.generator, device)
        if device == 'cuda':
            self.generator.choose(log, *self.arranged(self.features(list(range(32)))))

    def features(self, numbers):
        """What the front makes of some sequences: a list of (number, x, f0, style) on the device.
        """
        asked = [(self.sequences.tokens(i), self.sequences.style(i), float(self.sequences.speed[i])) for i in numbers]
        made = []
        for group in grouped([len(ids) for ids, _, _ in asked], self.args.tokens):
            out = self.front(*padded([asked[i] for i in group], self.device))
            frames = 2 * out['frame_mask'].sum(1)
            for row, i in enumerate(group):
                t = int(frames[row])
                made.append((numbers[i], out['x'][row, :t].half(), out['f0'][row, :t].clone(), torch.from_numpy(asked[i][1][:128])))
        return made

    def arranged(self, made):
        """What `features` made, as a batch for the generator."""
        counts = torch.tensor([len(f0) for _, _, f0, _ in made])
        x = torch.zeros(len(made), int(counts.max()), X_DIM, device=self.device)
        f0 = torch.zeros(x.shape[:2], device=self.device)
        for row, (_, features, pitch, _) in enumerate(made):
            x[row, :len(pitch)], f0[row, :len(pitch)] = features, pitch
        return x, f0, torch.stack([style for *_, style in made]).to(self.device), counts

    def speak(self, made):
        waves = self.generator(*self.arranged(made))
        fine = torch.isfinite(waves).all(1).tolist()
        waves = (waves.clamp(-1, 1) * 32767).round().to(torch.int16).cpu()
        self.failed += len(fine) - sum(fine)
        return [(number, features.cpu(), pitch.cpu(), wave[:FRAME * len(pitch)].clone(), style)
                for (number, features, pitch, style), wave, good in zip(made, waves, fine) if good]

    def chunk(self, numbers, stop):
        """The chunk's utterances in the order of their numbers; fewer when it is time to `stop`."""
        kept, made = [], self.features(numbers)
        for group in grouped([len(f) for _, _, f, _ in made], self.args.frames):
            if stop():
                break
            kept.extend(self.speak([made[i] for i in group]))
        return sorted(kept, key=lambda utterance: utterance[0])


def work(rank, args, deadline):
    torch.set_num_threads(1)
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = True
    log = lambda text: print(f'process {rank}: {text}', flush=True)
    begun = time.time()
    speaker = Speaker(args, 'cuda' if torch.cuda.is_available() else 'cpu', log)
    log(f'ready after {time.time() - begun:.0f} s')
    stop = lambda: time.time() > deadline or os.path.exists(os.path.join(args.out, 'STOP')) or shutil.disk_usage(args.out).free < ROOM_BYTES
    numbers, frames, began = list(range(args.start + rank, len(speaker.sequences), args.processes)), 0, time.time()
    for shard, first in enumerate(range(0, len(numbers), args.chunk)):
        if stop():
            break
        kept = speaker.chunk(numbers[first:first + args.chunk], stop)
        if kept:
            write_shard(os.path.join(args.out, f'shard-{rank:02d}-{shard:03d}.pt'), kept)
        frames += sum(len(f0) for _, _, f0, _, _ in kept)
        log(f'{frames / 80 / 3600:.2f} h in {time.time() - began:.0f} s, {speaker.failed} failed')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('front', help='Kokoro\'s front, quantised (kokoro_graph.py)')
    parser.add_argument('generator', help='its generator, quantised')
    parser.add_argument('sequences')
    parser.add_argument('out')
    parser.add_argument('--processes', type=int, default=3)
    parser.add_argument('--seconds', type=float, default=400)
    parser.add_argument('--start', type=int, default=0, help='first sequence')
    parser.add_argument('--chunk', type=int, default=384, help='sequences a shard')
    parser.add_argument('--tokens', type=int, default=8000, help='tokens of a batch of the front')
    parser.add_argument('--frames', type=int, default=16000, help='frames of a batch of the generator')
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    multiprocessing.spawn(work, args=(args, time.time() + args.seconds), nprocs=args.processes)


if __name__ == '__main__':
    main()
