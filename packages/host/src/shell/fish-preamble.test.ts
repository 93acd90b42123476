import { expect, test } from "vitest";
import type { OutputPiece } from "./output-parser.ts";
import { FishPreamble } from "./fish-preamble.ts";

const START = { kind: "commandStart", quality: "exact" } as const;
const END = { kind: "commandEnd", exitCode: 0, quality: "exact" } as const;
const FISH = "\u001b[?2004l\u001b]0;echo hi /tmp\u0007\u001b[30m\u001b(B\u001b[m\r";

function piece(text: string, marker?: OutputPiece["marker"]): OutputPiece {
  const raw = new Uint8Array(Buffer.from(text));
  return { raw, view: raw, drawn: raw, ...(marker ? { marker } : {}) };
}

const shown = (pieces: readonly OutputPiece[]) =>
  pieces.map(({ raw, view, marker }) => {
    expect(Buffer.from(view).toString()).toBe(Buffer.from(raw).toString());
    return [Buffer.from(raw).toString(), marker?.kind];
  });

test("the marker moves behind what the shell writes, whether in one chunk or not", () => {
  const [prompt, rest] = [piece("$ echo hi\r\n", START), piece(`${FISH}hi\r\n`, END)];
  const expected = [
    ["$ echo hi\r\n", undefined],
    [FISH, "commandStart"],
    ["hi\r\n", "commandEnd"],
  ];
  expect(shown(new FishPreamble().push([prompt, rest]))).toEqual(expected);
  const apart = new FishPreamble();
  expect(shown([...apart.push([prompt]), ...apart.push([rest])])).toEqual(expected);
});

test("what the shell writes may come step by step", () => {
  const [first, second] = [FISH.slice(0, FISH.indexOf("l") + 1), FISH.slice(FISH.indexOf("l") + 1)];
  const prologue = new FishPreamble();
  const given = [
    ...prologue.push([piece("$ echo hi\r\n", START)]),
    ...prologue.push([piece(first)]),
    ...prologue.push([piece(second.slice(0, -1))]),
    ...prologue.push([piece("\rhi\r\n", END)]),
  ];
  expect(shown(given)).toEqual([
    ["$ echo hi\r\n", undefined],
    [first, undefined],
    [second.slice(0, -1), undefined],
    ["\r", "commandStart"],
    ["hi\r\n", "commandEnd"],
  ]);
});

test("output that is none of the shell's own is the command's from its first byte", () => {
  const pieces = [piece("$ x\r\n", START), piece("\u001b[31mred", END)];
  expect(shown(new FishPreamble().push(pieces))).toEqual([
    ["$ x\r\n", undefined],
    ["", "commandStart"],
    ["\u001b[31mred", "commandEnd"],
  ]);
});

test("a command that writes nothing starts when nothing more comes", () => {
  const prologue = new FishPreamble();
  prologue.push([piece("$ sleep 9\r\n", START)]);
  expect(prologue.isWaiting).toBe(true);
  expect(shown(prologue.flush())).toEqual([["", "commandStart"]]);
  expect(prologue.isWaiting).toBe(false);
});

test("a command that only fish wrote for is placed at its end", () => {
  const pieces = [piece("$ true\r\n", START), piece(FISH), piece("", END)];
  expect(shown(new FishPreamble().push(pieces))).toEqual([
    ["$ true\r\n", undefined],
    [FISH, "commandStart"],
    ["", "commandEnd"],
  ]);
});

test("other markers and pieces pass unchanged", () => {
  const pieces = [piece("a", END), piece("b")];
  expect(new FishPreamble().push(pieces)).toEqual(pieces);
});
