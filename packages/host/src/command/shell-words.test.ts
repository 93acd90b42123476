import { expect, test } from "vitest";
import { runsScript } from "./process-probe.ts";

test.each([
  "bash",
  "-bash",
  "bash -l",
  "bash --norc --noprofile",
  "bash --rcfile own -i",
  "bash --rcfile own",
  "bash -o vi",
  "sh -i",
  "sh -s word",
  "zsh -f",
  "fish --no-config",
  "fish -C line",
  "nu",
])("`%s` shows prompts", (line) => {
  expect(runsScript(line.split(" "))).toBe(false);
});

test.each([
  "bash -c line",
  "bash -lc line",
  "bash -ic line",
  "sh -ec line",
  "sh script",
  "sh -x script word",
  "bash --norc script",
  "bash -o errexit script",
  "fish --command=line",
  "dash script -i",
])("`%s` shows none", (line) => {
  expect(runsScript(line.split(" "))).toBe(true);
});
