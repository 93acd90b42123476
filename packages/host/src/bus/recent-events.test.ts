import { describe, expect, test } from "vitest";
import {
  Bus,
  MAX_MISSING_ENTITIES,
  MAX_RECENT_BYTES,
  MAX_RECENT_EVENTS,
  RESUME_MS,
} from "./bus.ts";
import { append, hear } from "./testing/hearing.ts";

const NOW = Date.parse("2026-01-31T09:30:00.000Z");

describe("a publisher", () => {
  const changed = (uid: string) => ({ entityId: `terminal:${uid}`, eventName: "data.changed" });

  test("is told whether anybody hears an event", () => {
    const bus = new Bus();
    expect(bus.hasListener(changed("a"))).toBe(false);
    const subscription = bus.subscribe({ channels: ["terminal:a.*"] });
    expect(["a", "b"].map((uid) => bus.hasListener(changed(uid)))).toEqual([true, false]);
    subscription[Symbol.dispose]();
    expect(bus.hasListener(changed("a"))).toBe(false);
  });

  test("goes on for a while for a listener that may resume", () => {
    let now = NOW;
    const bus = new Bus(() => now);
    bus.subscribe({ channels: ["terminal:a.*"], isResumable: true })[Symbol.dispose]();
    now += RESUME_MS - 1;
    expect(["a", "b"].map((uid) => bus.hasListener(changed(uid)))).toEqual([true, false]);
    now += 1;
    expect(bus.hasListener(changed("a"))).toBe(false);
  });
});

test("a bounded number of listeners that left is waited for", () => {
  const bus = new Bus(() => NOW);
  for (let number = 0; number <= 64; number += 1) {
    const channels = [`terminal:t${number}.*`];
    bus.subscribe({ channels, isResumable: true })[Symbol.dispose]();
  }
  const isAwaited = (uid: string) =>
    bus.hasListener({ entityId: `terminal:${uid}`, eventName: "data.changed" });
  expect(["t0", "t1", "t64"].map(isAwaited)).toEqual([false, true, true]);
});

describe("resuming", () => {
  const entriesOf = (uid: string) => [`terminal:${uid}.recordingEntry.*`];

  test("goes on after the event heard last", async () => {
    const bus = new Bus();
    const { eventId: after } = append(bus, "a", 1);
    append(bus, "a", 2);
    append(bus, "b", 1);
    append(bus, "a", 3);
    const subscription = bus.subscribe({ channels: entriesOf("a"), after });
    append(bus, "a", 4);
    expect(await hear(subscription, 3)).toEqual(
      [2, 3, 4].map((n) => `terminal:a.recordingEntry.appended ${n}`),
    );
  });

  test("over an event that was left out says so, to those it concerns", async () => {
    const bus = new Bus();
    const { eventId: after } = append(bus, "a", 1);
    bus.hasListener({ entityId: "terminal:a", eventName: "data.changed" });
    append(bus, "a", 2);
    expect(await hear(bus.subscribe({ channels: ["terminal:a.*"], after }), 1)).toEqual(["resync"]);
    const entries = await hear(bus.subscribe({ channels: entriesOf("a"), after }), 1);
    expect(entries).toEqual(["terminal:a.recordingEntry.appended 2"]);
  });

  test("over more events than are kept says so, and a flood elsewhere does not count", async () => {
    const bus = new Bus();
    const { eventId: after } = append(bus, "quiet", 1);
    const { eventId: last } = append(bus, "quiet", 2);
    for (let sequence = 1; sequence <= MAX_RECENT_EVENTS; sequence += 1) append(bus, "a", sequence);
    const lost = bus.subscribe({ channels: entriesOf("quiet"), after });
    const kept = bus.subscribe({ channels: entriesOf("quiet"), after: last });
    append(bus, "quiet", 3);
    expect(await hear(lost, 2)).toEqual(["resync", "terminal:quiet.recordingEntry.appended 3"]);
    expect(await hear(kept, 1)).toEqual(["terminal:quiet.recordingEntry.appended 3"]);
  });

  test("over an event that was left out says so, also when older ones are not kept any more", async () => {
    const bus = new Bus();
    const { eventId: after } = append(bus, "a", 1);
    bus.hasListener({ entityId: "terminal:a", eventName: "recordingEntry.appended" });
    for (let sequence = 1; sequence <= MAX_RECENT_EVENTS; sequence += 1) append(bus, "b", sequence);
    expect(await hear(bus.subscribe({ channels: entriesOf("a"), after }), 1)).toEqual(["resync"]);
  });

  test("over more bytes than are kept says so", async () => {
    const bus = new Bus();
    const { eventId: after } = append(bus, "a", 1);
    const large = "x".repeat(64 * 1024);
    for (let sequence = 2; sequence <= MAX_RECENT_BYTES / large.length + 2; sequence += 1) {
      append(bus, "a", sequence, large);
    }
    expect(await hear(bus.subscribe({ channels: entriesOf("a"), after }), 1)).toEqual(["resync"]);
  });

  test.each([
    "",
    "x",
    "-",
    "abc-1",
    "1",
    "RUN-",
    "RUN-x",
    "RUN--1",
    "RUN-2",
    "RUN-1-1",
    "RUN-1e0",
    "RUN-0x1",
  ])("after %j, which is no event of this run, begins with a resync", async (id) => {
    const bus = new Bus();
    const run = append(bus, "a", 1).eventId.split("-")[0] ?? "";
    const subscription = bus.subscribe({ channels: ["*"], after: id.replace("RUN", run) });
    append(bus, "a", 2);
    expect(await hear(subscription, 2)).toEqual(["resync", "terminal:a.recordingEntry.appended 2"]);
  });
});

test("left out events of very many entities are told from those of other tables and events", async () => {
  const bus = new Bus();
  const { eventId: after } = append(bus, "a", 1);
  for (let number = 0; number <= MAX_MISSING_ENTITIES; number += 1) {
    bus.hasListener({ entityId: `terminal_recording_entry:e${number}`, eventName: "data.changed" });
  }
  append(bus, "a", 2);
  const resumed = (channels: string) => hear(bus.subscribe({ channels: [channels], after }), 1);
  expect(await resumed("terminal:*.*")).toEqual(["terminal:a.recordingEntry.appended 2"]);
  expect(await resumed("terminal_recording_entry:other.*")).toEqual(["resync"]);
});
