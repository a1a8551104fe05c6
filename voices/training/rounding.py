"""Measure how onnxruntime rounds Kokoro's 20-point STFT, for teacher.py to imitate.

The phase of that STFT's bins is a feature of the network, and in bins that are nearly or exactly
real (DC, Nyquist) rounding decides between +pi and -pi.  onnxruntime's transform errs by up to
4e-7, and nine tenths of the error come from the rounding of its constants: they are linear in the
input and the same every time.  So the difference to the exact DFT is fitted, over frames such as
the harmonic source makes, by one matrix [20, 11, 2] (sample, bin, real and imaginary part), and
kept.

    python rounding.py stft-rounding.npy
"""
import argparse

import numpy as np
from onnx import TensorProto, helper

SIZE, STEP, BINS = 20, 5, 11


def exact_basis():
    """[20, 11, 2]: the DFT in double precision."""
    angle = 2 * np.pi * np.outer(np.arange(SIZE), np.arange(BINS)) / SIZE
    return np.stack([np.cos(angle), -np.sin(angle)], -1)


def window():
    return (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(SIZE) / SIZE)).astype(np.float32)


def runtime_stft(signal):
    """onnxruntime's own operator: samples [n] -> [frames, 11, 2]."""
    import onnxruntime as ort                      # here alone: teacher.py needs the rest without it
    value = helper.make_tensor_value_info
    node = helper.make_node('STFT', ['signal', 'step', 'window', 'size'], ['out'], onesided=1)
    constants = [helper.make_tensor('step', TensorProto.INT64, [], [STEP]), helper.make_tensor('size', TensorProto.INT64, [], [SIZE]),
                 helper.make_tensor('window', TensorProto.FLOAT, [SIZE], window())]
    graph = helper.make_graph([node], 'stft', [value('signal', TensorProto.FLOAT, [1, 'n', 1])], [value('out', TensorProto.FLOAT, None)],
                              constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)])
    model.ir_version = 9
    session = ort.InferenceSession(model.SerializeToString(), providers=['CPUExecutionProvider'])
    return session.run(None, {'signal': signal[None, :, None]})[0][0]


def source(rng, seconds=0.5):
    """Nine harmonics of a gliding pitch, as strong as the model's source."""
    pitch = rng.uniform(60, 420) * np.exp(np.cumsum(rng.normal(0, 2e-4, int(24000 * seconds))))
    phase = 2 * np.pi * np.cumsum(pitch) / 24000
    weights = rng.normal(0, 0.7, 9)
    return (0.1 * np.tanh(sum(w * np.sin((h + 1) * phase) for h, w in enumerate(weights)) - 0.4)).astype(np.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('out')
    parser.add_argument('--signals', type=int, default=150)
    args = parser.parse_args()
    rng, frames, errors = np.random.default_rng(0), [], []
    for _ in range(args.signals):
        signal = source(rng)
        windowed = (np.lib.stride_tricks.sliding_window_view(signal, SIZE)[::STEP] * window()).astype(np.float64)
        frames.append(windowed)
        errors.append(runtime_stft(signal) - np.tensordot(windowed, exact_basis(), 1))
    frames, errors = np.concatenate(frames), np.concatenate(errors)
    fitted = np.linalg.lstsq(frames, errors.reshape(len(errors), -1), rcond=None)[0]
    left = errors.reshape(len(errors), -1) - frames @ fitted
    print(f'{len(frames)} frames; rounding error {np.sqrt((errors ** 2).mean()):.2e}, {np.sqrt((left ** 2).mean()):.2e} of it not linear')
    np.save(args.out, fitted.reshape(SIZE, BINS, 2))


if __name__ == '__main__':
    main()
