"""Data for the front's student without end: utterances are drawn in processes of their own and
asked of the teacher on the GPU, batch by batch.

Nothing goes to disk: a pool (front_pool.py) takes what comes, labels in 8 bits and, where it has
room for them, the samples that the teacher's generator makes of its front's answers.
"""
import queue
import time

import numpy as np
import torch
import torch.multiprocessing as multiprocessing

from front_corpus import Corpus, spoken_in_english
from front_teacher import FrontTeacher, padded
from generate import grouped
from generator_teacher import GeneratorTeacher
from student import FRAME

BATCH_TOKENS = 20_000          # padded tokens of a batch: an utterance of 100 tokens shares it with 199 others
GROUP = 2_048                  # draws sorted by length before they are cut into batches
BATCH_FRAMES = 32_000          # padded frames of a batch of the generator: 400 s of speech


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
            out.put((padded(made[index], 'cpu'), spoken_in_english(made[index])))


class Labels:
    """Start it before anything touches the GPU."""

    def __init__(self, corpus, seed, processes=2, group=GROUP, budget=BATCH_TOKENS):
        context = multiprocessing.get_context('spawn')
        self.corpus, self.budget, self.queue = Corpus(corpus), budget, context.Queue(maxsize=16)
        self.processes = [context.Process(target=draw, args=(corpus, seed, rank, self.queue, group, budget), daemon=True)
                          for rank in range(processes)]
        for process in self.processes:
            process.start()

    def load(self, model, device, generator=None):
        self.teacher, self.device, self.generator = FrontTeacher(model, device), device, None
        if generator:
            self.generator = GeneratorTeacher(generator, device)
            if device == 'cuda':
                self.generator.hurry()

    def held_out(self, pool, sets, most):
        """Evaluation utterances of each of `sets`; in the pool they have its number."""
        asked = [(*one, number) for number, name in enumerate(sets) for one in self.corpus.evaluation(name, most.get(name, most[''])).values()]
        for batch in batches(asked, self.budget):
            self.append(pool, padded(batch, self.device), spoken_in_english(batch), [one[4] for one in batch])

    def append(self, pool, arguments, english, held=None):
        ids, style, made = self.ask(arguments)
        pool.append(ids, style, made, english, held=held, waves=self.speak(style, made) if pool.waves else None)

    @torch.no_grad()
    def speak(self, style, made):
        """The generator's samples of the front's answers, 16-bit; an utterance that is not finite
        has none."""
        counts = 2 * made['frame_mask'].sum(1)
        lengths, waves = counts.tolist(), {}
        for group in grouped(lengths, BATCH_FRAMES):
            at, most = torch.tensor(group, device=self.device), lengths[group[0]]
            mask = torch.arange(most, device=self.device) < counts[at, None]
            sound = self.generator(made['x'][at, :most] * mask[..., None], made['f0'][at, :most] * mask, style[at, :128], counts[at].cpu())
            fine = torch.isfinite(sound).all(1).tolist()
            sound = (sound.clamp(-1, 1) * 32767).round().to(torch.int16)
            waves |= {i: sound[row, :FRAME * lengths[i] * fine[row]].clone() for row, i in enumerate(group)}
        return [waves[i] for i in range(len(lengths))]

    def ask(self, arguments):
        ids, lengths, style, speed = (value.to(self.device) if i != 1 else value for i, value in enumerate(arguments))
        return ids, style, self.teacher(ids, lengths, style, speed)

    def fill(self, pool, hours, deadline):
        """Until the pool holds so many hours or the time has come; returns the hours that were
        made."""
        before = pool.hours
        while pool.hours < hours and time.time() < deadline and not pool.full:
            try:
                self.append(pool, *self.queue.get(timeout=1))
            except queue.Empty:
                continue
        return pool.hours - before

    def stop(self):
        for process in self.processes:
            process.terminate()
