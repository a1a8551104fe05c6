#!/usr/bin/env bash
# Takes one part of pack.sh into the folder T (~/t) and deletes it; with the last one everything is
# there. It prints the time, for run.sh.
#
#   unpack.sh PART
set -euo pipefail

part=${1:?unpack.sh PART}
T=${T:-$HOME/t}
mkdir -p "$T/in" "$T/scripts"
if [ -e "$part/scripts.tar" ]; then
  tar xf "$part/scripts.tar" -C "$T/scripts"
  cp "$T/scripts/lent/"*.sh "$T/"
  mv "$part/sum" "$T/in/"
fi
mv "$part"/piece-* "$T/in/"
rm -rf "$part"
cd "$T/in"
pieces=(piece-*)
count=${pieces[0]##*-}
echo "${#pieces[@]} of $count pieces"
if [ "${#pieces[@]}" = "$count" ] && [ -e sum ]; then
  for ((at = 1; at <= count; at++)); do cat "piece-$at-of-$count"; done > all
  if [ "$(sha256sum < all | cut -d' ' -f1)" != "$(cat sum)" ]; then
    echo "unpack.sh: the pieces are not whole" >&2
    exit 1
  fi
  tar xzf all -C "$T"
  rm -rf "$T/in"
  ls -l "$T"
fi
echo "at $(date +%s)"
