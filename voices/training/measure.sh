#!/usr/bin/env bash
# A pair of checkpoints in float32 against the teacher's speech: a row for each held-out set.
#
#   voices/training/measure.sh OUT NAME FRONT GENERATOR [--sets en it …] [--most 16]
#   voices/training/measure.sh OUT front-10 voices/training/front-checkpoint-10/{ck_,generator-ck_}
#
# OUT: the folder of prepare.sh, with reference/ (front_reference.py); FRONT and GENERATOR: prefixes
# of the parts. Graphs, tables and sounds go to OUT/measured/NAME. `own - 4` is what the pair adds
# to the own MCD of front 4, English alone (front-4.json), where that was measured on as many lines.
set -euo pipefail

if [ $# -lt 4 ]; then
  echo "usage: measure.sh OUT NAME FRONT GENERATOR [--sets …] [--most …]" >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "$1" && pwd) name=$2 front=$3 generator=$4
shift 4
made=$out/measured/$name
mkdir -p "$made"
export ORT_DISABLE_TELEMETRY=1
python() { "$out/venv/bin/python" "$@"; }
python "$here/front_export.py" "$front" --normal "${generator}0.pt" \
  --float "$made/front.onnx" --given "$made/given.onnx"
python "$here/export.py" "$generator" --float "$made/generator.onnx"
python "$here/export.py" "$generator" --others --float "$made/others.onnx"
python "$here/set_evaluate.py" "$made/front.onnx" "$out/reference" --given "$made/given.onnx" \
  --generator "$made/generator.onnx" --others "$made/others.onnx" --processes 2 --out "$made" "$@" > "$made/printed.md"
python - "$made/figures.json" "$here/front-4.json" << 'END'
import json, os, sys

made, known = (json.load(open(path)) if os.path.exists(path) else {} for path in sys.argv[1:])
columns = ('lines', 'MCD own', 'MCD F0', 'MCD gen', 'durations', 'length', 'all', 'F0', 'semitones',
           'periodic')
print(f'{"":>14}' + ''.join(f'{name:>11}' for name in (*columns, 'own - 4')))
for name, row in made.items():
    cells = [f'{row[c]:11.3f}' if isinstance(row[c], float) else f'{row[c]:>11}' for c in columns]
    if known.get(name, {}).get('lines') == row['lines']:
        cells.append(f'{row["MCD own"] - known[name]["MCD own"]:+11.3f}')
    print(f'{name:>14}' + ''.join(cells))
END
