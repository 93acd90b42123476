import { expect, test } from "vitest";
import { readsSilently } from "./silent-read.ts";

test.each([
  "read -s x",
  "read --silent x",
  "  read -P 'Give it: ' -s x",
  "read -gxs token",
  "read -n 4 -s -l x; echo",
  'read -s -P "Your code" x && echo got; set y 1',
  "read -s a\nread -s b",
])("P-A1: %j hides what is typed", (line) => {
  expect(readsSilently(line)).toBe(true);
});

test.each([
  "",
  "echo read -s",
  "read x",
  "read -P -s x",
  "read -P-s x",
  "read x -s",
  "read -- -s",
  "read name; read -s x",
  "ask; read -s x",
  "read -s x; ask",
  "read -s x | cat",
  "read -s (read x)",
  'read -s -P "$prompt" x; eval $x',
  "while read -s x; cat; end",
  "readlink -s x",
  "reads -s",
])("P-A1: of %j that is not certain", (line) => {
  expect(readsSilently(line)).toBe(false);
});
