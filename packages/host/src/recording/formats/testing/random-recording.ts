import { CommandId, RecordingEntryId, TerminalId } from "@nacre/contracts";
import fc from "fast-check";
import type { Fact, RecordedEntry } from "../../recorded-entry.ts";

export interface TimedFact {
  readonly elapsedMs: number;
  readonly fact: Fact;
}

const TERMINAL_ID = TerminalId.parse("terminal:recorded");
const BEGAN_AT_MS = Date.UTC(2026, 0, 31, 9, 30);

export const placed = (facts: readonly TimedFact[], firstSequence = 1): readonly RecordedEntry[] =>
  facts.map(({ elapsedMs, fact }, index) => ({
    ...fact,
    id: RecordingEntryId.parse(`terminal_recording_entry:${firstSequence + index}`),
    terminalId: TERMINAL_ID,
    sequence: firstSequence + index,
    occurredAt: new Date(BEGAN_AT_MS + elapsedMs).toISOString(),
    elapsedMs,
  }));

const utf8 = new TextEncoder();

/** Text that often begins or ends inside a character, with everything that means something to terminals or JSON. */
const tornText = fc
  .tuple(
    fc.array(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.constantFrom(
          "\u001b[1m",
          "€",
          "😀",
          "\ufeff",
          "\u009b",
          "\u007f",
          "\\",
          '"',
          "\r\n",
          "\u2028",
        ),
      ),
      { maxLength: 6 },
    ),
    fc.nat(3),
    fc.nat(3),
  )
  .map(([parts, before, after]) => {
    const bytes = utf8.encode(parts.join(""));
    return bytes.slice(before, Math.max(before, bytes.length - after));
  });

const anyBytes = fc.uint8Array({ maxLength: 12 }).map((bytes) => new Uint8Array(bytes));
const data = fc.oneof({ weight: 3, arbitrary: tornText }, anyBytes);

const wellFormed = (maxLength: number) =>
  fc.string({ unit: "binary", maxLength }).map((text) => text.toWellFormed());
const label = fc.string({ unit: "grapheme", maxLength: 200 }).map((text) => text.slice(0, 256));
const size = fc.record({
  cols: fc.integer({ min: 1, max: 1000 }),
  rows: fc.integer({ min: 1, max: 500 }),
});

const output = fc.oneof(
  { weight: 8, arbitrary: data.map((bytes): Fact => ({ type: "output", offset: 0, data: bytes })) },
  fc
    .option(fc.nat(), { nil: undefined })
    .map((lengthBytes): Fact => ({ type: "output", offset: 0, redacted: true, lengthBytes })),
);

const input = fc.oneof(
  { weight: 4, arbitrary: data.map((bytes): Fact => ({ type: "input", data: bytes })) },
  fc.constant<Fact>({ type: "input", redacted: true, lengthBucket: "1-8" }),
);

const command = wellFormed(400).map((commandLine): Fact => ({
  type: "command",
  commandId: CommandId.parse("c1"),
  commandLine,
  quality: "exact",
}));

const gap = fc.record({
  type: fc.constant("gap" as const),
  lostBytes: fc.option(fc.nat()),
  reason: fc.constantFrom("diskFull" as const, "overflow" as const),
});

const exit = fc.oneof(
  fc.maxSafeInteger().map((exitCode): Fact => ({ type: "exit", exitCode })),
  fc
    .constantFrom("SIGKILL", "SIGTERM", "SIGRTMIN+3")
    .map((signal): Fact => ({ type: "exit", exitCode: null, signal })),
  fc.constant<Fact>({ type: "exit", exitCode: null, drained: false }),
);

const fact: fc.Arbitrary<Fact> = fc.oneof(
  { weight: 10, arbitrary: output },
  { weight: 4, arbitrary: input },
  size.map((sides): Fact => ({ type: "resize", ...sides })),
  command,
  label.map((text): Fact => ({ type: "marker", label: text })),
  gap,
  fc.constant<Fact>({ type: "clear" }),
  fc.constant<Fact>({ type: "title", title: "vim" }),
);

const pause = fc.oneof(fc.nat(20), fc.nat(90_000), fc.nat(1e10));

interface Plan {
  readonly opening: { readonly cols: number; readonly rows: number };
  readonly before: readonly (readonly [number, Fact])[];
  readonly exit: readonly [number, Fact] | null;
  readonly after: readonly (readonly [number, Fact])[];
  readonly firstSequence: number;
}

function recordingOf({ opening, before, exit: end, after, firstSequence }: Plan) {
  const facts = [...before, ...(end ? [end] : []), ...after];
  let elapsedMs = 0;
  const timed = facts.map(([pauseMs, happened]) => {
    elapsedMs += pauseMs;
    return { elapsedMs, fact: happened };
  });
  const header: TimedFact = { elapsedMs: 0, fact: { type: "header", ...opening } };
  return placed(firstSequence === 1 ? [header, ...timed] : timed, firstSequence);
}

/** Output torn anywhere, other entries in between, some without their beginning. */
export const recordings: fc.Arbitrary<readonly RecordedEntry[]> = fc
  .record({
    opening: size,
    before: fc.array(fc.tuple(pause, fact), { maxLength: 20 }),
    exit: fc.option(fc.tuple(pause, exit)),
    after: fc.array(fc.tuple(pause, fact), { maxLength: 3 }),
    firstSequence: fc.constantFrom(1, 1, 1, 77),
  })
  .map(recordingOf);
