import { hostname } from "node:os";
import { TerminalRecordingEntrySchema } from "@nacre/contracts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseOsc } from "./osc.ts";
import { utf8 } from "./testing/output.ts";

const path = (body: string) => {
  const osc = parseOsc(body);
  return osc?.kind === "cwd" ? osc.path : undefined;
};
const title = (body: string) => {
  const osc = parseOsc(body);
  return osc?.kind === "title" ? osc.title : undefined;
};

describe("titles", () => {
  test.each([
    ["0;a title", "a title"],
    ["2;a;b", "a;b"],
    ["2;", ""],
    ["02;x", "x"],
    [`2;${utf8("漢字 😀")}`, "漢字 😀"],
    ["2;a\x01\r\n\x7fb\xc2\x85c", "abc"],
    ["2;\xff", "\ufffd"],
  ])("%j sets the title %j", (body, expected) => {
    expect(title(body)).toBe(expected);
  });

  test.each(["1;icon", "2", "0", "20;x", ";x", "l;x", ""])("%j sets none", (body) => {
    expect(title(body)).toBeUndefined();
  });

  test("a long title is cut between characters", () => {
    expect(title(`2;${"x".repeat(2000)}`)).toBe("x".repeat(1024));
    expect(title(`2;x${utf8("😀".repeat(600))}`)).toBe(`x${"😀".repeat(511)}`);
  });
});

describe("working directories", () => {
  test.each([
    ["7;file:///tmp", "/tmp"],
    ["7;file://localhost/tmp", "/tmp"],
    [`7;file://${hostname().toUpperCase()}/tmp`, "/tmp"],
    ["7;file:///a%20b%3bc", "/a b;c"],
    ["7;file:///%e6%bc%a2", "/漢"],
    [`7;file:///${utf8("漢")}#?%`, "/漢#?%"],
    ["1337;CurrentDir=/tmp/a b", "/tmp/a b"],
    ["1337;CurrentDir=C:\\Users", "C:\\Users"],
  ])("%j tells %j", (body, expected) => {
    expect(path(body)).toBe(expected);
  });

  test.each([
    "7;file://elsewhere.example/tmp",
    "7;/tmp",
    "7;http://localhost/tmp",
    "7;file:",
    "7;file:///a%00b",
    `7;file:///${"x".repeat(4096)}`,
    "7",
    "1337;CurrentDir=tmp",
    "1337;CurrentDir=",
    "1337;File=/tmp",
    "1337",
  ])("%j tells none", (body) => {
    expect(path(body)).toBeUndefined();
  });
});

test("whatever is told can be recorded", () => {
  const place = {
    id: "terminal_recording_entry:e1",
    terminalId: "terminal:t1",
    sequence: 1,
    elapsedMs: 0,
    occurredAt: "2026-01-01T00:00:00.000Z",
  };
  const anyBytes = fc.oneof(
    fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) }),
    fc.string({ unit: "binary", minLength: 1000, maxLength: 4000 }).map(utf8),
  );
  fc.assert(
    fc.property(anyBytes, (text) => {
      const facts = [`2;${text}`, `7;file:///${text}`, `1337;CurrentDir=/${text}`]
        .map((body) => parseOsc(body))
        .map((osc) => {
          if (osc?.kind === "title") return { type: "title", title: osc.title };
          return { type: "cwd", cwd: osc?.kind === "cwd" ? osc.path : "/", quality: "none" };
        });
      for (const fact of facts) {
        expect(TerminalRecordingEntrySchema.safeParse({ ...place, ...fact }).error).toBeUndefined();
      }
    }),
  );
});
