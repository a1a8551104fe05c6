"""Make training data with the teacher: several processes on one GPU, shards of finished utterances.

    python generate.py kokoro-quantized.onnx sequences.npz data/ --processes 14 --seconds 400

Every process takes each n-th sequence and writes a shard every `--shard-seconds`; a file called STOP in the folder ends the
work.  Training may begin while shards are still coming.
"""
import argparse
import os
import time

import numpy as np
import torch
import torch.multiprocessing as multiprocessing

from sequences import Sequences
from teacher import Teacher


def write_shard(path, kept):
    """x as float16 [frames,512], samples as int16: half a gigabyte an hour.  `index` says which sequence an utterance is."""
    x, f0, wave, style, index = zip(*kept)
    torch.save({'x': torch.cat(x), 'f0': torch.cat(f0), 'wave': torch.cat(wave), 'style': torch.stack(style),
                'frames': [len(f) for f in f0], 'index': list(index)}, path + '.tmp')
    os.replace(path + '.tmp', path)


def work(rank, args, deadline):
    torch.set_num_threads(1)
    torch.backends.cudnn.allow_tf32 = True
    device = 'cuda' if torch.cuda.is_available() else 'cpu'
    sequences, teacher = Sequences(args.sequences), Teacher(args.model, device)
    kept, shard, frames, failed, wrote = [], 0, 0, 0, time.time()
    begun = time.time()
    stop = os.path.join(args.out, 'STOP')

    def flush():
        nonlocal kept, shard, wrote
        if kept:
            write_shard(os.path.join(args.out, f'shard-{rank:02d}-{shard:03d}.pt'), kept)
        kept, shard, wrote = [], shard + 1, time.time()

    for index in range(args.start + rank, len(sequences), args.processes):
        if time.time() > deadline or os.path.exists(stop):
            break
        try:
            x, f0, style, wave = teacher(sequences.tokens(index), sequences.style(index), float(sequences.speed[index]))
        except RuntimeError as error:
            failed += 1
            print(f'process {rank}, sequence {index}: {str(error)[:200]}', flush=True)
            if failed > 20:
                break
            continue
        if wave.numel() != 300 * f0.numel() or not bool(torch.isfinite(wave).all()):
            failed += 1
            continue
        kept.append((x.t().half().cpu(), f0.float().cpu(), (wave.clamp(-1, 1) * 32767).round().to(torch.int16).cpu(), style.cpu(), index))
        frames += f0.numel()
        if time.time() - wrote > args.shard_seconds:
            flush()
    flush()
    print(f'process {rank}: {frames / 80 / 3600:.2f} h in {time.time() - begun:.0f} s, {failed} failed', flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('model')
    parser.add_argument('sequences')
    parser.add_argument('out')
    parser.add_argument('--processes', type=int, default=14)
    parser.add_argument('--seconds', type=float, default=400)
    parser.add_argument('--shard-seconds', type=float, default=60)
    parser.add_argument('--start', type=int, default=0, help='first sequence')
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    multiprocessing.spawn(work, args=(args, time.time() + args.seconds), nprocs=args.processes)


if __name__ == '__main__':
    main()
