import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyChange } from "./screen-replica.ts";
import { Emulator } from "./emulator.ts";
import { renderScreen } from "./render-screen.ts";
import type { ScreenChange } from "./screen-change.ts";
import { randomOutput, randomSize } from "./testing/random-output.ts";
import { cpuMs } from "../testing/cpu-ms.ts";

const SIZE = { cols: 80, rows: 24 };
const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const saved = (emulator: Emulator): Buffer => Buffer.from(emulator.save());
const textOf = (emulator: Emulator): string =>
  renderScreen(emulator, { sequence: 1, format: "text" }).text.trimEnd();

function emulatorWith(output: string, size = SIZE): Emulator {
  const emulator = new Emulator({ size, scrollback: 5 });
  emulator.writeAll(encode(output));
  return emulator;
}

function loadedOrRefused(bytes: Uint8Array): Emulator | undefined {
  try {
    return Emulator.load(bytes);
  } catch {
    return undefined;
  }
}

const randomChange: fc.Arbitrary<ScreenChange> = fc.oneof(
  {
    weight: 6,
    arbitrary: randomOutput({ maxLength: 30 }).map((bytes) => ({
      kind: "output" as const,
      sequence: 1,
      bytes,
    })),
  },
  {
    weight: 2,
    arbitrary: randomSize.map((size) => ({ kind: "resize" as const, sequence: 1, size })),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "clear" as const, sequence: 1 }) },
);

describe("snapshots", () => {
  test("a screen that goes on from a snapshot, cut anywhere, is the same in everything", () => {
    fc.assert(
      fc.property(
        fc.record({ size: randomSize, scrollback: fc.constantFrom(0, 1, 5) }),
        fc.array(randomChange, { maxLength: 3 }),
        randomOutput({ maxLength: 40 }),
        fc.nat(),
        fc.array(randomChange, { maxLength: 3 }),
        (options, before, output, where, after) => {
          const cut = where % (output.length + 1);
          using whole = new Emulator(options);
          using first = new Emulator(options);
          for (const emulator of [whole, first]) {
            for (const change of before) applyChange(emulator, change);
            emulator.writeAll(output.subarray(0, cut));
          }
          using second = Emulator.load(first.save());
          expect(saved(second)).toEqual(saved(first));
          for (const emulator of [whole, second]) {
            emulator.writeAll(output.subarray(cut));
            for (const change of after) applyChange(emulator, change);
          }
          expect(saved(second)).toEqual(saved(whole));
        },
      ),
      { numRuns: 300 },
    );
  });

  test("it does not matter how output is cut into pieces", () => {
    fc.assert(
      fc.property(
        randomSize,
        randomOutput({ maxLength: 40 }),
        fc.integer({ min: 1, max: 7 }),
        (size, output, step) => {
          using whole = new Emulator({ size, scrollback: 5 });
          using pieces = new Emulator({ size, scrollback: 5 });
          whole.writeAll(output);
          for (let at = 0; at < output.length; at += step) {
            pieces.writeAll(output.subarray(at, at + step));
          }
          expect(saved(pieces)).toEqual(saved(whole));
        },
      ),
      { numRuns: 300 },
    );
  });

  test.each(["\u001b[?7l", "\u001b[4h"])(
    "nor after %j, where wide letters are cut in half",
    (mode) => {
      const output = encode(`${mode}字字字\r字x\b\b字y`);
      for (const size of [
        { cols: 2, rows: 1 },
        { cols: 5, rows: 2 },
      ]) {
        using whole = new Emulator({ size, scrollback: 0 });
        using pieces = new Emulator({ size, scrollback: 0 });
        whole.writeAll(output);
        for (const byte of output) pieces.writeAll(Uint8Array.of(byte));
        expect(saved(pieces)).toEqual(saved(whole));
      }
    },
  );

  test("the letters of a split character are not lost, whatever their bytes", () => {
    using emulator = emulatorWith("");
    for (const byte of encode("a\u2000b 😀 字 é")) emulator.writeAll(Uint8Array.of(byte));
    expect(textOf(emulator)).toBe("a\u2000b 😀 字 é");
  });

  test("what is not a snapshot is refused with a reason", () => {
    const load = (bytes: Uint8Array) => () => Emulator.load(bytes)[Symbol.dispose]();
    using emulator = emulatorWith("text");
    const good = emulator.save();
    expect(load(new Uint8Array(0))).toThrow("version undefined is not known");
    expect(load(Uint8Array.of(2, 0, 0))).toThrow("version 2 is not known");
    expect(load(Uint8Array.of(1, 9, 0))).toThrow("form 9 is not known");
    expect(load(good.subarray(0, 20))).toThrow("too early");
    expect(load(Uint8Array.of(1, 0, 0, 0, 1, 0, 0, 0))).toThrow("0 columns");
  });

  test("a damaged snapshot is refused or leads to a screen that works", () => {
    using emulator = emulatorWith("\u001b[1;4:3mé e\u0301 字\u001b[?1049h\u001b[2;3rtext", {
      cols: 8,
      rows: 4,
    });
    const good = emulator.save();
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.nat(255), (at, value) => {
        const bad = new Uint8Array(good);
        bad[at] = value;
        const loaded = loadedOrRefused(bad);
        loaded?.writeAll(encode("more\r\nand more\u001b[?1049l\u001b8\u001b[2J"));
        expect(loaded?.save() ?? good).toBeInstanceOf(Uint8Array);
      }),
      { numRuns: 300 },
    );
  });
});

describe("hostile output", () => {
  test("the twelve bytes that crash the pinned version erase what is above the cursor", () => {
    using emulator = emulatorWith("top\u001b[24;78Hend\u001b[24;80H\u001b[1Jx");
    expect(textOf(emulator).trim()).toBe("x");
  });

  test.each("LMSTbIZ@PX".split(""))(
    "a huge count in front of %s costs no more than a small one",
    (final) => {
      const draw = (): void => {
        using emulator = emulatorWith(`text${`\u001b[2147483647${final}`.repeat(10)}`);
        expect(emulator.isAtRest).toBe(true);
      };
      expect(cpuMs(draw)).toBeLessThan(1_000);
    },
  );

  test.each("LMST@PXIZ".split(""))(
    "a bounded count in front of %s does what an unbounded one does",
    (final) => {
      const output = "one two\r\n字three\r\nfour\u001b[2;3H";
      const [small, large] = [SIZE.cols, 9_999].map((count) => {
        using emulator = emulatorWith(`${output}\u001b[${count}${final}!`);
        return saved(emulator);
      });
      expect(large).toEqual(small);
    },
  );

  test("marks on one letter are bounded", () => {
    using emulator = emulatorWith(`e${"\u0301".repeat(100_000)}x`);
    expect(textOf(emulator)).toMatch(/^e\u0301{10,40}x$/);
  });

  test("marks join the letter before the cursor, also behind the last column", () => {
    using emulator = emulatorWith(`\u001b[1;80Hx${"\u001b[m\u0301".repeat(3)}`);
    const { cursor, text } = renderScreen(emulator, { sequence: 1, format: "text" });
    expect(cursor.column).toBe(80);
    expect(text.trim()).toBe("x\u0301\u0301\u0301");
  });

  test("a program cannot make the emulator write logs or throw, whatever it writes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), randomSize, (bytes, size) => {
        using emulator = new Emulator({ size, scrollback: 5, reply: () => undefined });
        emulator.writeAll(new Uint8Array(bytes));
        expect(emulator.save().length).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });

  test("writing pauses behind a costly sequence, and goes on to the same result", () => {
    const output = encode(
      "\u001b[5Labc\u001b[2J\u001b#8\u001bc\u001b[?1049hx\u001b[3Sy\u001b[1;1H",
    );
    using paused = emulatorWith("");
    using whole = emulatorWith("");
    whole.writeAll(output);
    paused.deadline = 0;
    let pauses = 0;
    for (let isDone = paused.write(output); !isDone; isDone = paused.resume()) pauses++;
    expect(pauses).toBeGreaterThan(3);
    expect(saved(paused)).toEqual(saved(whole));
  });
});

describe("what the pinned version does wrong at a new size", () => {
  test("lines pushed out at the top do not come back at the bottom", () => {
    const output = `${"ab\r\n".repeat(5)}${"wrap ".repeat(10)} \r\n 字 \r\n`;
    using emulator = emulatorWith(output, { cols: 4, rows: 2 });
    emulator.resize({ cols: 2, rows: 2 });
    expect(textOf(emulator)).toBe("");
  });

  test("the alternate screen never scrolls into room it does not have", () => {
    using emulator = emulatorWith("normal");
    emulator.resize({ cols: 80, rows: 3 });
    emulator.writeAll(encode("\u001b[?1049h\u001b[H1\r\n2\r\n3\r\n4"));
    expect(textOf(emulator)).toBe("2\n3\n4");
    expect(emulator.core._bufferService.buffers.alt.ybase).toBe(0);
  });

  test("a screen without scrollback stays whole when it becomes smaller", () => {
    using emulator = new Emulator({ size: SIZE, scrollback: 0 });
    emulator.writeAll(encode(`${"wrap ".repeat(120)}\u001b[?1049h`));
    emulator.resize({ cols: 4, rows: 2 });
    emulator.writeAll(encode("\u001b[?1049l\u001b[H\u001b[2Jend"));
    expect(textOf(emulator)).toBe("end");
    const { ybase, lines } = emulator.core._bufferService.buffers.normal;
    expect({ ybase, lines: lines.length }).toEqual({ ybase: 0, lines: 2 });
  });

  test("a single column is drawn as two", () => {
    using emulator = emulatorWith("ab", { cols: 1, rows: 2 });
    const { size, text } = renderScreen(emulator, { sequence: 1, format: "text" });
    expect({ size, text }).toEqual({ size: { cols: 1, rows: 2 }, text: "ab\n" });
  });
});
