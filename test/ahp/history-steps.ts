// What random histories of a terminal are made of.
import fc from "fast-check";

/** One thing that a client does to a terminal; `by` is the number of the client. */
export type Step =
  | {
      readonly does: "print";
      readonly by: number;
      readonly pieces: readonly string[];
      readonly cut: number;
    }
  | { readonly does: "lines"; readonly by: number; readonly count: number }
  | { readonly does: "fail"; readonly by: number; readonly exitCode: number }
  | { readonly does: "type"; readonly by: number; readonly keys: string }
  | { readonly does: "resize"; readonly by: number; readonly cols: number; readonly rows: number }
  | { readonly does: "rename"; readonly by: number; readonly title: string }
  | { readonly does: "clear"; readonly by: number }
  | {
      readonly does: "claim";
      readonly by: number;
      readonly for: "turn" | "session" | "own" | "other";
    }
  | { readonly does: "cd"; readonly by: number; readonly to: string }
  | { readonly does: "look"; readonly by: number };

/** A history: its steps, and whether the shell ends behind them. */
export interface History {
  readonly steps: readonly Step[];
  readonly exitCode: number | undefined;
}

/** What programs print: letters of one, two, three and four bytes, wide ones, joined ones, and controls. */
const PIECES = [
  "plain",
  "é ß ø",
  "漢字かな交じり",
  "한국어",
  "👍🏽",
  "👩‍👩‍👧‍👦",
  "🇩🇪",
  "e\u0301",
  "\r\n",
  "\n",
  "\t",
  "\b",
  "\r",
  "\u0007",
  "\u001b[31mred\u001b[0m",
  "\u001b[2J\u001b[H",
  "\u001b[5;10H",
  "\u001b[K",
  "\u001b[?1049h alternate \u001b[?1049l",
  "\u001b]0;a title\u0007",
  "\u001b]8;;https://example.org\u001b\\link\u001b]8;;\u001b\\",
  "\u001b(0qqq\u001b(B",
  "\u001b[?25l\u001b[?25h",
  "\u0000",
  "$HOME 'quoted' \"twice\" \\",
] as const;

const by = fc.nat({ max: 2 });

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant("print" as const),
      by,
      pieces: fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 12 }),
      cut: fc.nat({ max: 40 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant("lines" as const), by, count: fc.nat({ max: 300 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("fail" as const),
      by,
      exitCode: fc.nat({ max: 255 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("type" as const),
      by,
      keys: fc.constantFrom("\r", "half\u0015", "\u000c", "漢\u007f"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("resize" as const),
      by,
      cols: fc.integer({ min: 1, max: 200 }),
      rows: fc.integer({ min: 1, max: 60 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("rename" as const),
      by,
      title: fc.constantFrom("build", "сборка", "ビルド 🚧", ""),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("clear" as const), by }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant("claim" as const),
      by,
      for: fc.constantFrom("turn" as const, "session" as const, "own" as const, "other" as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("cd" as const),
      by,
      to: fc.constantFrom("/", "/tmp", "/usr/bin", "/nowhere"),
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("look" as const), by }) },
);

/** Any history. */
export const histories: fc.Arbitrary<History> = fc.record({
  steps: fc.array(step, { minLength: 3, maxLength: 14 }),
  exitCode: fc.option(fc.nat({ max: 255 }), { nil: undefined }),
});

/** A command line of bash that prints these bytes in two writes, wherever that cuts. */
export function printLine(pieces: readonly string[], cut: number): string {
  const bytes = Buffer.from(pieces.join(""));
  const at = Math.min(cut, bytes.length);
  const octal = (part: Buffer): string =>
    Array.from(part, (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
  return `printf '${octal(bytes.subarray(0, at))}'; printf '${octal(bytes.subarray(at))}'`;
}
