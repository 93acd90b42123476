import type { TerminalFeedMessage } from "@nacre/contracts";
import { expect, test } from "vitest";
import { followTerminal } from "./feed.ts";
import {
  type ScriptedConnection,
  type ScriptedEvent,
  ScriptedHost,
  encodeEvent,
} from "./testing/scripted-host.ts";
import { StepClock } from "./testing/step-clock.ts";

const LAST = 6;
const connected: ScriptedEvent = { name: "connected", data: {} };
const end: ScriptedEvent = { name: "end", data: {} };

function snapshotAt(sequence: number): ScriptedEvent {
  const screen = {
    sequence,
    size: { cols: 80, rows: 24 },
    format: "text",
    text: "",
    cursor: { row: 0, column: 0, visible: true },
    alternate: false,
    title: "",
    hash: "0".repeat(16),
  };
  return { name: "snapshot", id: String(sequence), data: { kind: "snapshot", screen } };
}

function entryAt(sequence: number): ScriptedEvent {
  const entry = {
    id: `terminal_recording_entry:e${sequence}`,
    terminalId: "terminal:a1",
    sequence,
    occurredAt: "2026-01-01T00:00:00.000Z",
    elapsedMs: 0,
    type: "resize",
    cols: 80,
    rows: 24,
  };
  return { name: "entry", id: String(sequence), data: { kind: "entry", entry } };
}

const entriesAfter = (sequence: number): ScriptedEvent[] =>
  Array.from({ length: LAST - sequence }, (_, index) => entryAt(sequence + index + 1));

/** Goes on after the sequence asked for; begins with a snapshot otherwise. */
const resumingHost = (plan: readonly ScriptedConnection[]): ScriptedHost =>
  new ScriptedHost(({ path }) => {
    const after = new URL(path, "http://host").searchParams.get("after");
    const start = after === null ? [snapshotAt(2)] : [];
    return [connected, ...start, ...entriesAfter(Number(after ?? 2)), end];
  }, plan);

async function followed(host: ScriptedHost): Promise<readonly string[]> {
  const messages: TerminalFeedMessage[] = [];
  const over = { wire: host.wire, clock: new StepClock(10_000) };
  for await (const message of followTerminal(over, "terminal:a1")) messages.push(message);
  return messages.map(placeOf);
}

const placeOf = (message: TerminalFeedMessage): string =>
  message.kind === "snapshot"
    ? `snapshot ${message.screen.sequence}`
    : `entry ${message.entry.sequence}`;

const WHOLE = ["snapshot 2", "entry 3", "entry 4", "entry 5", "entry 6"];

test("a terminal is followed from a snapshot to its end", async () => {
  const host = resumingHost([]);
  expect(await followed(host)).toEqual(WHOLE);
  expect(host.requests.map(({ path }) => path)).toEqual(["/api/terminals/terminal:a1/feed"]);
});

test("a connection that breaks at any byte loses nothing and repeats nothing", async () => {
  const events = [connected, snapshotAt(2), ...entriesAfter(2)];
  const whole = events.map(encodeEvent).join("").length;
  for (let cut = encodeEvent(connected).length; cut < whole; cut++) {
    expect(await followed(resumingHost([{ breaksAfterBytes: cut }]))).toEqual(WHOLE);
  }
});

test("a connection that breaks after each entry goes on after it each time", async () => {
  const step = encodeEvent(connected).length + encodeEvent(entryAt(3)).length;
  const first = encodeEvent(connected).length + encodeEvent(snapshotAt(2)).length;
  const plan = [first, step, step, step].map((breaksAfterBytes) => ({ breaksAfterBytes }));
  const host = resumingHost(plan);
  expect(await followed(host)).toEqual(WHOLE);
  expect(host.requests.map(({ path }) => path.split("?")[1])).toEqual([
    undefined,
    "after=2",
    "after=3",
    "after=4",
    "after=5",
  ]);
});

test("a host that repeats entries is heard once", async () => {
  const first =
    encodeEvent(connected).length +
    encodeEvent(snapshotAt(2)).length +
    encodeEvent(entryAt(3)).length;
  const host = new ScriptedHost(
    ({ path }) =>
      path.includes("after")
        ? [connected, ...entriesAfter(1), end]
        : [connected, snapshotAt(2), ...entriesAfter(2)],
    [{ breaksAfterBytes: first }],
  );
  expect(await followed(host)).toEqual(WHOLE);
});

test("a host that cannot go on begins with a fresh snapshot", async () => {
  const first = encodeEvent(connected).length + encodeEvent(snapshotAt(2)).length;
  const host = new ScriptedHost(
    ({ path }) =>
      path.includes("after")
        ? [connected, snapshotAt(5), ...entriesAfter(5), end]
        : [connected, snapshotAt(2), ...entriesAfter(2)],
    [{ breaksAfterBytes: first }],
  );
  expect(await followed(host)).toEqual(["snapshot 2", "snapshot 5", "entry 6"]);
});

test("a failure that the host tells in the stream is thrown", async () => {
  const error = { code: "terminal_not_found", message: "it is gone", suggestion: "list" };
  const host = new ScriptedHost(() => [connected, { name: "error", data: { error } }]);
  await expect(followed(host)).rejects.toMatchObject({ code: "terminal_not_found" });
});
