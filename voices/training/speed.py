"""How fast Kokoro speaks in PyTorch: the folded graph (teacher.py) on one card, for comparison.

    python speed.py kokoro-quantized.onnx af_heart.bin tokens.json [--processes 1] [--seconds 8]

tokens.json is a list of token sequences without pads. A process speaks one after the other; several
share the card.
"""
import argparse
import json
import time

import numpy as np
import torch
import torch.multiprocessing as multiprocessing

from teacher import Teacher

DEVICE = 'cuda' if torch.cuda.is_available() else 'cpu'


def work(rank, args, ready, spoken):
    torch.backends.cudnn.allow_tf32 = True
    if args.processes > 1:
        torch.set_num_threads(1)
    teacher = Teacher(args.model, DEVICE)
    styles = np.fromfile(args.style, np.float32).reshape(-1, 256)
    with open(args.tokens) as file:
        sequences = json.load(file)

    def speak(tokens):
        return teacher([0, *tokens, 0], styles[len(tokens)])[3].cpu().numel() / 24000

    # Kernels are chosen by shape: every shape once before the clock runs.
    for tokens in sequences:
        speak(tokens)
    ready.wait()
    start, seconds, turn = time.time(), 0.0, rank
    while time.time() - start < args.seconds:
        seconds += speak(sequences[turn % len(sequences)])
        turn += 1
    spoken[rank] = seconds / (time.time() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('model')
    parser.add_argument('style')
    parser.add_argument('tokens')
    parser.add_argument('--processes', type=int, default=1)
    parser.add_argument('--seconds', type=float, default=8)
    args = parser.parse_args()
    context = multiprocessing.get_context('spawn')
    spoken = context.Array('d', args.processes)
    multiprocessing.spawn(work, (args, context.Barrier(args.processes), spoken), args.processes)
    where = torch.cuda.get_device_name() if DEVICE == 'cuda' else 'CPU'
    how = 'one after the other' if args.processes == 1 else f'{args.processes} processes'
    print(f'PyTorch {torch.__version__}, {where}: {sum(spoken):.0f} × real time, {how}')


if __name__ == '__main__':
    main()
