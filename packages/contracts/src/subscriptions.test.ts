import { describe, expect, test } from "vitest";
import { channelOf, EntityEventEnvelopeSchema } from "./entity-event.ts";
import { ENTRIES, refusal, TERMINAL, TERMINAL_ID } from "./fixtures.ts";
import { parse } from "./parse.ts";
import { Screen } from "./screen.ts";
import {
  EntityEventsInput,
  EntityEventsMessage,
  SUBSCRIPTIONS,
  TerminalFeedInput,
  TerminalFeedMessage,
} from "./subscriptions.ts";

const screen = {
  sequence: 3,
  size: { cols: 80, rows: 24 },
  format: "ansi",
  text: "$ ",
  content: "\u001b[0m$ ",
  cursor: { row: 0, column: 80, visible: true },
  alternate: false,
  title: "",
  hash: "0123456789abcdef",
};

describe("a screen", () => {
  test("is accepted as it is", () => {
    expect(parse(Screen, screen)).toEqual(screen);
  });

  test.each([
    ["sequence", { sequence: 0 }],
    ["size.cols", { size: { cols: 0, rows: 24 } }],
    ["format", { format: "png" }],
    ["cursor.row", { cursor: { ...screen.cursor, row: -1 } }],
    ["title", { title: "\u001b]0;x\u0007" }],
    ["hash", { hash: "xyz" }],
    ["foo", { foo: 1 }],
  ])("with a wrong %s is refused", (field, part) => {
    expect(refusal(Screen, { ...screen, ...part })).toMatchObject({ field });
  });
});

describe("a terminal feed", () => {
  test.each([
    { id: TERMINAL_ID },
    { id: TERMINAL_ID, after: 0, view: "raw" },
    { id: TERMINAL_ID, view: "stripped" },
  ])("is asked for with %j", (input) => {
    expect(parse(TerminalFeedInput, input)).toEqual(input);
  });

  test.each([
    { kind: "snapshot", screen },
    { kind: "entry", entry: ENTRIES.output },
  ])("brings %j", (message) => {
    expect(parse(TerminalFeedMessage, message)).toEqual(message);
  });

  test.each([
    ["kind", { kind: "other" }],
    ["screen", { kind: "snapshot" }],
    ["screen.hash", { kind: "snapshot", screen: { ...screen, hash: "" } }],
    ["entry", { kind: "snapshot", screen, entry: ENTRIES.output }],
    ["entry.data", { kind: "entry", entry: { ...ENTRIES.output, data: "\ud800" } }],
  ])("brings nothing with a wrong %s", (field, message) => {
    expect(refusal(TerminalFeedMessage, message)).toMatchObject({ field });
  });

  test("cannot be asked for in an unknown view", () => {
    expect(refusal(TerminalFeedInput, { id: TERMINAL_ID, view: "cooked" })).toMatchObject({
      field: "view",
    });
  });
});

const envelope = {
  eventId: "1",
  entityId: TERMINAL_ID,
  channel: channelOf(TERMINAL_ID, "data.changed"),
  eventName: "data.changed",
  kind: "terminal.data.changed",
  occurredAt: "2026-01-31T09:30:00.000Z",
  payload: TERMINAL,
};

describe("an envelope", () => {
  test.each([
    ["channel", { channel: channelOf("terminal:t2", "data.changed") }],
    ["channel", { channel: channelOf(TERMINAL_ID, "changed") }],
    ["kind", { kind: "terminal.changed" }],
    ["kind", { kind: "terminal.other.data.changed" }],
    ["payload", { payload: undefined }],
  ])("whose %s does not fit is refused", (field, part) => {
    expect(refusal(EntityEventEnvelopeSchema, { ...envelope, ...part })).toMatchObject({ field });
  });

  test("may carry null, which is a payload", () => {
    expect(parse(EntityEventEnvelopeSchema, { ...envelope, payload: null }).payload).toBeNull();
  });

  test("without a payload is refused", () => {
    const { payload: _payload, ...rest } = envelope;
    expect(refusal(EntityEventEnvelopeSchema, rest)).toMatchObject({ field: "payload" });
  });
});

describe("an event feed", () => {
  test("is asked for by patterns of channels", () => {
    const input = { channel: ["terminal:*.data.changed", "*"], after: "1" };
    expect(parse(EntityEventsInput, input)).toEqual(input);
    for (const channel of [[], ["**"], "*", Array.from({ length: 65 }, () => "*")]) {
      expect(refusal(EntityEventsInput, { channel }).field).toMatch(/^channel/);
    }
  });

  test.each([
    { type: "event", event: envelope },
    { type: "resync" },
    { type: "resync", reason: "the host restarted" },
  ])("brings %j", (message) => {
    expect(parse(EntityEventsMessage, message)).toEqual(message);
  });

  test.each([
    ["type", { type: "other" }],
    ["event", { type: "event" }],
    ["event.channel", { type: "event", event: { ...envelope, channel: "terminal:x.a" } }],
    ["event", { type: "resync", event: envelope }],
    ["reason", { type: "resync", reason: "\u001b[2J" }],
  ])("brings nothing with a wrong %s", (field, message) => {
    expect(refusal(EntityEventsMessage, message)).toMatchObject({ field });
  });

  test("promises order, resumption, and to say when it cannot resume", () => {
    expect(SUBSCRIPTIONS.entityEvents.message).toBe(EntityEventsMessage);
    expect(SUBSCRIPTIONS.entityEvents.delivery).toBe(
      "In order and resumable after an `eventId`; an explicit `resync` when that is not possible.",
    );
  });
});
