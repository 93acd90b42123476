import { expect, test } from "vitest";
import { cpuMs } from "../testing/cpu-ms.ts";
import { findSilentRead } from "./silent-read.ts";

test.each([
  "read -s x",
  "read --silent x",
  "  read -P 'Give it: ' -s x",
  "read -gxs token",
  "read -n 4 -s -l x; echo",
  'read -s -P "Your code" x && echo got; set y 1',
  "read -s a\nread -s b",
  "read -s x; echo (string length $x)",
  'read -s -P "PW: " x; and echo ok',
  "set -l p (read -s)",
  "read -s x | cat",
  "echo hi; read -s x; echo got (string length $x)",
  'read -s -P (echo "a; read b") x',
  "read -P (echo hi) -s x",
  "if read -s x; echo $x; end",
  "echo don\\'t; read -s pw; echo 'ok'",
  "echo a # don't\nread -s pw # don't",
  "read \\\n  -s x",
  `${"(".repeat(10)}read -s`,
])("P-A1: %j hides what is typed", (line) => {
  expect(findSilentRead(line)).toBe("certain");
});

test.each([
  "read name; read -s x",
  "ask; read -s x",
  "read -s x; ask",
  "read -s (read x)",
  'read -s -P "$prompt" x; eval $x',
  "while read -s x; cat; end",
  "read -s x | read y",
  'echo "$(read -s)"',
  "echo don\\'t; read name; echo 'x'; read -s pw",
  `read x; ${"echo ".repeat(4000)}`,
])("P-A1: %j may hide what is typed", (line) => {
  expect(findSilentRead(line)).toBe("possible");
});

test.each([
  "",
  "echo read -s",
  "read x",
  "read -P -s x",
  "read -P-s x",
  "read x -s",
  "read -- -s",
  "readlink -s x",
  "reads -s",
  'echo "; read -s x"',
])("P-A1: %j hides nothing", (line) => {
  expect(findSilentRead(line)).toBe(undefined);
});

test("a line made to be slow is looked at in no time", () => {
  for (const hard of ["\\'", "'", '"$', "(", "read -s (", "#"]) {
    const line = `read ${hard.repeat(5000)}`;
    expect(cpuMs(() => findSilentRead(line))).toBeLessThan(200);
  }
});
