import fc from "fast-check";

const ESC = "\u001b";

const number = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom(24, 79, 80, 81, 132, 9_999, 2_147_483_647) },
);

const numbers = fc
  .array(fc.option(number, { nil: "" }), { maxLength: 3 })
  .map((all) => all.join(";"));

const text = fc.oneof(
  { weight: 8, arbitrary: fc.stringMatching(/^[ -~]{1,20}$/) },
  {
    weight: 4,
    arbitrary: fc
      .array(
        fc.constantFrom(
          "字",
          "😀",
          "é",
          "e\u0301",
          "\u0301",
          "한",
          "│",
          "→",
          "\u200b",
          "ﬁ",
          "🇩🇪",
          "x",
        ),
        { minLength: 1, maxLength: 8 },
      )
      .map((all) => all.join("")),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 30, max: 200 }).map((length) => "wrap ".repeat(length)),
  },
);

const control = fc.constantFrom(
  "\r",
  "\n",
  "\r\n",
  "\b",
  "\t",
  "\u000b",
  "\u000e",
  "\u000f",
  "\u0007",
);

const csi = fc
  .tuple(numbers, fc.constantFrom(..."@ABCDEFGHIJKLMPSTXZ`abdefgnrsu".split("")))
  .map(([params, final]) => `${ESC}[${params}${final}`);

const style = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "0",
        "1",
        "2",
        "3",
        "4",
        "4:3",
        "5",
        "7",
        "8",
        "9",
        "21",
        "22",
        "24",
        "27",
        "53",
      ),
      fc
        .integer({ min: 30, max: 49 })
        .filter((code) => code !== 38 && code !== 48)
        .map(String),
      fc.integer({ min: 90, max: 107 }).map(String),
      fc.integer({ min: 0, max: 255 }).map((index) => `38;5;${index}`),
      fc.integer({ min: 0, max: 255 }).map((index) => `48;5;${index}`),
      fc.integer({ min: 0, max: 255 }).map((part) => `48;2;${part};1;2`),
      fc.integer({ min: 0, max: 255 }).map((part) => `58:2::${part}:1:2`),
    ),
    { maxLength: 4 },
  )
  .map((codes) => `${ESC}[${codes.join(";")}m`);

const MODES =
  "4 20 ?1 ?2 ?6 ?7 ?9 ?12 ?25 ?45 ?47 ?66 ?1000 ?1002 ?1003 ?1004 ?1006 ?1016 ?1047 ?1048 ?1049 ?2004 ?2026".split(
    " ",
  );

const mode = fc
  .tuple(fc.constantFrom(...MODES), fc.constantFrom("h", "l"))
  .map(([number_, set]) => `${ESC}[${number_}${set}`);

const other = fc.constantFrom(
  ...["7", "8", "D", "E", "H", "M", "=", ">", "c", "n", "o", "|", "}", "~", "#8", "%G"].map(
    (rest) => ESC + rest,
  ),
  ...["(0", "(B", ")0", ")A", "*K", "+=", "(4", "-0", ".A"].map((rest) => ESC + rest),
  ...["[!p", "[?0J", "[?1J", "[?2J", "[?0K", "[?1K", '[1"q', '[0"q', "[2 q", "[5 q", "[0 q"].map(
    (rest) => ESC + rest,
  ),
  ...["[2 @", "[2 A", "['}", "['~", "[3g", "[24;80H", "[1J", "[2J", "[3J", "[1K"].map(
    (rest) => ESC + rest,
  ),
  `${ESC}]0;title${ESC}\\`,
  `${ESC}]8;;http://example.org\u0007link${ESC}]8;;\u0007`,
  `${ESC}]4;1;?\u0007`,
  `${ESC}P$qm${ESC}\\`,
  `${ESC}_ignored${ESC}\\`,
  "\u009b3;4H",
);

const piece = fc.oneof(
  { weight: 8, arbitrary: text },
  { weight: 5, arbitrary: control },
  { weight: 6, arbitrary: csi },
  { weight: 4, arbitrary: style },
  { weight: 3, arbitrary: mode },
  { weight: 2, arbitrary: other },
);

/** Text and escape sequences of every kind. */
export const randomOutput = (options: {
  maxLength: number;
}): fc.Arbitrary<Uint8Array<ArrayBuffer>> =>
  fc
    .array(piece, { minLength: 1, maxLength: options.maxLength, size: "max" })
    .map((pieces) => new TextEncoder().encode(pieces.join("")));

/** Small, so that margins and line ends are hit often. */
export const randomSize = fc.record({
  cols: fc.oneof(fc.integer({ min: 2, max: 12 }), fc.constant(80)),
  rows: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constant(24)),
});
