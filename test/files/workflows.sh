#!/bin/sh
# The two workflows of a terminal service, with nothing but printf, mv and cat: sh workflows.sh <directory>
set -eu
cd "$1"

# Puts a request into place and waits for its own answer.
ask() {
  printf '%s' "$2" > "control/$1.json.tmp"
  mv "control/$1.json.tmp" "control/$1.json"
  id=${2#*\"request_id\":\"}
  id=${id%%\"*}
  until cat "requests/$id.json" 2> /dev/null; do :; done
}

# One command and its output.
ask exec '{"request_id":"sh-1","command":"printf terminal-ok"}'
cat status.json result.json > /dev/null

# The same by the general way in.
ask invoke '{"request_id":"sh-2","op":"exec","arguments":{"command":"exit 3"}}'

# A session: create, write, read until it is there, close.
ask create '{"request_id":"sh-3","session_id":"build","cwd":".","shell":"bash","env":{"HOME":"/nonexistent"}}'
ask write '{"request_id":"sh-4","session_id":"build","input":"echo built-$((6*7))","append_newline":true}'
ask wait '{"request_id":"sh-5","session_id":"build","until":"output","text":"built-42","timeout_ms":20000}'
ask read '{"request_id":"sh-6","session_id":"build","timeout_ms":1000,"max_bytes":65536}'
ask close '{"request_id":"sh-7","session_id":"build"}'
cat current.json
