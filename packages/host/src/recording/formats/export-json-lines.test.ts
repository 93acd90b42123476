import { decodeBytes, TerminalRecordingEntrySchema } from "@nacre/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { RecordedEntry } from "../recorded-entry.ts";
import { exportJsonLines } from "./exporters.ts";
import { placed, recordings } from "./testing/random-recording.ts";

const textOf = (entries: readonly RecordedEntry[]): string =>
  Buffer.concat([...exportJsonLines(entries)]).toString();

function entryOf(line: string): RecordedEntry {
  const entry = TerminalRecordingEntrySchema.parse(JSON.parse(line));
  if (entry.type !== "input" && entry.type !== "output") return entry;
  const { data, encoding, ...rest } = entry;
  return data === undefined ? rest : { ...rest, data: decodeBytes({ data, encoding }) };
}

test("each line is one entry of the contracts, and has all that was recorded", () => {
  const property = fc.property(recordings, (entries) => {
    const lines = textOf(entries).split("\n");
    expect(lines.pop()).toBe("");
    expect(lines.map(entryOf)).toEqual(entries);
  });
  fc.assert(property);
});

test("no control character is in the file, so that showing it drives no terminal", () => {
  const data = Buffer.from("\u009b2J\u007f\u001b[2J");
  const fact = { type: "output", offset: 0, data: new Uint8Array(data) } as const;
  expect(textOf(placed([{ elapsedMs: 0, fact }]))).toContain("\\u009b2J\\u007f\\u001b[2J");
});
