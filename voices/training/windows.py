"""Run an exported generator in windows, as the engine does, and compare with one whole run."""
import numpy as np

from student import FRAME, SAMPLE_RATE

CONTEXT = 40            # 39 by the receptive field of twelve blocks; one more where the phase leans on the next frame


def utterance_inputs(x, f0, style):
    """What must be computed once an utterance: x [512,T], f0 [T] -> feeds for whole or windowed
    runs."""
    cycles = np.cumsum(np.maximum(f0, 0).astype(np.float64) * (FRAME / SAMPLE_RATE))
    wide = x.astype(np.float64)
    return {'x': x[None].astype(np.float32), 'f0': f0[None, None].astype(np.float32),
            's': style[None].astype(np.float32), 'mean': wide.mean(1)[None].astype(np.float32),
            'variance': wide.var(1)[None].astype(np.float32),
            'phase': (cycles - np.floor(cycles))[None].astype(np.float32)}


def run_window(session, feeds, start, end, context=CONTEXT):
    """Samples of the frames [start, end)."""
    frames = feeds['x'].shape[2]
    first, last = max(0, start - context), min(frames, end + context)
    out = session.run(['waveform'], {
        'x': feeds['x'][:, :, first:last], 'f0': feeds['f0'][:, :, first:last], 's': feeds['s'],
        'mean': feeds['mean'], 'variance': feeds['variance'], 'phase': feeds['phase'][:, first:last],
        'offset': np.array([first], np.int64)})[0][0]
    return out[(start - first) * FRAME:(end - first) * FRAME]


def run_windows(session, feeds, sizes, context=CONTEXT):
    """The whole utterance from windows of the given sizes; the last size repeats."""
    frames, start, parts = feeds['x'].shape[2], 0, []
    for index in range(frames):
        if start >= frames:
            break
        end = min(frames, start + sizes[min(index, len(sizes) - 1)])
        parts.append(run_window(session, feeds, start, end, context))
        start = end
    return np.concatenate(parts)


def run_whole(session, feeds):
    return run_window(session, feeds, 0, feeds['x'].shape[2])
