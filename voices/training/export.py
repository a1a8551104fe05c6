"""Write the light generator (graph.py) as ONNX files, in float32 or int8.

    python export.py front-checkpoint-10/generator-ck_ --float generator-float.onnx
    python export.py front-checkpoint-10/generator-ck_ --others --float generator-others-float.onnx
    python export.py front-checkpoint-10/generator-ck_ --int8 generator-int8.onnx --others-int8 generator-others-int8.onnx \\
        --calibration calibration.npz

The graph for English is whole. That of the other languages has the same nodes and most of the same
weights; its int8 file holds the weights alone that differ, by their names.
"""
import argparse
import json
import os

import onnx
from onnx import helper

from graph import FloatLayers, Int8Layers, build
from quantise import calibrate
from student import is_own, load_state, load_student, own_blocks


def differing(model, other, name):
    """The constants of `other` that are not those of `model`, as a graph without nodes."""
    if [node.SerializeToString() for node in model.graph.node] != [node.SerializeToString() for node in other.graph.node]:
        raise ValueError('the two graphs have other nodes')
    known = {constant.name: constant.SerializeToString() for constant in model.graph.initializer}
    kept = [constant for constant in other.graph.initializer if constant.SerializeToString() != known[constant.name]]
    made = helper.make_model(helper.make_graph([], name, [], [], kept), opset_imports=model.opset_import, producer_name='tts')
    made.ir_version = model.ir_version
    return made


def int8_pair(checkpoint, calibration):
    students, own = [load_student(checkpoint, english) for english in (True, False)], own_blocks(load_state(checkpoint))
    layers = [Int8Layers(entries) for entries in calibrate(students, calibration, own)]
    english = build(students[0], layers[0], own)
    first = students[0].layers - own
    layers[1].rounded = {name: made for name, made in layers[0].rounded.items() if not is_own(name, first)}
    return english, build(students[1], layers[1], own)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('checkpoint', help='prefix of the checkpoint parts, such as front-checkpoint-10/generator-ck_')
    parser.add_argument('--others', action='store_true', help='with the blocks of the other languages instead of English\'s own')
    parser.add_argument('--float', dest='float_path', help='write float32')
    parser.add_argument('--int8', dest='int8_path', help='write int8, for English')
    parser.add_argument('--others-int8', help='and what differs for the other languages')
    parser.add_argument('--others-whole', help='and the graph of the other languages whole, for evaluation')
    parser.add_argument('--calibration', help='utterances from inputs.py, for int8')
    args = parser.parse_args()
    if args.float_path:
        onnx.save(build(load_student(args.checkpoint, english=not args.others), FloatLayers()), args.float_path)
    if args.int8_path:
        english, others = int8_pair(args.checkpoint, args.calibration)
        onnx.save(english, args.int8_path)
        if args.others_int8:
            onnx.save(differing(english, others, os.path.basename(args.int8_path)), args.others_int8)
        if args.others_whole:
            onnx.save(others, args.others_whole)
    for path in (args.float_path, args.int8_path, args.others_int8, args.others_whole):
        if path:
            print(json.dumps({'file': path, 'bytes': os.path.getsize(path)}))


if __name__ == '__main__':
    main()
