"""Fixed activation grids for the int8 export: look at what flows into each matrix product.

A float graph with the products' inputs as extra outputs runs over the calibration utterances.  Per
layer it gives the range of the grid (outliers clipped where that costs less than the finer grid
gains) and smoothing factors that move the channels' unevenness from the activations into the
weights: after a GELU a few channels reach 350 while most stay under 10, and one grid of 256 steps
would leave the small ones nothing.  Where an earlier layer can take the factors they cost nothing
(`smooth`); elsewhere they are one multiplication (`rescale`).
"""
import numpy as np
import onnxruntime as ort
from onnx import helper

from graph import FloatLayers, build, grid
from inputs import load_english, load_utterances
from student import is_own
from windows import utterance_inputs

# How far smoothing goes: 1 evens out the activations wholly, 0 leaves the weights alone.  Layers
# with
# 16-bit activations (FINE) need little of it: those whose inputs are unlike each other, the head,
# whose outputs are exponents and
# angles, and the conditioning, which costs nothing (one row an utterance) and colours everything.
STRENGTH, FINE_STRENGTH = 0.65, 0.25
FINE = ('inp', 'head', 'cond.0', 'cond.2', 'film')
FOLDED = ('inp', 'head', 'cond.0')      # and every blocks.N.w1
CLIPS = (1.0, 0.99999, 0.9999)


def _range(values):
    """The [low, high] grid of 256 steps with the least squared rounding and clipping error."""
    values = np.sort(values)
    best = None
    for clip in CLIPS:
        low = min(values[int((len(values) - 1) * (1 - clip))], 0.0)
        high = max(values[int((len(values) - 1) * clip)], 1e-3)
        step = (high - low) / 255
        shown = np.clip(np.round((values - low) / step), 0, 255) * step + low
        error = float(((shown - values) ** 2).mean())
        if best is None or error < best[0]:
            best = (error, float(low), float(high))
    return best[1], best[2]


def _weights(student, name):
    """A layer's weight as [inputs, outputs]; a convolution's taps count as more outputs."""
    weight = student.state_dict()[name + '.weight'].numpy()
    return weight.transpose(1, 0, 2).reshape(weight.shape[1], -1) if weight.ndim == 3 else weight.T


def _seen(rows, low, high, fine):
    """What rounding the weights wants to know of a layer's inputs, as they are and as they are
    shown to the product."""
    step, zero = grid(low, high)
    shown = rows if fine else (np.clip(np.round(rows / step) + zero, 0, 255) - zero) * step
    rows, shown = rows.astype(np.float64), shown.astype(np.float64)
    return {'gram': shown.T @ shown / len(rows), 'cross': shown.T @ rows / len(rows), 'mean': rows.mean(0), 'mean_shown': shown.mean(0)}


def _gather(student, utterances, rng):
    """What flows into each product of `student`, some rows of each utterance."""
    layers = FloatLayers()
    model = build(student, layers)
    seen = dict(layers.seen)
    seen['inp'] = next(node.input[0] for node in model.graph.node
                       if node.op_type == 'Pad' and node.input[0].startswith('add'))
    model.graph.output.extend(helper.make_empty_tensor_value_info(tensor) for tensor in seen.values())
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(model.SerializeToString(), options, providers=['CPUExecutionProvider'])
    gathered = {name: [] for name in seen}
    for x, f0, style in utterances:
        feeds = utterance_inputs(x, f0, style)
        values = session.run(list(seen.values()), {**feeds, 'offset': np.zeros(1, np.int64)})
        for name, value in zip(seen, values):
            rows = value.reshape(-1, value.shape[-1])
            gathered[name].append(rows[rng.permutation(len(rows))[:160]])
    return {name: np.concatenate(rows) for name, rows in gathered.items()}


def _factors(name, rows, demand):
    """Smoothing of a layer whose inputs are `rows` and whose weights reach to `demand`."""
    reach = np.maximum(np.abs(rows).max(0), 1e-3)
    strength = FINE_STRENGTH if name in FINE else STRENGTH
    factors = np.maximum(demand, 1e-5) ** (1 - strength) / reach ** strength
    return factors / np.exp(np.log(factors).mean())


def _entry(name, rows, factors, rng, keep=400_000):
    """-> {'range': (low, high), 'smooth' or 'rescale': factors} and perhaps 'fine' and what was
    'seen'."""
    entry = {'smooth' if _folds(name) else 'rescale': factors}
    rows = rows * factors
    flat = rows.reshape(-1)
    entry['range'] = _range(flat if len(flat) <= keep else rng.choice(flat, keep, replace=False))
    if name in FINE:                             # room costs nothing there, and clipping does: a clipped style is another voice
        entry.update(fine=True, range=(1.5 * float(flat.min()), 1.5 * float(flat.max())))
    if name == 'head' or name.startswith('blocks.'):              # the others have too few rows, or a convolution's
        entry['seen'] = _seen(rows, *entry['range'], fine=name in FINE)
    return entry


def _folds(name):
    return name in FOLDED or name.endswith('.w1')


def calibrate(students, path, own):
    """Of a generator for English and one for the other languages, which differ in their `own` last
    blocks alone -> for each of them its layers as `_entry` has them; what they have in common is
    equal in both."""
    rng, utterances, english = np.random.default_rng(0), load_utterances(path), load_english(path)
    rows = [_gather(student, [one for one, is_english in zip(utterances, english) if is_english == of], rng)
            for student, of in zip(students, (True, False))]
    first = students[0].layers - own
    made = [{}, {}]
    for name in rows[0]:
        demands = [np.abs(_weights(student, name)).max(1) for student in students]
        together = np.concatenate([part[name] for part in rows])
        if not is_own(name, first):
            made[0][name] = made[1][name] = _entry(name, together, _factors(name, together, demands[0]), rng)
        elif _folds(name):                       # into what both have in common
            factors = _factors(name, together, np.maximum(*demands))
            for entries, part in zip(made, rows):
                entries[name] = _entry(name, part[name], factors, rng)
        else:
            for entries, part, demand in zip(made, rows, demands):
                entries[name] = _entry(name, part[name], _factors(name, part[name], demand), rng)
    return made
