#!/usr/bin/env bash
# Starts training in the background, on a machine that is lent for half an hour.
#
#   run.sh TIME HELD
#
# For HELD seconds the machine had been held at TIME, which unpack.sh printed. Training ends UNTIL
# seconds after the machine was asked for; before it, waveforms are made for WAVES seconds and
# labels for LABELS. A small run beside it compiles the step into the same cache while data is made,
# and shows early whether everything runs. In the folder T (~/t):
#
#   train.out, small.out     what they print
#   run/front, run/generator the averages
#   run/DONE                 at the end
set -euo pipefail

deadline=$((${1:?run.sh TIME HELD} - ${2:?run.sh TIME HELD} + ${UNTIL:-1690}))
cd "${T:=$HOME/t}"
((deadline > $(date +%s))) || { echo "run.sh: that time is over" >&2; exit 1; }
export ORT_DISABLE_TELEMETRY=1 PYTHONUNBUFFERED=1 TORCHINDUCTOR_CACHE_DIR=$T/inductor
train=("${PYTHON:-python3}" scripts/front_train.py)
same=(front.onnx front-corpus.npz --resume front-checkpoint-10/ck_
  --generator front-checkpoint-10/generator-ck_ --teacher-generator teacher-generator.onnx
  ${COMPILE---compile} --learning-rate "${RATE:-4e-4}"
  --generator-rate "${GENERATOR_RATE:-2e-4}" --hold "${HOLD:-0.1}"
  --rows 4 --own 1 --wave-rows 8 --wave-own 4
  --segments 72 --teacher-segments 16 --ear-segments 6 --seed 11)
read -r -a more <<< "${MORE:-}" # further arguments; they replace those above
rm -rf run small

setsid "${train[@]}" run "${same[@]}" \
  --wave-seconds "${WAVES:-480}" --label-seconds "${LABELS:-50}" \
  --wave-capacity 155 --capacity 80 --seconds 1700 --deadline "$deadline" --validate-every 120 \
  "${more[@]}" > train.out 2>&1 < /dev/null &
echo $! > train.pid
setsid bash -c 'sleep "$0"; exec "$@"' "${LATER:-25}" "${train[@]}" small "${same[@]}" \
  --wave-seconds 8 --label-seconds 3 --wave-capacity 1 --capacity 2 --seconds 4 --held 8 \
  --held-others 4 --profile "${more[@]}" > small.out 2>&1 < /dev/null &
echo "started; ends in $((deadline - $(date +%s))) s"
