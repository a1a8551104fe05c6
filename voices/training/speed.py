"""How fast Kokoro speaks in PyTorch: the folded graph (teacher.py) on one card, one utterance after the other, for comparison.

    python speed.py kokoro-quantized.onnx af_heart.bin tokens.json

tokens.json is a list of token sequences without pads.
"""
import json
import sys
import time

import numpy as np
import torch

from teacher import Teacher


def main():
    published, style_file, token_file = sys.argv[1:4]
    teacher = Teacher(published, 'cuda')
    styles = np.fromfile(style_file, np.float32).reshape(-1, 256)
    sequences = json.load(open(token_file))

    def speak():
        samples = 0
        for tokens in sequences:
            wave = teacher([0, *tokens, 0], styles[len(tokens)])[3]
            samples += wave.cpu().numel()
        return samples / 24000

    speak()
    torch.cuda.synchronize()
    start, spoken = time.time(), 0.0
    while time.time() - start < 8:
        spoken += speak()
    print(f'PyTorch {torch.__version__}, {torch.cuda.get_device_name()}: {spoken / (time.time() - start):.0f} x real time, one after the other')


if __name__ == '__main__':
    main()
