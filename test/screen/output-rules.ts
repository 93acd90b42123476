// What output is made of, at random; small numbers and small texts, so that ends and margins are met often.
import type { Size } from "@nacre/contracts";
import type { Random } from "../support/random.ts";
import type { Step } from "./step.ts";

const ESC = "\u001b";

/** Makes one or several steps. */
type Rule = (random: Random) => readonly Step[];

/** How often a rule is chosen, beside the others. */
export type Weighted = readonly (readonly [weight: number, rule: Rule])[];

/** Small, so that margins and ends of lines are met often. */
export const CASE_SIZE: Size = { cols: 20, rows: 6 };

const ASCII =
  "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789 ~!@#$%^&*()_+`-={}|[]";

/** Widths everybody agrees on; those of newer emoji depend on the version of Unicode. */
const WIDE = ["字", "한", "語", "。", "😀", "🚀", "ｆ"];
const NARROW = ["é", "│", "→", "ß", "Ж", "█"];
const MARKS = ["\u0301", "\u0308", "\u0323"];

const step = (name: string, bytes: string): readonly Step[] => [{ name, bytes }];

const text =
  (least: number, most: number): Rule =>
  (random) =>
    step("text", random.string(ASCII, random.between(least, most)));

const control =
  (name: string, bytes: string): Rule =>
  () =>
    step(name, bytes);

/** A control sequence with one number, at times left out, at times larger than the screen. */
const csi =
  (name: string, final: string, most = 8): Rule =>
  (random) =>
    step(name, `${ESC}[${random.chance(0.2) ? "" : random.count(most)}${final}`);

const chosen =
  (name: string, final: string, ...choices: readonly string[]): Rule =>
  (random) =>
    step(name, `${ESC}[${random.pick(choices)}${final}`);

const position =
  (name: string, final: string): Rule =>
  (random) =>
    step(
      name,
      `${ESC}[${random.between(1, CASE_SIZE.rows + 1)};${random.between(1, CASE_SIZE.cols + 1)}${final}`,
    );

const TEXT: Weighted = [
  [10, text(1, 8)],
  [3, text(12, 50)],
];

const CONTROLS: Weighted = [
  [3, control("CR", "\r")],
  [3, control("LF", "\n")],
  [5, control("CRLF", "\r\n")],
  [2, control("BS", "\b")],
];

const MOTIONS: Weighted = [
  [1, csi("CUU", "A")],
  [1, csi("CUD", "B")],
  [1, csi("CUF", "C", 24)],
  [1, csi("CUB", "D", 24)],
  [1, csi("CNL", "E")],
  [1, csi("CPL", "F")],
  [1, csi("CHA", "G", 22)],
  [1, csi("VPA", "d")],
  [1, csi("HPA", "`", 22)],
  [4, position("CUP", "H")],
  [1, position("HVP", "f")],
];

const ERASES: Weighted = [
  [2, chosen("ED", "J", "", "0", "1", "2")],
  [3, chosen("EL", "K", "", "0", "1", "2")],
];

const SCROLLS: Weighted = [
  [1, control("IND", `${ESC}D`)],
  [1, control("NEL", `${ESC}E`)],
  [1, control("RI", `${ESC}M`)],
  [1, (random) => step("lines", "\n".repeat(random.between(2, CASE_SIZE.rows)))],
];

const SIMPLE_LOOKS: Weighted = [
  [3, chosen("SGR", "m", "", "0", "1", "4", "7", "22", "24", "27", "39", "49")],
  [3, (random) => step("SGR", `${ESC}[${random.between(30, 37)}m`)],
  [2, (random) => step("SGR", `${ESC}[${random.between(40, 47)}m`)],
];

const LOOKS: Weighted = [
  [
    4,
    chosen(
      "SGR",
      "m",
      "2",
      "3",
      "5",
      "8",
      "9",
      "23",
      "25",
      "28",
      "29",
      "53",
      "55",
      "1;3;31",
      "0;7",
      "21",
    ),
  ],
  [2, chosen("SGR", "m", "4:0", "4:1", "4:2", "4:3", "4:4", "4:5", "58;5;3", "58:2::1:2:3", "59")],
  [2, (random) => step("SGR", `${ESC}[${random.between(90, 97)};${random.between(100, 107)}m`)],
  [2, (random) => step("SGR", `${ESC}[${random.pick(["38", "48"])};5;${random.between(0, 255)}m`)],
  [2, (random) => step("SGR", `${ESC}[${random.pick(["38", "48"])}:5:${random.between(0, 255)}m`)],
  [
    2,
    (random) =>
      step(
        "SGR",
        `${ESC}[${random.pick(["38", "48"])};2;${random.between(0, 255)};${random.between(0, 255)};7m`,
      ),
  ],
  [
    2,
    (random) =>
      step(
        "SGR",
        `${ESC}[${random.pick(["38", "48"])}:2::${random.between(0, 255)}:${random.between(0, 255)}:7m`,
      ),
  ],
];

const WIDE_TEXT: Weighted = [
  [4, (random) => step("wide", random.picks(WIDE, random.between(1, 12)))],
  [3, (random) => step("narrow", random.picks(NARROW, random.between(1, 6)))],
  [
    3,
    (random) => step("marks", random.string(ASCII, 1) + random.picks(MARKS, random.between(1, 3))),
  ],
  [1, (random) => step("mark", random.pick(MARKS))],
];

const EDITS: Weighted = [
  [1, csi("ICH", "@")],
  [1, csi("DCH", "P")],
  [1, csi("ECH", "X", 24)],
  [1, csi("IL", "L")],
  [1, csi("DL", "M")],
  [1, csi("REP", "b", 24)],
];

const MARGINS: Weighted = [
  [
    4,
    (random) => {
      const top = random.between(1, CASE_SIZE.rows - 1);
      return step("DECSTBM", `${ESC}[${top};${random.between(top + 1, CASE_SIZE.rows)}r`);
    },
  ],
  [1, chosen("DECSTBM", "r", "", "0;0", "3", ";4", "5;2", "2;99")],
  [2, csi("SU", "S")],
  [2, csi("SD", "T")],
  [1, chosen("DECOM", "", "?6h", "?6l")],
];

const TABS: Weighted = [
  [5, control("TAB", "\t")],
  [2, control("HTS", `${ESC}H`)],
  [2, chosen("TBC", "g", "", "0", "3")],
  [2, csi("CHT", "I", 4)],
  [2, csi("CBT", "Z", 4)],
];

const SAVES: Weighted = [
  [1, control("DECSC", `${ESC}7`)],
  [1, control("DECRC", `${ESC}8`)],
  [1, control("SCOSC", `${ESC}[s`)],
  [1, control("SCORC", `${ESC}[u`)],
];

const MODES: Weighted = [
  [2, chosen("DECAWM", "", "?7h", "?7l")],
  [2, chosen("IRM", "", "4h", "4l")],
  [1, chosen("DECTCEM", "", "?25h", "?25l")],
  [1, chosen("DECOM", "", "?6h", "?6l")],
  [1, csi("HPR", "a", 24)],
  [1, csi("VPR", "e")],
  [1, control("RIS", `${ESC}c`)],
  [1, control("DECALN", `${ESC}#8`)],
];

const CHARSETS: Weighted = [
  [3, control("G0", `${ESC}(0`)],
  [3, control("G0", `${ESC}(B`)],
  [2, control("G1", `${ESC})0`)],
  [1, control("G1", `${ESC})B`)],
  [2, control("SO", "\u000e")],
  [2, control("SI", "\u000f")],
];

const ALTERNATES: Weighted = [
  [2, chosen("alternate", "", "?1049h", "?1049l")],
  [1, chosen("alternate", "", "?1047h", "?1047l")],
  [1, chosen("alternate", "", "?47h", "?47l")],
];

/** Text goes on behind each, so that nothing is written over. */
const NEWLINES: Weighted = [[8, control("CRLF", "\r\n")]];

const RESIZES: Weighted = [
  [
    4,
    (random) => [
      { name: "resize", size: { cols: random.between(6, 40), rows: random.between(2, 12) } },
    ],
  ],
];

/** What can be written, by what it is about. */
export const OUTPUT_RULES = {
  text: TEXT,
  controls: CONTROLS,
  motions: MOTIONS,
  erases: ERASES,
  scrolls: SCROLLS,
  simpleLooks: SIMPLE_LOOKS,
  looks: LOOKS,
  wideText: WIDE_TEXT,
  edits: EDITS,
  margins: MARGINS,
  tabs: TABS,
  saves: SAVES,
  modes: MODES,
  charsets: CHARSETS,
  alternates: ALTERNATES,
  newlines: NEWLINES,
  resizes: RESIZES,
} as const satisfies Record<string, Weighted>;
