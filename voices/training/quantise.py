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
from inputs import load_utterances
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


def calibrate(student, path, keep=400_000):
    """-> per layer {'range': (low, high), 'smooth' or 'rescale': factors} and perhaps 'fine' and
    what was 'seen'."""
    layers = FloatLayers()
    model = build(student, layers)
    seen = dict(layers.seen)
    seen['inp'] = next(node.input[0] for node in model.graph.node
                       if node.op_type == 'Pad' and node.input[0].startswith('add'))
    model.graph.output.extend(helper.make_empty_tensor_value_info(tensor) for tensor in seen.values())
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(model.SerializeToString(), options, providers=['CPUExecutionProvider'])
    rng = np.random.default_rng(0)
    gathered = {name: [] for name in seen}
    for x, f0, style in load_utterances(path):
        feeds = utterance_inputs(x, f0, style)
        values = session.run(list(seen.values()), {**feeds, 'offset': np.zeros(1, np.int64)})
        for name, value in zip(seen, values):
            rows = value.reshape(-1, value.shape[-1])
            gathered[name].append(rows[rng.permutation(len(rows))[:160]])
    result = {}
    for name, rows in gathered.items():
        rows = np.concatenate(rows)
        reach = np.maximum(np.abs(rows).max(0), 1e-3)
        demand = np.maximum(np.abs(_weights(student, name)).max(1), 1e-5)
        strength = FINE_STRENGTH if name in FINE else STRENGTH
        factors = demand ** (1 - strength) / reach ** strength
        factors /= np.exp(np.log(factors).mean())
        folded = name in FOLDED or name.endswith('.w1')
        entry = {'smooth' if folded else 'rescale': factors}
        rows = rows * factors
        flat = rows.reshape(-1)
        entry['range'] = _range(flat if len(flat) <= keep else rng.choice(flat, keep, replace=False))
        if name in FINE:                         # room costs nothing there, and clipping does: a clipped style is another voice
            entry.update(fine=True, range=(1.5 * float(flat.min()), 1.5 * float(flat.max())))
        if name == 'head' or name.startswith('blocks.'):          # the others have too few rows, or a convolution's
            entry['seen'] = _seen(rows, *entry['range'], fine=name in FINE)
        result[name] = entry
    return result
