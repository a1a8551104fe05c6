"""Write the light generator (graph.py) as an ONNX file, in float32 or int8.

    python export.py front-checkpoint-7/generator-ck_ --float generator-float.onnx
    python export.py front-checkpoint-7/generator-ck_ --int8 generator-int8.onnx --calibration calibration.npz
"""
import argparse
import json
import os

import onnx

from graph import FloatLayers, Int8Layers, build
from quantise import calibrate
from student import load_student


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('checkpoint', help='prefix of the checkpoint parts, such as front-checkpoint-7/generator-ck_')
    parser.add_argument('--float', dest='float_path', help='write float32')
    parser.add_argument('--int8', dest='int8_path', help='write int8')
    parser.add_argument('--calibration', help='utterances from inputs.py, for int8')
    args = parser.parse_args()
    student = load_student(args.checkpoint)
    if args.float_path:
        onnx.save(build(student, FloatLayers()), args.float_path)
    if args.int8_path:
        onnx.save(build(student, Int8Layers(calibrate(student, args.calibration))), args.int8_path)
    for path in (args.float_path, args.int8_path):
        if path:
            print(json.dumps({'file': path, 'bytes': os.path.getsize(path)}))


if __name__ == '__main__':
    main()
