import { expect, test } from "vitest";
import { terminalId, terminalRow } from "../testing/terminal-row.ts";
import { MemoryStore } from "./memory-store.ts";
import { entryRow, storeContract } from "./store.contract.ts";

storeContract("memory-store", () => new MemoryStore());

test("a page is found as quickly in a long recording as in a short one", () => {
  using store = new MemoryStore();
  store.transaction(() => {
    store.insertTerminal(terminalRow("a"));
    for (let n = 1; n <= 100_000; n++) store.insertEntry(entryRow(n));
  });
  const id = terminalId("a");
  const query = { terminalId: id, limit: 2, maxBytes: 100 };
  const pages = elapsedMs(1000, () => {
    store.readEntries({ ...query, after: 99_990 });
    store.readEntries({ ...query, before: 50_000 });
    store.readTime(id, 99_999);
  });
  const scans = elapsedMs(50, () => store.findNewerThan(id, Number.MAX_SAFE_INTEGER));
  expect(pages).toBeLessThan(scans);
  const read = store.readEntries({ ...query, after: 99_990 });
  expect(read.map(({ sequence }) => sequence)).toEqual([99_991, 99_992]);
});

/** How long it takes to do something so many times. */
function elapsedMs(times: number, work: () => unknown): number {
  const startedAt = performance.now();
  for (let n = 0; n < times; n++) work();
  return performance.now() - startedAt;
}
