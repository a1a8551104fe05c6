"""Training data for the front's student: several processes ask the teacher, shards of 8-bit labels come out.

    python front_generate.py front.onnx front-corpus.npz data/ --processes 15 --seconds 200

Every process draws its own utterances (Corpus.draw); the held-out lines come first and keep their number, which is negative for all
others.  A file called STOP in the folder ends the work.  About 220 MB an hour of speech.
"""
import argparse
import os
import time

import numpy as np
import torch
import torch.multiprocessing as multiprocessing

from front_corpus import Corpus
from front_teacher import FrontTeacher

X_REACH, PROSODY_REACH = 8.0, 6.0          # deviations of x, and values of the prosody features, that 8 bits reach to


def to_bytes(values, reach):
    return (values * (127 / reach)).round().clamp(-127, 127).to(torch.int8)


def write_shard(path, kept):
    """Everything end to end: tokens [n], frames of 300 samples [T]; `held` is the number of an evaluation line or -1."""
    columns = zip(*kept)
    tensors = ('ids', 'raw', 'durations', 'sound', 'prosody', 'x', 'f0', 'energy')
    shard = {name: torch.cat(column) for name, column in zip(tensors, columns)}
    shard['style'] = torch.stack(next(columns))
    shard['held'] = torch.tensor(next(columns))
    shard['tokens'] = torch.tensor([len(k[0]) for k in kept])
    shard['frames'] = torch.tensor([len(k[6]) for k in kept])
    torch.save(shard, path + '.tmp')
    os.replace(path + '.tmp', path)


def label(teacher, tokens, style, speed, held, mean, deviation):
    x, f0, durations, raw, energy, sound, prosody = teacher(tokens, style, speed)
    if len(f0) != 2 * int(durations.sum()) or not bool(torch.isfinite(x).all()):
        raise RuntimeError('lengths or values do not fit')
    return (torch.from_numpy(tokens).to(torch.uint8), raw.half().cpu(), durations.to(torch.uint8).cpu(), to_bytes(sound, 1.0).cpu(),
            to_bytes(prosody, PROSODY_REACH).cpu(), to_bytes((x - mean) / deviation, X_REACH).cpu(), f0.half().cpu(), energy.half().cpu(),
            torch.from_numpy(style).half(), held)


def work(rank, args, deadline):
    torch.set_num_threads(1)
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = True
    device = 'cuda' if torch.cuda.is_available() else 'cpu'
    corpus, teacher = Corpus(args.corpus), FrontTeacher(args.model, device)
    normal = torch.load(args.normal)
    mean, deviation = normal['xm'].float().to(device), normal['xs'].float().to(device)
    rng = np.random.default_rng([args.seed, rank])
    kept, shard, frames, failed, begun = [], 0, 0, 0, time.time()
    wrote = begun
    held = list(range(rank, min(corpus.held, args.held), args.processes))
    stop = os.path.join(args.out, 'STOP')
    while time.time() < deadline and not os.path.exists(stop) and failed < 50:
        index = held.pop(0) if held else -1
        try:
            kept.append(label(teacher, *(corpus.held_out(index) if index >= 0 else corpus.draw(rng)), index, mean, deviation))
            frames += len(kept[-1][6])
        except RuntimeError as error:
            failed += 1
            print(f'process {rank}: {str(error)[:200]}', flush=True)
        if time.time() - wrote > args.shard_seconds:
            write_shard(os.path.join(args.out, f'shard-{args.seed}-{rank:02d}-{shard:03d}.pt'), kept)
            kept, shard, wrote = [], shard + 1, time.time()
    if kept:
        write_shard(os.path.join(args.out, f'shard-{args.seed}-{rank:02d}-{shard:03d}.pt'), kept)
    print(f'process {rank}: {frames / 80 / 3600:.2f} h in {time.time() - begun:.0f} s, {failed} failed', flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('model')
    parser.add_argument('corpus')
    parser.add_argument('out')
    parser.add_argument('--normal', required=True, help='x normalised by the light generator: its first checkpoint part (xm, xs)')
    parser.add_argument('--processes', type=int, default=15)
    parser.add_argument('--seconds', type=float, default=200)
    parser.add_argument('--shard-seconds', type=float, default=12)
    parser.add_argument('--held', type=int, default=154)
    parser.add_argument('--seed', type=int, default=1)
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    multiprocessing.spawn(work, args=(args, time.time() + args.seconds), nprocs=args.processes)


if __name__ == '__main__':
    main()
