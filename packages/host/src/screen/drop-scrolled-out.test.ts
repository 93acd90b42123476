import fc from "fast-check";
import { expect, test } from "vitest";
import { OrderQueue } from "./replica-scheduler.ts";
import { ScreenReplica } from "./screen-replica.ts";
import { Emulator } from "./emulator.ts";
import { countPlainLines } from "./drop-scrolled-out.ts";
import { randomOutput } from "./testing/random-output.ts";

const SIZE = { cols: 20, rows: 5 };
const SCROLLBACK = 10;
const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** What both make of a screen: all of the output, and what is drawn of it. */
function drawBoth(before: Uint8Array<ArrayBuffer>, output: Uint8Array<ArrayBuffer>) {
  using whole = new Emulator({ size: SIZE, scrollback: SCROLLBACK });
  using skimming = new Emulator({ size: SIZE, scrollback: SCROLLBACK });
  for (const emulator of [whole, skimming]) emulator.writeAll(before);
  const kept = skimming.dropScrolledOut(output);
  whole.writeAll(output);
  skimming.writeAll(kept);
  return {
    whole: Buffer.from(whole.save()),
    skimmed: Buffer.from(skimming.save()),
    keptBytes: kept.byteLength,
  };
}

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[ -~]{0,30}$/) },
  { weight: 2, arbitrary: fc.constantFrom("✓", "漢字", "é", "😀", "\t", "\r", "e\u0301") },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "\u001b[31m",
      "\u001b[1;44m",
      "\u001b[0m",
      "\u001b[m",
      "\u001b[4:3m",
      "\u001b[38;2;1;2;3m",
      "\u001b[7m",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "\b",
      "\u0007",
      "\n",
      "\u001b[2J",
      "\u001b[3;4H",
      "\u009b5A",
      "\u001b[2;3r",
      "\u000e",
    ),
  },
);

const plainLine = fc
  .array(
    fc.oneof(
      { weight: 9, arbitrary: fc.stringMatching(/^[ -~]{0,40}$/) },
      {
        weight: 3,
        arbitrary: fc.constantFrom("\u001b[1;44m", "\u001b[0m", "\u001b[32m", "✓ 漢字", "\t"),
      },
    ),
  )
  .map((parts) => parts.join(""));

const flood = (line: fc.Arbitrary<string>) =>
  fc.array(line, { minLength: 5, maxLength: 30 }).map((lines) => {
    const text = `${lines.join("\r\n")}\r\n`;
    return encode(text.repeat(Math.ceil(9000 / text.length)));
  });

const before = fc.oneof(fc.constant(new Uint8Array()), randomOutput({ maxLength: 40 }));

test("what is left of a flood makes the same of every screen as all of it", () => {
  fc.assert(
    fc.property(before, flood(plainLine), fc.string({ maxLength: 30 }), (earlier, lines, end) => {
      const output = new Uint8Array(Buffer.concat([lines, encode(end)]));
      const { whole, skimmed } = drawBoth(earlier, output);
      expect(skimmed.equals(whole)).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test("output that does more than write is drawn as it is", () => {
  const line = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(before, flood(line), (earlier, output) => {
      const { whole, skimmed } = drawBoth(earlier, output);
      expect(skimmed.equals(whole)).toBe(true);
    }),
    { numRuns: 100 },
  );
});

const special = fc.constantFrom(
  `\u001b[A\u001b[2Kagain\r\n`.repeat(10),
  `\u001b[?1049h${"alternate\r\n".repeat(30)}`,
  `\u001b[?1049h${"alternate\r\n".repeat(30)}\u001b[?1049lback`,
  "\u001b[H\u001b[2Jone\r\ntwo\r\nthree\r\n",
  `\u001b[2;4r${"in a margin\r\n".repeat(10)}`,
  `\u001b[1;1H${"over it\r\n".repeat(4)}`,
  `\u001b[5T${"down\r\n".repeat(30)}`,
  `${"\u0007bell\r\n".repeat(20)}`,
);

test("what stands still behind a flood does not push it out", () => {
  fc.assert(
    fc.property(before, flood(plainLine), special, plainLine, (earlier, lines, tail, end) => {
      const output = new Uint8Array(Buffer.concat([lines, encode(tail), encode(end)]));
      const { whole, skimmed } = drawBoth(earlier, output);
      expect(skimmed.equals(whole)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test("a flood is left out also where something else follows it", () => {
  const output = encode(`${"a line of text\r\n".repeat(1000)}\u001b[Hthe end`);
  expect(drawBoth(new Uint8Array(), output).keptBytes).toBeLessThan(output.byteLength / 20);
});

test("most of a flood is left out", () => {
  const output = encode("a line of \u001b[32mtext\u001b[0m that nobody reads\r\n".repeat(1000));
  expect(drawBoth(new Uint8Array(), output).keptBytes).toBeLessThan(output.byteLength / 20);
});

test.each([
  ["a margin", "\u001b[2;4r"],
  ["the alternate screen", "\u001b[?1049h"],
  ["an open sequence", "\u001b]0;title"],
])("nothing is left out behind %s", (_, sequence) => {
  const output = encode("a line of text\r\n".repeat(1000));
  expect(drawBoth(encode(sequence), output).keptBytes).toBe(output.byteLength);
});

/** What a drawing makes of outputs that wait one behind the other, as a table draws them, and what each makes of them drawn whole. */
function drawQueued(outputs: readonly Uint8Array<ArrayBuffer>[]) {
  using whole = new Emulator({ size: SIZE, scrollback: SCROLLBACK });
  using drawing = new ScreenReplica({
    size: SIZE,
    scrollback: SCROLLBACK,
    saved: undefined,
    skips: [],
  });
  const queue = new OrderQueue();
  for (const [index, bytes] of outputs.entries()) {
    whole.writeAll(bytes);
    const change = { kind: "output", sequence: index + 1, bytes } as const;
    queue.push({ kind: "change", id: 1, change });
  }
  let left = 0;
  for (let next = queue.shift(drawing.lines); next; next = queue.shift(drawing.lines)) {
    const { order, followed } = next;
    if (order.kind !== "change") continue;
    if (followed >= drawing.lines) left++;
    drawing.begin(order.change, followed);
    while (!drawing.step(Infinity));
  }
  return { whole: Buffer.from(whole.save()), drawn: Buffer.from(drawing.save().bytes), left };
}

/** Enough to be a flood. */
const large = flood(plainLine).map((bytes) => new Uint8Array(Buffer.concat([bytes, bytes])));

test("lines that wait behind a flood push it out as well", () => {
  const few = fc.array(plainLine, { maxLength: 12 }).map((lines) => encode(lines.join("\r\n")));
  const waiting = fc.oneof(
    { weight: 4, arbitrary: large },
    { weight: 3, arbitrary: special.map(encode) },
    { weight: 2, arbitrary: few },
  );
  fc.assert(
    fc.property(fc.array(waiting, { minLength: 2, maxLength: 8 }), (outputs) => {
      const { whole, drawn } = drawQueued(outputs);
      expect(drawn.equals(whole)).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test("wherever a flood was cut, the same is left of it", () => {
  const text = fc.tuple(large, special, large, fc.constantFrom("", "\u0085", "é\r\n", "✓"));
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 3 }), ([one, tail, two, end], places) => {
      const all = Buffer.concat([one, encode(tail), two, encode(end), two]);
      // Near to where something special is, too: within a letter, within a sequence.
      const near = [one.byteLength + 1, all.byteLength - two.byteLength - 1];
      const cuts = [0, ...places.map((at) => at % all.byteLength), ...near, all.byteLength];
      const ordered = cuts.toSorted((before, after) => before - after);
      const pieces = ordered
        .slice(1)
        .map((to, index) => new Uint8Array(all.subarray(ordered[index], to)));
      const { whole, drawn } = drawQueued(pieces);
      expect(drawn.equals(whole)).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test("of a flood that waits only the end is drawn", () => {
  const output = encode("a line of \u001b[32mtext\u001b[0m that nobody reads\r\n".repeat(1000));
  const { whole, drawn, left } = drawQueued(Array.from({ length: 10 }, () => output.slice()));
  expect(drawn.equals(whole)).toBe(true);
  expect(left).toBe(9);
});

test("a flood is worth waiting for, unless something else is behind it", () => {
  const queue = new OrderQueue();
  const add = (text: string): void => {
    const change = { kind: "output", sequence: 1, bytes: encode(text) } as const;
    queue.push({ kind: "change", id: 1, change });
  };
  add("a line of text\r\n".repeat(1100));
  expect(queue.isWorthWaiting(2000)).toBe(true);
  add("a line of text\r\n".repeat(1100));
  expect(queue.isWorthWaiting(2000)).toBe(true);
  add("a line of text\r\n".repeat(1100));
  expect(queue.isWorthWaiting(2000)).toBe(false);
  expect(queue.isWorthWaiting(4000)).toBe(true);
  queue.push({ kind: "picture", id: 1, request: 1, format: "text" });
  expect(queue.isWorthWaiting(4000)).toBe(false);
});

test.each([["\u001b[6n"], ["\u0007"], ["short"]])("nothing waits for %j", (text) => {
  const queue = new OrderQueue();
  const change = { kind: "output", sequence: 1, bytes: encode(text) } as const;
  queue.push({ kind: "change", id: 1, change });
  expect(queue.isWorthWaiting(1000)).toBe(false);
});

/** Control characters that only go on to another line or column. */
const GOING_ON = [0x09, 0x0a, 0x0d];

test("every byte is seen wherever it stands in a buffer", () => {
  const seen: boolean[] = [];
  const expected: boolean[] = [];
  for (let byte = 0; byte < 256; byte++) {
    for (let place = 0; place < 12; place++) {
      const bytes = new Uint8Array(16).fill(0x61).subarray(2, 15);
      bytes[place] = byte;
      seen.push(countPlainLines(bytes).isPlain);
      expected.push(byte >= 0x20 ? byte !== 0x7f : GOING_ON.includes(byte));
    }
  }
  // A letter that is left without its second byte is followed by one that is no control.
  const first = 0xc2 * 12;
  expected.fill(false, first, first + 12);
  expect(seen).toEqual(expected);
});

test("lines are counted up to what is not plain, and no further than the output", () => {
  const whole = encode("\n12\n45\n\b89\n");
  expect(countPlainLines(whole.subarray(1))).toEqual({ lines: 2, isPlain: false });
  expect(countPlainLines(whole.subarray(1, 6))).toEqual({ lines: 1, isPlain: true });
});
