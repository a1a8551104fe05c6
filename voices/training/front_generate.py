"""Labels for the front's student without end: utterances are drawn in processes of their own and asked of the teacher on the GPU, batch by batch.

Nothing goes to disk: a pool (front_pool.py) takes what comes, in 8 bits.  Waveforms cost twenty times as much as labels and come from
generate.py; `wave_shards` gives its utterances their labels again.
"""
import glob
import os
import queue
import time

import numpy as np
import torch
import torch.multiprocessing as multiprocessing

from front_corpus import Corpus
from front_teacher import FrontTeacher, padded
from sequences import Sequences

BATCH_TOKENS = 20_000          # padded tokens of a batch: an utterance of 100 tokens shares it with 199 others
GROUP = 2_048                  # draws sorted by length before they are cut into batches


def batches(asked, budget):
    """[(ids, style, speed, ..)] -> lists of them of nearly equal lengths."""
    asked, batch = sorted(asked, key=lambda one: len(one[0])), []
    for one in asked:
        if batch and (len(batch) + 1) * len(one[0]) > budget:
            yield batch
            batch = []
        batch.append(one)
    if batch:
        yield batch


def draw(path, seed, rank, out, group, budget):
    torch.set_num_threads(1)
    corpus, rng = Corpus(path), np.random.default_rng([seed, rank])
    while True:
        made = list(batches([corpus.draw(rng) for _ in range(group)], budget))
        for index in rng.permutation(len(made)):
            out.put(padded(made[index], 'cpu'))


class Labels:
    """Start it before anything touches the GPU."""

    def __init__(self, corpus, seed, processes=2, group=GROUP, budget=BATCH_TOKENS):
        context = multiprocessing.get_context('spawn')
        self.corpus, self.budget, self.queue = Corpus(corpus), budget, context.Queue(maxsize=16)
        self.processes = [context.Process(target=draw, args=(corpus, seed, rank, self.queue, group, budget), daemon=True)
                          for rank in range(processes)]
        for process in self.processes:
            process.start()

    def load(self, model, device):
        self.teacher, self.device = FrontTeacher(model, device), device

    def held_out(self, pool, count):
        asked = [(*self.corpus.held_out(index), index) for index in range(min(count, self.corpus.held))]
        for batch in batches(asked, self.budget):
            pool.append(*self.ask(padded([one[:3] for one in batch], self.device)), held=[one[3] for one in batch])

    def ask(self, arguments):
        ids, lengths, style, speed = (value.to(self.device) if i != 1 else value for i, value in enumerate(arguments))
        return ids, style, self.teacher(ids, lengths, style, speed)

    def fill(self, pool, hours, deadline):
        """Until the pool holds so many hours or the time has come; returns the hours that were made."""
        before = pool.hours
        while pool.hours < hours and time.time() < deadline and not pool.full:
            try:
                pool.append(*self.ask(self.queue.get(timeout=1)))
            except queue.Empty:
                continue
        return pool.hours - before

    def wave_shards(self, pool, folder, sequences, deadline):
        """The utterances of generate.py's shards with their waveforms, as far as the teacher gives them the same length again."""
        sequences, missed = Sequences(sequences), 0
        for path in sorted(glob.glob(os.path.join(folder, '**', 'shard-*.pt'), recursive=True), key=lambda p: (p.rsplit('-', 1)[1], p)):
            if time.time() > deadline or pool.full:
                break
            shard = torch.load(path, mmap=True)               # x is not wanted, and most of it
            ends = np.cumsum(shard['frames'])
            asked = [(sequences.tokens(n), sequences.style(n), float(sequences.speed[n]), place) for place, n in enumerate(shard['index'])]
            for batch in batches(asked, self.budget):
                waves = [shard['wave'][300 * (ends[one[3]] - shard['frames'][one[3]]):300 * ends[one[3]]] for one in batch]
                missed += pool.append(*self.ask(padded([one[:3] for one in batch], self.device)), waves=waves)
        return missed

    def stop(self):
        for process in self.processes:
            process.terminate()
