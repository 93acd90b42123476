import { expect, test } from "vitest";
import {
  Channel,
  channelOf,
  ChannelPattern,
  EntityEventEnvelopeSchema,
  kindOf,
} from "./entity-event.ts";
import { TERMINAL, TERMINAL_ID } from "./fixtures.ts";
import {
  TerminalRecordingEntryInputSchema,
  TerminalRecordingEntrySchema,
} from "./recording-entry.ts";
import { TerminalSendInputSchema } from "./send-input.ts";
import {
  TerminalContract,
  TerminalRecordingEntryContract,
  TerminalSummaryContract,
} from "./terminal-contract.ts";
import { TerminalInputSchema } from "./terminal-input.ts";
import { TerminalSummary } from "./terminal-list.ts";
import { TerminalSchema, TerminalStorageSchema } from "./terminal.ts";

test("a terminal has exactly create, read and sendInput", () => {
  const { methods } = TerminalContract;
  expect(Object.keys(methods)).toEqual(["create", "read", "sendInput"]);
  expect(methods.create).toMatchObject({ kind: "mutation", execution: "class" });
  expect(methods.read).toMatchObject({ kind: "query", execution: "entity" });
  expect(methods.sendInput).toMatchObject({ kind: "mutation", execution: "entity" });
  expect(methods.create.input).toBe(TerminalInputSchema);
  expect(methods.sendInput.input).toBe(TerminalSendInputSchema);
  for (const { output, access } of Object.values(methods)) {
    expect(output).toBe(TerminalSchema);
    expect(access).toBe("callers");
  }
});

test("a terminal has exactly the events data.changed and recordingEntry.appended", () => {
  const { events } = TerminalContract;
  expect(Object.keys(events)).toEqual(["data.changed", "recordingEntry.appended"]);
  expect(events["data.changed"].payload).toBe(TerminalSchema);
  expect(events["recordingEntry.appended"].payload).toBe(TerminalRecordingEntrySchema);
});

test("S-F2: the line of a list is an entity of its own, so that who lists terminals need not hear all they write", () => {
  const { table, events } = TerminalSummaryContract;
  expect(table).toBe("terminal_summary");
  expect(Object.keys(events)).toEqual(["data.changed"]);
  expect(events["data.changed"].payload).toBe(TerminalSummary);
});

test("a recording entry has exactly append and find, and its own data.changed", () => {
  const { methods, events } = TerminalRecordingEntryContract;
  expect(Object.keys(methods)).toEqual(["append", "find"]);
  expect(methods.append).toMatchObject({ kind: "mutation", access: "host" });
  expect(methods.append.input).toBe(TerminalRecordingEntryInputSchema);
  expect(methods.append.output).toBe(TerminalRecordingEntrySchema);
  expect(methods.find).toMatchObject({ kind: "query", access: "callers" });
  expect(methods.find.input.shape).toHaveProperty("terminalId");
  expect(Object.keys(events)).toEqual(["data.changed"]);
  expect(events["data.changed"].payload).toBe(TerminalRecordingEntrySchema);
});

test("the entries of a terminal are filled in, not stored", () => {
  expect(TerminalContract.references).toEqual([
    {
      property: "recordingEntries",
      table: TerminalRecordingEntryContract.table,
      cardinality: "many",
      stored: false,
    },
  ]);
  expect(TerminalStorageSchema.shape).not.toHaveProperty("recordingEntries");
  expect(TerminalSchema.shape).toHaveProperty("recordingEntries");
});

test("an entry belongs to its terminal and goes with it", () => {
  expect(TerminalRecordingEntryContract.references).toEqual([
    {
      property: "terminalId",
      table: TerminalContract.table,
      cardinality: "one",
      stored: true,
      onDelete: "cascade",
    },
  ]);
});

test("a channel is the entity and the event", () => {
  expect(channelOf(TERMINAL_ID, "data.changed")).toBe("terminal:t1.data.changed");
  for (const { table, events } of [TerminalContract, TerminalRecordingEntryContract]) {
    for (const eventName of Object.keys(events)) {
      const channel = channelOf(`${table}:x`, eventName);
      expect(Channel.parse(channel)).toBe(channel);
    }
  }
});

test("an event travels in its envelope", () => {
  const envelope = {
    eventId: "1",
    entityId: TERMINAL_ID,
    channel: channelOf(TERMINAL_ID, "data.changed"),
    eventName: "data.changed",
    kind: kindOf(TerminalContract.entityName, "data.changed"),
    occurredAt: "2026-01-31T09:30:00.000Z",
    payload: TERMINAL,
  };
  expect(envelope.kind).toBe("terminal.data.changed");
  expect(EntityEventEnvelopeSchema.parse(envelope)).toEqual(envelope);
});

test.each([
  "*",
  "terminal:*.*",
  "terminal:t1.*",
  "terminal:t1.data.changed",
  "terminal:*.data.changed",
  "terminal:*.recordingEntry.*",
  "terminal_recording_entry:*.*",
])("the pattern %s is understood", (pattern) => {
  expect(ChannelPattern.safeParse(pattern).success).toBe(true);
});

test.each([
  "",
  "**",
  "terminal:*",
  "terminal:t*.data.changed",
  "*.*",
  `terminal:${"*".repeat(50)}`,
])("the pattern %j is refused", (pattern) => {
  expect(ChannelPattern.safeParse(pattern).success).toBe(false);
});
