#!/usr/bin/env bash
# Waits, says how training goes, and hands over the averages of one network in the folder OUT.
#
#   watch.sh SECONDS none|front|generator
#
# It waits no longer once training has ended. `front` keeps both networks as they are at that moment
# and hands over the front; `generator` hands over the generator that was kept then: a pair.
set -euo pipefail

seconds=${1:?watch.sh SECONDS none|front|generator} what=${2:-none}
T=${T:-$HOME/t}
cd "$T"
running() { [ ! -e run/DONE ] && kill -0 "$(cat train.pid)" 2> /dev/null; }
while ((SECONDS < seconds)) && running; do sleep 1; done

# A save takes about a second: the networks are of one moment when nothing is younger than three and
# nothing has changed while it was copied.
stamps() { find run/front run/generator -name 'ck_*' -printf '%p %T@\n' | sort; }
keep() {
  local before
  for _ in 1 2 3 4 5 6; do
    before=$(stamps)
    if [ -n "$before" ] && [ -z "$(find run/*/ -name 'ck_*' -newermt '3 seconds ago')" ]; then
      rm -rf kept
      mkdir kept
      cp -r run/front run/generator kept/
      if [ "$before" = "$(stamps)" ]; then return; fi
    fi
    sleep 2
  done
  echo "nothing was kept" >&2
  return 1
}
if [ "$what" = front ]; then keep || true; fi
if [ "$what" != none ] && [ -e kept ]; then
  for file in kept/"$what"/ck_*.pt; do cp "$file" "$OUT/$what-$(basename "$file")"; done
  cp train.out "$OUT/train.txt"
  cp small.out "$OUT/small.txt"
  ls -l --time-style=full-iso kept/*/ "$OUT"
fi

echo "--- small"
tail -c 1500 small.out
echo "--- training"
tail -c 7000 train.out
echo "---"
if [ -e run/DONE ]; then echo "ended"; elif running; then echo "runs"; else echo "DIED"; fi
nvidia-smi --query-gpu=memory.used,utilization.gpu --format=csv,noheader 2> /dev/null || true
date -u
