"""Kokoro's front in PyTorch: the labels that a student of the front is taught with.

The interpreter of teacher.py, on the part of the graph before the generator.  Besides what the front hands on (durations, F0, x) it
tells what is decided inside, which makes a student's work easier: durations before they are rounded, the energy
curve N, and the features of every token that the prosody (`prosody`) and the sound (`sound`) are made from.
"""
import onnx
import torch
from onnx import numpy_helper

import kokoro_graph as names
from teacher import Teacher

RAW = '/encoder/predictor/ReduceSum_output_0'               # durations in frames of 600 samples, before speed and rounding [1,n]
ENERGY = '/encoder/N_proj/Conv_output_0'                    # [1,1,T]
SOUND = '/encoder/text_encoder/Transpose_2_output_0'        # [1,512,n]
PROSODY = '/encoder/predictor/lstm/Transpose_output_0'      # [n,1,640], the last 128 of them the style
OUTPUTS = (names.X, names.F0, names.DURATIONS, RAW, ENERGY, SOUND, PROSODY)


class FrontTeacher(Teacher):
    def __init__(self, path, device):
        """`path`: the whole quantised model or its front (kokoro_graph.py)."""
        self.device = device
        graph = names.fold_to_float(onnx.load(path), [(name, 1, None) for name in OUTPUTS])
        self.host = {t.name: torch.from_numpy(numpy_helper.to_array(t).copy()) for t in graph.graph.initializer}
        self.lstms = {}
        self._compile(graph.graph, OUTPUTS)

    @torch.inference_mode()
    def __call__(self, tokens, style, speed=1.0):
        """-> x [T,512], f0 [T], durations [n], the same before speed and rounding [n], energy [T], sound [n,512], prosody [n,512]."""
        values = self.values(tokens, style, speed)
        x, f0, durations, raw, energy, sound, prosody = (values[name] for name in OUTPUTS)
        return (x[0].t(), f0[0, 0], durations[0], raw[0], energy[0, 0], sound[0].t(), prosody[:, 0, :512])
