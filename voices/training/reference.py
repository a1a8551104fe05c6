"""Speak the held-out text with the float32 teacher and keep what it was fed and what it said.

Slow on a CPU (about real time) and needed once: evaluation of any student reads the folder it
writes.

    python reference.py kokoro-float.onnx held-out.npz reference/
"""
import argparse
import os

import numpy as np
import onnx
import onnxruntime as ort

import kokoro_graph as names
from sequences import Sequences


def open_teacher(path, threads):
    """The whole float32 model with the generator's inputs as further outputs."""
    model = onnx.load(path)
    model.graph.output.extend(onnx.helper.make_tensor_value_info(*i) for i in names.GENERATOR_INPUTS)
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    return ort.InferenceSession(model.SerializeToString(), options, providers=['CPUExecutionProvider'])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('model')
    parser.add_argument('sequences')
    parser.add_argument('out')
    parser.add_argument('--threads', type=int, default=1)
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    sequences, session = Sequences(args.sequences), open_teacher(args.model, args.threads)
    for index in range(len(sequences)):
        path = os.path.join(args.out, f'{index:04d}.npz')
        if os.path.exists(path):
            continue
        wave, x, f0, style = session.run([names.WAVEFORM, names.X, names.F0, names.STYLE], {
            'input_ids': sequences.tokens(index)[None], 'style': sequences.style(index)[None],
            'speed': sequences.speed[index:index + 1]})
        np.savez(path + '.tmp.npz', wave=wave.reshape(-1), x=x[0].astype(np.float16), f0=f0[0, 0], style=style[0],
                 voice=str(sequences.names[index]))
        os.replace(path + '.tmp.npz', path)


if __name__ == '__main__':
    main()
