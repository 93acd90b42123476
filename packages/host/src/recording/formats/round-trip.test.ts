import fc from "fast-check";
import { expect, test } from "vitest";
import type { RecordedEntry } from "../recorded-entry.ts";
import type { AsciicastOptions } from "./export-asciicast.ts";
import { recordings } from "./testing/random-recording.ts";
import { castText, problemsWith, readCast, recordingOf } from "./testing/read-cast.ts";

type Format = Pick<AsciicastOptions, "version" | "input">;

const formats: readonly Format[] = [
  { version: 3, input: false },
  { version: 3, input: true },
  { version: 2, input: false },
  { version: 2, input: true },
];

const anyText = fc.string({ unit: "binary", maxLength: 1200 });
const terminals = fc.record({
  createdAt: fc
    .date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true })
    .map((date) => date.toISOString()),
  title: fc.option(anyText, { nil: undefined }),
  command: fc.option(anyText, { nil: undefined }),
});

function exportAgain(cast: string, format: Format, pieceBytes: number): string {
  const read = readCast(cast, pieceBytes);
  expect(read.outcome).toEqual({ complete: true });
  const { title, command, occurredAtMs = 0 } = read.header;
  const terminal = { createdAt: new Date(occurredAtMs).toISOString(), title, command };
  return castText(recordingOf(read), { ...format, terminal });
}

test.each(formats)("an export that is imported exports to the same bytes: %o", (format) => {
  const property = fc.property(
    recordings,
    terminals,
    fc.integer({ min: 1, max: 100 }),
    (entries, terminal, pieceBytes) => {
      const cast = castText(entries, { ...format, terminal });
      expect(exportAgain(cast, format, pieceBytes)).toBe(cast);
    },
  );
  fc.assert(property, { numRuns: 300 });
});

test("every entry that an import makes is one of the contracts", () => {
  const property = fc.property(recordings, terminals, (entries, terminal) => {
    const cast = castText(entries, { terminal, input: true });
    expect(problemsWith(recordingOf(readCast(cast)))).toEqual([]);
  });
  fc.assert(property);
});

/** What a person would see, without regard to how the output was cut into entries. */
function textOf(entries: readonly RecordedEntry[]): string {
  let text = "";
  let decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (const entry of entries) {
    if (entry.type === "output" && entry.data !== undefined) {
      text += decoder.decode(entry.data, { stream: true });
      continue;
    }
    const isBreak =
      entry.type === "gap" ||
      entry.type === "output" ||
      (entry.type === "exit" && entry.drained !== false);
    if (!isBreak) continue;
    text += decoder.decode();
    decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  }
  return text + decoder.decode();
}

test.each(formats)("the text of an import is that of the recording: %o", (format) => {
  const property = fc.property(recordings, terminals, (entries, terminal) => {
    const cast = castText(entries, { ...format, terminal });
    expect(textOf(recordingOf(readCast(cast)))).toBe(textOf(entries));
  });
  fc.assert(property);
});
