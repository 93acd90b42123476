import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePatterns, matchesChannel } from "./channel-pattern.ts";

const CHANGED = "terminal:a1.data.changed";
const APPENDED = "terminal:a1.recordingEntry.appended";

describe("a pattern", () => {
  test.each<[string, string, boolean]>([
    // alone
    ["*", CHANGED, true],
    ["*", "mission:x.done", true],
    ["*", "nonsense", false],
    // exact
    [CHANGED, CHANGED, true],
    [CHANGED, APPENDED, false],
    [CHANGED, "terminal:a2.data.changed", false],
    [CHANGED, "terminal:A1.data.changed", false],
    [CHANGED, "terminal:a1.data", false],
    [CHANGED, "terminal:a1.data.changed.twice", false],
    [CHANGED, "terminals:a1.data.changed", false],
    // all events of one entity
    ["terminal:a1.*", CHANGED, true],
    ["terminal:a1.*", APPENDED, true],
    ["terminal:a1.*", "terminal:a1.exited", true],
    ["terminal:a1.*", "terminal:a12.data.changed", false],
    ["terminal:a1.*", "terminal:a.data.changed", false],
    ["terminal:a1.*", "terminal:a1", false],
    ["terminal:a1.*", "terminal:a1.", false],
    // one event of all entities
    ["terminal:*.data.changed", CHANGED, true],
    ["terminal:*.data.changed", "terminal:zz.data.changed", true],
    ["terminal:*.data.changed", APPENDED, false],
    ["terminal:*.data.changed", "terminal_recording_entry:e.data.changed", false],
    ["terminal:*.data.changed", "terminal:.data.changed", false],
    // all events of all entities of a table
    ["terminal:*.*", CHANGED, true],
    ["terminal:*.*", "mission:a1.data.changed", false],
    ["mission:*.*", CHANGED, false],
    // the rest of an event
    ["terminal:*.data.*", CHANGED, true],
    ["terminal:*.data.*", "terminal:a1.data", false],
    ["terminal:*.data.*", "terminal:a1.database.changed", false],
    ["terminal:a1.recordingEntry.*", APPENDED, true],
    ["terminal:a1.a.b.*", "terminal:a1.a.b.c.d", true],
    ["terminal:a1.a.b.*", "terminal:a1.a.b", false],
  ])("%s and the channel %s: %s", (pattern, channel, expected) => {
    expect(matchesChannel(pattern, channel)).toBe(expected);
  });

  test.each([
    "",
    "**",
    "*.*",
    "*:*.*",
    "terminal:*",
    "terminal:a*.data.changed",
    "terminal:*1.data.changed",
    "term*:a1.data.changed",
    "terminal:a1.*.changed",
    "terminal:a1.data*",
    "terminal:a1.data.*.*",
    "terminal:a1..changed",
    "terminal:a1.data.changed\n",
    "terminal:(a+)+$.data.changed",
    "*".repeat(50),
    "*.".repeat(10_000),
    `terminal:a1.${"*.".repeat(500)}*`,
    "a".repeat(1_000_000),
  ])("%.40j is refused, whatever it costs to look at", (pattern) => {
    expect(() => compilePatterns(["*", pattern])).toThrow("channels.1: ");
  });
});

test("many patterns select what any of them selects", () => {
  const patterns = fc.constantFrom(
    "*",
    CHANGED,
    "terminal:a1.*",
    "terminal:*.data.changed",
    "terminal:*.data.*",
    "terminal:*.*",
    "mission:a1.*",
  );
  const channels = fc.record({
    entityId: fc.constantFrom("terminal:a1", "terminal:b", "mission:a1", "mission:b"),
    eventName: fc.constantFrom("data.changed", "data", "recordingEntry.appended", "data.a.b"),
  });
  fc.assert(
    fc.property(fc.array(patterns, { maxLength: 5 }), channels, (chosen, channel) => {
      const name = `${channel.entityId}.${channel.eventName}`;
      const any = chosen.some((pattern) => matchesChannel(pattern, name));
      expect(compilePatterns(chosen).matches(channel)).toBe(any);
    }),
  );
});

test.each<[string, string, string, boolean]>([
  ["*", "terminal", "data.changed", true],
  [CHANGED, "terminal", "data.changed", true],
  [CHANGED, "terminal", "recordingEntry.appended", false],
  [CHANGED, "mission", "data.changed", false],
  ["terminal:*.data.*", "terminal", "data.changed", true],
  ["terminal:*.data.*", "terminal", "data", false],
  ["terminal:a1.*", "terminal", "anything", true],
])("%s may select %s … %s: %s", (pattern, table, eventName, expected) => {
  expect(compilePatterns([pattern]).mayMatch(table, eventName)).toBe(expected);
});
