"""Measure the light front and generator on every held-out set: a table of languages, one of voices,
one of very short lines.

    python set_evaluate.py front-light-int8.onnx reference/ --given front-given.onnx --generator generator-int8.onnx \\
        --others generator-others-int8.onnx --processes 2 \\
        --dnsmos sig_bak_ovr.onnx --recogniser moonshine/base/quantized --vocabulary vocabulary.json --short-text short-us.txt --out tables/

`reference/` comes from front_reference.py, a folder a set.  Durations, loudness, DNSMOS and words
are of the student's own durations, MCD, pitch and periodicity of the teacher's, frame by frame.
DNSMOS and words are left out where nothing says where they are.
"""
import argparse
import collections
import glob
import json
import os

import numpy as np
import torch
import torch.multiprocessing as multiprocessing

from corpus.assemble import ENGLISH
from evaluate import write_wav
from front_evaluate import distance_of, run_front
from inputs import open_session
from metrics import Distance, Opinion, Periodicity, loudness
from pictures import write_pair
from windows import run_whole, utterance_inputs

BAND = 3                        # 3.4 to 4.6 kHz, of metrics.PERIODICITY_BANDS
# What an issue or a release asks of every language: (column, least or most, value).
ASKED = (('MCD own', 'most', 1.45), ('durations', 'least', 0.97), ('length', 'most', 0.02), ('F0', 'least', 0.95), ('DNSMOS', 'least', -0.03), ('periodic', 'least', 0.9))


class Ears:
    """Everything that hears, in one process."""

    def __init__(self, args):
        torch.set_num_threads(1)
        self.front, self.given, self.english, self.others = (open_session(path) for path in (args.front, args.given, args.generator, args.others))
        self.distance, self.periodicity = Distance(), Periodicity()
        self.opinion = Opinion(args.dnsmos) if args.dnsmos else None
        self.recogniser = None
        if args.recogniser:
            from recogniser import Recogniser
            self.recogniser = Recogniser(args.recogniser, args.vocabulary)

    def speak(self, x, f0, style, voice):
        return run_whole(self.english if voice.startswith(ENGLISH) else self.others, utterance_inputs(x, np.maximum(f0, 0), style))

    def __call__(self, path):
        data = np.load(path)
        teacher, f0, speed, voice = data['wave'] / np.float32(32767), data['f0'], float(data['speed']), str(data['voice'])
        tokens, style = data['tokens'].astype(np.int64), data['style'].astype(np.float32)
        x, own_f0, s, durations = run_front(self.front, tokens, style, speed=speed)
        gx, gf0, _, _ = run_front(self.given, tokens, style, data['durations'], speed)
        own, spoken = self.speak(gx, gf0, s, voice), self.speak(x, own_f0, s, voice)
        both = (f0 > 40) & (gf0 > 40)
        size = min(len(teacher), len(own))
        band = lambda wave: self.periodicity.frames(torch.from_numpy(np.ascontiguousarray(wave[:size])))[BAND].tolist()
        made = {
            'set': os.path.basename(os.path.dirname(path)), 'index': int(os.path.basename(path)[:4]), 'voice': voice, 'speed': speed,
            'durations': (data['durations'].astype(float), durations), 'pitch': (np.log2(f0[both]), np.log2(gf0[both])),
            'voicing': float(((f0 > 10) != (gf0 > 10)).mean()), 'mcd': distance_of(self.distance, own, teacher)[1],
            'mcd_f0': distance_of(self.distance, self.speak(gx, f0, s, voice), teacher)[1],
            'mcd_generator': distance_of(self.distance, self.speak(data['x'].astype(np.float32), f0, s, voice), teacher)[1] if 'x' in data else np.nan,
            'loudness': (loudness(teacher), loudness(spoken)), 'periodic': (band(teacher), band(own)),
            'seconds': (len(teacher) / 24000, len(spoken) / 24000), 'voiced': (float((f0 > 40).mean()), float((own_f0 > 40).mean()))}
        if self.opinion:
            made['dnsmos'] = (self.opinion(teacher), self.opinion(spoken))
        if self.recogniser and voice[0] in 'ab':
            made['heard'] = (self.recogniser(teacher), self.recogniser(spoken))
        return made, teacher, spoken


def work(rank, args, paths, results):
    ears = Ears(args)
    for path in paths[rank::args.processes]:
        made, teacher, spoken = ears(path)
        if args.out and (made['set'] == 'short' or made['index'] % 25 == 0):
            name = os.path.join(args.out, 'sounds', f'{made["set"]}-{made["index"]:04d}-{made["voice"]}')
            write_wav(name + '-teacher.wav', teacher)
            write_wav(name + '-student.wav', spoken)
            if made['set'] != 'short' or made['voice'] in ('af_nova', 'am_onyx', 'bf_lily'):
                write_pair(name + '.png', teacher, np.resize(spoken, len(teacher)) if len(spoken) > len(teacher) else np.pad(spoken, (0, len(teacher) - len(spoken))))
        results.put(made)
    results.put(None)


def joined(rows, name):
    return tuple(np.concatenate([np.asarray(row[name][side]) for row in rows]) for side in (0, 1))


def figures(rows):
    """Utterances -> what is asked of them."""
    (a, b), (p, q), lengths = joined(rows, 'durations'), joined(rows, 'pitch'), np.array([[float(side.sum()) for side in row['durations']] for row in rows])
    true, made = joined(rows, 'periodic')
    half = lambda values: float(np.median(values)) if len(values) else np.nan
    gap = np.abs(lengths[:, 1] / lengths[:, 0] - 1)
    loud = np.array([row['loudness'] for row in rows])
    mean = lambda name: float(np.mean([row[name] for row in rows]))
    result = {'lines': len(rows), 'MCD own': mean('mcd'), 'MCD F0': mean('mcd_f0'), 'MCD gen': mean('mcd_generator'), 'durations': float(np.corrcoef(a, b)[0, 1]),
              'ms': float(np.abs(a - b).mean() * 25), 'length': float(gap.mean()), 'worst': float(gap.max()), 'all': float(lengths[:, 1].sum() / lengths[:, 0].sum() - 1),
              'F0': float(np.corrcoef(p, q)[0, 1]), 'semitones': float(12 * np.abs(p - q).mean()), 'voicing': mean('voicing'),
              'periodic': half(made) / half(true), 'LU': float(np.nanmean(loud[:, 1] - loud[:, 0]))}
    if 'dnsmos' in rows[0]:
        opinions = np.array([row['dnsmos'] for row in rows])
        result |= {'teacher': float(opinions[:, 0].mean()), 'DNSMOS': float((opinions[:, 1] - opinions[:, 0]).mean())}
    return result


def table(title, groups):
    """-> a Markdown table; what misses ASKED is bold where `title` is the languages'."""
    rows = {name: figures(rows) for name, rows in groups.items()}
    columns = list(next(iter(rows.values())))
    misses = lambda column, value: any(column == name and (value > limit if way == 'most' else value < limit) for name, way, limit in ASKED)
    cell = lambda column, value: f'**{value:.3f}**' if misses(column, value) else str(value) if isinstance(value, int) else f'{value:.3f}'
    lines = [f'| {title} | ' + ' | '.join(columns) + ' |', '|---' * (len(columns) + 1) + '|']
    return '\n'.join(lines + [f'| {name} | ' + ' | '.join(cell(c, row[c]) for c in columns) + ' |' for name, row in rows.items()])


def short_table(rows, texts):
    """A line a voice and word: length and voicing of teacher and student, and what was heard."""
    lines = ['| voice | said | s, teacher | s, student | voiced, teacher | voiced, student | MCD own | heard, teacher | heard, student |', '|---' * 9 + '|']
    for row in sorted(rows, key=lambda row: row['index']):
        said = texts[row['index'] % len(texts)] if texts and row['voice'][0] in 'ab' else str(row['index'] % max(1, len(texts)))
        heard = row.get('heard', ('', ''))
        lines.append(f'| {row["voice"]} | {said} | {row["seconds"][0]:.2f} | {row["seconds"][1]:.2f} | {row["voiced"][0]:.2f} | {row["voiced"][1]:.2f} | '
                     f'{row["mcd"]:.2f} | {heard[0]} | {heard[1]} |')
    return '\n'.join(lines)


def gather(args, paths):
    context = multiprocessing.get_context('spawn')
    results = context.SimpleQueue()
    processes = [context.Process(target=work, args=(rank, args, paths, results)) for rank in range(args.processes)]
    for process in processes:
        process.start()
    rows, left = [], args.processes
    while left:
        row = results.get()
        rows, left = (rows, left - 1) if row is None else (rows + [row], left)
    for process in processes:
        process.join()
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('front')
    parser.add_argument('reference')
    parser.add_argument('--given', required=True)
    parser.add_argument('--generator', required=True)
    parser.add_argument('--others', required=True, help='the generator of voices that are not English')
    parser.add_argument('--sets', nargs='+', help='not all of them')
    parser.add_argument('--most', type=int, help='of each set')
    parser.add_argument('--processes', type=int, default=1)
    parser.add_argument('--dnsmos')
    parser.add_argument('--recogniser')
    parser.add_argument('--vocabulary')
    parser.add_argument('--short-text')
    parser.add_argument('--out', required=True)
    args = parser.parse_args()
    os.makedirs(os.path.join(args.out, 'sounds'), exist_ok=True)
    folders = [os.path.join(args.reference, name) for name in args.sets] if args.sets else sorted(glob.glob(os.path.join(args.reference, '*/')))
    rows = gather(args, [path for folder in folders for path in sorted(glob.glob(os.path.join(folder, '????.npz')))[:args.most]])
    rows.sort(key=lambda row: (row['set'], row['index']))
    sets, voices, rates = (collections.defaultdict(list) for _ in range(3))
    for row in rows:
        sets[row['set']].append(row)
        if row['set'] == 'rates':
            rates[f'speed {row["speed"]:g}'].append(row)
        elif row['set'] != 'short':
            voices[row['voice']].append(row)
    parts = [table(title, groups) for title, groups in (('set', sets), ('voice', voices), ('rate', rates)) if groups]
    texts = open(args.short_text, encoding='utf-8').read().splitlines() if args.short_text else []
    short = short_table(sets['short'], texts) if 'short' in sets else ''
    with open(os.path.join(args.out, 'tables.md'), 'w', encoding='utf-8') as file:
        file.write('\n\n'.join([*parts, short]) + '\n')
    json.dump({name: figures(rows) for name, rows in [*sets.items(), *voices.items(), *rates.items()]}, open(os.path.join(args.out, 'figures.json'), 'w'), indent=1)
    print('\n\n'.join(parts))


if __name__ == '__main__':
    main()
