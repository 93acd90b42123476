import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { requireProgram } from "../testing/require-program.ts";
import { parseShellWord } from "./marker.ts";
import { utf8 } from "./testing/output.ts";

test.each([
  ["", ""],
  ["''", ""],
  ["ls", "ls"],
  ["a\\ b\\;c\\$d", "a b;c$d"],
  ["'a b;$c'", "a b;$c"],
  ["it\\'s", "it's"],
  ['"a \\"b\\" \\n"', 'a "b" \\n'],
  ["$'a\\tb\\n\\e\\E\\\\\\'\\x41\\101\\u6f22'", `a\tb\n\x1b\x1b\\'AA${utf8("漢")}`],
  ["$'\\346\\274\\242'", utf8("漢")],
  ["a' b'\\ $'\\n'c", "a b \nc"],
  ["$'\\q'", "\\q"],
])("%j is the word %j", (quoted, word) => {
  expect(parseShellWord(quoted)).toBe(word);
});

test.each([
  "a b",
  "a;b",
  "$HOME",
  "$(ls)",
  "`ls`",
  '"$a"',
  "'open",
  '"open',
  "$'open",
  "a\\",
  "a|b",
  "a>b",
])("%j is not one plain word", (quoted) => {
  expect(parseShellWord(quoted)).toBeUndefined();
});

const letters = fc.oneof(
  fc.constantFrom("'", '"', "\\", "$", "`", ";", "|", " ", "\n", "\t", "~", "!", "#"),
  fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
);

test("what bash quotes is read back", (context) => {
  requireProgram(context, "bash");
  const words = fc
    .sample(fc.string({ unit: letters, minLength: 1, maxLength: 20 }), 300)
    .filter((word) => !word.includes("\0"));
  const script = 'for word; do printf "%q\\0" "$word"; done';
  const output = execFileSync("bash", ["-c", script, "bash", ...words]).toString("latin1");
  const quoted = output.split("\0").slice(0, -1);
  expect(quoted.map((word) => parseShellWord(word))).toEqual(words.map(utf8));
});
