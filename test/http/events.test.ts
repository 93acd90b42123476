import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { channelsPath, entriesOf, envelopeOf, isEntryOf, listen, type } from "./listening.ts";
import { HttpRig } from "./http-rig.ts";

let rig: HttpRig;

beforeAll(async () => {
  rig = await HttpRig.open();
});

afterAll(async () => {
  await rig[Symbol.asyncDispose]();
});

describe("patterns", () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["A.data.changed", ["A data.changed"]],
    ["A.recordingEntry.appended", ["A recordingEntry.appended"]],
    ["A.*", ["A data.changed", "A recordingEntry.appended"]],
    ["A.recordingEntry.*", ["A recordingEntry.appended"]],
    ["A.data.*", ["A data.changed"]],
    ["A.appended", []],
    ["terminal:*.data.changed", ["A data.changed", "B data.changed"]],
    [
      "terminal:*.recordingEntry.appended",
      ["A recordingEntry.appended", "B recordingEntry.appended"],
    ],
    [
      "terminal:*.*",
      [
        "A data.changed",
        "A recordingEntry.appended",
        "B data.changed",
        "B recordingEntry.appended",
      ],
    ],
    ["terminal_recording_entry:*.*", ["entry data.changed"]],
    ["mission:*.*", []],
    ["terminal:nobody.*", []],
    ["A.data.changed,B.recordingEntry.appended", ["A data.changed", "B recordingEntry.appended"]],
  ];

  test("select what they say and nothing else", async () => {
    const [a, b, last] = [
      await rig.create("cat"),
      await rig.create("cat"),
      await rig.create("cat"),
    ];
    const named = (id: string): string =>
      id === a ? "A" : id === b ? "B" : id.startsWith("terminal:") ? "last" : "entry";
    const readers = await Promise.all(
      rows.map(([pattern]) =>
        listen(
          rig,
          channelsPath(
            pattern.replaceAll("A.", `${a}.`).replaceAll("B.", `${b}.`),
            entriesOf(last),
          ),
        ),
      ),
    );
    using changes = await listen(rig, channelsPath("terminal:*.data.changed"));
    await Promise.all([type(rig, a, "one\r"), type(rig, b, "two\r")]);
    // Changes are gathered for a moment; the last terminal is used once both were told.
    const waited = new Set<string>();
    await changes.until((heard) => {
      waited.add(named(envelopeOf(heard)?.entityId ?? ""));
      return waited.has("A") && waited.has("B");
    });
    await type(rig, last, "end\r");
    const heard = await Promise.all(
      readers.map((reader) => reader.until(isEntryOf(last, "output"))),
    );
    for (const [index, [pattern, expected]] of rows.entries()) {
      const kinds = (heard[index] ?? []).flatMap((one) => {
        const { entityId = "", eventName = "" } = envelopeOf(one) ?? {};
        const name = named(entityId);
        return entityId === "" || name === "last" ? [] : [`${name} ${eventName}`];
      });
      expect([pattern, [...new Set(kinds)].toSorted((x, y) => (x < y ? -1 : 1))]).toEqual([
        pattern,
        expected,
      ]);
    }
    for (const reader of readers) reader[Symbol.dispose]();
  });

  test.each([
    "",
    "terminal",
    "terminal:*",
    "*.*",
    "terminal:a*.x",
    `${"*".repeat(50)}`,
    "terminal:a.b..c",
  ])("%j is no pattern, and the field is named", async (pattern) => {
    expect(await rig.ask("GET", channelsPath(pattern))).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_argument", field: "channel.0" } },
    });
  });

  test("of other agents' terminals tell an agent nothing", async () => {
    const agent = rig.tokenFor("listener", "agent");
    const [own, foreign] = [await rig.create("cat", agent), await rig.create("cat")];
    using reader = await listen(rig, channelsPath("*"), { token: agent });
    await type(rig, foreign, "secret\r");
    await type(rig, own, "own\r");
    const heard = await reader.until(isEntryOf(own, "output"));
    expect(JSON.stringify(heard)).not.toContain(foreign);
    expect(JSON.stringify(heard)).not.toContain("secret");
  });
});

test("one caller has only so many streams, and leaving one makes room", async () => {
  const token = rig.tokenFor("greedy", "readOnly");
  const path = channelsPath("mission:*.*");
  const readers = await Promise.all(Array.from({ length: 32 }, () => listen(rig, path, { token })));
  expect(await rig.ask("GET", path, { token })).toMatchObject({
    status: 429,
    body: { error: { code: "limit_reached" } },
  });
  readers.pop()?.[Symbol.dispose]();
  await expect.poll(() => listen(rig, path, { token }).catch(() => undefined)).toBeDefined();
  for (const reader of readers) reader[Symbol.dispose]();
});

test("nothing failed that nobody was told of", () => {
  expect(rig.problems).toEqual([]);
});
