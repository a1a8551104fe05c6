#!/usr/bin/env bash
# What a training run on another machine reads, as parts that travel one by one.
#
#   voices/training/lent/pack.sh OUT         (OUT: the folder of prepare.sh)
#
# OUT/parts/1, 2, …: each at most 58 MiB (PART_MIB) in size. unpack.sh puts them together.
set -euo pipefail

[ $# = 1 ] || { echo "usage: pack.sh OUT" >&2; exit 2; }
training=$(cd "$(dirname "$0")/.." && pwd)
cd "$1"
rm -rf parts .packing
mkdir -p .packing parts
tar c -C "$training" front-checkpoint-10 -C "$PWD" front.onnx teacher-generator.onnx \
  front-corpus.npz | gzip -6 > .packing/all
most=$((${PART_MIB:-58} * 1048576))
count=$((($(stat -c %s .packing/all) + most - 1) / most))
split -n "$count" -d -a 2 .packing/all .packing/piece-
for ((at = 0; at < count; at++)); do
  mkdir "parts/$((at + 1))"
  mv ".packing/piece-$(printf %02d $at)" "parts/$((at + 1))/piece-$((at + 1))-of-$count"
done
tar cf parts/1/scripts.tar -C "$training" --exclude=__pycache__ --exclude='front-checkpoint-*' .
cp "$training"/lent/unpack.sh parts/1/
gzip -t .packing/all
sha256sum < .packing/all | cut -d' ' -f1 > parts/1/sum
rm -rf .packing
du -sb parts/*
