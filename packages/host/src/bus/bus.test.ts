import {
  type EntityContract,
  EntityEventEnvelopeSchema,
  EntityEventsMessage,
  parse,
  TerminalContract,
  TerminalRecordingEntryContract,
} from "@nacre/contracts";
import { describe, expect, test } from "vitest";
import { Bus, MAX_LISTENERS } from "./bus.ts";
import { MAX_QUEUED_EVENT_BYTES, MAX_QUEUED_EVENTS } from "./event-subscription.ts";
import { append, change, hear, outputEntry, shortOf, terminalData } from "./testing/hearing.ts";

const NOW = Date.parse("2026-01-31T09:30:00.000Z");

describe("publishing", () => {
  test("derives everything but name and payload", () => {
    const bus = new Bus(() => NOW);
    const envelope = change(bus, "a");
    expect(envelope).toEqual({
      eventId: expect.stringMatching(/^[0-9a-f]{18}-1$/),
      entityId: "terminal:a",
      channel: "terminal:a.data.changed",
      eventName: "data.changed",
      kind: "terminal.data.changed",
      occurredAt: "2026-01-31T09:30:00.000Z",
      payload: terminalData("a"),
    });
    expect(parse(EntityEventEnvelopeSchema, envelope)).toEqual(envelope);
    expect(Object.isFrozen(envelope)).toBe(true);
  });

  test("knows the contract of entries, too", () => {
    const payload = outputEntry("a", 1);
    const publication = { contract: TerminalRecordingEntryContract, entityId: payload.id, payload };
    expect(new Bus().publish({ ...publication, eventName: "data.changed" })).toMatchObject({
      channel: "terminal_recording_entry:a-1.data.changed",
      kind: "terminalRecordingEntry.data.changed",
    });
  });

  const contract: EntityContract = TerminalContract;
  const good = { contract, entityId: "terminal:a", payload: terminalData("a") };
  test.each([
    ["eventName", { ...good, eventName: "data.deleted" }],
    ["eventName", { ...good, eventName: "constructor" }],
    ["eventName", { ...good, eventName: "__proto__" }],
    ["entityId", { ...good, eventName: "data.changed", entityId: "mission:a" }],
    ["entityId", { ...good, eventName: "data.changed", entityId: "terminal:a.b" }],
    [
      "payload.screen",
      { ...good, eventName: "data.changed", payload: { ...good.payload, screen: 1 } },
    ],
    ["payload.foo", { ...good, eventName: "data.changed", payload: { ...good.payload, foo: 1 } }],
    ["payload.type", { ...good, eventName: "recordingEntry.appended" }],
    ["payload", { ...good, eventName: "data.changed", payload: undefined }],
  ])("with a wrong %s throws and sends nothing", async (field, publication) => {
    const bus = new Bus();
    const heard = hear(bus.subscribe({ channels: ["*"] }), 1);
    expect(() => bus.publish(publication)).toThrow(
      expect.objectContaining({ code: "invalid_argument", field }),
    );
    append(bus, "a", 7);
    expect(await heard).toEqual(["terminal:a.recordingEntry.appended 7"]);
  });

  test("gives each event an id that no other run gives", () => {
    const [one, other] = [new Bus(), new Bus()];
    const ids = [change(one, "a"), change(one, "a"), change(other, "a")].map(
      ({ eventId }) => eventId,
    );
    expect(new Set(ids).size).toBe(3);
    expect(ids.slice(0, 2).map((id) => id.split("-")[1])).toEqual(["1", "2"]);
  });
});

describe("a listener", () => {
  test("hears what it asked for, in order", async () => {
    const bus = new Bus();
    const entries = bus.subscribe({ channels: ["terminal:a.recordingEntry.*", "mission:*.*"] });
    const changes = bus.subscribe({ channels: ["terminal:*.data.changed"] });
    append(bus, "a", 1);
    change(bus, "b");
    append(bus, "b", 1);
    append(bus, "a", 2);
    change(bus, "a");
    expect(await hear(entries, 2)).toEqual(
      [1, 2].map((n) => `terminal:a.recordingEntry.appended ${n}`),
    );
    expect(await hear(changes, 2)).toEqual(["b", "a"].map((uid) => `terminal:${uid}.data.changed`));
  });

  test("gets messages of the contract", async () => {
    const bus = new Bus();
    const messages = bus.subscribe({ channels: ["*"], after: "x" })[Symbol.asyncIterator]();
    change(bus, "a");
    const heard = [await messages.next(), await messages.next()].map(({ value }) => value);
    expect(heard.map((message) => parse(EntityEventsMessage, message))).toEqual(heard);
  });

  test("that leaves its loop hears no more and is forgotten", async () => {
    const bus = new Bus();
    const subscription = bus.subscribe({ channels: ["*"] });
    change(bus, "a");
    const heard: string[] = [];
    for await (const message of subscription) {
      heard.push(shortOf(message));
      break;
    }
    change(bus, "a");
    expect([heard.length, subscription.isClosed]).toEqual([1, true]);
    expect(bus.hasListener({ entityId: "terminal:a", eventName: "data.changed" })).toBe(false);
    expect(await hear(subscription, 1)).toEqual(["end"]);
  });

  test("that throws does not disturb the others", async () => {
    const bus = new Bus();
    const broken = (async () => {
      for await (const message of bus.subscribe({ channels: ["*"] })) throw new Error(message.type);
    })();
    const heard = hear(bus.subscribe({ channels: ["*"] }), 2);
    append(bus, "a", 1);
    await expect(broken).rejects.toThrow("event");
    append(bus, "a", 2);
    expect(await heard).toHaveLength(2);
  });

  test("ends with the bus, also while it waits", async () => {
    const bus = new Bus();
    const waiting = hear(bus.subscribe({ channels: ["*"] }), 1);
    bus[Symbol.dispose]();
    expect(await waiting).toEqual(["end"]);
    expect(() => bus.subscribe({ channels: ["*"] })).toThrow("the event bus is closed");
    expect(change(bus, "a").eventName).toBe("data.changed");
  });

  test("that left is told nothing any more, not even to read anew", async () => {
    const subscription = new Bus().subscribe({ channels: ["*"], after: "x" });
    subscription[Symbol.dispose]();
    expect(await hear(subscription, 1)).toEqual(["end"]);
  });

  test("is one of a bounded number", () => {
    const bus = new Bus();
    for (let number = 0; number < MAX_LISTENERS; number += 1) bus.subscribe({ channels: ["*"] });
    expect(() => bus.subscribe({ channels: ["*"] })).toThrow(
      "4096 listeners are subscribed already",
    );
  });

  test("asks with patterns that exist", () => {
    expect(() => new Bus().subscribe({ channels: ["a*b"] })).toThrow(
      "channels.0: expected a channel",
    );
  });
});

describe("a listener that falls behind", () => {
  test("in events gets one resync and what came after, and others get everything", async () => {
    const bus = new Bus();
    const slow = bus.subscribe({ channels: ["*"] });
    const fast = bus.subscribe({ channels: ["*"] });
    const heard: string[] = [];
    for (let sequence = 1; sequence <= MAX_QUEUED_EVENTS * 2 + 2; sequence += 1) {
      append(bus, "a", sequence);
      heard.push(...(await hear(fast, 1)));
    }
    expect(heard).toEqual(
      heard.map((_, index) => `terminal:a.recordingEntry.appended ${index + 1}`),
    );
    append(bus, "a", 9999);
    expect(await hear(slow, 5)).toEqual([
      "resync",
      ...[2048, 2049, 2050, 9999].map((n) => `terminal:a.recordingEntry.appended ${n}`),
    ]);
  });

  test("in bytes does, too", async () => {
    const bus = new Bus();
    const slow = bus.subscribe({ channels: ["*"] });
    const large = "x".repeat(64 * 1024);
    const fitting = Math.floor(MAX_QUEUED_EVENT_BYTES / large.length) - 1;
    for (let sequence = 1; sequence <= fitting; sequence += 1) append(bus, "a", sequence, large);
    expect((await hear(slow, fitting)).at(-1)).toBe(
      `terminal:a.recordingEntry.appended ${fitting}`,
    );
    for (let sequence = 1; sequence <= fitting; sequence += 1) append(bus, "a", sequence, large);
    expect(await hear(slow, fitting)).not.toContain("resync");
    for (let sequence = 1; sequence <= fitting + 2; sequence += 1) {
      append(bus, "a", sequence, large);
    }
    expect((await hear(slow, 2))[0]).toBe("resync");
  });
});

describe("a listener that may not hear everybody", () => {
  const [ALICE, BOB] = ["alice", "bob"].map((entityId) => ({ entityName: "Agent", entityId }));
  const tell = (bus: Bus, sequence: number, owner: typeof ALICE) =>
    bus.publish({
      contract: TerminalContract,
      entityId: "terminal:build",
      eventName: "recordingEntry.appended",
      payload: outputEntry("build", sequence),
      owner,
    });
  const listen = (bus: Bus, after?: string) =>
    bus.subscribe({ channels: ["terminal:*.*"], mayHear: ({ owner }) => owner === ALICE, after });

  test("R-3: hears an id for as long as it is that of its owner, also when it resumes", async () => {
    const bus = new Bus();
    const following = listen(bus);
    const { eventId } = tell(bus, 1, ALICE);
    tell(bus, 2, BOB);
    bus.skip({ entityId: "terminal:build", eventName: "data.changed", owner: BOB }, "a flood");
    tell(bus, 3, ALICE);
    const own = [1, 3].map((n) => `terminal:build.recordingEntry.appended ${n}`);
    expect(await hear(following, 2)).toEqual(own);
    const entries = { channels: ["terminal:*.recordingEntry.*"] };
    const resumed = bus.subscribe({
      ...entries,
      mayHear: ({ owner }) => owner === ALICE,
      after: eventId,
    });
    expect(await hear(resumed, 1)).toEqual(own.slice(1));
  });

  test("R-7: makes nobody publish what it may not hear", () => {
    const bus = new Bus();
    listen(bus);
    const channel = { entityId: "terminal:build", eventName: "data.changed" };
    expect(bus.hasListener({ ...channel, owner: BOB })).toBe(false);
    expect(bus.hasListener(channel)).toBe(false);
    expect(bus.hasListener({ ...channel, owner: ALICE })).toBe(true);
  });
});

test("S-F2: events that were left out are told as one resync behind what waits", async () => {
  const bus = new Bus();
  const listener = bus.subscribe({ channels: ["terminal:a.*"] });
  append(bus, "a", 1);
  const channel = { entityId: "terminal:a", eventName: "recordingEntry.appended" };
  bus.skip(channel, "a flood");
  bus.skip(channel, "a flood");
  append(bus, "a", 9);
  expect(await hear(listener, 3)).toEqual([
    "terminal:a.recordingEntry.appended 1",
    "resync",
    "terminal:a.recordingEntry.appended 9",
  ]);
});
