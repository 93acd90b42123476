import { expect, test } from "vitest";
import { parseDurationMs, parseMoment } from "./duration.ts";

test.each([
  ["500ms", 500],
  ["5s", 5000],
  ["1.5s", 1500],
  ["2m", 120_000],
  ["1h30m", 5_400_000],
  ["7d", 604_800_000],
  ["2w", 1_209_600_000],
])("%s is %d ms", (text, ms) => {
  expect(parseDurationMs(text, "timeout")).toBe(ms);
});

test.each(["", "5", "s", "5x", "-5s", "5 s", "1e3s"])("%j is no time", (text) => {
  expect(() => parseDurationMs(text, "timeout")).toThrow(
    expect.objectContaining({ code: "invalid_argument", field: "timeout" }) as Error,
  );
});

test("a moment is a time ago or a date", () => {
  const now = Date.parse("2026-03-01T12:00:00Z");
  expect(parseMoment("2h", "since", now)).toBe("2026-03-01T10:00:00.000Z");
  expect(parseMoment("2026-01-31", "since", now)).toBe("2026-01-31T00:00:00.000Z");
  expect(parseMoment("2026-01-31T12:00Z", "since", now)).toBe("2026-01-31T12:00:00.000Z");
  expect(() => parseMoment("7", "since", now)).toThrow("7 is not a time");
});
