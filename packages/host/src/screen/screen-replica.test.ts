import { describe, expect, test } from "vitest";
import type { EmulatorHooks } from "./emulator.ts";
import { ScreenReplica } from "./screen-replica.ts";
import type { SavedScreen } from "./screen-change.ts";
import type { ReplyPosition, SlicePosition } from "./screen-protocol.ts";

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const FAULT = "\u001b]7777;throw\u0007";

/** Emulators that know a sequence which throws. */
const prepare: EmulatorHooks["prepare"] = (terminal) => {
  terminal.parser.registerOscHandler(7777, () => {
    throw new Error("a fault in the emulator");
  });
};

function drawingOf(options: { saved?: SavedScreen; skips?: SlicePosition[] } = {}) {
  const replies: (ReplyPosition & { text: string })[] = [];
  const drawing = new ScreenReplica({
    size: { cols: 40, rows: 3 },
    scrollback: 10,
    saved: options.saved,
    skips: options.skips ?? [],
    reply: (place, text) => replies.push({ ...place, text }),
    prepare,
  });
  let sequence = options.saved?.sequence ?? 0;
  const write = (output: string): void => {
    sequence++;
    drawing.begin({ kind: "output", sequence, bytes: encode(output) });
    while (!drawing.step(Infinity));
  };
  return { drawing, replies, write, text: () => drawing.picture("text").text.trimEnd() };
}

describe("output that makes the emulator fail", () => {
  test.each([
    ["alone", `a${FAULT}b`, "ab"],
    ["twice in a row", `a${FAULT}${FAULT}b`, "ab"],
    ["in many places", `${`.${FAULT}`.repeat(20)}x`, `${".".repeat(20)}x`],
    ["among other sequences", `\u001b[1ma\u001b[3G${FAULT}b\u001b[m`, "a b"],
    ["after many bytes", `${"\r".repeat(30_000)}a${FAULT}b`, "ab"],
  ])("%s is left out exactly", (_where, output, shown) => {
    const { write, text } = drawingOf();
    write(output);
    expect(text()).toBe(shown);
  });

  test("is left out when it was begun in an earlier change", () => {
    const { write, text } = drawingOf();
    write(`a${FAULT.slice(0, 5)}`);
    write(`${FAULT.slice(5)}b`);
    expect(text()).toBe("ab");
  });

  test("does not cost what was drawn before, in any change", () => {
    const { drawing, write, text } = drawingOf();
    write("one ");
    drawing.save();
    write("two ");
    write(`${FAULT}three `);
    write(`four${FAULT}`);
    expect(text()).toBe("one two three four");
  });

  test("is told before everything is drawn again", () => {
    let recoveries = 0;
    const drawing = new ScreenReplica({
      size: { cols: 40, rows: 3 },
      scrollback: 0,
      saved: undefined,
      skips: [],
      prepare,
      handleRecovery: () => recoveries++,
    });
    drawing.begin({ kind: "output", sequence: 1, bytes: encode(FAULT) });
    expect(drawing.step(Infinity)).toBe(true);
    expect(recoveries).toBe(1);
  });

  test("leaves the places of queries around it as they are", () => {
    const { replies, write } = drawingOf();
    write(`\u001b[c${FAULT}\u001b[c`);
    // The first one is answered again under the same place, so that nobody sends it twice.
    expect(replies.map(({ ordinal }) => ordinal)).toEqual([0, 0, 1]);
    expect(new Set(replies.map(({ offset }) => offset))).toEqual(new Set([0]));
  });
});

describe("slices to be skipped", () => {
  test("are left out, and a sequence they leave open ends there", () => {
    const { write, text } = drawingOf({ skips: [{ sequence: 2, offset: 0 }] });
    write("before\u001b[3");
    write("1mskipped");
    write("after");
    expect(text()).toBe("beforeafter");
  });

  test("stay left out when everything is drawn again", () => {
    const { write, text } = drawingOf({ skips: [{ sequence: 1, offset: 0 }] });
    write("skipped");
    write(`a${FAULT}b`);
    expect(text()).toBe("ab");
  });
});

test("a new size that cannot be drawn costs what was shown, and nothing after", () => {
  const { drawing, write, text } = drawingOf({ skips: [{ sequence: 2, offset: 0 }] });
  write("gone");
  drawing.begin({ kind: "resize", sequence: 2, size: { cols: 10, rows: 2 } });
  expect(drawing.step(Infinity)).toBe(true);
  drawing.begin({ kind: "output", sequence: 3, bytes: encode("shown") });
  expect(drawing.step(Infinity)).toBe(true);
  expect(text()).toBe("shown");
  expect(drawing.save()).toMatchObject({ sequence: 3, size: { cols: 10, rows: 2 } });
});

test("a drawing goes on from a saved screen and knows its sequence", () => {
  const first = drawingOf();
  first.write("one ");
  const saved = first.drawing.save();
  const second = drawingOf({ saved });
  second.write("two");
  expect(second.text()).toBe("one two");
  expect(second.drawing.save()).toMatchObject({ sequence: 2, size: { cols: 40, rows: 3 } });
});

test("queries of a long change are told apart by their slices", () => {
  const { replies, write } = drawingOf();
  write(`\u001b[c${"x".repeat(10_000)}\u001b[c\u001b[5n`);
  expect(replies.map(({ offset, ordinal }) => [offset > 0, ordinal])).toEqual([
    [false, 0],
    [true, 0],
    [true, 1],
  ]);
});
