"""Checkpoint parts as one file at half the size, to go on training from in another run.

    python compact.py run/front/ck_ front-checkpoint-10/ck_0.pt
    python compact.py run/generator/ck_ front-checkpoint-10/generator-ck_0.pt
"""
import sys

import torch

from student import compact, read_parts

if __name__ == '__main__':
    prefix, out = sys.argv[1:]
    torch.save({key: compact(value) for key, value in read_parts(prefix).items()}, out)
