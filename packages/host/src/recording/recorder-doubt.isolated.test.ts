import { MessageChannel } from "node:worker_threads";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MemoryStore } from "../store/memory-store.ts";
import { terminalId, terminalRow } from "../testing/terminal-row.ts";
import { type RecorderMessage, serveRecorder } from "./recorder.ts";
import { A, B, clear, DiskError, output, Rig } from "./testing/recorder-rig.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => vi.useRealTimers());

test("a purge among writes that wait is done or refused, and the others are written", () => {
  const rig = new Rig();
  rig.faults.beforeCommit = true;
  rig.faults.open = true;
  const waiting = rig.push(clear(), { kind: "scrub" }, clear(), output("x", { strict: true }));
  rig.faults.beforeCommit = false;
  rig.faults.open = false;
  vi.advanceTimersByTime(1000);
  expect(rig.failed()).toEqual([waiting[1]]);
  expect(rig.done().toSorted((a, b) => a - b)).toEqual([waiting[0], waiting[2], waiting[3]]);
  expect(rig.entries()).toEqual(["1 clear", "2 clear", "3 output x"]);
  expect(rig.store.scrubs).toBe(0);
  const [purge] = rig.push({ kind: "scrub" });
  expect(rig.done()).toContain(purge);
  expect(rig.store.scrubs).toBe(1);
});

test("a group that was taken back is not taken for written because of what it refused", () => {
  const rig = new Rig();
  rig.faults.beforeCommit = true;
  const [taken, fact] = rig.push({ kind: "terminal", row: terminalRow("b") }, clear());
  expect(rig.done()).toEqual([]);
  rig.faults.beforeCommit = false;
  vi.advanceTimersByTime(1000);
  expect(rig.done()).toEqual([fact]);
  expect(rig.failed()).toEqual([taken]);
  expect(rig.entries()).toEqual(["1 clear"]);
});

test("an entry that was removed in the same group is not written again", () => {
  const rig = new Rig();
  rig.faults.afterCommit = true;
  rig.push(output("a"), { kind: "trim", terminalId: A, throughSequence: 1 });
  rig.faults.afterCommit = false;
  vi.advanceTimersByTime(1000);
  rig.push(clear());
  expect(rig.entries()).toEqual(["2 clear"]);
});

test("what cannot be recorded is refused alone, and others do not suffer from it", () => {
  const rig = new Rig();
  const insert = rig.store.insertEntry.bind(rig.store);
  rig.store.insertEntry = (row) => {
    if (row.type === "marker") throw new DiskError(20);
    insert(row);
  };
  const [first, bad, last] = rig.push(
    output("a"),
    output("", { type: "marker", data: null }),
    output("b", { terminalId: B }),
  );
  expect(rig.done()).toEqual([first, last]);
  expect(rig.failed()).toEqual([bad]);
  expect(rig.states()).toEqual([]);
  expect([rig.entries(), rig.entries(B)]).toEqual([["1 output a"], ["1 output b"]]);
});

test("a terminal whose creation fails at the disk is refused at once, and does not come into being later", () => {
  const rig = new Rig();
  rig.faults.beforeCommit = true;
  const waiting = rig.push({ kind: "terminal", row: terminalRow("new") }, clear());
  expect(rig.failed()).toEqual([waiting[0]]);
  rig.faults.beforeCommit = false;
  vi.advanceTimersByTime(1000);
  expect(rig.store.hasTerminal(terminalId("new"))).toBe(false);
  expect(rig.done()).toEqual([waiting[1]]);
});

test("P-A3: what waits for a terminal is given up with it, and kept where it could not be removed", () => {
  const rig = new Rig();
  rig.faults.beforeCommit = true;
  rig.faults.open = true;
  const [first] = rig.push(clear());
  const [refused] = rig.push({ kind: "delete", terminalId: A });
  expect(rig.failed()).toEqual([refused]);
  rig.faults.beforeCommit = false;
  rig.faults.open = false;
  vi.advanceTimersByTime(1000);
  expect(rig.done()).toEqual([first]);
  expect(rig.entries()).toEqual(["1 clear"]);
  rig.freeBytes = 10;
  vi.spyOn(performance, "now").mockReturnValue(performance.now() + 1000);
  const [waiting] = rig.push(clear());
  const [removal] = rig.push({ kind: "delete", terminalId: A });
  expect(rig.failed()).toEqual([refused, waiting]);
  expect(rig.done()).toEqual([first, removal]);
  vi.restoreAllMocks();
});

test("room that removals left inside the store counts as free", () => {
  const rig = new Rig();
  rig.freeBytes = 10;
  rig.store.readReusableBytes = () => 5000;
  vi.spyOn(performance, "now").mockReturnValue(performance.now() + 1000);
  rig.push(output("a"));
  expect(rig.states()).toEqual([]);
  vi.restoreAllMocks();
});

test("output that was given up and found later does not end the recorder", async () => {
  vi.useRealTimers();
  const { port1, port2 } = new MessageChannel();
  const store = new MemoryStore();
  let isBroken = false;
  const transaction = store.transaction.bind(store);
  store.transaction = (work) => {
    const result = transaction(work);
    if (isBroken) throw new DiskError(1034);
    return result;
  };
  const messages: RecorderMessage[] = [];
  const { promise: recovered, resolve } = Promise.withResolvers<void>();
  port1.on("message", (message: RecorderMessage) => {
    if (message.kind !== "space") messages.push(message);
    if (message.kind !== "state" || message.state.state === "degraded") return;
    resolve();
  });
  serveRecorder(port2, {
    open: () => {
      if (isBroken && messages.length < 3) throw new DiskError(14);
      isBroken = false;
      return store;
    },
    freeBytes: () => 1e9,
  });
  port1.postMessage({
    kind: "writes",
    writes: [{ kind: "terminal", ticket: 1, row: terminalRow("a") }],
  });
  await expect.poll(() => messages.map(({ kind }) => kind)).toContain("settled");
  isBroken = true;
  const data = new Uint8Array([1, 2, 3]);
  port1.postMessage({
    kind: "writes",
    writes: [
      { ...output("", { data }), ticket: 2 },
      { ...clear(), ticket: 3 },
    ],
  });
  await recovered;
  const settled = messages.flatMap((message) => (message.kind === "settled" ? [message] : []));
  expect(settled.flatMap(({ failed }) => failed.map(({ ticket }) => ticket))).toEqual([2]);
  expect(settled.flatMap(({ done }) => done.map(({ ticket }) => ticket))).toEqual([1, 3]);
  expect(store.readHead(A)?.sequence).toBe(2);
  port1.close();
});
