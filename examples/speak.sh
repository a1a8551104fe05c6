#!/bin/sh
# Says a text with the first voice the server has, over HTTP: sh speak.sh "Hello there." hello.wav
set -eu
text=$1
file=$2
base=${TTS_BASE_URL:-http://127.0.0.1:8787}

# Every request carries the key; --fail-with-body shows the server's reason where it refuses.
ask() {
  curl --silent --show-error --fail-with-body -H "Authorization: Bearer $TTS_API_KEY" "$@"
}

voice=$(ask "$base/v1/voices?model=base-tts-fast" | sed 's/.*"data":\[{"id":"\([^"]*\)".*/\1/')

# A text may hold quotes and backslashes, which JSON wants escaped.
escaped=$(printf '%s' "$text" | sed 's/[\\"]/\\&/g' | tr '\n' ' ')

ask "$base/v1/audio/speech" -H 'Content-Type: application/json' -o "$file" \
  -d "{\"model\":\"base-tts-fast\",\"voice\":\"$voice\",\"input\":\"$escaped\"}"
echo "$voice wrote $file"
