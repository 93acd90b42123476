import { Terminal } from "@xterm/headless";
import { expect, test } from "vitest";
import { boundCounts } from "./parser-guards.ts";

test("S-F13: a count of billions does not stop the page, and other counts are done", async () => {
  const terminal = new Terminal({ cols: 20, rows: 5, allowProposedApi: true });
  boundCounts(terminal.parser);
  const write = (text: string): Promise<void> =>
    new Promise((resolve) => terminal.write(text, resolve));
  for (const sequence of [
    "@",
    "L",
    "M",
    "P",
    "S",
    "T",
    "X",
    "I",
    "Z",
    "b",
    " @",
    " A",
    "'}",
    "'~",
  ]) {
    await write(`\u001b[2147483647${sequence}`);
  }
  await write("a\u001b[3b\u001b[1Lc");
  const line = (row: number) => terminal.buffer.active.getLine(row)?.translateToString(true);
  expect([line(0), line(1)]).toEqual(["c", "aaaa"]);
  terminal.dispose();
});
