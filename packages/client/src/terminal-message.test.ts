import { expect, test } from "vitest";
import { TerminalFrames, type TerminalMessage } from "./terminal-message.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const said = (control: object): string => JSON.stringify(control);

const told = (...frames: readonly (Uint8Array | string)[]): readonly TerminalMessage[] => {
  const reader = new TerminalFrames();
  return frames.flatMap((frame) => [...reader.push(frame)]);
};

const snapshot = {
  type: "snapshot",
  sequence: 4,
  size: { cols: 80, rows: 24 },
  bytes: 6,
  alternate: false,
  title: "sh",
};

test("a snapshot is told once it is whole, and output once its place is known", () => {
  const cursor = (sequence: number): string => said({ type: "cursor", sequence });
  expect(
    told(
      said(snapshot),
      bytesOf("abc"),
      said({ type: "pong" }),
      bytesOf("def"),
      cursor(4),
      bytesOf("one"),
      cursor(5),
      bytesOf("not yet"),
    ),
  ).toEqual([
    {
      kind: "snapshot",
      bytes: bytesOf("abcdef"),
      sequence: 4,
      size: { cols: 80, rows: 24 },
      alternate: false,
      title: "sh",
    },
    { kind: "bytes", bytes: bytesOf("one"), sequence: 5 },
  ]);
});

test("a refusal between the frames of a burst is told at once and changes nothing", () => {
  const error = said({ type: "error", code: "forbidden", message: "only looking" });
  const messages = told(bytesOf("a"), error, bytesOf("b"), said({ type: "cursor", sequence: 9 }));
  expect(messages).toMatchObject([
    { kind: "refusal", error: { code: "forbidden", message: "only looking" } },
    { kind: "bytes", bytes: bytesOf("ab"), sequence: 9 },
  ]);
});

test("everything else is told as it comes, and what is not known is left out", () => {
  expect(
    told(
      said({ type: "size", cols: 10, rows: 5 }),
      said({ type: "title", title: "vim" }),
      said({ type: "claim", claim: null, epoch: 2 }),
      said({ type: "gap", lostBytes: null }),
      said({ type: "weather", is: "fine" }),
      said({ type: "exit", exitCode: null, signal: "SIGHUP" }),
    ),
  ).toEqual([
    { kind: "size", size: { cols: 10, rows: 5 } },
    { kind: "title", title: "vim" },
    { kind: "claim", claim: null, epoch: 2 },
    { kind: "gap", lostBytes: null },
    { kind: "exit", exitCode: null, signal: "SIGHUP" },
  ]);
});
