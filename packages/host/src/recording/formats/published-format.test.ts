// Checks exports against the published formats with a reader that shares nothing with ours.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { RecordedEntry } from "../recorded-entry.ts";
import { recordings } from "./testing/random-recording.ts";
import { castText } from "./testing/read-cast.ts";

const createdAt = "2026-01-31T09:30:00.000Z";

const number = expect.any(Number);
const SIDES = { 2: { width: number, height: number }, 3: { term: { cols: number, rows: number } } };

function checkHeader(header: string, version: 2 | 3): void {
  expect(JSON.parse(header)).toEqual({
    version,
    ...SIDES[version],
    timestamp: number,
    title: "Demo",
    command: "/bin/bash",
  });
  expect(header).toMatch(/"timestamp":\d+[,}]/);
}

const DATA: Record<string, RegExp> = {
  o: /^[^]+$/,
  i: /^[^]+$/,
  m: /^[^\p{Cc}]{0,256}$/u,
  r: /^[1-9]\d{0,3}x[1-9]\d{0,3}$/,
  x: /^-?\d+$/,
};

const EVENT = /^\[(\d+\.\d{1,3}),"(.)",(".*")\]$/;

/** The time of the event, in seconds as the file counts them. */
function checkEvent(line: string, codes: string): number {
  expect(line).toMatch(EVENT);
  const [, time = "", code = "", data = ""] = EVENT.exec(line) ?? [];
  expect(codes).toContain(code);
  const text: unknown = JSON.parse(data);
  expect(text).toEqual(expect.stringMatching(DATA[code] ?? /^$/));
  return Number(time);
}

function runningSum(intervals: readonly number[]): readonly number[] {
  let sum = 0;
  return intervals.map((interval) => (sum += interval));
}

const beginOf = ([first]: readonly RecordedEntry[]): number =>
  first === undefined || first.sequence === 1 ? 0 : first.elapsedMs;

test.each([
  [2, "oirm"],
  [3, "oirmx"],
] as const)("version %d is as published", (version, codes) => {
  const property = fc.property(recordings, fc.boolean(), (entries, input) => {
    const terminal = { createdAt, title: "Demo", command: "/bin/bash" };
    const cast = castText(entries, { terminal, version, input });
    expect(cast.endsWith("\n")).toBe(true);
    expect(cast.isWellFormed()).toBe(true);
    // The formats want everything that cannot be printed escaped, and one line for each event.
    expect(cast).not.toMatch(/[\p{Cc}--\n]/v);
    const [header = "", ...events] = cast.slice(0, -1).split("\n");
    checkHeader(header, version);
    const times = events.map((line) => checkEvent(line, input ? codes : codes.replace("i", "")));
    const moments = version === 2 ? times : runningSum(times);
    expect(moments).toEqual(moments.toSorted((one, other) => one - other));
    const lengthMs = (entries.at(-1)?.elapsedMs ?? 0) - beginOf(entries);
    expect((moments.at(-1) ?? 0) * 1000).toBeLessThanOrEqual(lengthMs + 0.5);
  });
  fc.assert(property, { numRuns: 300 });
});
