#!/bin/sh
# The two workflows of a terminal service, with nothing but printf, mv and cat: sh workflows.sh <directory>
set -eu
terminal=$1

# Writes a payload into the place of a control file, and shows the answer once it is there: the result is another one than
# before, and the status says that nothing runs any more.
ask() {
  before=$(cat "$terminal/result.json")
  printf '%s' "$2" > "$terminal/control/$1.json.new"
  mv "$terminal/control/$1.json.new" "$terminal/control/$1.json"
  shown
}

# The same, written straight into the control file.
write_in_place() {
  before=$(cat "$terminal/result.json")
  printf '%s' "$2" > "$terminal/control/$1.json"
  shown
}

shown() {
  while result=$(cat "$terminal/result.json") || exit; [ "$result" = "$before" ]; do :; done
  while status=$(cat "$terminal/status.json") || exit; [ "${status#*\"running\"}" != "$status" ]; do :; done
  printf '%s\n' "$result"
}

# One-shot execution, and the same by the generic endpoint.
write_in_place exec '{"command":"git status --short"}'
ask invoke '{"op":"exec","arguments":{"command":"git status --short"}}'

# The interactive session: create, send input, read output until it is complete, close.
ask create '{"session_id":"build","cwd":"."}'
ask write '{"session_id":"build","input":"npm test","append_newline":true}'
while
  answer=$(ask read '{"session_id":"build","timeout_ms":1000,"max_bytes":65536}') || exit
  [ "${answer#*tests passed: 42}" = "$answer" ]
do :; done
printf '%s\n' "$answer"
ask close '{"session_id":"build"}'
cat "$terminal/current.json" "$terminal/sessions.json"
