import { NacreError, TerminalId } from "@nacre/contracts";
import { expect, test } from "vitest";
import { AttachLoopGuard } from "./attach-loop-guard.ts";

const [a, b, c] = ["terminal:a", "terminal:b", "terminal:c"].map((id) => TerminalId.parse(id)) as [
  TerminalId,
  TerminalId,
  TerminalId,
];

test("P-A4: no terminal is shown inside itself, not even by way of others", () => {
  const nesting = new AttachLoopGuard();
  expect(() => nesting.enter(a, a)).toThrow(/inside itself/);
  const shown = nesting.enter(a, b);
  nesting.enter(b, c);
  expect(() => nesting.enter(b, a)).toThrow(NacreError);
  expect(() => nesting.enter(c, a)).toThrow(/which it shows/);
  shown[Symbol.dispose]();
  shown[Symbol.dispose]();
  nesting.enter(c, a);
});

test("a terminal may be shown several times, and counts until the last of them is over", () => {
  const nesting = new AttachLoopGuard();
  const twice = [nesting.enter(a, b), nesting.enter(a, b)];
  twice[0]?.[Symbol.dispose]();
  expect(() => nesting.enter(b, a)).toThrow(NacreError);
  twice[1]?.[Symbol.dispose]();
  nesting.enter(b, a);
});
