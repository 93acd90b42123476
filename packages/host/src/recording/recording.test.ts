import { expect, test } from "vitest";
import { terminalRow } from "../testing/terminal-row.ts";
import type { RecordedEntry } from "./recorded-entry.ts";
import { Recordings } from "./recordings.ts";
import { A, bytes } from "./testing/recordings.ts";

const secret = () => ({ data: bytes("hunter2"), isSecret: true });

const ALL = { terminalId: A, limit: 100, maxBytes: 1000 };

const typesOf = (entries: readonly RecordedEntry[]): string[] => entries.map(({ type }) => type);

test("what was typed and not ended is recorded on demand, and then not again by the seal", async () => {
  await using recordings = await Recordings.open();
  const recording = await recordings.create(terminalRow("a"));
  expect(await recording.appendInput(secret())).toEqual([]);
  expect(await recording.flushInput()).toMatchObject([{ type: "input", redacted: true }]);
  expect(await recording.flushInput()).toEqual([]);
  await recording.append({ type: "exit", exitCode: 0 });
  await recording.seal();
  expect(typesOf(await recordings.readEntries(ALL))).toEqual(["input", "exit"]);
});

test("a seal keeps what nobody asked for before", async () => {
  await using recordings = await Recordings.open();
  const recording = await recordings.create(terminalRow("a"));
  await recording.appendInput(secret());
  await recording.seal();
  expect(typesOf(await recordings.readEntries(ALL))).toEqual(["input"]);
});

test("a recording reads its own entries after a sequence", async () => {
  await using recordings = await Recordings.open();
  const recording = await recordings.create(terminalRow("a"));
  for (let n = 0; n < 3; n++) await recording.append({ type: "clear" });
  const entries = await recording.readAfter(1);
  expect(entries.map(({ sequence }) => sequence)).toEqual([2, 3]);
});
