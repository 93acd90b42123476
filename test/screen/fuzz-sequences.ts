// Escape sequences as an attacker writes them: every kind, well formed and not, with text that must never come back as input.
import type { Random } from "../support/random.ts";

const ESC = "\u001b";

/** Text that would do harm if it were typed; each has at least four characters that no answer has. */
export const PAYLOADS = [
  "rm -rf ~\r",
  "\nreboot\n",
  "`id>x`;",
  "$(curl e)",
  "Zq7Kw9Xv",
  "\r\n:!sh\r\n",
];

const NUMBERS = [
  "",
  "0",
  "1",
  "2",
  "3",
  "5",
  "6",
  "8",
  "12",
  "24",
  "25",
  "47",
  "80",
  "81",
  "1047",
  "1049",
  "2004",
  "9999",
  "2147483647",
  "99999999999999999999",
];
const QUERY_FINALS = [
  "c",
  ">c",
  "=c",
  "n",
  "?n",
  "$p",
  "?$p",
  ">q",
  "t",
  "x",
  "?u",
  "*y",
  "$w",
  "&w",
  "?S",
];
const OSC_NUMBERS = [
  "0",
  "1",
  "2",
  "4",
  "5",
  "7",
  "8",
  "9",
  "10",
  "11",
  "12",
  "17",
  "21",
  "50",
  "52",
  "66",
  "104",
  "110",
  "133",
  "633",
  "777",
  "1337",
];
const DCS_STARTS = ["$q", "+q", "q", "=1s", "0;1|", "1$r", "$t", "+p", "!z"];
const SETTINGS = ["m", "r", " q", '"q', '"p', "s", "t", "$|", "*|"];
const LETTERS = ["a", "xyz", "字", "😀", "e\u0301", "\u0301", "\u200b", "│", "ﬁ", "👩‍💻", "ا"];
const CONTROLS = [
  "\r",
  "\n",
  "\b",
  "\t",
  "\u0000",
  "\u0005",
  "\u0007",
  "\u000b",
  "\u000c",
  "\u000e",
  "\u000f",
  "\u0018",
  "\u001a",
  "\u007f",
];
const UPPER_CONTROLS = [
  "\u0084",
  "\u0085",
  "\u0088",
  "\u008d",
  "\u0090",
  "\u0098",
  "\u009a",
  "\u009b3;4H",
  "\u009c",
  "\u009d0;x\u009c",
  "\u009e",
  "\u009f",
];
const ENDS = ["\u0007", `${ESC}\\`, "\u009c", "\u0018", ""];
const MODES = [
  "4",
  "20",
  "?1",
  "?3",
  "?5",
  "?6",
  "?7",
  "?9",
  "?12",
  "?25",
  "?45",
  "?47",
  "?66",
  "?69",
  "?1000",
  "?1004",
  "?1006",
  "?1047",
  "?1048",
  "?1049",
  "?2004",
  "?2026",
];

type Make = (random: Random) => string;

const params: Make = (random) =>
  Array.from({ length: random.between(0, 4) }, () => random.pick(NUMBERS)).join(
    random.pick([";", ";", ";", ":"]),
  );

const csi: Make = (random) => {
  const prefix = random.chance(0.2) ? random.pick(["?", ">", "<", "=", "!"]) : "";
  const between = random.chance(0.1) ? random.pick([" ", "$", '"', "'", "*", "#"]) : "";
  return `${ESC}[${prefix}${params(random)}${between}${String.fromCharCode(random.between(0x40, 0x7e))}`;
};

/** A question about anything that can be asked, with something to be echoed. */
const query: Make = (random) => {
  const final = random.pick(QUERY_FINALS);
  const prefix = /^[?>=]/.exec(final)?.[0] ?? "";
  return `${ESC}[${prefix}${params(random)}${final.slice(prefix.length)}`;
};

const osc: Make = (random) => {
  const text = random.pick([
    "?",
    "?;?;?",
    "1;?",
    "255;?",
    "c;?",
    "red",
    ...PAYLOADS,
    "A;nacre=1.2",
  ]);
  return `${ESC}]${random.pick(OSC_NUMBERS)};${text}${random.pick(ENDS)}`;
};

const dcs: Make = (random) => {
  const text = random.pick([...SETTINGS, ...PAYLOADS, "544e", "#0;2;0;0;0"]);
  return `${ESC}P${random.pick(DCS_STARTS)}${text}${random.pick(ENDS)}`;
};

const skipped: Make = (random) =>
  `${ESC}${random.pick(["_", "^", "X"])}${random.pick(PAYLOADS)}${random.pick(ENDS)}`;

const escape: Make = (random) => {
  const between = random.chance(0.4)
    ? random.pick(["(", ")", "*", "+", "-", ".", "#", "%", " "])
    : "";
  return `${ESC}${between}${String.fromCharCode(random.between(0x30, 0x7e))}`;
};

const mode: Make = (random) => `${ESC}[${random.pick(MODES)}${random.pick(["h", "l", "s", "r"])}`;

const KINDS: readonly (readonly [weight: number, make: Make])[] = [
  [8, csi],
  [4, query],
  [3, osc],
  [2, dcs],
  [1, skipped],
  [2, escape],
  [3, mode],
  [4, (random) => random.picks(LETTERS, random.between(1, 12))],
  [2, (random) => random.pick(CONTROLS)],
  [1, (random) => random.pick(UPPER_CONTROLS)],
  [1, (random) => random.pick(PAYLOADS)],
];

/** How many of all sequences are damaged, so that no parser meets only what it expects. */
const DAMAGED = 0.15;

/** One sequence as bytes. */
export function fuzzedSequence(random: Random): Buffer {
  const bytes = Buffer.from(random.weighted(KINDS)(random));
  if (bytes.length === 0 || !random.chance(DAMAGED)) return bytes;
  const at = random.between(0, bytes.length - 1);
  switch (random.pick(["cut", "changed", "doubled", "inserted"] as const)) {
    case "cut":
      return bytes.subarray(0, at);
    case "changed":
      bytes[at] = random.between(0, 255);
      return bytes;
    case "doubled":
      return Buffer.concat([bytes.subarray(0, at), bytes]);
    case "inserted":
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.of(random.between(0, 255)),
        bytes.subarray(at),
      ]);
  }
}
