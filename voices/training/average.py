"""The mean of several checkpoints, weight by weight: of runs that began with the same weights it is
nearer to the teacher than each of them.

    python average.py averaged/front/ck_0.pt front-checkpoint-8/ck_ run-9/front/ck_ run-10/front/ck_ --shares 0.25 0.25 0.5
"""
import argparse
import os

import torch

from student import read_parts


def average(states, shares):
    """[{name: tensor}] of one shape -> one of them."""
    for state in states[1:]:
        if {k: v.shape for k, v in state.items()} != {k: v.shape for k, v in states[0].items()}:
            raise ValueError('the checkpoints are not of one network')
    return {name: sum(share * state[name] for share, state in zip(shares, states)) for name in states[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('out')
    parser.add_argument('checkpoints', nargs='+', help='prefixes of their parts')
    parser.add_argument('--shares', nargs='+', type=float, help='of each; equal ones where left out')
    args = parser.parse_args()
    shares = args.shares or [1 / len(args.checkpoints)] * len(args.checkpoints)
    if len(shares) != len(args.checkpoints) or abs(sum(shares) - 1) > 1e-6:
        parser.error('--shares has one number for each checkpoint, and their sum is 1')
    os.makedirs(os.path.dirname(args.out) or '.', exist_ok=True)
    torch.save(average([read_parts(prefix) for prefix in args.checkpoints], shares), args.out)


if __name__ == '__main__':
    main()
