import { expect, test } from "vitest";
import { terminalId, terminalRow } from "../testing/terminal-row.ts";
import { DeferredWrites } from "./deferred-writes.ts";
import { encodeFact } from "./recorded-entry.ts";
import type { EntryWrite, FailedWrite } from "./write.ts";

const terminal = terminalId("a");

const strictOutput = (ticket: number, bytes: number): EntryWrite => ({
  kind: "entry",
  ...encodeFact({ type: "output", offset: 0, data: new Uint8Array(bytes) }),
  terminalId: terminal,
  at: 1,
  elapsedMs: 1,
  strict: true,
  ticket,
});

test("output for which there is no room is counted as a gap, also where nothing may be missing", () => {
  const failed: FailedWrite[] = [];
  const held = new DeferredWrites((one) => failed.push(one), 2048);
  for (let ticket = 1; ticket <= 4; ticket++) held.add(strictOutput(ticket, 500), "diskFull");
  expect(failed.map(({ ticket }) => ticket)).toEqual([3, 4]);
  expect(held.take(10)).toMatchObject([
    { kind: "entry", ticket: 1 },
    { kind: "entry", ticket: 2 },
    { kind: "gap", lostBytes: 1000, reason: "diskFull" },
  ]);
});

test("P-A3: the row of a new terminal is refused instead of held, for who creates it must not wait for the disk", () => {
  const failed: FailedWrite[] = [];
  const held = new DeferredWrites((one) => failed.push(one));
  held.add({ kind: "terminal", ticket: 1, row: terminalRow("a") }, "diskFull");
  expect(failed).toMatchObject([{ ticket: 1, problem: { code: "recording_blocked" } }]);
  expect(held.take(10)).toEqual([]);
});
