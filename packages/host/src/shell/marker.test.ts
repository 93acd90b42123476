import { CommandLine, MAX_COMMAND_LINE_LENGTH } from "@nacre/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseMarker } from "./marker.ts";
import type { MarkerFamily } from "./osc.ts";
import { utf8 } from "./testing/output.ts";

test.each<readonly [MarkerFamily, string, object]>([
  [133, "A", { kind: "promptStart" }],
  [133, "A;aid=1;cl=m", { kind: "promptStart" }],
  [133, "A;k=s", { kind: "continuationStart" }],
  [133, "B", { kind: "promptEnd" }],
  [133, "C", { kind: "commandStart" }],
  [133, "C;cmdline_url=echo%20a%3Bb%0A", { kind: "commandStart", line: "echo a;b\n" }],
  [133, "C;cmdline_url=%e6%bc%a2;x=1", { kind: "commandStart", line: "漢" }],
  [133, "C;cmdline=echo\\ a\\;b", { kind: "commandStart", line: "echo a;b" }],
  [133, "C;cmdline=$'a\\nb'", { kind: "commandStart", line: "a\nb" }],
  [133, "C;cmdline=echo a", { kind: "commandStart" }],
  [133, "D", { kind: "commandEnd" }],
  [133, "D;0", { kind: "commandEnd", exitCode: 0 }],
  [133, "D;130;aid=1", { kind: "commandEnd", exitCode: 130 }],
  [133, "D;aid=1", { kind: "commandEnd" }],
  [133, "P", { kind: "promptStart" }],
  [133, "P;k=i", { kind: "promptStart" }],
  [133, "P;k=s", { kind: "continuationStart" }],
  [133, "P;k=c", { kind: "continuationStart" }],
  [633, "A", { kind: "promptStart" }],
  [633, "B", { kind: "promptEnd" }],
  [633, "C", { kind: "commandStart" }],
  [633, "C;cmdline_url=x", { kind: "commandStart" }],
  [633, "D", { kind: "commandEnd" }],
  [633, "D;", { kind: "commandEnd" }],
  [633, "D;127", { kind: "commandEnd", exitCode: 127 }],
  [633, "D;-1", { kind: "commandEnd", exitCode: -1 }],
  [633, "D;x", { kind: "commandEnd" }],
  [633, "D;99999999999", { kind: "commandEnd" }],
  [633, "E", { kind: "commandLine", line: "" }],
  [633, "E;ls -l;a-nonce", { kind: "commandLine", line: "ls -l" }],
  [633, `E;${utf8("echo 漢")}`, { kind: "commandLine", line: "echo 漢" }],
  [633, "E;a\\x3bb\\x0ac\\\\x3b\\q", { kind: "commandLine", line: "a;b\nc\\x3b\\q" }],
  [633, "E;\\xe6\\xbc\\xa2", { kind: "commandLine", line: "漢" }],
  [633, "F", { kind: "continuationStart" }],
  [633, "G", { kind: "continuationEnd" }],
  [633, "P;Cwd=/a\\x3bb", { kind: "cwd", path: "/a;b" }],
])("OSC %i with %j is read", (family, payload, expected) => {
  expect(parseMarker(family, payload)).toEqual(expected);
});

test.each<readonly [MarkerFamily, string]>([
  [133, ""],
  [133, "E;x"],
  [133, "F"],
  [133, "P;k=r"],
  [133, "Z"],
  [133, "AA"],
  [633, ""],
  [633, "a"],
  [633, "P"],
  [633, "P;Cwd=relative"],
  [633, "P;IsWindows=False"],
  [633, "H"],
])("OSC %i with %j says nothing", (family, payload) => {
  expect(parseMarker(family, payload)).toBeUndefined();
});

test("a line that is too long is cut between characters and says so", () => {
  const line = `x${"😀".repeat(MAX_COMMAND_LINE_LENGTH / 2)}`;
  expect(parseMarker(633, `E;${utf8(line)}`)).toEqual({
    kind: "commandLine",
    line: line.slice(0, MAX_COMMAND_LINE_LENGTH - 1),
    lineTruncated: true,
  });
});

/** As VS Code and our integration write a command line. */
const escaped = (line: string): string =>
  // oxlint-disable-next-line no-control-regex -- these are to be escaped
  utf8(line).replace(/[\\;\x00-\x1f\x7f]/g, (character) =>
    character === "\\" ? "\\\\" : `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );

test("every line that was escaped is read back, and fits the contract", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (line) => {
      const marker = parseMarker(633, `E;${escaped(line)}`);
      expect(marker).toEqual({ kind: "commandLine", line });
      expect(CommandLine.safeParse(line).success).toBe(true);
    }),
  );
});
